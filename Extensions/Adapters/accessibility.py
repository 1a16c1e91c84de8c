# SPDX-License-Identifier: Apache-2.0
"""The window in front, as apps report it over AT-SPI, the accessibility bus. Apps with GTK report their windows on all
desktops. Apps with Qt report their windows only while a screen reader is on."""

from gi.repository import Gio, GLib

import bus
from window import Front

NAME, PATH = "org.a11y.Bus", "/org/a11y/bus"
REGISTRY, REGISTRY_PATH = "org.a11y.atspi.Registry", "/org/a11y/atspi/registry"
WINDOW = "org.a11y.atspi.Event.Window"
LONGEST = 1_000  # characters of a title


class Accessibility(Front):
    """Reports when a window comes to the front, if the window's app reports this. Any program may report, but only
    about its own process, which the bus names."""

    def __init__(self, connection, came):
        super().__init__(came)
        self.connection = None
        self.told = None  # the sender and the title of the latest report
        self.is_asking = False  # the sender that `process` belongs to
        # These calls may start AT-SPI. Every GTK app starts it, too.
        connection.call(NAME, PATH, NAME, "GetAddress", None, None, Gio.DBusCallFlags.NONE, -1, None, self.found)

    def found(self, connection, result):
        try:
            self.connection = bus.connect(connection.call_finish(result).unpack()[0])
        except (GLib.Error, TypeError):
            return
        self.connection.signal_subscribe(None, WINDOW, "Activate", None, None, Gio.DBusSignalFlags.NONE, self.activated)
        # Apps report only events that a listener has registered.
        wanted = GLib.Variant("(sass)", ("window:activate", [], ""))
        self.connection.call(REGISTRY, REGISTRY_PATH, REGISTRY, "RegisterEvent", wanted, None,
                             Gio.DBusCallFlags.NONE, -1, None, None)

    def may_be(self, view, views) -> bool:
        """Returns whether a new view may be in front. The view's app must have reported a window in front."""
        return self.process != 0 and super().may_be(view, views)

    def end(self):
        if self.connection:
            self.connection.close(None, None)
        self.came = lambda is_another: None

    def activated(self, connection, sender, path, interface, signal, arguments):
        self.told = sender, title_of(arguments)
        self.ask()

    def ask(self):
        """Asks the bus for the process of the latest report's sender. Reports that come meanwhile
        replace each other."""
        if self.told is None or self.is_asking:
            return
        (sender, title), self.told, self.is_asking = self.told, None, True

        def known(answer):
            self.is_asking = False
            if answer:
                self.process, self.title = answer[0], title
                self.came(True)
            self.ask()
        bus.send_bus(self.connection, "GetConnectionUnixProcessID", sender, known)


def title_of(arguments: GLib.Variant) -> str:
    """Returns the title in a program's report, which may contain anything."""
    value = arguments.get_child_value(3) if arguments.n_children() > 3 else None
    value = value.get_variant() if value is not None and value.is_of_type(GLib.VariantType("v")) else value
    return value.get_string()[:LONGEST] if value is not None and value.is_of_type(GLib.VariantType("s")) else ""

