# SPDX-License-Identifier: Apache-2.0
"""Tests libbaton from Python, by introspection, with two real daemons on the simulated
radio."""

import errno
import gc
import os
import shutil
import subprocess

from gi.repository import Gio, GLib

from in_python import TYPE, Baton, InPython
from installed import BIN, LIMIT


class FromPython(InPython):
    def test_an_activity_continues_with_all_its_values(self):
        moment = GLib.DateTime.new_from_iso8601("2026-01-31T12:00:00.25Z", None)

        def save(activity):
            activity.props.title = "Dear Ada,"
            activity.props.required_user_info_keys = ["cursor"]
            activity.props.expiration_date = GLib.DateTime.new_utc(2100, 1, 1, 0, 0, 0)
            activity.props.user_info = GLib.Variant("a{sv}", {
                "cursor": GLib.Variant("x", 34), "opened": Baton.value_new_date(moment),
                "page": Baton.value_new_url("https://example.org/"), "picture": Baton.value_new_data(GLib.Bytes.new(b"a\0b"))})

        continued = []
        self.activity.connect("save", save)
        self.activity.connect("continued", lambda _, device, name: continued.append(name))
        self.activity.props.needs_save = True
        self.activity.become_current()
        continuation = self.carry_on()
        info = continuation.props.user_info
        self.assertEqual((continuation.props.title, info.unpack()["cursor"]), ("Dear Ada,", 34))
        self.assertEqual(continuation.props.required_user_info_keys, ["cursor"])
        self.assertEqual(continuation.props.expiration_date.format("%F"), "2100-01-01")
        self.assertTrue(Baton.value_get_date(info.lookup_value("opened", None)).equal(moment))
        self.assertEqual(Baton.value_get_url(info.lookup_value("page", None)), "https://example.org/")
        self.assertEqual(Baton.value_get_data(info.lookup_value("picture", None)).get_data(), b"a\0b")
        continuation.accept()
        self.until(lambda: continued)
        self.assertEqual(continued, ["sofa"])

    def test_a_document_continues_as_a_copy(self):
        path = self.root / "Dear Ada.txt"
        path.write_text("Dear Ada,", encoding="utf-8")
        letter = Gio.File.new_for_path(str(path))
        self.activity.props.document = letter
        self.activity.become_current()
        continuation = self.carry_on()
        self.assertEqual(continuation.props.document_url, "baton-document:/Dear%20Ada.txt")
        copy = self.wait(lambda then: continuation.load_document_async(None, then), continuation.load_document_finish)
        self.addCleanup(shutil.rmtree, os.path.dirname(copy.get_path()))
        self.assertEqual((copy.get_basename(), copy.load_contents(None)[1]), ("Dear Ada.txt", b"Dear Ada,"))
        self.assertFalse(self.opened)
        with self.assertRaises(GLib.Error) as caught:
            Baton.folders_find_file("baton-folder:/home/../secret")
        self.assertTrue(caught.exception.matches(Gio.io_error_quark(), Gio.IOErrorEnum.INVALID_FILENAME))

    def test_an_open_file_continues_whatever_is_at_its_path(self):
        path = self.root / "Dear Ada.txt"
        path.write_text("Dear Ada,", encoding="utf-8")
        letter = Gio.File.new_for_path(str(path))
        with path.open("rb") as reading:
            self.assertTrue(self.activity.set_contents_fd(reading.fileno()))
        self.activity.props.document = letter
        path.write_text("what was written to it since", encoding="utf-8")
        path.rename(self.root / "renamed")
        path.write_text("another letter", encoding="utf-8")
        self.activity.become_current()
        continuation = self.carry_on()
        copy = self.wait(lambda then: continuation.load_contents_async(None, then), continuation.load_contents_finish)
        self.addCleanup(shutil.rmtree, os.path.dirname(copy.get_path()))
        self.assertEqual((copy.get_basename(), copy.load_contents(None)[1]), ("Dear Ada.txt", b"what was written to it since"))
        with self.assertRaises(GLib.Error) as caught, (self.root / "Dear Ada.txt").open("wb") as writing:
            self.activity.set_contents_fd(writing.fileno())
        self.assertTrue(caught.exception.matches(Gio.io_error_quark(), Gio.io_error_from_errno(errno.EBADF)))

    def test_a_refused_activity_is_an_error(self):
        failures = []
        self.activity.connect("failed", lambda _, error: failures.append(error))
        self.activity.props.user_info = GLib.Variant("a{sv}", {"much": GLib.Variant("s", 70_000 * "x")})
        self.activity.become_current()
        with self.assertRaises(GLib.Error) as caught:
            self.wait(lambda then: self.activity.flush_async(None, then), self.activity.flush_finish)
        self.assertTrue(caught.exception.matches(Baton.error_quark(), Baton.Error.USER_INFO_TOO_LARGE))
        self.assertTrue(failures[0].matches(Baton.error_quark(), Baton.Error.USER_INFO_TOO_LARGE))

    def test_a_message_on_a_closed_connection_is_tried_only_once(self):
        """Trying again without end would keep the program from doing anything else."""
        failures = []
        self.activity.connect("failed", lambda _, error: failures.append(error))
        self.activity.become_current()
        self.wait(lambda then: self.activity.flush_async(None, then), self.activity.flush_finish)
        self.buses["desk"].close_sync(None)
        self.activity.resign_current()
        self.until(lambda: failures)
        while GLib.MainContext.default().iteration(False):
            self.assertEqual(len(failures), 1)

    def test_streams_end_when_they_are_complete(self):
        here, there = self.streams()
        book = os.urandom(1_000_000)
        source = Gio.MemoryInputStream.new_from_bytes(GLib.Bytes.new(book))
        results = []
        here.get_output_stream().splice_async(source, Gio.OutputStreamSpliceFlags.CLOSE_TARGET, GLib.PRIORITY_DEFAULT, None,
                                              lambda _, result: results.append(result))
        there.get_output_stream().close(None)
        received = Gio.MemoryOutputStream.new_resizable()
        count = self.wait(lambda then: received.splice_async(there.get_input_stream(), Gio.OutputStreamSpliceFlags.CLOSE_TARGET,
                                                             GLib.PRIORITY_DEFAULT, None, then), received.splice_finish)
        self.assertEqual((count, received.steal_as_bytes().get_data()), (len(book), book))
        self.until(lambda: results)
        self.assertTrue(self.wait(lambda then: here.close_async(GLib.PRIORITY_DEFAULT, None, then), here.close_finish))

    def test_streams_report_their_progress(self):
        here, there = self.streams()
        reports = []
        there.connect("progress", lambda _, *report: reports.append(report))
        there.follow()
        here.get_output_stream().write_all(b"a letter", None)
        # The streams may move to the other transport at any time, and wait meanwhile.
        self.until(lambda: reports and reports[-1][1] == 8 and not reports[-1][3])
        self.assertEqual(reports[-1][0], 0)
        self.assertIn(reports[-1][2], ("simulated", "tcp"))

    def test_unreferenced_streams_are_cut_off(self):
        here, there = self.streams()
        here.get_output_stream().write_all(b"half a let", None)
        del here
        gc.collect()
        self.assertTrue(self.cut(there))

    def test_streams_of_a_killed_program_are_cut_off(self):
        pipe = self.root / "pipe"
        os.mkfifo(pipe)
        self.activity.become_current()
        self.wait(lambda then: self.activity.flush_async(None, then), self.activity.flush_finish)
        other = self.sofa.spawn([BIN / "baton", "continue", "--type", TYPE, "--wait", str(LIMIT), "--stream-from", pipe],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with self.writing(pipe) as writing:
            writing.write(b"half a let")
            here = self.until(lambda: self.opened)[0]
            # Only the daemon's report lets a receiver distinguish a cut stream from a complete one.
            here.get_output_stream().close(None)
            self.assertEqual(here.get_input_stream().read_bytes(10, None).get_data(), b"half a let")
            other.kill()
            other.wait(LIMIT)
            self.assertTrue(self.cut(here))
