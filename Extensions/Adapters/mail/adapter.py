# SPDX-License-Identifier: Apache-2.0
"""The adapter for mail. The adapter accepts Thunderbird's extension at the socket, and hands activities from other
laptops to it."""

import contents
from extensions.extended import Extended
from mail.arrival import Arrival
from mail.fates import Fates
from mail.program import Program
from wording import tr


class Mail(Extended):
    name = "Mail"
    place = "mail"
    arrival = Arrival
    program = Program
    command = ("thunderbird",)
    application = "thunderbird"

    def begin(self):
        self.fates = Fates(self)
        super().begin()

    def end(self):
        self.fates.end()
        super().end()

    def not_installed(self):
        return tr("Thunderbird is not installed here. Install it, and try again.")

    def heard(self, program: Program, message: dict):
        match self.answered(message, "opened", "failed", "missing"):
            case "opened", arrival:
                arrival.opened(message.get("notes"))
            case "failed", arrival:
                arrival.told(tr("Thunderbird did not open the message. Try again."), contents.text(message, "why") or "")
            case "missing", arrival:
                arrival.is_missing(program.connection)
            case _:
                program.heard(message)
