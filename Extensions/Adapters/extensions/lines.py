# SPDX-License-Identifier: Apache-2.0
"""A socket on which programs of the same user exchange lines of JSON with this one."""

import json
import os
import select
import socket
import time

from gi.repository import GLib

import deadline
from rate import Rate

LONGEST_LINE = 65_536  # bytes
MOST_CONNECTIONS = 32
MOST_AT_ONCE, MOST_PER_SECOND = 100, 10  # lines of one program
PATIENCE = 10  # seconds until a program must have identified itself
PAUSE = 1000  # ms until the next program is accepted when there is no descriptor left


class Broken(Exception):
    """A connection must be closed. The message is one line."""


class Server:
    """Accepts programs. `judge(end, answered)` calls `answered(is_admitted)` for each program. Then `came(connection)`
    is called for each admitted program. Nothing is read from a program before it is admitted."""

    def __init__(self, path: str, judge, came):
        self.path, self.judge, self.came = path, judge, came
        self.connections = set()
        # A service that was killed has left this socket. No other service can run, because it would
        # own the adapter's name.
        if os.path.lexists(path):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
        mask = os.umask(0o177)
        try:
            self.listener.bind(path)
        finally:
            os.umask(mask)
        self.listener.listen(MOST_CONNECTIONS)
        self._listen()

    def end(self):
        GLib.source_remove(self.watch)
        self.listener.close()
        os.unlink(self.path)
        for connection in list(self.connections):
            connection.close()

    def _listen(self):
        self.watch = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.listener.fileno(), GLib.IOCondition.IN, self._accept)
        return GLib.SOURCE_REMOVE

    def _accept(self, *_):
        try:
            end, _ = self.listener.accept()
        except (BlockingIOError, ConnectionAbortedError):  # the program has gone already
            return GLib.SOURCE_CONTINUE
        except OSError:  # the program still waits, so the socket would be readable again at once
            self.watch = GLib.timeout_add(PAUSE, self._listen)
            return GLib.SOURCE_REMOVE
        if len(self.connections) == MOST_CONNECTIONS:
            end.close()
            return GLib.SOURCE_CONTINUE
        connection = Connection(end, self.connections.discard)
        self.connections.add(connection)
        self.judge(end, lambda is_admitted: self._judged(connection, is_admitted))
        return GLib.SOURCE_CONTINUE

    def _judged(self, connection: "Connection", is_admitted: bool):
        if is_admitted and connection.is_open:
            self.came(connection)
            connection.listen()
        else:
            connection.close()


class Connection:
    """A connection to one program. After `listen()`, `heard(message)` is called for each line, a
    dictionary. `closed()` is called once."""

    def __init__(self, end: socket.socket, forget):
        self.end, self.forget = end, forget
        self.end.setblocking(False)
        self.rest = b""  # the beginning of an incomplete line
        self.waiting = []  # messages that came while `ask` waited for an answer
        self.rate = Rate(MOST_AT_ONCE, MOST_PER_SECOND)
        self.is_open, self.is_known = True, False
        self.heard, self.closed = lambda message: None, lambda: None
        self.watch = 0
        self.limit = GLib.timeout_add_seconds(PATIENCE, self._late)

    def listen(self):
        """Starts to read from the program."""
        if self.is_open:
            news = GLib.IOCondition.IN | GLib.IOCondition.HUP
            self.watch = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.end.fileno(), news, self._readable)

    def send(self, message: dict):
        """Sends a line. A program that does not read the line is disconnected. A program that has ended is disconnected
        after its last lines."""
        try:
            if self.is_open:
                self.end.sendall(json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            pass
        except OSError:
            self.close()

    def ask(self, message: dict, is_answer, patience: float) -> dict | None:
        """Sends a line, waits for its answer for a number of seconds, and returns the answer, or None if none came."""
        self.send(message)
        end = time.monotonic() + deadline.left(patience)
        while self.is_open and (left := end - time.monotonic()) > 0:
            if not select.select([self.end], [], [], left)[0]:
                break
            found = self._read()
            answer = next(filter(is_answer, found), None)
            self.waiting += [each for each in found if each is not answer]
            if answer is not None:
                GLib.idle_add(self._catch_up)
                return answer
        GLib.idle_add(self._catch_up)
        return None

    def know(self):
        """Records that the program has identified itself."""
        self.is_known = True

    def close(self):
        if not self.is_open:
            return
        self.is_open = False
        if self.watch:
            GLib.source_remove(self.watch)
        if self.limit:
            GLib.source_remove(self.limit)
        self.end.close()
        self.forget(self)
        self.closed()

    def _late(self):
        self.limit = 0
        if not self.is_known:
            self.close()
        return GLib.SOURCE_REMOVE

    def _readable(self, *_):
        self.waiting += self._read()
        self._catch_up()
        return GLib.SOURCE_CONTINUE if self.is_open else GLib.SOURCE_REMOVE

    def _catch_up(self):
        while self.waiting and self.is_open:
            self.heard(self.waiting.pop(0))
        return GLib.SOURCE_REMOVE

    def _read(self) -> list:
        """Returns the messages that have arrived. If no more messages can come, hands over those that wait, and closes
        the connection."""
        try:
            piece = self.end.recv(LONGEST_LINE)
            *lines, self.rest = (self.rest + piece).split(b"\n")
            if not piece or len(self.rest) > LONGEST_LINE:
                raise Broken("it has ended, or a line is too long")
            if not self.rate.allows(len(lines)):
                raise Broken("too many lines")
            return [_message(line) for line in lines]
        except BlockingIOError:
            return []
        except (OSError, Broken):
            self._catch_up()
            self.close()
            return []


def _message(line: bytes) -> dict:
    try:
        found = json.loads(line) if len(line) <= LONGEST_LINE else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Broken("a line is no JSON object")
    return found
