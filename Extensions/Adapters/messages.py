# SPDX-License-Identifier: Apache-2.0
"""What comes on a socket, cut into messages."""

import struct


class Unreadable(Exception):
    """What comes is no message, or too long: what follows it cannot be found."""


class Messages:
    """A subclass has the `head` that all messages begin with, `end()` and `parsed()`."""

    head: struct.Struct

    def __init__(self):
        self.received = bytearray()

    def end(self, *head) -> int:
        """Where a message with this head ends, in bytes from its beginning; raises Unreadable."""
        raise NotImplementedError

    def parsed(self, body: bytes, *head) -> tuple | None:
        """A message as those who read it want it; None when it is left out."""
        raise NotImplementedError

    def read(self, data: bytes):
        """The messages that are complete by now; raises Unreadable."""
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
