#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sends a book from one laptop to another, complete or not at all.

Run `book.py give FILE` on one and `book.py take FILE` on the other. Uses plain D-Bus with Gio, as Documentation/DBus describes it.
"""

import os
import pathlib
import socket
import sys

from gi.repository import Gio, GLib

NAME, PATH = "org.batonproject.Baton", "/org/batonproject/Baton"
ACTIVITIES, OFFERS = "org.batonproject.Baton1.Activities", "org.batonproject.Baton1.Offers"
TYPE = "org.example.book"
PATIENCE = 130_000  # how long the daemon may take to reach another laptop, in ms
MAXIMUM_BYTES = 64 << 20  # the limit for a received book


class Baton:
    """The connection to the daemon, with the state of this program's streams."""

    def __init__(self):
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        self.opened = []  # streams that are not yet used
        self.ended = {}  # how streams ended: whether they were complete, and the reason if not
        # Subscribe before the first call, so that no signal is missed.
        self.gone = False  # whether the daemon has ended and sends no more signals
        Gio.bus_watch_name_on_connection(self.bus, NAME, Gio.BusNameWatcherFlags.NONE, self.watched, self.watched)
        self.bus.signal_subscribe(NAME, ACTIVITIES, None, PATH, None, Gio.DBusSignalFlags.NONE, self.heard)

    def watched(self, bus, name, owner=None):
        self.gone = not owner

    def heard(self, bus, sender, path, interface, signal, arguments):
        if signal == "StreamsOpened":
            self.opened.append(arguments.unpack()[1])
        elif signal == "StreamEnded":
            stream, complete, error = arguments.unpack()
            self.ended[stream] = (complete, error)

    def call(self, interface, method, arguments=None):
        """Calls the daemon, and returns its answer with descriptors in place of their indices."""
        reply, descriptors = self.bus.call_with_unix_fd_list_sync(
            NAME, PATH, interface, method, arguments, None, Gio.DBusCallFlags.NONE, PATIENCE, None, None)
        values = list(reply.unpack())
        if reply.get_type_string().endswith("h)"):
            values[-1] = socket.socket(fileno=descriptors.get(values[-1]))
        return values

    def wait(self, look):
        """Returns the result of `look` as soon as there is one, and handles signals meanwhile."""
        while not (found := look()):
            GLib.MainContext.default().iteration(True)
        return found

    def exchange(self, stream: str, end: socket.socket, book: bytes) -> bytes:
        """Sends one book, and returns the other if it is complete."""
        with end:
            end.sendall(book)
            end.shutdown(socket.SHUT_WR)
            received = bytearray()
            while piece := end.recv(65_536):
                received += piece
                if len(received) > MAXIMUM_BYTES:
                    raise OSError("the book is too long")
        # End of file does not mean that the book is complete. StreamEnded says that.
        complete, error = self.wait(lambda: self.ended.pop(stream, None) or self.gone and (False, "batond has ended"))
        if not complete:
            raise OSError(error)
        return bytes(received)


def give(baton: Baton, file: pathlib.Path):
    """Offers the book until another laptop has it."""
    properties = {"title": GLib.Variant("s", file.name), "supportsContinuationStreams": GLib.Variant("b", True)}
    (activity,) = baton.call(ACTIVITIES, "Publish", GLib.Variant("(sa{sv})", (TYPE, properties)))
    baton.call(ACTIVITIES, "BecomeCurrent", GLib.Variant("(s)", (activity,)))
    stream = baton.wait(lambda: baton.opened and baton.opened.pop(0))
    _transport, end = baton.call(ACTIVITIES, "TakeStreams", GLib.Variant("(s)", (stream,)))
    baton.exchange(stream, end, file.read_bytes())


def take(baton: Baton, file: pathlib.Path):
    """Takes the first offered book. The file appears when the book is complete."""
    def offered():
        # Look again after each signal of Offers.
        return next((each["offer"] for each in baton.call(OFFERS, "List")[0] if each.get("type") == TYPE), None)
    baton.bus.signal_subscribe(NAME, OFFERS, None, PATH, None, Gio.DBusSignalFlags.NONE, lambda *_: None)
    offer = baton.wait(offered)
    continuation, _activity = baton.call(OFFERS, "Continue", GLib.Variant("(sa{sv})", (offer, {})))
    baton.call(OFFERS, "Accept", GLib.Variant("(sb)", (continuation, True)))
    stream, _transport, end = baton.call(OFFERS, "OpenStreams", GLib.Variant("(s)", (continuation,)))
    book = baton.exchange(stream, end, b"")
    part = file.with_name(file.name + ".part")
    part.write_bytes(book)
    os.replace(part, file)


def main(arguments: list) -> int:
    if len(arguments) != 3 or arguments[1] not in ("give", "take"):
        print("usage: book.py give FILE | take FILE", file=sys.stderr)
        return 2
    try:
        {"give": give, "take": take}[arguments[1]](Baton(), pathlib.Path(arguments[2]))
    except (GLib.Error, OSError) as error:
        print(f"book.py: {error.message if isinstance(error, GLib.Error) else error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
