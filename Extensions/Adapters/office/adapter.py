# SPDX-License-Identifier: Apache-2.0
"""The adapter for office apps. It accepts LibreOffice's extension at the socket, and hands activities from other
laptops to it."""

import shutil

import contents
import launch
from office.arrival import Arrival
from office.program import Program
from plugged import Plugged
from wording import tr

VERSION = 1  # of the protocol at the socket
# Without a document, because the extension opens it. One process has all windows.
COMMAND, WORDS, APPLICATION = "soffice", ("--nodefault", "--nologo"), "libreoffice-startcenter"


class Office(Plugged):
    name = "Office"
    place = "office"
    arrival = Arrival

    def begin(self):
        self.programs = []  # that are connected; the last one is used
        super().begin()

    def give(self, arrival: Arrival):
        """Hands a document to LibreOffice, which is started if it does not run. Raises launch.NotStarted."""
        if self.programs:
            arrival.tell(self.programs[-1].connection)
        elif shutil.which(COMMAND) is None:
            raise launch.NotStarted(tr("LibreOffice is not installed here. Install it, and try again."))
        else:
            launch.start(self.bus, APPLICATION, [COMMAND, *WORDS], arrival.token)

    def came(self, connection):
        def heard(message):
            if message.get("version") != VERSION:
                connection.close()
                return
            connection.know()
            program = Program(self, connection)
            self.programs.append(program)
            connection.heard = lambda message: self._heard(program, message)
            connection.closed = lambda: self._went(program)
            for arrival in list(self.arrivals.values()):
                if arrival.is_ready and not arrival.has_asked:
                    arrival.tell(connection)
        connection.heard = heard

    def _heard(self, program: Program, message: dict):
        for key in ("opened", "failed"):
            ticket = message.get(key)
            if arrival := self.arrivals.get(ticket) if isinstance(ticket, str) else None:
                why = contents.text(message, "why") or ""
                arrival.told(None if key == "opened" else tr("LibreOffice did not open the document. Try again."), why)
                return
        program.heard(message)

    def _went(self, program: Program):
        self.programs.remove(program)
        program.end()
