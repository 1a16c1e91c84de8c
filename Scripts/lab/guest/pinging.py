# SPDX-License-Identifier: Apache-2.0
"""A laptop that pings the other one through its daemon."""

import time

from gi.repository import Gio, GLib
from offers import BATON, BATON_PATH, LIMIT, Publisher


class Pinging(Publisher):
    """A ping under way. After an answer, `took` is the time that it took. After a failure, `error` says why."""

    def __init__(self, name: str, other: str):
        super().__init__(f"unix:path=/run/{name}/bus")
        self.other = other
        self.took = self.error = None

    def ping(self):
        self.took = self.error = None
        self.begun = time.monotonic()
        self.bus.call(self.name, BATON_PATH, BATON + "1.Circle", "Ping", GLib.Variant("(s)", (self.other,)), None, Gio.DBusCallFlags.NONE,
                      int(LIMIT * 1000), None, self._answered)

    def _answered(self, bus, result):
        try:
            bus.call_finish(result)
            self.took = time.monotonic() - self.begun
        except GLib.Error as error:
            self.error = error.message

    def is_done(self) -> bool:
        return self.took is not None or self.error is not None
