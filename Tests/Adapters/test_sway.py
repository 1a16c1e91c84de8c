# SPDX-License-Identifier: Apache-2.0
"""Which window is in front on Wayland, as the real sway tells it.

    Tests/Adapters/run test_sway
"""

import json
import re
import socket
import sys
import unittest
from unittest import mock

from apps import EXTENSION, LIMIT
from library import introspected
import test_silence
from test_documents import QUIET, TYPE
import wayland

introspected()
sys.path.insert(0, str(EXTENSION))

from gi.repository import GLib  # noqa: E402

import i3ipc  # noqa: E402
import sway  # noqa: E402


class OnSway(wayland.Wayland):
    def start_compositor(self):
        configuration = self.desk.home / "sway.conf"
        configuration.write_text("xwayland disable\n", encoding="utf-8")
        self.desk.environment.update({"SWAYSOCK": str(self.runtime("sway")), "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1",
                                      "WLR_RENDERER": "pixman"})
        self.runtime("sway").unlink(missing_ok=True)  # one that was killed leaves it, and no other takes it then
        self.sway = self.desk.spawn(["sway", "--config", configuration], **QUIET)
        self.eventually(lambda: self.swaymsg("-t", "get_version") and self.runtime("wayland-1").exists())

    def swaymsg(self, *arguments) -> str:
        return self.run_on_desk("swaymsg", "--raw", *arguments)

    def in_front(self):
        found = re.search(r'"focused": true.*?"name": ("[^"]*"|null)', self.swaymsg("-t", "get_tree"), re.DOTALL)
        return found[1] if found else ""

    def bring_forward(self, name):
        self.swaymsg(f'[title="{name}"] focus')

    def test_evince_in_front_is_the_one_that_is_offered(self):
        self.assert_front_is_offered("evince", "--page-index")

    def test_okular_in_front_is_the_one_that_is_offered(self):
        self.assert_front_is_offered("okular", "--page")

    def test_tab_of_okular_in_front_is_the_one_that_is_offered(self):
        self.assert_tab_in_front_is_offered()

    def test_document_behind_the_one_that_was_closed_is_offered(self):
        first = self.read_two("evince", "--page-index")
        self.desk.spawn(["evince", "--page-index=30", self.write("third.pdf")], **QUIET)
        self.eventually(lambda: "third.pdf" in self.in_front())
        for name in ("first.pdf", "third.pdf"):
            self.bring_forward(name)
        self.swaymsg('[title="third.pdf"] kill')
        self.eventually(lambda: "first.pdf" in self.in_front() and self.current() == first)

    def test_what_is_in_front_is_known_to_adapters_that_begin_later(self):
        """Evince tells nothing of what was open before; Okular is asked."""
        self.read_two("okular", "--page")
        self.bring_forward("first.pdf")
        self.eventually(lambda: "first.pdf" in self.in_front())
        self.switch_documents()
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 9)

    def test_compositor_that_is_gone_tells_nothing_more(self):
        self.read_two("evince", "--page-index")
        self.sway.kill()
        self.sway.wait(LIMIT)
        self.eventually(lambda: not self.offer(self.sofa, TYPE))
        # Where nobody tells, it is what was opened last.
        self.start_compositor()
        self.desk.spawn(["evince", "--page-index=30", self.write("third.pdf")], **QUIET)
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 29)
        self.assertEqual(self.desk.adapters_log.read_text(encoding="utf-8"), "")

    def test_compositor_that_was_started_anew_is_heard_once_the_adapter_is(self):
        self.sway.kill()
        self.sway.wait(LIMIT)
        self.start_compositor()
        self.switch_documents()
        self.assert_front_is_offered("okular", "--page")

    def test_service_sleeps_while_nothing_happens(self):
        self.desk.spawn(["evince", self.write("book.pdf")], **QUIET)
        self.eventually(lambda: "book.pdf" in self.in_front())
        test_silence.Silence.assert_is_silent(self, self.desk.adapters.pid)


class SwaysSocket(unittest.TestCase):
    """What may come from it: nothing of it is believed to be what it should be."""

    def setUp(self):
        here, self.compositor = socket.socketpair(socket.AF_UNIX)
        here.setblocking(False)
        self.fronts = []
        self.front = sway.Sway(here, self.fronts.append)
        self.addCleanup(self.compositor.close)
        self.addCleanup(self.front.end)

    def comes(self, data: bytes):
        """The compositor says this; whether it is still listened to."""
        for place in range(0, len(data), 1 << 14):
            self.compositor.sendall(data[place:place + (1 << 14)])
            while GLib.MainContext.default().iteration(False):
                pass
        return self.front.connection is not None

    def window(self, change: str, identifier, process, name="letter") -> bytes:
        return said({"change": change, "container": {"id": identifier, "pid": process, "name": name}})

    def known(self):
        return self.front.process, self.front.title

    def test_title_is_that_of_the_window_in_front(self):
        self.comes(self.window("focus", 1, 10, "first"))
        self.comes(self.window("title", 2, 20, "another"))
        self.assertEqual(self.known(), (10, "first"))
        self.comes(self.window("title", 1, 10, "second"))
        self.assertEqual(self.known(), (10, "second"))
        self.comes(self.window("title", 1, 10, ["none"]))
        self.assertEqual((self.known(), self.fronts), ((10, ""), [10]))

    def test_nothing_is_known_to_be_in_front_once_that_has_been_closed(self):
        self.comes(self.window("focus", 1, 10))
        self.comes(self.window("close", 2, 20))
        self.assertFalse(self.front.may_be(20))
        self.comes(self.window("close", 1, 10))
        self.assertEqual(self.known(), (0, ""))
        self.assertTrue(self.front.may_be(20))

    def test_window_in_front_is_found_in_the_tree(self):
        tree = {"nodes": [{"focused": False, "pid": 5}, {"floating_nodes": [7, {"id": 3, "focused": True, "pid": 10, "name": "letter"}]}]}
        self.comes(said(tree, i3ipc.GET_TREE))
        self.assertEqual((self.known(), self.front.window), ((10, "letter"), 3))

    def test_what_is_no_process_is_none(self):
        for process in (None, 0, -1, True, "10", 1.5, [10]):
            with self.subTest(process=process):
                self.comes(self.window("focus", 1, process))
                self.assertEqual((self.known(), self.fronts), ((0, ""), []))

    def test_what_is_not_as_it_should_be_is_passed_over(self):
        for text in ("", "{", "7", "[]", 100_000 * "[", '{"change": "focus"}', '{"change": "focus", "container": []}', '{"nodes": 7}'):
            for kind in (i3ipc.WINDOW, i3ipc.GET_TREE, 12):
                with self.subTest(text=text[:40], kind=kind):
                    self.assertTrue(self.comes(i3ipc.message(kind, text)))
        self.comes(self.window("focus", 1, 10, "letter").replace(b"letter", b"l\xfftter"))
        self.assertEqual(self.known(), (10, "l\ufffdtter"))

    def test_messages_that_come_in_pieces_are_put_together(self):
        data = self.window("focus", 1, 10) + self.window("focus", 2, 20)
        for place in range(len(data)):
            self.comes(data[place:place + 1])
        self.assertEqual((self.fronts, len(self.front.messages.received)), ([10, 20], 0))

    def test_message_that_is_too_long_ends_it(self):
        self.comes(self.window("focus", 1, 10))
        self.assertTrue(self.comes(i3ipc.HEAD.pack(i3ipc.MAGIC, i3ipc.LONGEST, i3ipc.WINDOW)))
        self.assertTrue(self.comes(bytes(i3ipc.LONGEST)))
        self.assertFalse(self.comes(i3ipc.HEAD.pack(i3ipc.MAGIC, i3ipc.LONGEST + 1, i3ipc.WINDOW)))
        self.assertEqual(self.known(), (0, ""))

    def test_what_is_no_message_ends_it(self):
        self.assertFalse(self.comes(i3ipc.HEAD.pack(b"i3-IPC", 0, i3ipc.WINDOW)))

    def test_compositor_that_ends_ends_it(self):
        self.comes(self.window("focus", 1, 10))
        self.compositor.shutdown(socket.SHUT_RDWR)
        while GLib.MainContext.default().iteration(False):
            pass
        self.assertIsNone(self.front.connection)
        self.assertEqual(self.known(), (0, ""))

    def test_socket_of_nobody_is_none(self):
        with mock.patch.dict("os.environ", {"SWAYSOCK": "/nowhere/sway"}):
            self.assertIsNone(sway.connect())


def said(value, kind: int = i3ipc.WINDOW) -> bytes:
    return i3ipc.message(kind, json.dumps(value))


if __name__ == "__main__":
    unittest.main()
