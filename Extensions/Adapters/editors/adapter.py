# SPDX-License-Identifier: Apache-2.0
"""The adapter for editors. It accepts their plugins at the socket, and hands activities from other laptops to them."""

import os
import shutil

from gi.repository import GLib

import contents
from adapter import Adapter, Refused
from editors import peer, programs
from editors.arrival import Arrival
from editors.editor import Editor
from editors.exchange import Exchange
from editors.lines import Server
from wording import tr

MOST_ARRIVALS = 8
VERSION = 2  # of the protocol at the socket


class Editors(Adapter):
    name = "Editors"

    def begin(self):
        self.directory = os.path.join(GLib.get_user_runtime_dir(), "baton", "editors")
        shutil.rmtree(self.directory, ignore_errors=True)  # texts of a service that was killed
        self.arrivals = {}  # by their tickets
        try:
            self.exchange = Exchange(self.directory)
            self.server = Server(os.path.join(self.directory, "socket"), self._judge, self._came)
        except OSError as error:
            self.server = None
            self.complain(f"editors cannot connect: {error}")

    def end(self):
        if self.server:
            self.server.end()
            self.exchange.end()
        super().end()

    def take(self, continuation, token):
        if self.server is None:
            raise Refused(tr("Editors cannot connect to Baton here. The log of this laptop says why."))
        if len(self.arrivals) == MOST_ARRIVALS:
            raise Refused(tr("Too many texts are being opened. Try again in a moment."))

        def ended(arrival, failure, detail=""):
            self.arrivals.pop(arrival.ticket, None)
            if failure:
                self.decline(continuation, failure, detail)
            else:
                continuation.accept()
        arrival = Arrival(self, continuation, token, ended)
        self.arrivals[arrival.ticket] = arrival

    def _judge(self, end, answered):
        peer.ask(self.judge, end, answered)

    def _came(self, connection):
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
