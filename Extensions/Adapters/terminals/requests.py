# SPDX-License-Identifier: Apache-2.0
"""The requests of `baton here`, as lines of JSON at a socket."""

from __future__ import annotations

from extensions import peer
from extensions.lines import Server
from ladder import names

VERSION = 1
MOST_NUMBER = 2**31 - 1


class Requests:
    """Answers the tool. batond admits each program before anything is read from it."""

    def __init__(self, adapter, path: str):
        self.adapter = adapter
        self.server = Server(path, lambda end, answered: peer.ask(adapter.judge, end, answered), self._came)

    def end(self):
        self.server.end()

    def _came(self, connection):
        connection.heard = lambda message: self._heard(connection, message)

    def _heard(self, connection, message: dict):
        number = message.get("here")
        if message.get("version") != VERSION:
            connection.close()
        elif message.get("take") is True:
            connection.know()
            self._take(connection)
        elif type(number) is int and 0 < number <= MOST_NUMBER:
            connection.know()
            stays = self.adapter.here(number)
            connection.send({"stays": stays.sentence} if stays else {"offered": self.adapter.activity.props.title})
        else:
            connection.close()

    def _take(self, connection):
        taking = Taking(connection)
        self.adapter.taking = taking

        def closed():
            if self.adapter.taking is taking:
                self.adapter.taking = None
        connection.closed = closed
        connection.send({"ready": True})


class Taking:
    """A shell that takes the next activity, in place of a new terminal."""

    def __init__(self, connection):
        self.connection = connection

    def give(self, found):
        """Sends the directory and the line to the shell."""
        self.connection.send({"directory": names.as_bytes(found.path).hex(), "line": found.line})
