# SPDX-License-Identifier: Apache-2.0
"""The wire of Wayland (wayland.freedesktop.org/docs/html, "Wire Format"), as much of it as needs no
file descriptors, and its first object."""

import os
import socket
import struct

import messages
from messages import Unreadable

HEAD = struct.Struct("=II")  # the object; the length in the upper 16 bits, what is said in the lower
NUMBER = struct.Struct("=I")
SERVERS = 0xff000000  # objects that the compositor has made have numbers from this one
# The object that is there from the beginning, what it is asked, and what it says.
DISPLAY, SYNC, GET_REGISTRY, ERROR = 1, 0, 1, 0
# What the registry and a callback are asked, and say.
BIND, GLOBAL, DONE = 0, 0, 0


class Messages(messages.Messages):
    """Each message as the number of the object that says it, the number of what it says, and its
    arguments. The head has no room for more than 64 KiB."""

    head = HEAD

    def end(self, sender, what):
        length = what >> 16
        if length < HEAD.size or length % NUMBER.size:
            raise Unreadable
        return length

    def parsed(self, body, sender, what):
        return sender, what & 0xffff, Arguments(body)


class Arguments:
    """The arguments of a message, which are taken from it in their order. One that is not there is
    Unreadable."""

    def __init__(self, body: bytes):
        self.body, self.place = body, 0

    def number(self) -> int:
        return NUMBER.unpack(self.take(NUMBER.size))[0]

    def array(self) -> bytes:
        length = self.number()
        return self.take(length + -length % NUMBER.size)[:length]

    def numbers(self) -> list:
        """An array of numbers."""
        array = self.array()
        if len(array) % NUMBER.size:
            raise Unreadable
        return [number for number, in NUMBER.iter_unpack(array)]

    def text(self) -> str:
        """A string; empty where there is none. It may be no UTF-8, which costs no more than that."""
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
    """A request with numbers and strings."""
    body = b"".join(NUMBER.pack(each) if isinstance(each, int) else text(each) for each in arguments)
    return HEAD.pack(receiver, HEAD.size + len(body) << 16 | what) + body


def text(value: str) -> bytes:
    data = value.encode() + b"\0"
    return NUMBER.pack(len(data)) + data + bytes(-len(data) % NUMBER.size)


def connect():
    """The compositor's socket; None where there is none."""
    # A path that is absolute already stays as it is.
    path = os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), os.environ.get("WAYLAND_DISPLAY", ""))
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        return None
    return connection
