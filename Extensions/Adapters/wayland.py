# SPDX-License-Identifier: Apache-2.0
"""The part of Wayland's wire format that needs no file descriptors, and its first object
(wayland.freedesktop.org/docs/html, "Wire Format")."""

import os
import socket
import struct

import messages
from messages import Unreadable

HEAD = struct.Struct("=II")  # the object; the length in the upper 16 bits, the opcode in the lower
NUMBER = struct.Struct("=I")
SERVERS = 0xff000000  # the compositor's own objects have numbers from this one
# The object that always exists, with its requests and its event.
DISPLAY, SYNC, GET_REGISTRY, ERROR = 1, 0, 1, 0
# The request and the events of the registry and of a callback.
BIND, GLOBAL, DONE = 0, 0, 0


class Messages(messages.Messages):
    """Returns each message as the number of its object, its opcode and its arguments. The head
    allows at most 64 KiB."""

    head = HEAD

    def end(self, sender, what):
        length = what >> 16
        if length < HEAD.size or length % NUMBER.size:
            raise Unreadable
        return length

    def parsed(self, body, sender, what):
        return sender, what & 0xffff, Arguments(body)


class Arguments:
    """The arguments of a message, read in their order. Raises Unreadable if an argument is missing."""

    def __init__(self, body: bytes):
        self.body, self.place = body, 0

    def number(self) -> int:
        return NUMBER.unpack(self.take(NUMBER.size))[0]

    def array(self) -> bytes:
        length = self.number()
        return self.take(length + -length % NUMBER.size)[:length]

    def numbers(self) -> list:
        """Reads an array of numbers."""
        array = self.array()
        if len(array) % NUMBER.size:
            raise Unreadable
        return [number for number, in NUMBER.iter_unpack(array)]

    def text(self) -> str:
        """Reads a string, which is empty if there is none. If the string is not UTF-8, only this string is affected."""
        array = self.array()
        if array and array[-1] != 0:
            raise Unreadable
        return array[:-1].decode(errors="replace")

    def take(self, length: int) -> bytes:
        taken = self.body[self.place:self.place + length]
        if len(taken) < length:
            raise Unreadable
        self.place += length
        return taken


def message(receiver: int, what: int, *arguments) -> bytes:
    """Returns a request with numbers and strings."""
    body = b"".join(NUMBER.pack(each) if isinstance(each, int) else text(each) for each in arguments)
    return HEAD.pack(receiver, HEAD.size + len(body) << 16 | what) + body


def text(value: str) -> bytes:
    data = value.encode() + b"\0"
    return NUMBER.pack(len(data)) + data + bytes(-len(data) % NUMBER.size)


def connect():
    """Connects to the compositor's socket. Returns None if there is none."""
    # An absolute path in $WAYLAND_DISPLAY stays unchanged.
    path = os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), os.environ.get("WAYLAND_DISPLAY", ""))
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        return None
    return connection
