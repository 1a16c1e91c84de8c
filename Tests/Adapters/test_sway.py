# SPDX-License-Identifier: Apache-2.0
"""Tests the window in front on Wayland, with the real sway."""

import json
import re
import sys
import types
from unittest import mock

from apps import EXTENSION
from library import introspected
from test_documents import QUIET
import compositors

introspected()
sys.path.insert(0, str(EXTENSION))

import i3ipc  # noqa: E402
import sway  # noqa: E402


class OnSway(compositors.Fronts):
    def start_compositor(self):
        configuration = self.desk.home / "sway.conf"
        configuration.write_text("xwayland disable\n", encoding="utf-8")
        self.desk.environment.update({"SWAYSOCK": str(self.runtime("sway")), **compositors.HEADLESS})
        self.runtime("sway").unlink(missing_ok=True)  # a killed compositor leaves it behind, and then no other one can use it
        self.compositor = self.desk.spawn(["sway", "--config", configuration], **QUIET)
        self.eventually(lambda: self.swaymsg("-t", "get_version") and self.runtime(self.socket).exists())

    def swaymsg(self, *arguments) -> str:
        return self.run_on_desk("swaymsg", "--socket", self.runtime("sway"), "--raw", *arguments)

    def in_front(self):
        found = re.search(r'"focused": true.*?"name": ("[^"]*"|null)', self.swaymsg("-t", "get_tree"), re.DOTALL)
        return found[1] if found else ""

    def bring_forward(self, name):
        self.swaymsg(f'[title="{name}"] focus')

    def close(self, name):
        self.swaymsg(f'[title="{name}"] kill')


class SwaysSocket(compositors.SocketCase):
    """Messages on sway's socket."""

    def listen(self, connection):
        return sway.Sway(connection, self.came)

    def window(self, change: str, identifier, process, name="letter") -> bytes:
        return said({"change": change, "container": {"id": identifier, "pid": process, "name": name}})

    def known(self):
        return self.front.process, self.front.title

    def may_be(self, process: int) -> bool:
        view = types.SimpleNamespace(process=process)
        return self.front.may_be(view, [view])

    def test_title_comes_from_the_window_in_front(self):
        self.comes(self.window("focus", 1, 10, "first"))
        self.comes(self.window("title", 2, 20, "another"))
        self.assertEqual(self.known(), (10, "first"))
        self.comes(self.window("title", 1, 10, "second"))
        self.assertEqual(self.known(), (10, "second"))
        self.comes(self.window("title", 1, 10, ["none"]))
        self.assertEqual((self.known(), self.fronts), ((10, ""), [10]))

    def test_no_window_is_in_front_after_the_one_in_front_was_closed(self):
        self.comes(self.window("focus", 1, 10))
        self.comes(self.window("close", 2, 20))
        self.assertFalse(self.may_be(20))
        self.comes(self.window("close", 1, 10))
        self.assertEqual(self.known(), (0, ""))
        self.assertTrue(self.may_be(20))

    def test_window_in_front_is_found_in_the_tree(self):
        tree = {"nodes": [{"focused": False, "pid": 5}, {"floating_nodes": [7, {"id": 3, "focused": True, "pid": 10, "name": "letter"}]}]}
        self.comes(said(tree, i3ipc.GET_TREE))
        self.assertEqual((self.known(), self.front.window), ((10, "letter"), 3))

    def test_invalid_process_number_is_ignored(self):
        for process in (None, 0, -1, True, "10", 1.5, [10]):
            with self.subTest(process=process):
                self.comes(self.window("focus", 1, process))
                self.assertEqual((self.known(), self.fronts), ((0, ""), []))

    def test_malformed_messages_are_ignored(self):
        for text in ("", "{", "7", "[]", 100_000 * "[", '{"change": "focus"}', '{"change": "focus", "container": []}', '{"nodes": 7}'):
            for kind in (i3ipc.WINDOW, i3ipc.GET_TREE, 12):
                with self.subTest(text=text[:40], kind=kind):
                    self.assertTrue(self.comes(i3ipc.message(kind, text)))
        self.comes(self.window("focus", 1, 10, "letter").replace(b"letter", b"l\xfftter"))
        self.assertEqual(self.known(), (10, "l\ufffdtter"))

    def test_messages_in_pieces_are_put_together(self):
        data = self.window("focus", 1, 10) + self.window("focus", 2, 20)
        for place in range(len(data)):
            self.comes(data[place:place + 1])
        self.assertEqual((self.fronts, len(self.front.messages.received)), ([10, 20], 0))

    def test_message_that_is_too_long_ends_the_connection(self):
        self.comes(self.window("focus", 1, 10))
        self.assertTrue(self.comes(i3ipc.HEAD.pack(i3ipc.MAGIC, i3ipc.LONGEST, i3ipc.WINDOW)))
        self.assertTrue(self.comes(bytes(i3ipc.LONGEST)))
        self.assertFalse(self.comes(i3ipc.HEAD.pack(i3ipc.MAGIC, i3ipc.LONGEST + 1, i3ipc.WINDOW)))
        self.assertEqual(self.known(), (0, ""))

    def test_invalid_message_ends_the_connection(self):
        self.assertFalse(self.comes(i3ipc.HEAD.pack(b"i3-IPC", 0, i3ipc.WINDOW)))

    def test_end_of_the_compositor_ends_the_connection(self):
        self.comes(self.window("focus", 1, 10))
        self.assert_is_over_when_the_compositor_ends()

    def test_missing_socket_gives_no_connection(self):
        with mock.patch.dict("os.environ", {"SWAYSOCK": "/nowhere/sway"}):
            self.assertIsNone(sway.connect())


def said(value, kind: int = i3ipc.WINDOW) -> bytes:
    return i3ipc.message(kind, json.dumps(value))
