# SPDX-License-Identifier: Apache-2.0
"""Tests that streams which an app with libbaton has closed belong to the daemon: decision 0015, "Closed, and gone"."""

import pathlib
import select
import signal
import socket
import xml.etree.ElementTree as ET

from gi.repository import Gio, GLib

from in_python import TYPE, Baton, InPython
from installed import BIN, LIMIT, ROOT, demo

APP = pathlib.Path(__file__).resolve().parent / "closes.py"
# Sockets and windows hold this many bytes, so the app can write them although nobody reads.
MANY = 300_000
INTERFACES = ROOT / "Documentation" / "DBus" / "org.batonproject.Baton1.xml"
ACTIVITIES = "org.batonproject.Baton1.Activities"
OFFERS = "org.batonproject.Baton1.Offers"


class Closed(InPython):
    """Tests streams whose app on the desk has ended before the sofa's app starts to read."""

    def left_by_an_app(self, closes: str, *stopped: str, ends_first: bool = False):
        """Returns the sofa's end. With `ends_first` the sofa sends nothing, and ends its stream first. Then the socket
        looks the same after a close and after a crash."""
        app = self.desk.spawn(["/usr/bin/python3", APP, TYPE, str(MANY), closes, *stopped])
        continuation = self.carry_on()
        continuation.accept()
        there = self.wait(lambda then: continuation.open_streams_async(None, then), continuation.open_streams_finish)
        if ends_first:
            there.get_output_stream().close(None)
        self.assertEqual(app.wait(LIMIT), 0)
        self.desk.daemon.send_signal(signal.SIGCONT)
        return there

    def assert_whole(self, there):
        received = Gio.MemoryOutputStream.new_resizable()
        self.wait(lambda then: received.splice_async(there.get_input_stream(), Gio.OutputStreamSpliceFlags.CLOSE_TARGET, GLib.PRIORITY_DEFAULT,
                                                     None, then), received.splice_finish)
        self.assertEqual(received.steal_as_bytes().get_data(), bytes(MANY))
        self.assertTrue(self.wait(lambda then: there.close_async(GLib.PRIORITY_DEFAULT, None, then), there.close_finish))

    def test_bytes_written_before_both_streams_were_closed_arrive_after_the_apps_end(self):
        self.assert_whole(self.left_by_an_app("both"))

    def test_bytes_arrive_after_the_apps_end_if_the_other_side_ended_first(self):
        self.assert_whole(self.left_by_an_app("both", ends_first=True))

    def test_bytes_written_before_the_pair_was_dropped_arrive_after_the_apps_end(self):
        self.assert_whole(self.left_by_an_app("dropped"))

    def test_an_app_that_closed_only_the_output_cuts_the_streams_off_when_it_ends(self):
        # The app stops the daemon first. A daemon that sees the close while the app still runs may report the streams
        # as complete.
        self.assertTrue(self.cut(self.left_by_an_app("output", str(self.desk.daemon.pid))))

    def test_an_app_that_ends_while_it_sends_cuts_the_streams_off(self):
        self.assertTrue(self.cut(self.left_by_an_app("nothing", ends_first=True)))

    def test_data_for_an_app_that_has_closed_the_streams_breaks_them(self):
        """Bytes for an app that has ended must not count as read."""
        there = self.left_by_an_app("both")
        there.get_output_stream().write_all(b"an answer", None)
        with self.assertRaises(GLib.Error) as caught:
            self.assert_whole(there)
        self.assertTrue(caught.exception.matches(Baton.error_quark(), Baton.Error.STREAM_CUT))


class TestAsDaemon(InPython):
    """Tests an app whose daemon is the test itself."""

    def stand_in(self, lacks: tuple = ()):
        """Provides what an app with streams needs, without methods that an older daemon does not know."""
        self.stage = demo.Laptop("stage", self.root, BIN, self.running)
        self.stage.start_bus()
        self.daemon, self.app = self.connect(self.stage), self.connect(self.stage)
        self.cancelled, self.closed, self.ends = [], [], list(socket.socketpair())
        self.addCleanup(lambda: [end.close() for end in self.ends])
        interfaces = ET.parse(INTERFACES).getroot()
        activities = interfaces.find(f"interface[@name='{ACTIVITIES}']")
        for method in lacks:
            activities.remove(activities.find(f"method[@name='{method}']"))
        described = Gio.DBusNodeInfo.new_for_xml(ET.tostring(interfaces, encoding="unicode"))
        for interface in (ACTIVITIES, OFFERS):
            self.daemon.register_object("/org/batonproject/Baton", described.lookup_interface(interface), self.answer, None, None)
        self.daemon.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName", GLib.Variant("(su)", ("org.batonproject.Baton", 0)),
                              None, Gio.DBusCallFlags.NONE, -1, None)

    def answer(self, connection, sender, path, interface, method, arguments, invocation):
        if method == "TakeStreams":
            descriptors = Gio.UnixFDList.new()
            index = descriptors.append(self.ends[1].fileno())
            self.ends[1].close()
            invocation.return_value_with_unix_fd_list(GLib.Variant("(sh)", ("l2cap", index)), descriptors)
            return
        if method == "Cancel":
            self.cancelled.extend(arguments.unpack())
        if method == "CloseStreams":
            self.closed.append(arguments.unpack())
        invocation.return_value(GLib.Variant("(s)", ("a1",)) if method == "Publish" else None)

    def streams(self):
        activity = Baton.Activity(connection=self.app, activity_type=TYPE, supports_continuation_streams=True)
        activity.connect("streams", lambda _, streams: self.opened.append(streams))
        activity.become_current()
        self.wait(lambda then: activity.flush_async(None, then), activity.flush_finish)
        self.daemon.emit_signal(self.app.get_unique_name(), "/org/batonproject/Baton", ACTIVITIES, "StreamsOpened",
                                GLib.Variant("(ssss)", ("a1", "s1", "0", "sofa")))
        self.until(lambda: self.opened)
        self.addCleanup(activity.resign_current)
        return self.opened.pop()

    def close_both(self):
        self.stand_in(lacks=("CloseStreams",))
        streams = self.streams()
        streams.get_output_stream().write_all(b"a letter", None)
        streams.get_output_stream().close(None)
        streams.get_input_stream().close(None)

    def is_hung_up(self) -> bool:
        """Returns whether the app has closed its end, and not only its output."""
        poll = select.poll()
        poll.register(self.ends[0], 0)
        return bool(poll.poll(0))

    def test_a_pair_that_is_being_closed_belongs_to_the_daemon_before_the_other_side_has_read(self):
        """The daemon has the pair early, so an app may end without waiting. Unread bytes still break the streams."""
        self.stand_in()
        streams = self.streams()
        results = []
        streams.close_async(GLib.PRIORITY_DEFAULT, None, lambda _, result: results.append(result))
        self.until(lambda: self.closed)
        self.assertEqual(self.closed, [("s1", False, 0)])
        self.assertFalse(results)
        self.daemon.emit_signal(self.app.get_unique_name(), "/org/batonproject/Baton", ACTIVITIES, "StreamEnded",
                                GLib.Variant("(sbs)", ("s1", True, "")))
        self.ends[0].shutdown(socket.SHUT_WR)
        self.until(lambda: results)
        self.assertTrue(streams.close_finish(results[0]))

    def test_closed_streams_stay_open_in_the_app_if_the_daemon_does_not_take_them(self):
        self.close_both()
        self.assertEqual(self.ends[0].recv(64), b"a letter")
        self.assertEqual(self.ends[0].recv(64), b"")
        self.assertFalse(self.is_hung_up())
        self.ends[0].shutdown(socket.SHUT_WR)
        GLib.timeout_add(10, lambda: GLib.SOURCE_CONTINUE)
        self.until(self.is_hung_up)
        self.assertFalse(self.cancelled)

    def test_data_for_closed_streams_cancels_them_if_the_daemon_does_not_take_them(self):
        self.close_both()
        self.ends[0].send(b"an answer")
        self.until(lambda: self.cancelled)
        self.assertEqual(self.cancelled, ["s1"])
