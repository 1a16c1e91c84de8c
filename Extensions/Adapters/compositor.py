# SPDX-License-Identifier: Apache-2.0
"""What a Wayland compositor has told of the window in front."""

from gi.repository import GLib

from messages import Messages, Unreadable
from window import Front

AT_ONCE = 1 << 16  # bytes that are read at a time


class Compositor(Front):
    """Tells when another process's window comes to the front."""

    def is_now(self, process: int = 0, title: str = ""):
        """This window is in front; 0 where none is, or nothing is known."""
        before, self.process, self.application, self.title = self.process, process, "", title
        if process not in (0, before):
            self.came(True)


class OnSocket(Compositor):
    """Listens on a compositor's socket until that is gone, or says what cannot be read. What comes
    may be of any type: it is other programs' in part, such as titles."""

    def __init__(self, connection, messages: Messages, came):
        super().__init__(came)
        self.connection, self.messages = connection, messages
        news = GLib.IOCondition.IN | GLib.IOCondition.HUP
        self.watch = GLib.io_add_watch(connection.fileno(), GLib.PRIORITY_DEFAULT, news, self.readable)

    def told(self, *message):
        """The compositor says this; raises Unreadable, or OSError when it cannot be answered."""
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
