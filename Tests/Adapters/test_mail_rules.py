# SPDX-License-Identifier: Apache-2.0
"""The rules of the adapter for mail and of Thunderbird's host, without Thunderbird."""

import base64
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import tracemalloc
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

import library  # noqa: E402

library.introspected()
EXTENSION = library.ROOT / "Extensions" / "Adapters"
sys.path.insert(0, str(EXTENSION))

from gi.repository import Gio, GLib  # noqa: E402

from mail import arrival, draft, fates  # noqa: E402
from mail.program import State  # noqa: E402

THUNDERBIRD = EXTENSION / "Thunderbird"
HOST = THUNDERBIRD / "host" / "mail-host"
NAME = "0" * 32
DRAFT = {"to": ["bo@example.org"], "subject": "Tea", "body": "<p>x</p>", "attachments": []}


def read(size: int = 0, **values) -> dict:
    return draft.read(json.dumps({**DRAFT, **values}).encode(), size)


class Drafts(unittest.TestCase):
    def test_draft_is_read(self):
        found = read(3, isPlain=True, caret=7, related="one@example.org", attachments=[{"name": "é.txt", "type": "text/plain", "size": 3}],
                     **{"from": "ada@example.org"})
        self.assertEqual((found["to"], found["cc"], found["subject"], found["isPlain"], found["caret"], found["related"], found["from"]),
                         (["bo@example.org"], [], "Tea", True, 7, "one@example.org", "ada@example.org"))
        self.assertEqual(found["attachments"], [{"name": "é.txt", "type": "text/plain", "size": 3}])

    def test_header_fields_are_one_line(self):
        for line in ("a\r\nBcc: eve@example.org", "a\nb", "a\x00b", "a\u2028b", "a\x85b"):
            found = read(subject=line, to=[line], **{"from": line})
            for value in (found["subject"], found["from"], *found["to"]):
                self.assertNotRegex(value, "[\0-\x1f\x7f-\x9f\u2028\u2029]", line)

    def test_subject_and_addresses_are_cut(self):
        found = read(subject="s" * 100_000, to=["t" * 100_000], **{"from": "f" * 100_000})
        self.assertEqual((len(found["subject"]), len(found["to"][0]), len(found["from"])),
                         (draft.LONGEST_SUBJECT, draft.LONGEST_RECIPIENT, draft.LONGEST_RECIPIENT))

    def test_too_many_recipients_are_refused(self):
        read(cc=["a@example.org"] * draft.MOST_RECIPIENTS)
        self.refused(cc=["a@example.org"] * (draft.MOST_RECIPIENTS + 1))

    def test_long_body_is_refused(self):
        read(body="x" * draft.LONGEST_BODY)
        self.refused(body="x" * (draft.LONGEST_BODY + 1))
        for wrong in (None, 7, ["x"]):
            self.refused(body=wrong)

    def test_long_draft_is_refused(self):
        with self.assertRaises(draft.Unreadable):
            draft.read(json.dumps({**DRAFT, "more": "x" * draft.LONGEST_HEAD}).encode(), 0)

    def test_draft_that_is_not_json_is_refused(self):
        for wrong in (b"", b"[]", b"{", b"\xff", b"[" * 100_000):
            with self.assertRaises(draft.Unreadable):
                draft.read(wrong, 0)

    def test_values_are_counted_before_they_are_parsed(self):
        """Parsed values take up to 24 times the memory of their bytes."""
        for many in (b"{},", b'"",', b"[],", b"1,", b'{"":0},', b" "):
            head = b'{"body": "", "attachments": [], "more": [' + many * (4_000_000 // len(many)) + b"0]}"
            tracemalloc.start()
            with self.assertRaises(draft.Unreadable):
                draft.read(head, 0)
            most = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            self.assertLess(most, 3 * len(head), many)
        entry = '"' + "\\" * 200 + ', ["'
        full = {key: [entry] * draft.MOST_RECIPIENTS for key in draft.RECIPIENTS} | {"attachments": [{"name": entry, "size": 0, "type": "a/b"}] * draft.MOST_ATTACHMENTS}
        self.assertEqual(len(read(body='",[]{}\\' * 1_000_000, **full)["to"]), draft.MOST_RECIPIENTS)

    def test_long_name_of_an_attachment_is_cut_before_it_is_changed(self):
        head = json.dumps({**DRAFT, "attachments": [{"name": "/" * (8 << 20), "size": 0}]}).encode()
        tracemalloc.start()
        self.assertEqual(draft.read(head, 0)["attachments"][0]["name"], draft.UNNAMED)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertLess(most, 3 * len(head))

    def test_too_many_attachments_are_refused(self):
        one = {"name": "x", "size": 0}
        read(attachments=[one] * draft.MOST_ATTACHMENTS)
        self.refused(attachments=[one] * (draft.MOST_ATTACHMENTS + 1))

    def test_attachments_that_are_longer_than_their_data_are_refused(self):
        one = {"name": "x", "size": 2}
        read(size=4, attachments=[one, one])
        self.refused(size=3, attachments=[one, one])
        for wrong in (-1, 1.0, "1", None, True, 10**30):
            self.refused(size=3, attachments=[{"name": "x", "size": wrong}])

    def test_name_of_an_attachment_is_made_safe(self):
        for name, expected in (("../../.bashrc", ".._.._.bashrc"), ("a\0b", "a\N{REPLACEMENT CHARACTER}b"), ("..", draft.UNNAMED), ("", draft.UNNAMED),
                               (7, draft.UNNAMED), ("x" * 300, draft.UNNAMED), ("\ud800x", "\N{REPLACEMENT CHARACTER}x"), ("caf\u00e9", "caf\u00e9")):
            with self.subTest(name=ascii(name)):
                self.assertEqual(read(attachments=[{"name": name, "size": 0}])["attachments"][0]["name"], expected)

    def test_type_of_an_attachment_has_no_parameters(self):
        for kind in ("text/html; charset=x", "x", "a/b\r\nc: d", None, "a/" + "b" * 500):
            self.assertEqual(read(attachments=[{"name": "x", "size": 0, "type": kind}])["attachments"][0]["type"], "application/octet-stream")

    def test_caret_and_related_message_out_of_bounds_are_left_out(self):
        for wrong in (-1, 1e30, float("inf"), "1", True):
            self.assertIsNone(read(caret=wrong)["caret"], wrong)
        for wrong in ("a b", "<a@b>", "x" * 1000, "", 7, "a\n"):
            self.assertIsNone(read(related=wrong)["related"], wrong)

    def test_unpaired_surrogates_are_replaced(self):
        self.assertEqual(read(body="\ud800")["body"], "\N{REPLACEMENT CHARACTER}")

    def test_packed_draft_is_read_back_unchanged(self):
        packed = draft.pack(json.dumps({**DRAFT, "attachments": [{"name": "a", "size": 3}]}).encode(), b"abcdef")
        with tempfile.NamedTemporaryFile() as file:
            file.write(packed)
            file.flush()
            details, start = draft.unpack(file.name)
        self.assertEqual((details["subject"], packed[start:]), ("Tea", b"abc"))

    def refused(self, **values):
        with self.assertRaises(draft.Unreadable):
            read(**values)


class States(unittest.TestCase):
    def test_state_is_read(self):
        self.assertEqual(State.read({"kind": "draft", "draft": NAME, "title": "Tea\nx"}), State(True, NAME, "Tea x"))
        self.assertEqual(State.read({"kind": "message", "message": "a@b", "title": 7}), State(False, "a@b", ""))

    def test_other_states_are_ignored(self):
        for wrong in (None, [], {}, {"kind": "draft", "draft": "../" + NAME}, {"kind": "draft", "draft": NAME.upper() + "G"}, {"kind": "draft"},
                      {"kind": "message", "message": "a b"}, {"kind": "message", "message": "x" * 1000}, {"kind": "other", "draft": NAME}):
            self.assertIsNone(State.read(wrong), wrong)


class Continuation:
    """A message that is being read on another laptop, and is fetched from there."""

    def __init__(self, root: pathlib.Path):
        self.root, self.callbacks = root, []
        self.props = mock.Mock(user_info=GLib.Variant("a{sv}", {"message": GLib.Variant("s", "one@example.org")}), activity_type="org.batonproject.mail.read",
                               device_name="desk", supports_continuation_streams=True)

    def load_contents_async(self, _, callback):
        self.callbacks.append(callback)

    def load_contents_finish(self, path: pathlib.Path):
        return Gio.File.new_for_path(str(path))

    def come(self) -> pathlib.Path:
        """Lets the copy arrive, and returns its directory."""
        place = pathlib.Path(tempfile.mkdtemp(dir=self.root))
        (place / "message.eml").write_bytes(b"Subject: x\n\n")
        self.callbacks.pop()(self, place / "message.eml")
        return place


class Arrivals(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.exchange = mock.Mock(put=lambda contents: NAME)
        self.adapter, self.continuation, self.ended = mock.Mock(exchange=self.exchange), Continuation(self.root), []
        self.arrival = arrival.Arrival(self.adapter, self.continuation, None, lambda _, failure, detail="": self.ended.append(failure))
        self.addCleanup(self.arrival.told, None)
        while self.adapter.give.call_count == 0:
            GLib.MainContext.default().iteration(True)

    def test_copy_that_arrives_after_a_failure_is_removed(self):
        self.arrival.is_missing(mock.Mock())
        self.arrival.told("it did not open")
        self.assertFalse(self.continuation.come().exists())
        self.assertEqual((self.ended, self.arrival.copy, self.adapter.give.call_count), (["it did not open"], None, 1))

    def test_thunderbird_has_no_time_limit_while_a_copy_arrives(self):
        self.arrival.is_missing(mock.Mock())
        self.assertEqual(self.arrival.timer, 0)
        self.continuation.come()
        self.assertNotEqual(self.arrival.timer, 0)

    def test_copy_is_fetched_once(self):
        for _ in range(2):
            self.arrival.is_missing(mock.Mock())
        self.assertEqual(len(self.continuation.callbacks), 1)


class Streams:
    """Represents the streams of a draft with another laptop."""

    def __init__(self, laptop: str):
        self.laptop, self.said, self.read = laptop, b"", None
        self.is_closed = False

    def get_device_name(self):
        return self.laptop

    def get_output_stream(self):
        return self
    get_input_stream = get_output_stream

    def write_all(self, words, _):
        self.said += words

    def read_bytes_async(self, size, priority, cancel, came):
        self.read = came

    def read_bytes_finish(self, words):
        return self

    def get_data(self):
        return self.words

    def close_async(self, *_):
        self.is_closed = True

    def hear(self, words: bytes):
        self.words, came = words, self.read
        came(self, None)


class Told:
    """Stands for the adapter. Records what the user is told."""

    bus = None

    def __init__(self):
        self.texts = []

    def complain(self, text):
        self.texts.append(text)


class Fates(unittest.TestCase):
    def setUp(self):
        self.told = Told()
        self.fates = fates.Fates(self.told)
        self.show, fates.notice.show = fates.notice.show, lambda *_: None
        self.addCleanup(lambda: setattr(fates.notice, "show", self.show))

    def watch(self, key: str = NAME) -> Streams:
        self.fates.share(key, "Tea")
        return self.come(key)

    def come(self, key: str = NAME, unheard=None) -> Streams:
        streams = Streams("sofa")
        self.fates.watch(key, streams, unheard)
        return streams

    def test_sending_is_reported_to_the_other_laptop(self):
        streams = self.watch()
        self.fates.ended(NAME, "Tea", True)
        self.assertEqual((streams.said, self.told.texts), (fates.GREETING + fates.SENT, []))

    def test_sending_elsewhere_is_reported_while_the_draft_is_open_here(self):
        self.watch().hear(fates.GREETING + fates.SENT)
        self.assertRegex(self.told.texts[0], '"sofa" has sent this message')

    def test_sending_on_both_laptops_is_reported(self):
        for first in (True, False):
            self.setUp()
            streams = self.watch()
            if first:
                self.fates.ended(NAME, "Tea", True)
            streams.hear(fates.GREETING)
            streams.hear(fates.SENT)
            if not first:
                self.fates.ended(NAME, "Tea", True)
            self.assertRegex(self.told.texts[-1], "sent twice")

    def test_draft_that_was_sent_before_the_streams_opened_is_reported_when_they_open(self):
        self.fates.share(NAME, "Tea")
        self.fates.ended(NAME, "Tea", True)
        streams = self.come()
        self.assertEqual(streams.said, fates.GREETING + fates.SENT)
        streams.hear(fates.GREETING + fates.SENT)
        self.assertRegex(self.told.texts[-1], "sent twice")

    def test_draft_that_was_closed_before_the_streams_opened_is_not_watched(self):
        self.fates.share(NAME, "Tea")
        self.fates.ended(NAME, "Tea", False)
        streams = self.come()
        self.assertEqual((streams.said, streams.is_closed, self.fates.kept), (b"", True, {}))

    def test_laptop_that_does_not_know_of_the_draft_yet_is_asked_again(self):
        asked = []
        self.fates.share(NAME, "Tea")
        self.come(unheard=lambda: asked.append(1)).hear(b'{"to": []}')
        self.assertEqual(asked, [1])
        self.fates.ended(NAME, "Tea", True)
        self.come(unheard=lambda: asked.append(1)).hear(b'{"to": []}')
        answering = self.come(unheard=lambda: asked.append(2))
        answering.hear(fates.GREETING)
        self.assertEqual(answering.said, fates.GREETING + fates.SENT)
        answering.hear(b"")
        self.assertEqual((asked, self.fates.kept), ([1, 1], {}))

    def test_draft_that_was_closed_before_the_other_laptop_answered_is_forgotten(self):
        asked = []
        self.fates.share(NAME, "Tea")
        streams = self.come(unheard=lambda: asked.append(1))
        self.fates.ended(NAME, "Tea", False)
        streams.hear(b'{"to": []}')
        self.assertEqual((asked, self.fates.kept), ([], {}))

    def test_draft_that_was_closed_here_reports_nothing(self):
        streams = self.watch()
        self.fates.ended(NAME, "Tea", False)
        streams.hear(fates.GREETING + fates.SENT)
        self.assertEqual((streams.said, self.told.texts), (fates.GREETING, []))

    def test_laptop_that_sends_something_else_is_disconnected(self):
        for words in (b"x", fates.GREETING + b"other\n", fates.GREETING + fates.SENT + b"x", b""):
            streams = self.watch()
            streams.hear(words)
            self.assertTrue(streams.is_closed, words)
        self.assertEqual(self.told.texts, [])

    def test_drafts_and_their_streams_are_limited(self):
        all_streams = [self.watch(f"{number:032x}") for number in range(fates.MOST + 5)]
        self.assertEqual((len(self.fates.kept), sum(each.is_closed for each in all_streams)), (fates.MOST, 5))
        same = [self.watch() for _ in range(fates.MOST_WATCHED + 3)]
        self.assertEqual(sum(each.is_closed for each in same), 3)

    def test_ended_drafts_are_forgotten(self):
        for number in range(10_000):
            streams = self.watch(f"{number:032x}")
            self.fates.ended(f"{number:032x}", "Tea", number % 2 == 0)
            streams.hear(b"")
        self.assertEqual(self.fates.kept, {})


class Host(unittest.TestCase):
    """The program that Thunderbird starts, with the test as Thunderbird and as the adapters."""

    def setUp(self):
        self.runtime = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.place = self.runtime / "baton" / "mail"
        self.place.mkdir(parents=True)
        for each in (self.runtime, self.place):
            each.chmod(0o700)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(self.place / "socket"))
        self.listener.listen()
        self.listener.settimeout(10)
        self.addCleanup(self.listener.close)
        (self.place / NAME).touch(mode=0o600)

    def start(self, extension: str = "mail@batonproject.org"):
        self.host = subprocess.Popen([HOST, "/manifest.json", extension], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                     env={"XDG_RUNTIME_DIR": str(self.runtime), "PATH": os.environ["PATH"]})
        self.addCleanup(self.end, self.host)

    def connect(self):
        self.start()
        self.adapters = self.listener.accept()[0]
        self.adapters.settimeout(10)
        self.addCleanup(self.adapters.close)

    def end(self, host):
        host.kill()
        host.communicate()

    def tell(self, message):
        body = json.dumps(message).encode()
        self.host.stdin.write(struct.pack("=I", len(body)) + body)
        self.host.stdin.flush()

    def heard(self) -> dict:
        size = struct.unpack("=I", self.host.stdout.read(4))[0]
        return json.loads(self.host.stdout.read(size))

    def ask(self, **message) -> dict:
        self.tell({"number": 1, **message})
        return self.heard()

    def test_messages_pass_in_both_directions(self):
        self.connect()
        self.tell({"state": "é\n"})
        self.assertEqual(json.loads(self.adapters.recv(1000)), {"state": "é\n"})
        self.adapters.sendall(b'{"ask": 1}\n{"a')
        self.adapters.sendall(b'sk": 2}\n')
        self.assertEqual([self.heard(), self.heard()], [{"ask": 1}, {"ask": 2}])

    def test_files_are_written_and_read(self):
        self.connect()
        for piece in (b"ab", b"cd"):
            self.assertEqual(self.ask(file=NAME, data=base64.b64encode(piece).decode()), {"number": 1})
        self.assertEqual((self.place / NAME).read_bytes(), b"abcd")
        self.assertEqual(self.ask(file=NAME, **{"from": 1}, size=2), {"number": 1, "data": base64.b64encode(b"bc").decode(), "size": 4})

    def test_only_the_adapters_files_are_read_and_written(self):
        self.connect()
        outside = self.runtime / "outside"
        outside.write_text("kept")
        (self.place / ("1" * 32)).symlink_to(outside)
        (self.place / "other").touch()
        for name in ("../../outside", str(outside), "socket", "other", "1" * 32, "2" * 32, "", NAME + "\n", 7):
            for more in ({"data": "eA=="}, {"from": 0, "size": 4}):
                self.assertIn("failed", self.ask(file=name, **more), (name, more))
        self.assertEqual(outside.read_text(), "kept")

    def test_size_of_file_pieces_is_limited(self):
        self.connect()
        for size, start in ((393_217, 0), (-1, 0), (1, -1), (True, 0), ("1", 0), (None, 0)):
            self.assertIn("failed", self.ask(file=NAME, **{"from": start}, size=size))
        self.assertIn("failed", self.ask(file=NAME, data="not base64!"))

    def test_long_message_ends_the_host(self):
        for message in (b"\xff\xff\xff\x7f", b"\x02\0\0\0[]", b"\x01\0\0\0x"):
            self.connect()
            self.host.stdin.write(message)
            self.host.stdin.flush()
            self.assertEqual(self.host.wait(10), 0)
        self.connect()
        self.tell({"state": "x" * 70_000})
        self.assertEqual((self.host.wait(10), self.adapters.recv(1)), (0, b""))

    def test_other_extension_is_refused(self):
        self.start("other@example.org")
        self.assertEqual(self.host.wait(10), 64)

    def test_host_ends_without_adapters(self):
        self.listener.close()
        self.start()
        self.assertEqual(self.host.wait(10), 0)

    def test_directory_that_others_can_read_is_refused(self):
        self.place.chmod(0o755)
        self.start()
        self.assertEqual(self.host.wait(10), 0)
        self.listener.setblocking(False)
        self.assertRaises(BlockingIOError, self.listener.accept)


class Extension(unittest.TestCase):
    manifest = json.loads((THUNDERBIRD / "manifest.json").read_text(encoding="utf-8"))
    sources = {path.name: path.read_text(encoding="utf-8") for path in THUNDERBIRD.glob("*.js")}

    def test_extension_cannot_send_or_delete_messages(self):
        self.assertEqual(set(self.manifest["permissions"]), {"accountsRead", "compose", "messagesRead", "nativeMessaging", "storage", "tabs"})
        for name, source in self.sources.items():
            self.assertNotRegex(source, r"sendMessage\((?!tab,)|\.delete\((?!.*(message\.number|tab)\b)|messages\.(delete|move|update)|saveMessage", name)

    def asked(self, *shown: dict) -> tuple:
        """Lets a fake Thunderbird return each of these states in turn, and asks the extension for the contents. Returns
        its answer, and what it writes."""
        script = pathlib.Path(__file__).with_name("messenger.js")
        done = subprocess.run(["gjs", "-m", str(script), str(THUNDERBIRD), json.dumps(shown)], text=True, capture_output=True, timeout=60, check=True)
        said = json.loads(done.stdout)
        return next(each for each in said if "answer" in each), [each["data"] for each in said if "file" in each]

    def test_handed_over_message_is_the_one_that_was_checked(self):
        open_one, secret = ({"id": name, "headerMessageId": f"{name}@example.org", "subject": "Tea", "size": 1} for name in ("open", "secret"))
        answer, written = self.asked(open_one)
        self.assertEqual((answer["sent"], written), (True, ["open"]))
        for shown in ((open_one, open_one, secret), (open_one, open_one, {**open_one, "id": "secret"}), (open_one, open_one, {**open_one, "headerMessageId": "x"})):
            answer, written = self.asked(*shown)
            self.assertEqual((answer["state"]["message"], answer["sent"], written), ("open@example.org", False, []))

    def test_handed_over_draft_is_the_one_that_was_checked(self):
        plain = {"subject": "Tea", "isPlainText": True, "plainTextBody": "open"}
        secret = {**plain, "plainTextBody": "secret", "selectedEncryptionTechnology": {"encryptBody": True}}
        answer, written = self.asked(plain)
        self.assertTrue(answer["sent"])
        self.assertIn("open", written[0])
        self.assertEqual([(answer["sent"], written) for answer, written in [self.asked(plain, plain, secret)]], [(False, [])])
        # Encryption is turned on while the contents are written. The adapters then remove the file, which was never
        # reported to them.
        self.assertFalse(self.asked(plain, plain, plain, secret)[0]["sent"])

    def test_extension_uses_no_experiment(self):
        self.assertNotIn("experiment_apis", self.manifest)

    def test_manifest_of_the_host_names_the_extension(self):
        host = json.loads((THUNDERBIRD / "host.json").read_text(encoding="utf-8"))
        self.assertEqual(host["allowed_extensions"], [self.manifest["browser_specific_settings"]["gecko"]["id"]])
        self.assertIn(f'"{host["name"]}"', self.sources["host.js"])
        self.assertRegex(HOST.read_text(encoding="utf-8"), re.escape(host["allowed_extensions"][0]))
