# SPDX-License-Identifier: Apache-2.0
"""Which window is in front on X11, by _NET_ACTIVE_WINDOW of the window manager
(specifications.freedesktop.org/wm-spec)."""

import os

from gi.repository import GLib

from window import Front

try:
    from Xlib import X, Xatom, display, error
except ImportError:  # Debian's python3-xlib: without it, nobody tells
    display = None


class X11(Front):
    """Tells when another process's window comes to the front."""

    def __init__(self, came):
        super().__init__(came)
        self.display = connect()
        if self.display is None:
            return
        root = self.display.screen().root
        root.change_attributes(event_mask=X.PropertyChangeMask)
        self.display.flush()
        news = GLib.IOCondition.IN | GLib.IOCondition.HUP
        self.watch = GLib.io_add_watch(self.display.fileno(), GLib.PRIORITY_DEFAULT, news, self.readable)
        # Nobody is told of this one: no view is there yet.
        self.process = self.found()
        self.later()

    def end(self):
        if self.display:
            GLib.source_remove(self.watch)
            self.display.close()
            self.display = None

    def readable(self, *_):
        return GLib.SOURCE_CONTINUE if self.serve() else GLib.SOURCE_REMOVE

    def later(self):
        """News may have come while an answer was waited for: they are here, and make nothing
        readable."""
        GLib.idle_add(lambda: self.serve() and False)

    def serve(self) -> bool:
        """Looks through the news; false when the X server is gone."""
        try:
            while self.display and self.display.pending_events():
                event = self.display.next_event()
                if event.type == X.PropertyNotify and event.atom == self.display.get_atom("_NET_ACTIVE_WINDOW"):
                    self.look()
        except error.ConnectionClosedError:
            self.display, self.process = None, 0
        return self.display is not None

    def found(self) -> int:
        """The process of the window in front; 0 when it is not known."""
        found = self.of_window("_NET_WM_PID", Xatom.CARDINAL)
        return found[0] if found else 0

    def look(self):
        process = self.found()
        if process and process != self.process:
            self.process = process
            self.came(True)

    @property
    def title(self) -> str:
        """The title of the window in front; empty when it is not known."""
        if self.display is None:
            return ""
        found = self.of_window("_NET_WM_NAME", self.display.get_atom("UTF8_STRING"))
        self.later()
        return bytes(found).decode(errors="replace") if found else ""

    def of_window(self, name: str, kind):
        """A property of the window in front; None when there is none, or it has gone meanwhile."""
        try:
            root = self.display.screen().root
            found = root.get_full_property(self.display.get_atom("_NET_ACTIVE_WINDOW"), Xatom.WINDOW)
            if not found or not found.value or not found.value[0]:
                return None
            window = self.display.create_resource_object("window", found.value[0])
            value = window.get_full_property(self.display.get_atom(name), kind)
            return value.value if value else None
        except (error.XError, error.ConnectionClosedError):
            return None


def connect():
    """The X server of the session, or None."""
    if display is None or not os.environ.get("DISPLAY"):
        return None
    try:
        return display.Display()
    except (error.DisplayError, OSError):
        return None
