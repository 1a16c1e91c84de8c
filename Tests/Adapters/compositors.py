# SPDX-License-Identifier: Apache-2.0
"""Laptops whose desk has a Wayland compositor without a screen and no X server, and the tests for all compositors."""

import pathlib
import socket
import subprocess
import unittest

from gi.repository import GLib

from apps import LIMIT, Adapted
import test_silence
from test_documents import QUIET, TYPE, Reading

# The environment of wlroots without a screen.
HEADLESS = {"WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"}
DOCUMENTS = "org.batonproject.Adapter.Documents"


class Wayland(Reading):
    """The desk has a compositor, and the sofa an X server. A subclass defines the methods that raise NotImplementedError here."""

    socket = "wayland-1"

    def prepare_display(self, laptop):
        if laptop is not self.desk:
            super().prepare_display(laptop)
            return
        laptop.environment.pop("DISPLAY", None)
        laptop.environment.update({"GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland", "WAYLAND_DISPLAY": self.socket})

    def begin(self, laptop):
        if laptop is not self.desk:
            super().begin(laptop)
            return
        self.start_compositor()
        Adapted.begin(self, laptop)

    def start_compositor(self):
        """Starts the compositor as `self.compositor`, and waits until it accepts windows."""
        raise NotImplementedError

    def close(self, name: str):
        """Closes the window whose title contains a text, as a user does."""
        raise NotImplementedError

    def run_on_desk(self, *command) -> str:
        return subprocess.run([str(part) for part in command], env=self.desk.environment, text=True, capture_output=True, timeout=LIMIT,
                              check=False).stdout

    def runtime(self, name: str) -> pathlib.Path:
        return pathlib.Path(self.desk.environment["XDG_RUNTIME_DIR"]) / name

    def kill_compositor(self):
        self.compositor.kill()
        self.compositor.wait(LIMIT)

    def turn_to_tab_before(self, owner):
        self.eventually(lambda: self.ask(self.desk, owner, "/okular/okular__Shell_1", "org.kde.KMainWindow", "activateAction",
                                         GLib.Variant("(s)", ("tab-previous",))) == (True,))

    def switch_documents(self):
        """Switches the adapter for documents off and on again."""
        self.desk.baton("adapters", "off", "documents")
        self.eventually(lambda: not self.names(self.desk, DOCUMENTS))
        self.desk.baton("adapters", "on", "documents")
        self.eventually(lambda: self.names(self.desk, DOCUMENTS))


class Fronts(Wayland):
    """The tests of each compositor, with real viewers. Only the compositor reports Okular's windows."""

    def test_evince_is_offered_while_its_window_is_in_front(self):
        self.assert_front_is_offered("evince", "--page-index")

    def test_okular_is_offered_while_its_window_is_in_front(self):
        self.assert_front_is_offered("okular", "--page")

    def test_okulars_active_tab_is_offered(self):
        self.assert_tab_in_front_is_offered()

    def test_document_behind_a_closed_document_is_offered(self):
        first = self.read_two("evince", "--page-index")
        self.desk.spawn(["evince", "--page-index=30", self.write("third.pdf")], **QUIET)
        self.eventually(lambda: "third.pdf" in self.in_front())
        for name in ("first.pdf", "third.pdf"):
            self.bring_forward(name)
            self.eventually(lambda: name in self.in_front())
        self.close("third.pdf")
        self.eventually(lambda: "first.pdf" in self.in_front() and self.current() == first)

    def test_adapters_that_start_later_learn_which_window_is_in_front(self):
        """Evince does not report documents that were opened before, but Okular can be asked."""
        self.read_two("okular", "--page")
        self.bring_forward("first.pdf")
        self.eventually(lambda: "first.pdf" in self.in_front())
        self.switch_documents()
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 9)

    def test_compositor_that_has_ended_reports_no_window_in_front(self):
        self.read_two("evince", "--page-index")
        self.kill_compositor()
        self.eventually(lambda: not self.offer(self.sofa, TYPE))
        # If nothing reports the window in front, the document that was opened last is offered.
        self.start_compositor()
        path = self.write("third.pdf")
        self.read_in_evince(path, 30)
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 29)
        self.assertEqual(self.desk.adapters_log.read_text(encoding="utf-8"), "")

    def test_compositor_that_was_restarted_reports_to_a_restarted_adapter(self):
        self.kill_compositor()
        self.start_compositor()
        self.switch_documents()
        self.assert_front_is_offered("okular", "--page")

    def test_service_stays_asleep_while_nothing_happens(self):
        self.desk.spawn(["evince", self.write("book.pdf")], **QUIET)
        self.eventually(lambda: "book.pdf" in self.in_front())
        test_silence.Silence.assert_is_silent(self, self.desk.adapters.pid)


class SocketCase(unittest.TestCase):
    """A compositor's socket and its reader, which must check everything that comes from the compositor."""

    def setUp(self):
        here, self.compositor = socket.socketpair(socket.AF_UNIX)
        here.setblocking(False)
        self.fronts = []
        self.front = self.listen(here)
        self.addCleanup(self.compositor.close)
        self.addCleanup(self.front.end)

    def listen(self, connection):
        """Returns a reader, which calls `self.came`."""
        raise NotImplementedError

    def came(self, is_another: bool):
        self.fronts.append(self.front.process if is_another else self.front.title)

    def comes(self, data: bytes):
        """Sends bytes as the compositor. Returns whether the reader still listens."""
        for place in range(0, len(data), 1 << 14):
            try:
                self.compositor.sendall(data[place:place + (1 << 14)])
            except BrokenPipeError:
                return False
            self.hear()
        return self.front.connection is not None

    def hear(self):
        while GLib.MainContext.default().iteration(False):
            pass

    def assert_is_over_when_the_compositor_ends(self):
        self.compositor.shutdown(socket.SHUT_RDWR)
        self.hear()
        self.assertIsNone(self.front.connection)
        self.assertEqual((self.front.process, self.front.application, self.front.title), (0, "", ""))
