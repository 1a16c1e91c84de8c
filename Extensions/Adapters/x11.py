# SPDX-License-Identifier: Apache-2.0
"""The window in front on X11, from the window manager's _NET_ACTIVE_WINDOW
(specifications.freedesktop.org/wm-spec)."""

import os

from gi.repository import GLib

from window import Front

try:
    from Xlib import X, Xatom, display, error
except ImportError:  # Debian's python3-xlib is missing, so nothing is reported
    display = None


class X11(Front):
    """Reports when a window of another process comes to the front."""

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
        # Do not report this window, because there are no views yet.
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
        """Handles events that came while this program waited for an answer. These events are already in the library's
        queue, so the socket does not become readable."""
        GLib.idle_add(lambda: self.serve() and False)

    def serve(self) -> bool:
        """Handles the queued events. Returns false if the X server has gone."""
        try:
            while self.display and self.display.pending_events():
                event = self.display.next_event()
                if event.type == X.PropertyNotify and event.atom == self.display.get_atom("_NET_ACTIVE_WINDOW"):
                    self.look()
        except error.ConnectionClosedError:
            self.display, self.process = None, 0
        return self.display is not None

    def found(self) -> int:
        """Returns the process of the window in front, or 0 if it is unknown."""
        found = self.of_window("_NET_WM_PID", Xatom.CARDINAL)
        return found[0] if found else 0

    def look(self):
        process = self.found()
        if process and process != self.process:
            self.process = process
            self.came(True)

    @property
    def title(self) -> str:
        """Returns the title of the window in front, or an empty text if it is unknown."""
        if self.display is None:
            return ""
        found = self.of_window("_NET_WM_NAME", self.display.get_atom("UTF8_STRING"))
        self.later()
        return bytes(found).decode(errors="replace") if found else ""

    def of_window(self, name: str, kind):
        """Returns a property of the window in front, or None if there is none, or if the window has
        gone."""
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
    """Connects to the session's X server, or returns None."""
    if display is None or not os.environ.get("DISPLAY"):
        return None
    try:
        return display.Display()
    except (error.DisplayError, OSError):
        return None
