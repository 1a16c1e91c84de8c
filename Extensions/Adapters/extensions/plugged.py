# SPDX-License-Identifier: Apache-2.0
"""The base class of adapters whose apps have a plugin of Baton. The plugins exchange JSON lines with this service over
a socket in the session's directory."""

import os
import shutil

from gi.repository import GLib

from adapter import Adapter, Refused
from extensions import peer
from extensions.exchange import Exchange
from extensions.lines import Server
from wording import tr

MOST_ARRIVALS = 8


class Plugged(Adapter):
    """Accepts plugins at a socket, and hands activities from other laptops to them. A subclass sets `place` and
    `arrival`, and overrides `came()`."""

    place: str  # the directory of the socket, below $XDG_RUNTIME_DIR/baton
    arrival: type  # the class of an activity on its way to an app

    def begin(self):
        self.directory = os.path.join(GLib.get_user_runtime_dir(), "baton", self.place)
        shutil.rmtree(self.directory, ignore_errors=True)  # texts of a service that was killed
        self.arrivals = {}  # the arrivals, by their tickets
        try:
            self.exchange = Exchange(self.directory)
            self.server = Server(os.path.join(self.directory, "socket"), self._judge, self.came)
        except OSError as error:
            self.server = None
            self.complain(f"apps cannot connect: {error}")

    def came(self, connection):
        """Called when an admitted program has connected."""
        raise NotImplementedError

    def end(self):
        if self.server:
            self.server.end()
            self.exchange.end()
        super().end()

    def take(self, continuation, token):
        if self.server is None:
            raise Refused(tr("Apps cannot connect to Baton here. The log of this laptop says why."))
        if len(self.arrivals) == MOST_ARRIVALS:
            raise Refused(tr("Too many documents are being opened. Try again in a moment."))

        def ended(arrival, failure, detail=""):
            self.arrivals.pop(arrival.ticket, None)
            if failure:
                self.decline(continuation, failure, detail)
            else:
                continuation.accept()
        arrival = self.arrival(self, continuation, token, ended)
        self.arrivals[arrival.ticket] = arrival

    def _judge(self, end, answered):
        peer.ask(self.judge, end, answered)
