# SPDX-License-Identifier: Apache-2.0
"""JSON lines to and from the socket of the adapters (Documentation/Editors.md)."""

from __future__ import annotations

import json
import socket

from gi.repository import GLib

from . import own

VERSION = 2  # the version of the protocol at the socket
PIECE = 65_536  # bytes per read


class Connection:
    """A connection to the adapters. `heard(message)` is called for each line, a dictionary.
    `closed()` is called once if the adapters close it."""

    def __init__(self, end: socket.socket, directory: own.Directory, heard, closed):
        self.end, self.directory, self.heard, self.closed = end, directory, heard, closed
        self.rest = b""  # the beginning of an incomplete line
        self.watch = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, end.fileno(), GLib.IOCondition.IN | GLib.IOCondition.HUP, self._readable)

    def send(self, message: dict):
        """Sends a line. If the adapters do not read the line, the connection is closed."""
        try:
            if self.watch:
                self.end.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            self._fail()

    def close(self):
        if self.watch:
            GLib.source_remove(self.watch)
            self.watch = 0
            self.end.close()
            self.directory.close()

    def _readable(self, *_):
        try:
            piece = self.end.recv(PIECE)
        except BlockingIOError:
            return GLib.SOURCE_CONTINUE
        except OSError:
            piece = b""
        *lines, self.rest = (self.rest + piece).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if isinstance(message, dict) and self.watch:
                self.heard(message)
        if not piece:
            self._fail()
        return GLib.SOURCE_CONTINUE if self.watch else GLib.SOURCE_REMOVE

    def _fail(self):
        if self.watch:
            self.close()
            self.closed()


def connect(hello: dict, heard, closed) -> Connection | None:
    """Connects and identifies this editor. Returns None where the adapters do not run."""
    try:
        directory = own.Directory("editors")
    except OSError:
        return None
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
    try:
        directory.connect(end)
        end.sendall(json.dumps({"version": VERSION, "editor": "gedit", **hello}).encode() + b"\n")
    except OSError:  # also if the adapters have just ended
        end.close()
        directory.close()
        return None
    return Connection(end, directory, heard, closed)
