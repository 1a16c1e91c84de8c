# SPDX-License-Identifier: Apache-2.0
"""Which window is in front on sway, and compositors with its IPC: on the socket $SWAYSOCK. What
comes from there is other programs' in part, such as titles, and may be of any type."""

import os
import socket

from gi.repository import GLib

import i3ipc
from compositor import Compositor

AT_ONCE = 1 << 16  # bytes that are read at a time


class Sway(Compositor):
    """Listens on a socket, that of `connect()`, until the compositor is gone."""

    def __init__(self, connection, came):
        super().__init__(came)
        self.connection, self.window, self.messages = connection, None, i3ipc.Messages()
        news = GLib.IOCondition.IN | GLib.IOCondition.HUP
        self.watch = GLib.io_add_watch(connection.fileno(), GLib.PRIORITY_DEFAULT, news, self.readable)

    def end(self):
        if self.connection:
            GLib.source_remove(self.watch)
            self.close()

    def close(self):
        self.connection.close()
        self.connection = None

    def readable(self, *_):
        try:
            data = self.connection.recv(AT_ONCE)
            for kind, value in self.messages.read(data):
                self.told(kind, value)
            if data:
                return GLib.SOURCE_CONTINUE
        except BlockingIOError:
            return GLib.SOURCE_CONTINUE
        except (OSError, i3ipc.Unreadable):
            pass
        self.close()
        self.is_now()
        return GLib.SOURCE_REMOVE

    def told(self, kind: int, value):
        if not isinstance(value, dict):
            return
        if kind == i3ipc.GET_TREE:
            self.focused(next((node for node in nodes(value) if node.get("focused") is True), {}))
        window = value.get("container")
        if kind != i3ipc.WINDOW or not isinstance(window, dict):
            return
        change, is_front = value.get("change"), window.get("id") == self.window
        if change == "focus" or change == "title" and is_front:
            self.focused(window)
        elif change == "close" and is_front:
            self.focused({})

    def focused(self, window: dict):
        self.window = window.get("id")
        process, title = window.get("pid"), window.get("name")
        if type(process) is int and process > 0:
            self.is_now(process, title if isinstance(title, str) else "")
        else:
            self.is_now()


def connect():
    """The compositor's socket, on which it is asked for what is in front, now and from now on;
    None where there is none."""
    path = os.environ.get("SWAYSOCK")
    if not path:
        return None
    connection = socket.socket(socket.AF_UNIX)
    connection.setblocking(False)
    try:
        connection.connect(path)
        connection.sendall(i3ipc.message(i3ipc.SUBSCRIBE, '["window"]') + i3ipc.message(i3ipc.GET_TREE))
    except OSError:
        connection.close()
        return None
    return connection


def nodes(tree: dict):
    """All nodes of a tree."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        for name in ("nodes", "floating_nodes"):
            below = node.get(name)
            left += [each for each in below if isinstance(each, dict)] if isinstance(below, list) else []
