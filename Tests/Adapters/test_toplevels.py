# SPDX-License-Identifier: Apache-2.0
"""Tests the window in front with the taskbars' protocol, on the real sway and phoc."""

import pathlib
import random
import socket
import struct
import sys
import tempfile
import threading
import types
import unittest
from unittest import mock

from apps import EXTENSION, WORK
from library import introspected
from test_documents import QUIET
import compositors
import test_sway

introspected()
sys.path.insert(0, str(EXTENSION))

import documents  # noqa: E402
import toplevels  # noqa: E402
import viewers  # noqa: E402
import wayland  # noqa: E402
import window  # noqa: E402
from messages import Unreadable  # noqa: E402
from taskbar import Taskbar  # noqa: E402
from toplevels import APP_ID, CLOSED, DONE, MANAGER, STATE, TITLE, TOPLEVEL  # noqa: E402
from wayland import message  # noqa: E402


class OnSwayByToplevels(test_sway.OnSway):
    """The tests on sway, with sway's own IPC hidden from the adapters."""

    def start_compositor(self):
        super().start_compositor()
        del self.desk.environment["SWAYSOCK"]


class OnPhoc(compositors.Fronts):
    """The tests on phoc, the compositor of Phosh, which offers only this protocol."""

    socket = "wayland-0"  # it accepts no other name

    def start_compositor(self):
        configuration = self.desk.home / "phoc.ini"
        configuration.write_text("[core]\nxwayland=false\n", encoding="utf-8")
        self.desk.environment.update(compositors.HEADLESS)
        self.compositor = self.desk.spawn(["phoc", "--config", configuration], **QUIET)
        with mock.patch.dict("os.environ", self.desk.environment):
            self.taskbar = Taskbar(self.eventually(wayland.connect))
        self.addCleanup(self.taskbar.end)
        self.eventually(self.taskbar.look)

    def in_front(self):
        return self.taskbar.in_front()

    def bring_forward(self, name):
        self.taskbar.activate(name)

    def close(self, name):
        self.taskbar.close(name)


class WaylandsSocket(compositors.SocketCase):
    """Events about two windows of the compositor."""

    FIRST, SECOND = wayland.SERVERS, wayland.SERVERS + 1

    def listen(self, connection):
        return toplevels.Toplevels(connection, wayland.Messages(), self.came)

    def opens(self, number: int, application: str, title: str, *states: int) -> bytes:
        return (message(MANAGER, TOPLEVEL, number) + message(number, TITLE, title) + message(number, APP_ID, application)
                + self.has(number, *states))

    def has(self, number: int, *states: int) -> bytes:
        return message(number, STATE, 4 * len(states), *states) + message(number, DONE)

    def known(self):
        return self.front.process, self.front.application, self.front.title

    def said_to_it(self) -> bytes:
        self.compositor.setblocking(False)
        try:
            return self.compositor.recv(1 << 16)
        except BlockingIOError:
            return b""

    def test_activated_window_is_in_front(self):
        self.comes(self.opens(self.FIRST, "evince", "letter", 0, 2) + self.opens(self.SECOND, "okular", "book", 0))
        self.assertEqual((self.known(), self.fronts), ((0, "evince", "letter"), [0]))
        # A compositor may report the newly active window before or after the former one.
        self.comes(self.has(self.SECOND, 2) + self.has(self.FIRST))
        self.assertEqual(self.known(), (0, "okular", "book"))
        self.comes(self.has(self.SECOND) + self.has(self.FIRST, 2))
        self.assertEqual((self.known(), self.fronts), ((0, "evince", "letter"), [0, 0, 0]))

    def test_properties_of_a_window_count_after_its_done_event(self):
        self.comes(self.opens(self.FIRST, "evince", "letter"))
        self.comes(message(self.FIRST, STATE, 4, 2))
        self.assertEqual(self.known(), (0, "", ""))
        self.comes(message(self.FIRST, DONE))
        self.assertEqual(self.known(), (0, "evince", "letter"))

    def test_changed_title_of_the_window_in_front_is_reported(self):
        self.comes(self.opens(self.FIRST, "evince", "letter", 2) + self.opens(self.SECOND, "okular", "book"))
        for number, title in ((self.FIRST, "letter"), (self.SECOND, "another book"), (self.FIRST, "another letter")):
            self.comes(message(number, TITLE, title) + message(number, DONE))
        self.assertEqual((self.known(), self.fronts), ((0, "evince", "another letter"), [0, "another letter"]))

    def test_no_window_is_in_front_after_the_one_in_front_was_closed(self):
        self.comes(self.opens(self.FIRST, "evince", "letter", 2) + self.opens(self.SECOND, "okular", "book"))
        self.comes(message(self.SECOND, CLOSED))
        self.assertEqual(self.known(), (0, "evince", "letter"))
        self.comes(message(self.FIRST, CLOSED))
        self.assertEqual(self.known(), (0, "", ""))

    def test_closed_window_is_destroyed_and_its_number_reused(self):
        for _ in range(3):
            self.comes(self.opens(self.FIRST, "evince", "letter", 2) + message(self.FIRST, CLOSED))
        self.assertEqual(self.said_to_it(), 3 * message(self.FIRST, toplevels.DESTROY))
        self.assertEqual((self.fronts, self.front.windows), ([0, 0, 0], {}))

    def test_hundred_thousand_closed_windows_leave_no_data(self):
        for _ in range(1_000):
            self.assertTrue(self.comes(100 * (self.opens(self.FIRST, "evince", "letter", 2) + message(self.FIRST, CLOSED))))
            while self.said_to_it():
                pass
        self.assertEqual((self.front.windows, len(self.front.messages.received)), ({}, 0))

    def test_compositor_that_does_not_read_ends_the_connection(self):
        while self.comes(self.opens(self.FIRST, "evince", "letter") + message(self.FIRST, CLOSED)):
            pass
        self.assertIsNone(self.front.connection)

    def test_messages_in_pieces_are_put_together(self):
        data = self.opens(self.FIRST, "evince", "letter", 2) + self.opens(self.SECOND, "okular", "book", 2)
        for place in range(len(data)):
            self.comes(data[place:place + 1])
        self.assertEqual((self.known(), self.fronts, len(self.front.messages.received)), ((0, "okular", "book"), [0, 0], 0))

    def test_invalid_message_length_ends_the_connection(self):
        for length in (0, 4, 7, 9, 0xfffe):
            with self.subTest(length=length):
                self.setUp()
                self.comes(self.opens(self.FIRST, "evince", "letter", 2))
                self.assertFalse(self.comes(wayland.HEAD.pack(self.FIRST, length << 16 | TITLE) + bytes(length)))
                self.assertEqual(self.known(), (0, "", ""))

    def test_argument_longer_than_its_message_ends_the_connection(self):
        cut = (message(MANAGER, TOPLEVEL), message(self.FIRST, TITLE), message(self.FIRST, TITLE, 1), message(self.FIRST, TITLE, 5, 0),
               message(self.FIRST, APP_ID, 0xffffffff, 0), message(self.FIRST, STATE, 8, 2), message(self.FIRST, STATE, 0xffffffff))
        for data in cut:
            with self.subTest(data=data):
                self.setUp()
                self.assertTrue(self.comes(self.opens(self.FIRST, "evince", "letter", 2)))
                self.assertFalse(self.comes(data))
                self.assertEqual(self.known(), (0, "", ""))

    def test_unterminated_text_and_truncated_states_end_the_connection(self):
        for data in (message(self.FIRST, TITLE, 4, 0x41414141), message(self.FIRST, STATE, 3, 2)):
            with self.subTest(data=data):
                self.setUp()
                self.comes(self.opens(self.FIRST, "evince", "letter", 2))
                self.assertFalse(self.comes(data))

    def test_truncated_message_waits_for_more_bytes_or_ends_the_connection(self):
        """The reader waits for missing bytes. It ends the connection if the message's head names too small a length."""
        whole = message(self.FIRST, TITLE, "letter")
        for length in range(len(whole)):
            with self.subTest(length=length):
                self.setUp()
                self.comes(message(MANAGER, TOPLEVEL, self.FIRST))
                self.assertTrue(self.comes(whole[:length]))
                self.setUp()
                self.comes(message(MANAGER, TOPLEVEL, self.FIRST))
                self.assertFalse(self.comes(wayland.HEAD.pack(self.FIRST, length << 16 | TITLE) + whole[8:length] + bytes(64)))

    def test_garbage_ends_the_connection_without_an_exception(self):
        for seed in range(200):
            self.setUp()
            self.comes(self.opens(self.FIRST, "evince", "letter", 2))
            # Most of the messages name existing objects.
            for each in struct.iter_unpack("=III", random.Random(seed).randbytes(1_200)):
                head = wayland.HEAD.pack((self.FIRST, MANAGER, wayland.DISPLAY, each[0])[each[0] % 4], (8 + each[1] % 32) << 16 | each[1] % 8)
                if not self.comes(head + bytes(each[2] % 9 for _ in range(each[1] % 32))):
                    break
            self.front.end()

    def test_unknown_events_are_ignored(self):
        self.comes(self.opens(self.FIRST, "evince", "letter", 2))
        for data in (message(99, 4, 7), message(self.SECOND, TITLE, "book"), message(self.FIRST, 2, 7), message(self.FIRST, 99), message(MANAGER, 99),
                     message(wayland.DISPLAY, 1, 3), message(toplevels.REGISTRY, 1, 3)):
            with self.subTest(data=data):
                self.assertTrue(self.comes(data))
                self.assertEqual(self.known(), (0, "evince", "letter"))

    def test_text_that_is_not_utf_8_gets_replacement_characters(self):
        self.comes(self.opens(self.FIRST, "evince", "letter", 2).replace(b"letter", b"l\xfftter"))
        self.assertEqual(self.known(), (0, "evince", "l\ufffdtter"))

    def test_null_text_is_empty(self):
        self.comes(self.opens(self.FIRST, "evince", "letter", 2) + message(self.FIRST, TITLE, 0) + message(self.FIRST, DONE))
        self.assertEqual(self.known(), (0, "evince", ""))

    def test_title_is_cut_after_a_thousand_characters(self):
        self.assertTrue(self.comes(self.opens(self.FIRST, "evince", "é" * 30_000, 2)))
        self.assertEqual(self.front.title, "é" * toplevels.LONGEST)
        self.comes(message(self.FIRST, APP_ID, "é" * 30_000) + message(self.FIRST, DONE))
        self.assertEqual(self.front.application, "é" * toplevels.LONGEST)

    def test_one_window_too_many_ends_the_connection(self):
        for number in range(toplevels.MOST):
            self.assertTrue(self.comes(message(MANAGER, TOPLEVEL, wayland.SERVERS + number)))
        self.assertFalse(self.comes(message(MANAGER, TOPLEVEL, wayland.SERVERS + toplevels.MOST)))

    def test_window_with_a_used_or_invalid_number_ends_the_connection(self):
        for number in (self.FIRST, 0, MANAGER, wayland.SERVERS - 1):
            with self.subTest(number=number):
                self.setUp()
                self.comes(self.opens(self.FIRST, "evince", "letter", 2))
                self.assertFalse(self.comes(message(MANAGER, TOPLEVEL, number)))
                self.assertEqual(self.known(), (0, "", ""))

    def test_error_event_ends_the_connection(self):
        self.comes(self.opens(self.FIRST, "evince", "letter", 2))
        self.assertFalse(self.comes(message(wayland.DISPLAY, wayland.ERROR, MANAGER, 0, "invalid object")))
        self.assertEqual(self.known(), (0, "", ""))

    def test_finished_event_ends_the_connection(self):
        self.comes(self.opens(self.FIRST, "evince", "letter", 2))
        self.assertFalse(self.comes(message(MANAGER, toplevels.FINISHED)))
        self.assertEqual(self.known(), (0, "", ""))

    def test_end_of_the_compositor_ends_the_connection(self):
        self.comes(self.opens(self.FIRST, "evince", "letter", 2))
        self.assert_is_over_when_the_compositor_ends()


class ConnectionStart(unittest.TestCase):
    """The reader waits for the compositor's list of globals, and no longer."""

    def setUp(self):
        self.path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=WORK))) / "wayland-7"
        self.server = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.server.close)
        self.server.bind(str(self.path))
        self.server.listen()
        self.enterContext(mock.patch.dict("os.environ", {"XDG_RUNTIME_DIR": str(self.path.parent), "WAYLAND_DISPLAY": "wayland-7"}))

    def compositor_says(self, *said: bytes, hangs_up=False):
        """Returns the result for a compositor that sends these pieces. With `hangs_up` the compositor then closes the
        connection."""

        def answer():
            connection = self.server.accept()[0]
            connection.settimeout(60)
            self.addCleanup(connection.close)
            self.asked = connection.recv(1 << 16)
            for data in said:
                connection.sendall(data)
            if hangs_up:
                connection.close()
                return
            while data := connection.recv(1 << 16):
                self.asked += data
        thread = threading.Thread(target=answer)
        thread.start()
        found = toplevels.connect()
        if found:
            self.addCleanup(found[0].close)
            found[0].shutdown(socket.SHUT_WR)
        thread.join()
        return found

    def has(self, *interfaces: str) -> bytes:
        return b"".join(message(toplevels.REGISTRY, wayland.GLOBAL, 10 + number, interface, 3) for number, interface in enumerate(interfaces))

    DONE = message(toplevels.CALLBACK, wayland.DONE, 7)

    def test_manager_is_bound_in_its_first_version(self):
        connection, messages = self.compositor_says(self.has("wl_shm", toplevels.INTERFACE, "wl_seat") + self.DONE)
        self.assertFalse(connection.getblocking())
        first = message(1, 1, 2) + message(1, 0, 3)
        self.assertEqual(self.asked, first + message(2, 0, 11, toplevels.INTERFACE, 1, 4))

    def test_bytes_after_the_answer_are_not_lost(self):
        deleted = message(wayland.DISPLAY, 1, toplevels.CALLBACK)
        _, messages = self.compositor_says(self.has(toplevels.INTERFACE) + self.DONE + deleted[:5])
        self.assertEqual(bytes(messages.received), deleted[:5])

    def test_answer_in_pieces_is_put_together(self):
        data = self.has("wl_shm", toplevels.INTERFACE) + self.DONE
        self.assertIsNotNone(self.compositor_says(*(data[place:place + 1] for place in range(len(data)))))

    def test_compositor_without_the_protocol_gives_no_connection(self):
        """A protocol that only lists windows does not report which of them is in front."""
        self.assertIsNone(self.compositor_says(self.has("wl_shm", "ext_foreign_toplevel_list_v1") + self.DONE))
        self.assertIsNone(self.compositor_says(self.DONE))

    def test_compositor_that_hangs_up_gives_no_connection(self):
        self.assertIsNone(self.compositor_says(self.has(toplevels.INTERFACE), hangs_up=True))

    def test_unreadable_answer_gives_no_connection(self):
        for data in (bytes(8), message(toplevels.REGISTRY, wayland.GLOBAL, 1), b"\xff" * 64):
            with self.subTest(data=data):
                self.assertIsNone(self.compositor_says(data))

    def test_silent_compositor_has_a_time_limit(self):
        with mock.patch.object(toplevels, "PATIENCE", 0.05):
            self.assertIsNone(self.compositor_says())
            self.assertIsNone(self.compositor_says(self.has(toplevels.INTERFACE)))

    def test_endless_answer_of_the_compositor_has_a_time_limit(self):
        endless = mock.Mock()
        endless.recv.return_value = self.has(toplevels.INTERFACE)
        with mock.patch.object(toplevels, "PATIENCE", 0.05):
            self.assertEqual(toplevels.find(endless, wayland.Messages()), 0)

    def test_missing_socket_gives_no_connection(self):
        for display in ("wayland-8", "/nowhere/wayland-7", ""):
            with self.subTest(display=display), mock.patch.dict("os.environ", {"WAYLAND_DISPLAY": display}):
                self.assertIsNone(toplevels.connect())

    def test_socket_may_have_an_absolute_path(self):
        with mock.patch.dict("os.environ", {"WAYLAND_DISPLAY": str(self.path), "XDG_RUNTIME_DIR": "/nowhere"}):
            self.assertIsNotNone(self.compositor_says(self.has(toplevels.INTERFACE) + self.DONE))


class Shown(viewers.View):
    """A viewer's document with a file and a process, for a viewer with this desktop id."""

    def __init__(self, application: str, path: str, process: int = 0):
        super().__init__(None, "", process, application)
        self.viewer, self.path = types.SimpleNamespace(application=application), path

    def document(self, title):
        return viewers.described(self.path, 3, None)


class WindowOwners(unittest.TestCase):
    """Finds the views in front by the known properties of the window in front."""

    EVINCE, OKULAR, ZATHURA = "org.gnome.Evince", "org.kde.okular", "org.pwmt.zathura"

    def in_front(self, application: str, title: str, *views: Shown, process: int = 0) -> list:
        front = window.Front(None)
        front.process, front.application, front.title = process, application, title
        return [view.path for view in front.among(views)]

    def test_app_id_may_be_the_desktop_id_or_its_last_part_in_any_case(self):
        for application, app_ids in ((self.EVINCE, ("evince", "Evince", "org.gnome.Evince")), (self.OKULAR, ("okular", "org.kde.okular")),
                                     (self.ZATHURA, ("Zathura", "org.pwmt.zathura"))):
            for app_id in app_ids:
                self.assertTrue(window.is_app(app_id, application), app_id)
        for app_id in ("", "evince-previewer", "gnome.Evince", "org.gnome", "org.example.Evince"):
            self.assertFalse(window.is_app(app_id, self.EVINCE), app_id)

    def test_process_number_counts_before_the_app_id(self):
        first, second = Shown(self.EVINCE, "/a/1.pdf", 10), Shown(self.EVINCE, "/a/2.pdf", 20)
        self.assertEqual(self.in_front("evince", "2.pdf", first, second, process=10), ["/a/1.pdf"])

    def test_single_view_of_an_app_is_in_front_whatever_the_title(self):
        views = Shown(self.EVINCE, "/a/1.pdf"), Shown(self.OKULAR, "/a/2.pdf")
        self.assertEqual(self.in_front("evince", "Print", *views), ["/a/1.pdf"])
        self.assertEqual(self.in_front("org.kde.okular", "", *views), ["/a/2.pdf"])
        self.assertEqual(self.in_front("foot", "1.pdf", *views), [])
        self.assertEqual(self.in_front("", "1.pdf", *views), [])

    def test_title_selects_between_views_of_one_app(self):
        views = Shown(self.ZATHURA, "/a/1.pdf"), Shown(self.ZATHURA, "/a/11.pdf"), Shown(self.ZATHURA, "/a/1.pdf.old")
        for title, path in (("1.pdf", "/a/1.pdf"), ("1.pdf — A letter", "/a/1.pdf"), ("/a/11.pdf", "/a/11.pdf"), ("11.pdf [3/7]", "/a/11.pdf"),
                            ("1.pdf.old", "/a/1.pdf.old")):
            self.assertEqual(self.in_front("org.pwmt.zathura", title, *views), [path], title)

    def test_title_that_matches_no_view_selects_none(self):
        """The title may, for example, belong to a dialog."""
        views = Shown(self.EVINCE, "/a/1.pdf"), Shown(self.EVINCE, "/a/2.pdf")
        for title in ("Print", "", "3.pdf"):
            self.assertEqual(self.in_front("evince", title, *views), [])

    def test_new_view_may_be_in_front_unless_the_window_belongs_to_another_view(self):
        first, second, other = Shown(self.EVINCE, "/a/1.pdf"), Shown(self.EVINCE, "/a/2.pdf"), Shown(self.OKULAR, "/a/2.pdf")
        front = window.Front(None)
        self.assertTrue(front.may_be(second, [first, second]))
        for application, title, may_be in (("evince", "Document Viewer", True), ("evince", "2.pdf", True), ("evince", "1.pdf", False),
                                           ("okular", "2.pdf", False), ("foot", "2.pdf", False)):
            front.application, front.title = application, title
            self.assertEqual(front.may_be(second, [first, second, other]), may_be, (application, title))

    def test_new_title_shows_a_view_only_if_that_brings_the_view_to_the_front(self):
        first, second = Shown(self.ZATHURA, "/a/1.pdf"), Shown(self.ZATHURA, "/a/2.pdf")
        shown = []
        adapter = documents.Documents.__new__(documents.Documents)
        adapter.offered = {view: types.SimpleNamespace(show=lambda view=view: shown.append(view.path)) for view in (first, second)}
        adapter.in_front, adapter.front = [], window.Front(adapter.came_forward)
        adapter.front.application = "org.pwmt.zathura"
        for is_another, title in ((True, "zathura"), (False, "1.pdf [1/9]"), (False, "1.pdf [2/9]"), (False, "2.pdf"), (True, "2.pdf")):
            adapter.front.title = title
            adapter.front.came(is_another)
        self.assertEqual(shown, ["/a/1.pdf", "/a/2.pdf", "/a/2.pdf"])


class Wire(unittest.TestCase):
    """Tests that messages that the adapter has written are read back unchanged."""

    def test_written_texts_and_numbers_are_read_back_unchanged(self):
        for value in ("", "a", "abc", "abcd", "ö€𝄞"):
            (sender, what, arguments), = wayland.Messages().read(message(7, 3, 12, value, 0xffffffff))
            self.assertEqual((sender, what, arguments.number(), arguments.text(), arguments.number()), (7, 3, 12, value, 0xffffffff))
            with self.assertRaises(Unreadable):
                arguments.number()

    def test_longest_message_is_read(self):
        data = wayland.HEAD.pack(7, 0xfffc << 16) + bytes(0xfffc - 8)
        self.assertEqual([sender for sender, _, _ in wayland.Messages().read(data + data)], [7, 7])
