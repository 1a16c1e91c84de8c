# SPDX-License-Identifier: Apache-2.0
"""The service that runs the adapters, for as long as the session lasts."""

import signal
import sys

from gi.repository import Gio, GLib

import bus
from adapter import Adapter
from bus import NotAlone
from documents import Documents
from editors import Editors
from journal import JOURNAL
from mail import Mail
from media import Media
from office import Office
from terminals import Terminals

KINDS = (Media, Documents, Editors, Office, Terminals, Mail)
# The name that the session's one service owns.
NAME = "org.batonproject.Adapters"
BATON, BATON_PATH, SWITCHES = "org.batonproject.Baton", "/org/batonproject/Baton", "org.batonproject.Baton1.Adapters"


class Service:
    """Runs an adapter for each kind that the daemon reports as on (`baton adapters`), each on a connection of its own
    to the session bus. The service runs no adapter before the daemon's first report."""

    def __init__(self):
        self.loop = GLib.MainLoop()
        self.adapters: dict[str, Adapter] = {}
        self.bus = bus.connect()
        self.bus.connect("closed", lambda *_: self.loop.quit())
        bus.own(self.bus, NAME)
        self.bus.signal_subscribe(BATON, bus.PROPERTIES, "PropertiesChanged", BATON_PATH, SWITCHES,
                                  Gio.DBusSignalFlags.NONE, self.told)
        Gio.bus_watch_name_on_connection(self.bus, BATON, Gio.BusNameWatcherFlags.NONE, self.came, None)

    def came(self, connection, name, owner):
        # A daemon that has just started may report nothing, and reports later. Adapters keep running
        # meanwhile, so that a restart of the daemon does not lose the open files.
        bus.send(connection, owner, BATON_PATH, bus.PROPERTIES, "Get", GLib.Variant("(ss)", (SWITCHES, "Active")),
                 lambda answer: answer and answer[0] and self.switch(answer[0]))

    def told(self, connection, sender, path, interface, signal_name, arguments):
        changed = arguments.unpack()[1]
        if "Active" in changed:
            self.switch(changed["Active"])

    def switch(self, active):
        """Starts and ends adapters, so that exactly those with these ids run."""
        for kind in KINDS:
            is_on = isinstance(active, list) and kind.identifier() in active
            if not is_on and kind.name in self.adapters:
                self.adapters.pop(kind.name).end()
            elif is_on and kind.name not in self.adapters:
                self.begin(kind)

    def begin(self, kind):
        try:
            adapter = kind(self.loop.quit)
        except (NotAlone, GLib.Error) as error:
            JOURNAL.write(f"{kind.name}: {error}")
            return
        self.adapters[kind.name] = adapter
        adapter.begin()

    def run(self):
        self.loop.run()
        self.switch([])


def main() -> int:
    try:
        service = Service()
    except NotAlone as error:
        print(f"baton-adapters: {error}", file=sys.stderr)
        return 0
    except GLib.Error as error:
        print(f"baton-adapters: start it in a desktop session, for there is no session bus: {error.message}", file=sys.stderr)
        return 1
    for number in (signal.SIGINT, signal.SIGTERM):
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, number, service.loop.quit)
    service.run()
    return 0
