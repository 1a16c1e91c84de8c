# SPDX-License-Identifier: Apache-2.0
"""The window in front, as a Wayland compositor reports it."""

from gi.repository import GLib

from messages import Messages, Unreadable
from window import Front

AT_ONCE = 1 << 16  # bytes per read


class Compositor(Front):
    """Reports when a window of another process comes to the front."""

    def is_now(self, process: int = 0, title: str = ""):
        """Records the window in front. Without arguments, no window is in front, or nothing is known about the one that
        is."""
        before, self.process, self.application, self.title = self.process, process, "", title
        if process not in (0, before):
            self.came(True)


class OnSocket(Compositor):
    """Reads a compositor's socket until it is closed, or until a message cannot be read. Messages may contain anything,
    because titles and app ids come from other programs."""

    def __init__(self, connection, messages: Messages, came):
        super().__init__(came)
        self.connection, self.messages = connection, messages
        news = GLib.IOCondition.IN | GLib.IOCondition.HUP
        self.watch = GLib.io_add_watch(connection.fileno(), GLib.PRIORITY_DEFAULT, news, self.readable)

    def told(self, *message):
        """Handles a message of the compositor. Raises Unreadable, or OSError if the message cannot be answered."""
        raise NotImplementedError

    def end(self):
        if self.connection:
            GLib.source_remove(self.watch)
            self.close()

    def close(self):
        self.connection.close()
        self.connection = None

    def readable(self, *_):
        try:
            data = self.connection.recv(AT_ONCE)
        except BlockingIOError:
            return GLib.SOURCE_CONTINUE
        except OSError:
            data = b""
        try:
            for message in self.messages.read(data):
                self.told(*message)
        except (OSError, Unreadable):
            data = b""
        if data:
            return GLib.SOURCE_CONTINUE
        self.close()
        self.is_now()
        return GLib.SOURCE_REMOVE
