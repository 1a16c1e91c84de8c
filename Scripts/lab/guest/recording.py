# SPDX-License-Identifier: Apache-2.0
"""Reads recordings of btmon, which are btsnoop files in the format of the kernel's
monitor."""

import struct
import sys
from typing import NamedTuple

RECORD = struct.Struct(">IIIIq")  # original length, included length, flags, drops, microseconds
COMMAND, EVENT, ACL_SENT, ACL_RECEIVED = 2, 3, 4, 5  # opcodes


class Record(NamedTuple):
    seconds: float  # since the year 0
    opcode: int
    adapter: int
    payload: bytes


def records(data: bytes):
    """Yields each complete record of a recording."""
    if data[:8] != b"btsnoop\0":
        sys.exit("not a recording of btmon")
    offset = 16
    while offset + RECORD.size <= len(data):
        _, length, flags, _, microseconds = RECORD.unpack_from(data, offset)
        offset += RECORD.size
        yield Record(microseconds / 1e6, flags & 0xFFFF, flags >> 16, data[offset:offset + length])
        offset += length
