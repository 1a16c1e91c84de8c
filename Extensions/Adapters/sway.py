# SPDX-License-Identifier: Apache-2.0
"""The window in front on sway, and on compositors with sway's IPC, through the socket
$SWAYSOCK."""

import os
import socket

import i3ipc
from compositor import OnSocket


class Sway(OnSocket):
    """Reads a socket from `connect()` until the compositor has gone."""

    def __init__(self, connection, came):
        super().__init__(connection, i3ipc.Messages(), came)
        self.window = None

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
    """Connects to the compositor's socket, and asks for the window in front and for changes. Returns None if there is
    no such socket."""
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
    """Yields all nodes of a tree."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        for name in ("nodes", "floating_nodes"):
            below = node.get(name)
            left += [each for each in below if isinstance(each, dict)] if isinstance(below, list) else []
