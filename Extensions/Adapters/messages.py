# SPDX-License-Identifier: Apache-2.0
"""Cuts the bytes from a socket into messages."""

import struct


class Unreadable(Exception):
    """A message is invalid or too long, so the next one cannot be found."""


class Messages:
    """A subclass defines `head`, with which all messages begin, `end()` and `parsed()`."""

    head: struct.Struct

    def __init__(self):
        self.received = bytearray()

    def end(self, *head) -> int:
        """Returns where a message with this head ends, in bytes from its beginning. Raises
        Unreadable."""
        raise NotImplementedError

    def parsed(self, body: bytes, *head) -> tuple | None:
        """Returns a parsed message, or None if the message must be left out."""
        raise NotImplementedError

    def read(self, data: bytes):
        """Yields the messages that are complete. Raises Unreadable."""
        self.received += data
        while len(self.received) >= self.head.size:
            head = self.head.unpack_from(self.received)
            end = self.end(*head)
            if len(self.received) < end:
                return
            body = bytes(self.received[self.head.size:end])
            del self.received[:end]
            message = self.parsed(body, *head)
            if message is not None:
                yield message
