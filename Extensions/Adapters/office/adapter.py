# SPDX-License-Identifier: Apache-2.0
"""The adapter for office apps. The adapter accepts LibreOffice's extension at the socket, and hands activities from
other laptops to it."""

import contents
from extensions.extended import Extended
from office.arrival import Arrival
from office.program import Program
from wording import tr


class Office(Extended):
    name = "Office"
    place = "office"
    arrival = Arrival
    program = Program
    # One process has all windows.
    command = ("soffice", "--nodefault", "--nologo")
    application = "libreoffice-startcenter"

    def not_installed(self):
        return tr("LibreOffice is not installed here. Install it, and try again.")

    def heard(self, program: Program, message: dict):
        match self.answered(message, "opened", "failed"):
            case "opened", arrival:
                arrival.told(None, contents.text(message, "why") or "")
            case "failed", arrival:
                arrival.told(tr("LibreOffice did not open the document. Try again."), contents.text(message, "why") or "")
            case _:
                program.heard(message)
