# SPDX-License-Identifier: Apache-2.0
"""The adapter for editors. The adapter accepts the editors' plugins at the socket, and hands activities from other
laptops to them."""

import contents
from editors import programs
from editors.arrival import Arrival
from editors.editor import Editor
from editors.kate import Kates
from editors.session import TextEditor
from extensions.plugged import Plugged
from wording import tr

VERSION = 2  # the version of the protocol at the socket


class Editors(Plugged):
    name = "Editors"
    place = "editors"
    arrival = Arrival

    def begin(self):
        super().begin()
        if self.server:  # its directory has unsaved texts
            self.text_editor, self.kates = TextEditor(self), Kates(self)

    def end(self):
        if self.server:
            self.text_editor.end()
            self.kates.end()
        super().end()

    def came(self, connection):
        def heard(message):
            if message.get("editor") not in programs.PROGRAMS:
                connection.close()
                return
            if message.get("version") != VERSION:
                self._refuse(connection, message)
                return
            connection.know()
            editor = Editor(self, connection, message["editor"])
            connection.closed = editor.end
            connection.heard = editor.heard
            if "ticket" in message:
                self._tell(connection, message["ticket"], editor)
        connection.heard = heard

    def _refuse(self, connection, message: dict):
        """Refuses an editor with another version of the plugin. An editor that started before an upgrade would read and
        write other files than this version names."""
        connection.close()
        if isinstance(message.get("ticket"), str) and (arrival := self.arrivals.get(message["ticket"])):
            arrival.told(tr("{editor} has been running since before an update of Baton. Quit it, and try again.", editor=message["editor"]))

    def _tell(self, connection, ticket, editor):
        """Sends an activity to the editor that was started for it."""
        arrival = self.arrivals.get(ticket) if isinstance(ticket, str) else None
        if arrival is None:
            connection.send({"gone": True})
            return

        def heard(message):
            if "opened" in message or "failed" in message:
                connection.heard = editor.heard
                failed = contents.text(message, "failed")
                arrival.told(failed and tr("{editor} did not open the text. Try again.", editor=editor.name), failed or "")
            else:
                editor.heard(message)
        connection.heard = heard
        arrival.tell(connection)
