# SPDX-License-Identifier: Apache-2.0
"""The open files that are not offered. batond gets the latest one, and shows it to the user of this laptop in the
panel's menu and in `baton status` (Documentation/DBus/Adapters.md)."""

from __future__ import annotations

import os

from gi.repository import Gio, GLib

import bus
import contents
import ladder

NAME, PATH, ADAPTERS = "org.batonproject.Baton", "/org/batonproject/Baton", "org.batonproject.Baton1.Adapters"
NOTHING = ("", "")


class Withheld:
    """The open files of one adapter's apps that are not offered. batond forgets them when the connection ends."""

    def __init__(self, connection):
        self.connection = connection
        self.found = {}  # names of files and reasons, by the app that shows the file; the latest last
        self.told = NOTHING
        self.watch = Gio.bus_watch_name_on_connection(connection, NAME, Gio.BusNameWatcherFlags.NONE, self._came, None)

    def end(self):
        Gio.bus_unwatch_name(self.watch)

    def look_at(self, shown, path: str, stays: ladder.Stays | None):
        """Records the file that a view, a player or an editor shows. `stays` is None if the file is offered or was
        closed."""
        self.found.pop(shown, None)
        if stays and stays.is_told:
            name = ladder.repaired(os.path.basename(path))
            self.found[shown] = (contents.title(name), contents.title(stays.sentence))
        self._tell()

    def _tell(self):
        latest = next(reversed(self.found.values()), NOTHING)
        if latest != self.told:
            self.told = latest
            bus.send(self.connection, NAME, PATH, ADAPTERS, "Withhold", GLib.Variant("(ss)", latest))

    def _came(self, connection, name, owner):
        """Sends the latest file again, because a new batond knows nothing."""
        self.told = NOTHING
        self._tell()
