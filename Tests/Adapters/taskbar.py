# SPDX-License-Identifier: Apache-2.0
"""A taskbar without a screen. It brings windows to the front on compositors that offer no other way."""

import toplevels
import wayland
from wayland import message

POINTERS, SEAT = "zwlr_virtual_pointer_manager_v1", "wl_seat"
# The ids of Wayland objects, which must be numbered in the order of their creation.
REGISTRY, POINTER_MANAGER, POINTER, SEAT_OBJECT, MANAGER = 2, 3, 4, 5, 6
ACTIVATE, CLOSE = 4, 5


class Taskbar:
    """The taskbar. It creates a pointer, because a compositor without devices has no seat and activates no window."""

    def __init__(self, connection):
        self.connection, self.messages = connection, wayland.Messages()
        self.connection.setblocking(False)
        self.globals, self.windows, self.has_pointer, self.is_ready = {}, {}, False, False
        self.say(wayland.DISPLAY, wayland.GET_REGISTRY, REGISTRY)

    def end(self):
        self.connection.close()

    def say(self, *words):
        self.connection.sendall(message(*words))

    def bind(self, interface: str, number: int):
        self.say(REGISTRY, wayland.BIND, self.globals[interface], interface, 1, number)

    def look(self) -> bool:
        """Reads the compositor's events. Returns whether windows can now be brought to the front."""
        try:
            while data := self.connection.recv(1 << 16):
                for words in self.messages.read(data):
                    self.told(*words)
        except BlockingIOError:
            pass
        if not self.has_pointer and {POINTERS, toplevels.INTERFACE} <= set(self.globals):
            self.has_pointer = True
            self.bind(POINTERS, POINTER_MANAGER)
            self.say(POINTER_MANAGER, 0, 0, POINTER)
        if not self.is_ready and SEAT in self.globals and self.has_pointer:
            self.is_ready = True
            self.bind(SEAT, SEAT_OBJECT)
            self.bind(toplevels.INTERFACE, MANAGER)
        return self.is_ready

    def told(self, sender, what, arguments):
        if (sender, what) == (wayland.DISPLAY, wayland.ERROR):
            raise AssertionError(f"the compositor says: {arguments.number()} {arguments.number()} {arguments.text()}")
        if (sender, what) == (REGISTRY, wayland.GLOBAL):
            number, interface = arguments.number(), arguments.text()
            self.globals[interface] = number
        elif (sender, what) == (MANAGER, toplevels.TOPLEVEL):
            self.windows[arguments.number()] = {"title": "", "is_activated": False}
        elif sender in self.windows:
            window = self.windows[sender]
            if what == toplevels.TITLE:
                window["title"] = arguments.text()
            elif what == toplevels.STATE:
                window["is_activated"] = toplevels.ACTIVATED in arguments.numbers()
            elif what == toplevels.CLOSED:
                del self.windows[sender]
                self.say(sender, toplevels.DESTROY)

    def in_front(self) -> str:
        self.look()
        return " ".join(window["title"] for window in self.windows.values() if window["is_activated"])

    def activate(self, name: str):
        self.say(self.window(name), ACTIVATE, SEAT_OBJECT)

    def close(self, name: str):
        self.say(self.window(name), CLOSE)

    def window(self, name: str) -> int:
        """Returns the window whose title contains a text."""
        self.look()
        return next(number for number, window in self.windows.items() if name in window["title"])
