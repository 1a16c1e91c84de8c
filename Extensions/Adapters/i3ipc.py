# SPDX-License-Identifier: Apache-2.0
"""The messages of i3's IPC, which sway speaks as well: i3-ipc(7), sway-ipc(7)."""

import json
import struct

MAGIC = b"i3-ipc"
HEAD = struct.Struct("=6sII")  # what it is, length, type
LONGEST = 1 << 20  # bytes: a tree of a thousand windows
SUBSCRIBE, GET_TREE, WINDOW = 2, 4, 0x80000003


class Unreadable(Exception):
    """What comes is no such message, or too long: what follows it cannot be found."""


class Messages:
    """What a compositor has sent, cut into messages."""

    def __init__(self):
        self.received = bytearray()

    def read(self, data: bytes):
        """The messages that are complete by now, each as its type and its value, those without JSON
        left out; raises Unreadable."""
        self.received += data
        while len(self.received) >= HEAD.size:
            magic, length, kind = HEAD.unpack_from(self.received)
            if magic != MAGIC or length > LONGEST:
                raise Unreadable
            end = HEAD.size + length
            if len(self.received) < end:
                return
            value = parsed(self.received[HEAD.size:end])
            del self.received[:end]
            if value is not None:
                yield kind, value


def message(kind: int, text: str = "") -> bytes:
    body = text.encode()
    return HEAD.pack(MAGIC, len(body), kind) + body


def parsed(body: bytes):
    """The value of a message; None when it has none. A title may be no UTF-8, which costs no more
    than that title."""
    try:
        return json.loads(body.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
