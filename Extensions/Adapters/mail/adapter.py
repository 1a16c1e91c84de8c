# SPDX-License-Identifier: Apache-2.0
"""The adapter for mail. It accepts Thunderbird's extension at the socket, and hands activities from other laptops to
it."""

import shutil

import contents
import launch
from mail.arrival import Arrival
from mail.fates import Fates
from mail.program import Program
from plugged import Plugged
from wording import tr

VERSION = 1  # of the protocol at the socket
COMMAND, APPLICATION = "thunderbird", "thunderbird"


class Mail(Plugged):
    name = "Mail"
    place = "mail"
    arrival = Arrival

    def begin(self):
        self.programs = []  # that are connected; the last one is used
        self.fates = Fates(self)
        super().begin()

    def end(self):
        self.fates.end()
        super().end()

    def give(self, arrival: Arrival):
        """Hands a message to Thunderbird, which is started if it does not run. Raises launch.NotStarted."""
        if self.programs:
            arrival.tell(self.programs[-1].connection)
        elif shutil.which(COMMAND) is None:
            raise launch.NotStarted(tr("Thunderbird is not installed here. Install it, and try again."))
        else:
            launch.start(self.bus, APPLICATION, [COMMAND], arrival.token)

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
        for key in ("opened", "failed", "missing"):
            ticket = message.get(key)
            if arrival := self.arrivals.get(ticket) if isinstance(ticket, str) else None:
                if key == "opened":
                    arrival.opened(message.get("notes"))
                elif key == "missing":
                    arrival.is_missing(program.connection)
                else:
                    arrival.told(tr("Thunderbird did not open the message. Try again."), contents.text(message, "why") or "")
                return
        program.heard(message)

    def _went(self, program: Program):
        self.programs.remove(program)
        program.end()
