# SPDX-License-Identifier: Apache-2.0
"""Which window is in front by AT-SPI, the bus of accessibility: apps with GTK tell of their windows
there on all desktops, those with Qt only while a screen reader is on."""

from gi.repository import Gio, GLib

import bus
from window import Front

NAME, PATH = "org.a11y.Bus", "/org/a11y/bus"
REGISTRY, REGISTRY_PATH = "org.a11y.atspi.Registry", "/org/a11y/atspi/registry"
WINDOW = "org.a11y.atspi.Event.Window"


class Accessibility(Front):
    """Tells when a window comes to the front, of those whose apps tell."""

    def __init__(self, connection, came):
        super().__init__(came)
        self.connection = None
        # Both may be started by this: they are by every GTK app, too.
        connection.call(NAME, PATH, NAME, "GetAddress", None, None, Gio.DBusCallFlags.NONE, -1, None, self.found)

    def found(self, connection, result):
        try:
            self.connection = bus.connect(connection.call_finish(result).unpack()[0])
        except (GLib.Error, TypeError):
            return
        self.connection.signal_subscribe(None, WINDOW, "Activate", None, None, Gio.DBusSignalFlags.NONE, self.activated)
        # Apps tell only what somebody has asked for.
        wanted = GLib.Variant("(sass)", ("window:activate", [], ""))
        self.connection.call(REGISTRY, REGISTRY_PATH, REGISTRY, "RegisterEvent", wanted, None,
                             Gio.DBusCallFlags.NONE, -1, None, None)

    def may_be(self, view, views) -> bool:
        """Whether a view that has just come may be in front: its app tells nothing of a window that
        comes up before it has heard that somebody listens."""
        return True

    def end(self):
        if self.connection:
            self.connection.close(None, None)
        self.came = lambda is_another: None

    def activated(self, connection, sender, path, interface, signal, arguments):
        title = arguments.get_child_value(3).unpack() if arguments.n_children() > 3 else ""

        def known(answer):
            if answer:
                self.process, self.title = answer[0], title if isinstance(title, str) else ""
                self.came(True)
        bus.send_bus(connection, "GetConnectionUnixProcessID", sender, known)
