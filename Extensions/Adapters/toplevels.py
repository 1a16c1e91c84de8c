# SPDX-License-Identifier: Apache-2.0
"""The window in front, from wlr-foreign-toplevel-management, a protocol for taskbars. The protocol reports the app id,
title and state of all windows, but no process. Version 1 is enough (gitlab.freedesktop.org/wlroots/wlr-protocols)."""

import time

import wayland
from compositor import AT_ONCE, OnSocket
from messages import Unreadable
from wayland import DISPLAY, message

INTERFACE, VERSION = "zwlr_foreign_toplevel_manager_v1", 1
# Objects with numbers of this program. The compositor chooses the numbers of windows.
REGISTRY, CALLBACK, MANAGER = 2, 3, 4
# Events of the manager and of a window.
TOPLEVEL, FINISHED = 0, 1
TITLE, APP_ID, STATE, DONE, CLOSED = 0, 1, 4, 5, 6
ACTIVATED, DESTROY = 2, 7  # a state of a window, and a request to it
PATIENCE = 2  # seconds that the compositor may take to list its globals
MOST = 1_000  # windows
LONGEST = 1_000  # characters of a title or an app id


class Toplevel:
    """A window."""

    def __init__(self):
        self.application, self.title, self.is_activated = "", "", False


class Toplevels(OnSocket):
    """Reads a socket from `connect()` until the compositor has gone."""

    def __init__(self, connection, messages, came):
        super().__init__(connection, messages, came)
        self.windows = {}  # the windows, by their numbers
        self.front = None

    def told(self, sender: int, what: int, arguments: wayland.Arguments):
        if (sender, what) in ((DISPLAY, wayland.ERROR), (MANAGER, FINISHED)):
            raise Unreadable  # there will be no more events
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
            # After this request the compositor may use the number again.
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
    """Connects to the compositor's socket and starts the reports of windows. Returns the socket and its reader. Returns
    None if there is no socket, or if the compositor does not have the protocol. Waits for the compositor's answer."""
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
    """Returns the number of the manager among the compositor's globals, or 0 if there is none, or if
    the answer is late."""
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
