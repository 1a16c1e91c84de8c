# SPDX-License-Identifier: Apache-2.0
"""The base class of adapters for one app. Baton's extension for that app opens the activities that
arrive."""

import shutil

import launch
from extensions.plugged import Plugged

VERSION = 1  # the version of the protocol at the socket


class Extended(Plugged):
    """Accepts the app's extension at the socket, and hands activities from other laptops to it. A subclass also sets
    `program`, `command` and `application`, and overrides `not_installed()` and `heard()`."""

    program: type  # a running app that is connected
    command: tuple  # starts the app without a document, because the extension opens it
    application: str  # the id of the app's desktop entry

    def begin(self):
        self.programs = []  # the connected programs; the last one is used
        super().begin()

    def not_installed(self) -> str:
        """Returns the sentence for a user who lacks the app."""
        raise NotImplementedError

    def heard(self, program, message: dict):
        """Handles a message of a connected program."""
        raise NotImplementedError

    def give(self, arrival):
        """Hands an activity to the app, which is started if it does not run. Raises launch.NotStarted."""
        if self.programs:
            arrival.tell(self.programs[-1].connection)
        elif shutil.which(self.command[0]) is None:
            raise launch.NotStarted(self.not_installed())
        else:
            launch.start(self.bus, self.application, list(self.command), arrival.token)

    def came(self, connection):
        def heard(message):
            if message.get("version") != VERSION:
                connection.close()
                return
            connection.know()
            program = self.program(self, connection)
            self.programs.append(program)
            connection.heard = lambda message: self.heard(program, message)
            connection.closed = lambda: self._went(program)
            for arrival in list(self.arrivals.values()):
                if arrival.is_ready and not arrival.has_asked:
                    arrival.tell(connection)
        connection.heard = heard

    def answered(self, message: dict, *keys: str):
        """Returns the first of the keys whose value is the ticket of an arrival, and that arrival, or None for both."""
        for key in keys:
            ticket = message.get(key)
            if arrival := self.arrivals.get(ticket) if isinstance(ticket, str) else None:
                return key, arrival
        return None, None

    def _went(self, program):
        self.programs.remove(program)
        program.end()
