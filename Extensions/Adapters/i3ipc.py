# SPDX-License-Identifier: Apache-2.0
"""The messages of i3's IPC, which sway uses, too: i3-ipc(7), sway-ipc(7)."""

import json
import struct

import messages
from messages import Unreadable

MAGIC = b"i3-ipc"
HEAD = struct.Struct("=6sII")  # magic, length, type
LONGEST = 1 << 20  # bytes: enough for a tree of a thousand windows
SUBSCRIBE, GET_TREE, WINDOW = 2, 4, 0x80000003


class Messages(messages.Messages):
    """Returns each message as its type and its value. Messages without JSON are left out."""

    head = HEAD

    def end(self, magic, length, kind):
        if magic != MAGIC or length > LONGEST:
            raise Unreadable
        return HEAD.size + length

    def parsed(self, body, magic, length, kind):
        value = parsed(body)
        return None if value is None else (kind, value)


def message(kind: int, text: str = "") -> bytes:
    body = text.encode()
    return HEAD.pack(MAGIC, len(body), kind) + body


def parsed(body: bytes):
    """Returns the value of a message, or None if it is not JSON. Bytes that are not UTF-8 in a title change only that
    title."""
    try:
        return json.loads(body.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None
