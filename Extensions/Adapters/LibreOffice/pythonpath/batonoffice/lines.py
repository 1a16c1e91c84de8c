# SPDX-License-Identifier: Apache-2.0
"""JSON lines to and from the socket of the adapters. A thread of its own reads the lines, because LibreOffice's main
loop need not be GLib's."""

from __future__ import annotations

import json
import socket
import struct
import threading

from . import own

PIECE = 65_536  # bytes per read
SEND = struct.pack("ll", 2, 0)  # seconds and microseconds that the adapters may take to read a line
SOONEST, LATEST = 1, 64  # seconds between two tries to connect again; after the latest there is none


class Line:
    """A connection to the adapters. `heard(message)` is called in its thread for each line, a dictionary, and
    `connected()` after each connection."""

    def __init__(self, hello: dict, heard, connected):
        self.hello, self.heard, self.connected = hello, heard, connected
        self.directory = self.end = None
        self.lock, self.has_ended = threading.Lock(), threading.Event()
        self.thread = None

    def connect(self):
        """Connects in a thread, unless there is a connection already or one is being made."""
        if not (self.has_ended.is_set() or self.thread and self.thread.is_alive()):
            self.thread = threading.Thread(target=self._run, name="baton", daemon=True)
            self.thread.start()

    def send(self, message: dict):
        """Sends a line. If the adapters do not read the line, the connection is closed."""
        with self.lock:
            try:
                if self.end:
                    self.end.sendall(json.dumps(message).encode() + b"\n")
            except OSError:
                self._shut()

    def open(self, name: str, flags: int, mode: str):
        """Opens a file by the name that the adapters gave it."""
        with self.lock:
            if self.directory is None:
                raise OSError("the adapters have ended")
            return self.directory.open(name, flags, mode)

    def close(self):
        self.has_ended.set()
        with self.lock:
            self._shut()

    def _shut(self):
        """Ends the thread's wait. The thread closes the connection."""
        try:
            if self.end:
                self.end.shutdown(socket.SHUT_RDWR)
        except OSError:  # the socket is closed already
            pass

    def _run(self):
        pause = SOONEST
        while pause <= LATEST and not self.has_ended.is_set():
            if self._open():
                pause = SOONEST
                self.connected()
                self._read()
            if self.has_ended.wait(pause):
                break
            pause *= 2

    def _open(self) -> bool:
        try:
            directory = own.Directory("office")
        except OSError:
            return False
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            directory.connect(end)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, SEND)
            end.sendall(json.dumps(self.hello).encode() + b"\n")
        except OSError:
            end.close()
            directory.close()
            return False
        with self.lock:
            self.end, self.directory = end, directory
        return True

    def _read(self):
        rest = b""
        while not self.has_ended.is_set():
            try:
                piece = self.end.recv(PIECE)
            except OSError:
                break
            if not piece or len(rest) > PIECE:
                break
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                message = json.loads(line)
                if isinstance(message, dict):
                    self.heard(message)
        with self.lock:
            self.end.close()
            self.directory.close()
            self.end = self.directory = None
