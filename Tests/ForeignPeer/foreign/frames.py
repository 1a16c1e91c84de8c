# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Session.md, "Frames": a length, and a oneof whose member is the frame's kind."""

import struct

from .primitives import Message, Refused, contents

HELLO, REQUEST, REPLY, CONTINUED, STREAM_REQUEST, STREAM_REPLY, GOODBYE, JOIN, WELCOME, JOINED = range(1, 11)
ATTACH, ATTACHED, DATA, ACK, END, END_ACK, RESET = range(11, 18)
ACCEPTANCE, PROBE_REQUEST, PROBE_REPLY, TRIAL, OFFER, REATTACH = range(18, 24)
LIMIT = 1_048_576


def frame(kind: int, message: bytes) -> bytes:
    return framed(contents(kind, message))


def framed(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


def length(head: bytes) -> int:
    """Returns how many bytes follow the first four bytes of a frame."""
    count = struct.unpack(">I", head)[0]
    if not 1 <= count <= LIMIT:
        raise Refused("a frame that is empty or too long")
    return count


def opened(body: bytes):
    """Returns a frame's kind and its message, or None for an unknown kind, which is skipped."""
    fields = Message(body).fields
    known = [field for field in fields if HELLO <= field <= REATTACH]
    return (known[-1], fields[known[-1]][-1]) if known else None
