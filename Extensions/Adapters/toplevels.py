# SPDX-License-Identifier: Apache-2.0
"""Which window is in front by wlr-foreign-toplevel-management, which compositors have for taskbars:
of all windows it tells the app id, the title, and which is activated, but no process. Its version 1
is enough (gitlab.freedesktop.org/wlroots/wlr-protocols)."""

import time

import wayland
from compositor import AT_ONCE, OnSocket
from messages import Unreadable
from wayland import DISPLAY, message

INTERFACE, VERSION = "zwlr_foreign_toplevel_manager_v1", 1
# Objects, as they are numbered here. Those of windows have numbers by the compositor.
REGISTRY, CALLBACK, MANAGER = 2, 3, 4
# What the manager says, and a window.
TOPLEVEL, FINISHED = 0, 1
TITLE, APP_ID, STATE, DONE, CLOSED = 0, 1, 4, 5, 6
ACTIVATED, DESTROY = 2, 7  # a state of a window's, and what it is asked
PATIENCE = 2  # seconds in which the compositor says what it has
MOST = 1_000  # windows
LONGEST = 1_000  # characters of a title or an app id


class Toplevel:
    """A window."""

    def __init__(self):
        self.application, self.title, self.is_activated = "", "", False


class Toplevels(OnSocket):
    """Listens on a socket, that of `connect()`, until the compositor is gone."""

    def __init__(self, connection, messages, came):
        super().__init__(connection, messages, came)
        self.windows = {}  # by their numbers
        self.front = None

    def told(self, sender: int, what: int, arguments: wayland.Arguments):
        if (sender, what) in ((DISPLAY, wayland.ERROR), (MANAGER, FINISHED)):
            raise Unreadable  # there is nothing more to come
        if (sender, what) == (MANAGER, TOPLEVEL):
            self.opened(arguments.number())
        elif window := self.windows.get(sender):
            self.changed(sender, window, what, arguments)

    def opened(self, number: int):
        if number < wayland.SERVERS or number in self.windows or len(self.windows) == MOST:
            raise Unreadable
        self.windows[number] = Toplevel()

    def changed(self, number: int, window: Toplevel, what: int, arguments: wayland.Arguments):
        if what == TITLE:
            window.title = arguments.text()[:LONGEST]
        elif what == APP_ID:
            window.application = arguments.text()[:LONGEST]
        elif what == STATE:
            window.is_activated = ACTIVATED in arguments.numbers()
        elif what == DONE and window.is_activated:
            self.is_front(window)
        elif what == DONE:
            self.is_behind(window)
        elif what == CLOSED:
            # Its number is the compositor's again after this.
            del self.windows[number]
            self.connection.sendall(message(number, DESTROY))
            self.is_behind(window)

    def is_front(self, window: Toplevel):
        is_another, self.front = window is not self.front, window
        before = self.application, self.title
        self.application, self.title = window.application, window.title
        if is_another or before != (window.application, window.title):
            self.came(is_another)

    def is_behind(self, window: Toplevel):
        if window is self.front:
            self.front = None
            self.is_now()


def connect():
    """The compositor's socket, on which it tells of windows from now on, and what is read from it;
    None where there is none, or it does not tell. Waits until the compositor has said so."""
    connection = wayland.connect()
    if connection is None:
        return None
    try:
        messages = wayland.Messages()
        if number := find(connection, messages):
            connection.sendall(message(REGISTRY, wayland.BIND, number, INTERFACE, VERSION, MANAGER))
            connection.setblocking(False)
            return connection, messages
    except (OSError, Unreadable):
        pass
    connection.close()
    return None


def find(connection, messages: wayland.Messages) -> int:
    """The number of the manager among all that the compositor has; 0 where it has none, or does not
    say in time."""
    connection.sendall(message(DISPLAY, wayland.GET_REGISTRY, REGISTRY) + message(DISPLAY, wayland.SYNC, CALLBACK))
    found, limit = 0, time.monotonic() + PATIENCE
    while (left := limit - time.monotonic()) > 0:
        connection.settimeout(left)
        data = connection.recv(AT_ONCE)
        if not data:
            break
        for sender, what, arguments in messages.read(data):
            if (sender, what) == (REGISTRY, wayland.GLOBAL):
                number, interface = arguments.number(), arguments.text()
                found = number if interface == INTERFACE else found
            elif (sender, what) == (CALLBACK, wayland.DONE):
                return found
    return 0
