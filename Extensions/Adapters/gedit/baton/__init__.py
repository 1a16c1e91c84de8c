# SPDX-License-Identifier: Apache-2.0
"""Baton for gedit: tells the session's adapters the user's place, and opens texts from other laptops
(Documentation/Editors.md). The plugin does nothing where the adapters do not run."""

import gi

gi.require_version("Gedit", "3.0")
gi.require_version("GtkSource", "4")
from gi.repository import Gedit, Gio, GLib, GObject  # noqa: E402

from .arrival import Arrival  # noqa: E402
from .front import Front  # noqa: E402

ACTION = "baton-continue"
front = Front()


class BatonApp(GObject.Object, Gedit.AppActivatable):
    """Adds the action with which the adapters let gedit ask for a text."""

    __gtype_name__ = "BatonApp"
    app = GObject.Property(type=Gedit.App)

    def do_activate(self):
        self.arrivals = []
        action = Gio.SimpleAction.new(ACTION, GLib.VariantType.new("s"))
        action.connect("activate", self._called)
        self.app.add_action(action)

    def do_deactivate(self):
        self.app.remove_action(ACTION)
        front.end()

    def _called(self, _, ticket):
        # Show the window at once, while the desktop allows it to come to the front.
        window = front.window or next(iter(self.app.get_main_windows()), None) or self.app.create_window(None)
        window.show()
        window.present()

        def ended(arrival):
            self.arrivals.remove(arrival)
            if not window.get_views():
                window.create_tab(True)
        self.arrivals.append(Arrival(window, ticket.get_string(), ended))


class BatonWindow(GObject.Object, Gedit.WindowActivatable):
    """Watches one window."""

    __gtype_name__ = "BatonWindow"
    window = GObject.Property(type=Gedit.Window)

    def do_activate(self):
        self.handlers = {}  # signal handlers by the object to which they are connected
        self._connect(self.window, "active-tab-changed", "active-tab-state-changed", "notify::is-active")
        self.tabs = [(self.window, self.window.connect(signal, called)) for signal, called in (
            ("tab-added", lambda _, tab: self._follow(tab)), ("tab-removed", lambda _, tab: self._leave(tab.get_document())))]
        for view in self.window.get_views():
            self._follow(Gedit.Tab.get_from_document(view.get_buffer()))
        front.changed(self.window)

    def do_deactivate(self):
        for each in list(self.handlers):
            self._leave(each)
        for window, handler in self.tabs:
            window.disconnect(handler)
        front.forget(self.window)

    def _follow(self, tab):
        document = tab.get_document()
        self._connect(document, "modified-changed", "saved", "loaded")
        self.handlers[document].append(document.connect("notify::cursor-position", lambda *_: front.moved(self.window)))

    def _connect(self, each, *signals):
        self.handlers[each] = [each.connect(signal, lambda *_: front.changed(self.window)) for signal in signals]

    def _leave(self, each):
        for handler in self.handlers.pop(each, []):
            each.disconnect(handler)
