# SPDX-License-Identifier: Apache-2.0
"""Tests the socket of the editors' plugins with programs that break the rules."""

import errno
import json
import os
import pathlib
import socket
import stat
import struct
import tempfile
import threading
import unittest
from unittest import mock

import strangers
from apps import EXTENSION, LIMIT, WORK, sys
from library import introspected

introspected()
sys.path.insert(0, str(EXTENSION))

from gi.repository import GLib  # noqa: E402

from editors import Editors, form, paths, place, programs  # noqa: E402
from editors.arrival import Arrival  # noqa: E402
from editors.editor import Editor  # noqa: E402
from editors.unsaved import NAMELESS, Unsaved  # noqa: E402
from extensions import lines, peer  # noqa: E402
from extensions.exchange import Exchange  # noqa: E402
from ladder import Stays  # noqa: E402
import launch  # noqa: E402
from judge import REFUSED, Verdict  # noqa: E402


class Sockets(unittest.TestCase):
    """A server in this program, and its clients."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-socket-")))
        self.path = self.root / "baton" / "editors" / "socket"
        self.context = GLib.MainContext.default()
        self.came, self.heard, self.closed = [], [], []
        self.knows = True  # so no refusal is caused by silence
        self.exchange = Exchange(str(self.path.parent))
        self.addCleanup(self.exchange.end)
        self.server = lines.Server(str(self.path), self.judge, self.accept)
        self.addCleanup(lambda: self.server.end())

    def judge(self, end: socket.socket, answered):
        """Admits every program, in place of batond."""
        peer.ask(mock.Mock(ask_end=lambda end, answered: answered(Verdict(True))), end, answered)

    def accept(self, connection):
        self.came.append(connection)
        if self.knows:
            connection.know()
        connection.heard = self.heard.append
        connection.closed = lambda: self.closed.append(connection)

    def connect(self) -> socket.socket:
        end = socket.socket(socket.AF_UNIX)
        self.addCleanup(end.close)
        end.settimeout(LIMIT)
        end.connect(str(self.path))
        return end

    def until(self, condition):
        late = []
        timer = GLib.timeout_add_seconds(LIMIT, lambda: late.append(True) or True)
        try:
            while not condition():
                self.assertFalse(late, "it did not come to be")
                self.context.iteration(True)
        finally:
            GLib.source_remove(timer)

    def assert_refused(self, *pieces: bytes):
        """Checks that a program that sends these bytes is disconnected."""
        end, before = self.connect(), len(self.closed)
        for piece in pieces:
            end.sendall(piece)
        self.until(lambda: len(self.closed) > before)

    def test_socket_is_accessible_only_to_its_user(self):
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.path.parent.stat().st_mode), 0o700)

    def test_socket_of_a_service_that_was_killed_is_replaced(self):
        self.server.end()
        self.path.touch()
        self.server = lines.Server(str(self.path), self.judge, self.accept)
        self.connect()
        self.until(lambda: self.came)

    def test_socket_is_removed_with_the_service(self):
        self.server.end()
        self.assertFalse(self.path.exists())
        self.server = lines.Server(str(self.path), self.judge, self.accept)

    def test_lines_arrive_complete_and_in_order(self):
        end = self.connect()
        end.sendall(b'{"a": 1}\n{"b": "\xc3')
        self.until(lambda: self.heard)
        end.sendall(b'\xa9"}\n{"c": 3}\n')
        self.until(lambda: len(self.heard) == 3)
        self.assertEqual(self.heard, [{"a": 1}, {"b": "é"}, {"c": 3}])

    def test_other_users_are_refused(self):
        other = mock.Mock()
        other.getsockopt.return_value = struct.pack("iii", 1, os.geteuid() + 1, 0)
        self.judge(other, self.heard.append)
        self.assertEqual(self.heard, [False])
        end = self.connect()
        self.until(lambda: self.came)
        with mock.patch.object(os, "geteuid", lambda: 4711):
            stranger = self.connect()
            threading.Thread(target=lambda: (stranger.recv(1), GLib.idle_add(self.closed.append, None)), daemon=True).start()
            self.until(lambda: self.closed)
        self.assertEqual(len(self.came), 1)
        self.assertTrue(end)

    def test_nothing_is_read_from_a_program_before_batonds_verdict(self):
        waiting = []
        self.server.judge = lambda end, answered: waiting.append(answered)
        ends = [self.connect(), self.connect()]
        for end in ends:
            end.sendall(b'{"a": 1}\n')
        self.until(lambda: len(waiting) == 2)
        while self.context.iteration(False):
            pass
        self.assertEqual((self.came, self.heard), ([], []))
        waiting[0](True)
        waiting[1](False)
        self.until(lambda: self.heard)
        self.assertEqual(len(self.came), 1)
        self.assertRaises(ConnectionResetError, ends[1].recv, 1)  # the message was thrown away unread

    def test_program_that_batond_refuses_is_disconnected(self):
        answers = []
        peer.ask(mock.Mock(ask_end=lambda end, answered: answered(REFUSED)), self.connect(), answers.append)
        self.assertEqual(answers, [False])

    def test_program_without_a_verdict_in_time_is_refused(self):
        self.server.judge = lambda end, answered: None
        with mock.patch.object(lines, "PATIENCE", 0):
            end = self.connect()
            self.until(lambda: self.server.connections)
            self.until(lambda: not self.server.connections)
        self.assertEqual(end.recv(1), b"")

    def test_line_that_is_not_a_json_object_is_refused(self):
        for line in (b"hello\n", b"[]\n", b"1\n", b"null\n", b"\n", b"\xff\n", b"[" * 60_000 + b"\n", b'{"a": 1}{"b": 2}\n'):
            with self.subTest(line=line[:20]):
                self.assert_refused(line)
        self.assertEqual(self.heard, [])

    def test_long_lines_are_refused(self):
        self.assert_refused(b'{"a": "' + b"x" * lines.LONGEST_LINE + b'"}\n')
        self.assert_refused(b"x" * (2 * lines.LONGEST_LINE))

    def test_number_of_connected_programs_is_limited(self):
        ends = [self.connect() for _ in range(lines.MOST_CONNECTIONS)]
        self.until(lambda: len(self.came) == len(ends))
        one_more = self.connect()
        threading.Thread(target=lambda: (one_more.recv(1), GLib.idle_add(self.closed.append, None)), daemon=True).start()
        self.until(lambda: self.closed)
        self.assertEqual(len(self.came), lines.MOST_CONNECTIONS)
        ends[0].close()
        self.until(lambda: len(self.server.connections) == lines.MOST_CONNECTIONS - 1)
        self.connect()
        self.until(lambda: len(self.came) == lines.MOST_CONNECTIONS + 1)

    def test_program_waits_until_the_service_has_a_free_descriptor(self):
        listener = self.server.listener
        with mock.patch.object(lines.GLib, "timeout_add", return_value=7) as later:
            self.server.listener = mock.Mock(accept=mock.Mock(side_effect=OSError(errno.EMFILE, "Too many open files")), fileno=listener.fileno)
            self.connect()
            self.until(lambda: later.called)
            while self.context.iteration(False):
                pass
            self.server.listener.accept.assert_called_once_with()
        self.server.listener = listener
        pause, again = later.call_args.args
        self.assertEqual(pause, lines.PAUSE)
        again()
        self.until(lambda: self.came)

    def test_many_lines_at_once_are_refused(self):
        self.assert_refused(b"{}\n" * (2 * lines.MOST_AT_ONCE))

    def test_program_that_does_not_identify_itself_is_refused(self):
        self.knows = False
        with mock.patch.object(lines, "PATIENCE", 0):
            self.connect()
            self.until(lambda: self.closed)

    def test_program_that_has_identified_itself_stays_connected(self):
        with mock.patch.object(lines, "PATIENCE", 0):
            end = self.connect()
            self.until(lambda: self.came)
            self.until(lambda: not self.came[0].limit)
        end.sendall(b"{}\n")
        self.until(lambda: self.heard)
        self.assertEqual(self.closed, [])

    def test_program_that_does_not_read_is_disconnected(self):
        self.connect()
        self.until(lambda: self.came)
        for _ in range(1000):
            self.came[0].send({"note": "x" * 60_000})
        self.assertFalse(self.came[0].is_open)

    def test_lines_that_arrive_before_an_answer_are_not_lost(self):
        end = self.connect()
        self.until(lambda: self.came)

        def answer():
            asked = json.loads(end.makefile().readline())
            end.sendall(b'{"state": null}\n' + json.dumps({"answer": asked["ask"]}).encode() + b"\n")
        threading.Thread(target=answer, daemon=True).start()
        self.assertEqual(self.came[0].ask({"ask": 7}, lambda message: message.get("answer") == 7, LIMIT), {"answer": 7})
        self.until(lambda: self.heard)
        self.assertEqual(self.heard, [{"state": None}])

    def test_lines_that_arrive_with_an_answer_are_handled_in_order(self):
        end = self.connect()
        self.until(lambda: self.came)
        end.sendall(b'{"state": 1}\n{"answer": 7}\n{"ended": 2}\n{"answer": 7, "again": 3}\n{"state": 4}\n')
        self.assertEqual(self.came[0].ask({"ask": 7}, lambda message: message.get("answer") == 7, LIMIT), {"answer": 7})
        self.assertEqual(self.heard, [])
        self.until(lambda: len(self.heard) == 4)
        self.assertEqual(self.heard, [{"state": 1}, {"ended": 2}, {"answer": 7, "again": 3}, {"state": 4}])

    def test_last_lines_of_a_program_that_ends_during_a_question_are_handled(self):
        end = self.connect()
        self.until(lambda: self.came)
        self.came[0].closed = lambda: self.closed.append(list(self.heard))
        threading.Thread(target=lambda: (end.makefile().readline(), end.sendall(b'{"ended": 1}\n'), end.close()), daemon=True).start()
        self.assertIsNone(self.came[0].ask({"ask": 7}, lambda message: "answer" in message, LIMIT))
        self.until(lambda: self.closed)
        self.assertEqual(self.closed, [[{"ended": 1}]])

    def test_last_lines_of_a_program_that_ended_before_a_question_are_handled(self):
        for ask in (lambda end: self.assertIsNone(end.ask({"ask": 7}, lambda message: "answer" in message, LIMIT)), lambda end: end.send({"open": 7})):
            self.came.clear(), self.heard.clear(), self.closed.clear()
            end = self.connect()
            self.until(lambda: self.came)
            self.came[0].closed = lambda: self.closed.append(list(self.heard))
            end.sendall(b'{"ended": 1}\n')
            end.close()
            ask(self.came[0])
            self.until(lambda: self.closed)
            self.assertEqual(self.closed, [[{"ended": 1}]])

    def test_question_to_an_editor_that_hangs_or_ends_has_no_answer(self):
        end = self.connect()
        self.until(lambda: self.came)
        self.assertIsNone(self.came[0].ask({"ask": 1}, lambda message: True, 0.1))
        threading.Thread(target=end.close).start()
        self.assertIsNone(self.came[0].ask({"ask": 2}, lambda message: True, LIMIT))
        self.until(lambda: self.closed)

    def test_thousands_of_uses_leave_no_files_or_descriptors(self):
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(2_000):
            end = socket.socket(socket.AF_UNIX)
            end.connect(str(self.path))
            end.sendall(b"{}\n")
            end.close()
            self.until(lambda: not self.context.iteration(False))
        self.until(lambda: not self.server.connections)
        self.assertLessEqual(len(os.listdir("/proc/self/fd")), before)
        self.came.clear()


    def editors(self) -> Editors:
        """Returns the adapter, at this socket and without the bus."""
        found = Editors.__new__(Editors)
        found.arrivals, found.withheld, found.exchange = {}, mock.Mock(), self.exchange
        found.directory, found.publish = str(self.path.parent), mock.Mock()
        self.accept = found.came
        self.server.came = self.accept
        return found

    def test_activity_without_a_file_leaves_no_arrival(self):
        """An arrival that is not removed would count towards the limit of arrivals."""
        editors, continuation = self.editors(), mock.Mock()
        editors.server, editors.decline = self.server, mock.Mock()
        continuation.props.user_info, continuation.props.device_name = GLib.Variant("a{sv}", {}), "desk"
        editors.take(continuation, None)
        self.until(lambda: editors.decline.called)
        self.assertEqual(editors.arrivals, {})

    def test_editor_of_this_version_is_accepted(self):
        editors = self.editors()
        self.connect().sendall(b'{"version": 2, "editor": "vim"}\n')
        self.until(lambda: editors.publish.called)

    def test_editor_of_another_version_gets_no_message(self):
        """Such an editor would treat the name of a file as a path. The program learns only that the connection has
        ended."""
        for version in ("", '"version": 1, ', '"version": 3, ', '"version": "2", ', '"version": null, '):
            with self.subTest(version=version):
                editors, ticket = self.editors(), "ab" * 16
                arrival = editors.arrivals[ticket] = mock.Mock()
                end, heard = self.connect(), []
                end.sendall(f'{{{version}"editor": "gedit", "ticket": "{ticket}"}}\n{{"state": null}}\n'.encode())
                threading.Thread(target=lambda end=end, heard=heard: (heard.append(end.recv(1)), GLib.idle_add(int)), daemon=True).start()
                self.until(lambda heard=heard: heard)
                self.assertEqual(heard, [b""])
                self.assertFalse(editors.publish.called)
                arrival.tell.assert_not_called()
                self.assertIn("Quit it, and try again", arrival.told.call_args.args[0])


class Exchanges(unittest.TestCase):
    """The files through which editors send texts to the adapters."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-exchange-")))
        self.directory = self.root / "editors"
        self.exchange = Exchange(str(self.directory))
        self.addCleanup(lambda: self.exchange.end())
        self.secret = self.root / "secret"
        self.secret.write_bytes(b"secret")

    def make(self) -> pathlib.Path:
        return self.directory / self.exchange.make()

    def assert_refused(self, path: pathlib.Path):
        before = len(os.listdir("/proc/self/fd"))
        self.assertIsNone(self.exchange.take(path.name, 100))
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        self.exchange.remove(path.name)

    def test_file_is_accessible_only_to_its_user_and_is_removed(self):
        path = self.directory / self.exchange.put(b"letter")
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertEqual(self.exchange.take(path.name, 6), b"letter")
        self.exchange.remove(path.name)
        self.assertEqual(os.listdir(self.directory), [])

    def test_file_that_is_too_large_is_refused(self):
        path = self.make()
        path.write_bytes(b"letter")
        self.assertIsNone(self.exchange.take(path.name, 5))

    def test_symbolic_link_is_refused(self):
        path = self.make()
        path.unlink()
        path.symlink_to(self.secret)
        self.assert_refused(path)
        self.assertEqual(self.secret.read_bytes(), b"secret")

    def test_pipe_is_refused_without_a_wait(self):
        path = self.make()
        path.unlink()
        os.mkfifo(path)
        self.assert_refused(path)

    def test_directory_is_refused(self):
        path = self.make()
        path.unlink()
        path.mkdir()
        self.assert_refused(path)

    def test_file_of_another_user_is_refused(self):
        path = self.make()
        path.chmod(0o666)
        strangers.give(self, path)
        self.assertIsNone(self.exchange.take(path.name, 100))

    def test_directory_of_another_user_is_refused(self):
        self.directory.chmod(0o755)
        strangers.give(self, self.directory)
        self.assertRaises(OSError, Exchange, str(self.directory))

    def test_directory_that_others_can_enter_is_refused(self):
        self.directory.chmod(0o711)
        self.assertRaises(OSError, Exchange, str(self.directory))

    def test_directory_that_is_a_symbolic_link_is_refused(self):
        (self.root / "link").symlink_to(self.directory)
        self.assertRaises(OSError, Exchange, str(self.root / "link"))

    def test_thousands_of_uses_leave_no_files_or_descriptors(self):
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(10_000):
            name = self.exchange.put(b"letter")
            self.exchange.take(name, 100)
            self.exchange.remove(name)
        self.assertEqual((os.listdir(self.directory), len(os.listdir("/proc/self/fd"))), ([], before))


class Forms(unittest.TestCase):
    """A file has the same bytes after its text has been in an editor."""

    def there_and_back(self, file: bytes, named: form.Form, text: bytes, expected: form.Form):
        self.assertEqual(form.read(file, named), (text, expected))
        self.assertEqual(form.saved(text, expected), (file, expected))

    def test_encodings_are_kept(self):
        """Editors get UTF-16 as UTF-8, and convert encodings other than Unicode's themselves."""
        for encoding, text in (("utf-8", "né 😀\n"), ("utf-16le", "né 😀\n"), ("utf-16be", "\u0a0d\n")):
            with self.subTest(encoding=encoding):
                self.there_and_back(text.encode(encoding), form.Form(encoding), text.encode(), form.Form(encoding, False, "lf", True))
        for encoding in sorted(form.OTHERS):
            with self.subTest(encoding=encoding):
                self.there_and_back(b"n\xe9\n", form.Form(encoding), b"n\xe9\n", form.Form(encoding, False, "lf", True))

    def test_byte_order_marks_are_kept_and_determine_the_encoding(self):
        for encoding, mark in form.MARKS.items():
            with self.subTest(encoding=encoding):
                self.there_and_back(mark + "né\n".encode(encoding), form.Form("iso-8859-1"), "né\n".encode(), form.Form(encoding, True, "lf", True))

    def test_byte_order_mark_is_text_if_the_form_has_no_mark(self):
        for encoding, text in (("utf-8", "\ufeffa\n".encode()), ("iso-8859-1", b"\xef\xbb\xbfa\n")):
            self.there_and_back(b"\xef\xbb\xbfa\n", form.Form(encoding, False), text, form.Form(encoding, False, "lf", True))

    def test_line_ends_are_kept(self):
        for file, text, ends in ((b"a\r\nb\r\n", b"a\nb\n", "crlf"), (b"a\rb\r", b"a\nb\n", "cr"), (b"a\nb\n", b"a\nb\n", "lf"), (b"a", b"a", "lf"),
                                 (b"a\r\nb\n", b"a\r\nb\n", "lf"), (b"a\rb\r\n", b"a\rb\n", "crlf"), (b"a\nb\r", b"a\nb\r", "lf"),
                                 (b"a\n\r\n", b"a\n\r\n", "lf"), (b"a\r\nb", b"a\nb", "crlf"), (b"", b"", "lf")):
            with self.subTest(file=file):
                has_last_end = text[-1:] in (b"\n", b"")
                self.there_and_back(file, form.Form("utf-8"), text, form.Form("utf-8", False, ends, has_last_end))

    def test_requested_line_ends_count_if_they_fit_the_file(self):
        for file, ends, text, expected in ((b"a", "crlf", b"a", "crlf"), (b"", "cr", b"", "cr"), (b"a\r\nb\r\n", "lf", b"a\r\nb\r\n", "lf"),
                                           (b"a\rb\r", "lf", b"a\rb\r", "lf"), (b"a\nb\n", "crlf", b"a\nb\n", "lf"),
                                           (b"a\nb\n", "cr", b"a\nb\n", "lf"), (b"a\r\n", "cr", b"a\n", "crlf")):
            with self.subTest(file=file, ends=ends):
                found, as_saved = form.read(file, form.Form("utf-8", False, ends))
                self.assertEqual((found, as_saved.ends, form.saved(found, as_saved)[0]), (text, expected, file))

    def test_every_file_can_be_read_as_text(self):
        """A text in no known encoding is read in an old encoding, which keeps each byte."""
        for file in (bytes(range(256)), b"caf\xe9\n", b"\xff\xfea", b"\xef\xbb\xbf\xe9", b"a\0b\n", b"\xed\xa0\x80"):
            for encoding in (None, "utf-8", "utf-16le", "shift_jis", "gb18030"):
                for has_mark in (None, False, True):
                    for ends in (None, *form.ENDS):
                        with self.subTest(file=file, encoding=encoding, has_mark=has_mark, ends=ends):
                            text, found = form.read(file, form.Form(encoding, has_mark, ends))
                            self.assertEqual(form.saved(text, found)[0], file)

    def test_text_in_an_old_encoding_is_read(self):
        file = "10 €, né\n".encode("iso-8859-15")
        self.assertEqual(form.read(file, form.Form()), (file, form.Form("iso-8859-15", False, "lf", True)))

    def test_text_that_its_encoding_cannot_represent_becomes_utf_8(self):
        """UTF-16 cannot represent a byte that is invalid in every encoding."""
        self.assertEqual(form.saved(b"\xff\n", form.Form("utf-16le", True, "crlf")), (b"\xef\xbb\xbf\xff\r\n", form.Form("utf-8", True, "crlf", True)))

    def test_last_bytes_of_a_file_show_whether_its_last_line_has_an_end(self):
        for encoding in ("utf-8", "utf-16le", "utf-16be", "koi8-r"):
            for ends, said in (("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r")):
                for text, expected in ((f"ab{said}", True), (said, True), ("", True), ("ab", False), ("\u0a0d" if encoding.startswith("utf") else "b", False)):
                    with self.subTest(encoding=encoding, ends=ends, text=text):
                        self.assertEqual(form.tail_has_end(text.encode(encoding)[-form.LONGEST_END:], form.Form(encoding, False, ends)), expected)

    def test_encodings_are_known_by_the_names_that_editors_use(self):
        for name, expected in (("latin1", "iso-8859-1"), ("UTF-8", "utf-8"), ("cp1251", "windows-1251"), ("sjis", "shift_jis"), ("ucs-2le", "utf-16le"),
                               ("IBM850", "cp850"), ("ibm866", "cp866"), ("UHC", "cp949"), ("KOI8U", "koi8-u"), ("euc-cn", "gb2312"), ("2byte-cp936", "gbk"),
                               ("8bit-cp1250", "windows-1250"), ("thai-tis620", "tis-620")):
            self.assertEqual(form.known(name), expected)

    def test_names_that_are_not_text_encodings_are_ignored(self):
        for name in ("zlib", "rot13", "unicode_escape", "utf-7", "idna", "../x", "utf-8|q!", "iso-2022-cn-ext", "ucs-4le", "", None, 1, ["utf-8"], "x" * 5000):
            self.assertIsNone(form.Form.read({"encoding": name}).encoding)
        self.assertEqual(form.Form.read({"encoding": "latin1", "mark": 1, "ends": "\r\n", "hasLastEnd": "no"}), form.Form("iso-8859-1"))

    def test_written_form_is_read_back_unchanged(self):
        for said in (form.Form(), form.Form("koi8-r", True, "cr", False)):
            self.assertEqual(form.Form.read(said.values()), said)


class Offers(unittest.TestCase):
    """The entries in userInfo about an editor's text. A function answers in place of the editor."""

    def setUp(self):
        # Use a directory that is not for temporary files, because those are not handed over.
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-offers-", dir=WORK)))
        exchange = Exchange(str(self.root / "editors"))
        self.addCleanup(exchange.end)
        self.letter = self.root / "letter.txt"
        self.asked = []
        adapter = mock.Mock(exchange=exchange, directory=str(self.root / "editors"))
        self.editor = Editor(adapter, mock.Mock(ask=self.ask), "vim")

    def ask(self, message: dict, *_) -> dict:
        self.asked.append(message)
        state, text = self.answer(message)
        if text is not None:
            (self.root / "editors" / message["text"]).write_bytes(text)
        return {"answer": message["ask"], "state": {"file": str(self.letter), "unsaved": text is not None, "sent": text is not None, **state}}

    def sent(self) -> bytes:
        """Returns the file that is sent."""
        with self.editor.unsaved.open() as file:
            return os.pread(file.descriptor, 1000, 0)

    def test_form_of_unsaved_text_is_sent(self):
        self.answer = lambda _: ({"encoding": "utf-16le", "mark": True, "ends": "crlf"}, "né\ntwo".encode())
        found = self.editor.save()
        self.assertEqual({key: found[key] for key in ("encoding", "mark", "ends", "hasLastEnd", "isUnsaved", "isCutOff", "isRecoded")},
                         {"encoding": "utf-16le", "mark": True, "ends": "crlf", "hasLastEnd": False, "isUnsaved": True, "isCutOff": False, "isRecoded": False})
        self.assertEqual(self.sent(), b"\xff\xfe" + "né\r\ntwo".encode("utf-16-le"))

    def test_form_of_a_saved_file_is_sent(self):
        self.answer = lambda _: ({"encoding": "cp1251", "mark": False, "ends": "crlf"}, None)
        for contents, has_last_end in ((b"one\r\n", True), (b"one\r\ntwo", False), (b"", True)):
            self.letter.write_bytes(contents)
            found = self.editor.save()
            self.assertEqual([found[key] for key in ("encoding", "mark", "ends", "hasLastEnd", "isUnsaved")], ["windows-1251", False, "crlf", has_last_end, False])

    def test_text_in_an_unknown_encoding_is_requested_as_utf_8(self):
        def answer(message):
            return ({"encoding": message.get("encoding", "ucs-4le"), "isRecoded": "encoding" in message, "mark": False, "ends": "lf"}, "né\n".encode())
        self.answer = answer
        found = self.editor.save()
        self.assertEqual([message.get("encoding") for message in self.asked], [None, "utf-8"])
        self.assertEqual([found[key] for key in ("encoding", "isUnsaved", "isRecoded")], ["utf-8", True, True])
        self.assertEqual(self.sent(), "né\n".encode())
        self.assertEqual([each.name for each in (self.root / "editors").iterdir() if each.is_file()], [])

    def test_byte_that_utf_16_cannot_represent_is_reported(self):
        self.answer = lambda _: ({"encoding": "utf-16le", "mark": False, "ends": "lf"}, b"\xff\n")
        found = self.editor.save()
        self.assertEqual([found[key] for key in ("encoding", "isRecoded")], ["utf-8", True])
        self.assertEqual(self.sent(), b"\xff\n")


class Arrivals(unittest.TestCase):
    """The form in which an editor is told to open a local file."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-arrivals-")))
        self.letter = self.root / "letter.txt"

    def form_of(self, file: bytes, **named) -> dict | None:
        self.letter.write_bytes(file)
        found = Arrival.__new__(Arrival)
        found.form = form.Form.read(named)
        return found._form_of_file(str(self.letter))  # pylint: disable=protected-access

    def test_file_is_opened_in_the_requested_form(self):
        self.assertEqual(self.form_of(b"n\xe9\rtwo", encoding="koi8-r", mark=False, ends="cr", hasLastEnd=False),
                         {"encoding": "koi8-r", "mark": False, "ends": "cr", "hasLastEnd": False})

    def test_form_that_does_not_fit_the_file_is_not_requested(self):
        self.assertIsNone(self.form_of(b"n\xe9\n", encoding="utf-8", mark=False, ends="lf"))
        self.assertIsNone(self.form_of(b"odd", encoding="utf-16le", mark=False, ends="lf"))
        self.assertEqual(self.form_of(b"a\nb", encoding="utf-8", mark=True, ends="crlf", hasLastEnd=True),
                         {"encoding": "utf-8", "mark": False, "ends": "lf", "hasLastEnd": False})

    def test_file_is_opened_as_usual_if_the_other_laptop_sends_no_form(self):
        self.assertIsNone(self.form_of(b"n\xe9\n"))


class States(unittest.TestCase):
    def read(self, **state) -> place.State | None:
        return place.State.read({"state": {"file": "/home/ada/letter.txt", **state}})

    def test_place_contains_only_numbers(self):
        for wrong in (None, "1", -1, 0, 2**31, 1e400, float("nan"), True, [], {}, "+q"):
            self.assertEqual(place.Place.read({"line": wrong, "column": wrong, "top": wrong}), place.Place(1, 1, 1), wrong)
        self.assertEqual(place.Place.read({"line": 3, "column": 4.0, "top": 2}), place.Place(3, 4, 2))

    def test_path_must_be_absolute(self):
        for file in ("letter.txt", "", "~/letter.txt", "/" + 5000 * "a", 1, []):
            self.assertIsNone(self.read(file=file), file)
        self.assertEqual(self.read().file, "/home/ada/letter.txt")

    def test_path_that_is_not_utf_8_arrives_as_bytes(self):
        for said, path in (("2f636166e9", b"/caf\xe9"), ("2f610a62", b"/a\nb"), ("2F61", b"/a")):
            self.assertEqual(os.fsencode(self.read(file=None, fileBytes=said).file), path)
        for wrong in ("636166e9", "2f6", "2fxy", "", "2f" + 5000 * "61"):
            self.assertIsNone(self.read(file=None, unsaved=True, fileBytes=wrong), wrong)
        self.assertEqual(self.read(fileBytes=7).file, "/home/ada/letter.txt")

    def test_written_path_is_read_back_unchanged(self):
        for path in ("/home/ada/letter.txt", "/home/ada/Café\n.txt", os.fsdecode(b"/home/ada/caf\xe9.txt"), None):
            told = json.loads(json.dumps(paths.entries(path)))
            self.assertEqual(paths.read(told), path)
            self.assertEqual(told["file"] is None, path is None or "\udce9" in path)

    def test_text_without_a_file_counts_only_if_it_is_unsaved(self):
        self.assertIsNone(self.read(file=None))
        self.assertIsNone(self.read(file=None, unsaved="yes"))
        self.assertTrue(self.read(file=None, unsaved=True).is_unsaved)

    def test_invalid_state_is_ignored(self):
        for wrong in ({}, {"state": None}, {"state": []}, {"state": "x"}):
            self.assertIsNone(place.State.read(wrong))


class OfferableTexts(unittest.TestCase):
    """An editor's text is offered only if its file may leave the laptop."""

    def test_private_temporary_and_invalid_files_are_not_offered(self):
        adapter = mock.Mock()
        with tempfile.TemporaryDirectory() as directory:
            adapter.directory = directory
            text = Editor(adapter, mock.Mock(), "vim")
            for file in ("/a\0b", "/\ud800/a", "/tmp/a", "/dev/shm/pass.x/secret", os.path.expanduser("~/.netrc"),
                         os.path.expanduser("~/.config/baton/baton.conf"), "/etc", "/dev/null", "/home/ada/" + 300 * "a"):
                text.heard({"state": {"file": file}})
                self.assertIsNone(text.state, file)
                adapter.publish.return_value.become_current.assert_not_called()
            adapter.publish.return_value.props.is_current = False
            text.heard({"state": {"file": "/home/ada/letter.txt"}})
            self.assertEqual(text.state.file, "/home/ada/letter.txt")
            adapter.publish.return_value.become_current.assert_called_once_with()


class Programs(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-programs-")))
        self.enterContext(mock.patch.dict(os.environ, {"PATH": str(self.root)}))

    def install(self, *names: str):
        for name in names:
            (self.root / name).touch(mode=0o755)

    def test_desktops_terminal_comes_before_any_other(self):
        self.install("x-terminal-emulator")
        self.assertEqual(programs.words("nvim", "ab"), ["x-terminal-emulator", "-e", "nvim", "-c", "BatonContinue ab"])
        self.install("xdg-terminal-exec")
        self.assertEqual(programs.words("vim", "ab"), ["xdg-terminal-exec", "vim", "-c", "BatonContinue ab"])

    def test_error_without_a_terminal_says_what_to_install(self):
        with self.assertRaisesRegex(launch.NotStarted, "Install one, such as xterm"):
            programs.words("vim", "ab")

    def test_same_editor_is_used_or_else_an_installed_one(self):
        self.install("vim", "emacs")
        self.assertEqual(programs.choose("emacs"), "emacs")
        self.assertIn(programs.choose("nvim"), ("vim", "emacs"))
        for strange in ("sh", "../bin/sh", "vim -c q", "", None):
            self.assertIn(programs.choose(strange), ("vim", "emacs"))

    def test_desktops_default_editor_comes_before_others(self):
        self.install("vim", "gedit")
        default = mock.Mock(get_id=lambda: "org.gnome.gedit.desktop")
        with mock.patch.object(programs.Gio.AppInfo, "get_default_for_type", return_value=default):
            self.assertEqual(programs.choose(None), "gedit")
            self.assertEqual(programs.choose("vim"), "vim")

    def test_error_without_an_editor_says_what_to_install(self):
        self.install("sh")
        with self.assertRaisesRegex(launch.NotStarted, "Install one, such as Neovim"):
            programs.choose("sh")

    def test_unsaved_text_is_accessible_only_to_its_user_and_is_removed(self):
        unsaved = Unsaved(str(self.root / "editors"))
        with self.assertRaises(Stays):
            unsaved.open()
        unsaved.write(b"secret")
        path = pathlib.Path(unsaved.directory) / NAMELESS
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(path.parent.stat().st_mode), 0o700)
        with unsaved.open() as text:
            self.assertTrue(text.is_small())
            path.unlink()
            path.symlink_to("/etc/passwd")
            self.assertEqual(os.pread(text.descriptor, 100, 0), b"secret")
        for make in (lambda: None, lambda: os.mkfifo(path)):  # links and pipes do not belong to the editor
            make()
            with self.assertRaises(Stays):
                unsaved.open()
            path.unlink()
        unsaved.write(b"")
        self.assertEqual(path.read_bytes(), b"")
        os.truncate(path, (64 << 20) + 1)
        with unsaved.open() as text:
            self.assertFalse(text.is_small())
        for _ in range(1000):
            unsaved.write(b"")
        self.assertEqual(len(list((self.root / "editors").rglob("*"))), 2)
        unsaved.clear()
        self.assertEqual(list((self.root / "editors").iterdir()), [])
