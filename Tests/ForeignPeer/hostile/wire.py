# SPDX-License-Identifier: Apache-2.0
"""Writes L2CAP packets (Core Specification, volume 3, part A), valid or invalid as the caller wants. It does not check
what it writes."""

import struct
from dataclasses import dataclass

SIGNALLING = 0x0005  # the channel of LE signalling
CHANNEL_IDS = range(0x40, 0x80)  # of LE credit-based channels
COMMAND_MTU = 23  # the least signalling MTU, above which commands need not be accepted

REJECT, DISCONNECT, DISCONNECTED = 0x01, 0x06, 0x07
UPDATE, UPDATED = 0x12, 0x13
CONNECT, CONNECTED, CREDITS = 0x14, 0x15, 0x16
CONNECT_ENHANCED, CONNECTED_ENHANCED = 0x17, 0x18
RECONFIGURE, RECONFIGURED = 0x19, 0x1A
FIRST_UNKNOWN = 0x1B

# Bodies of each command, in forms that a careless reader would accept as complete.
BODIES = {
    REJECT: struct.pack("<HHH", 2, 0x40, 0x40),
    0x02: struct.pack("<HH", 0x81, 0x40),
    0x03: struct.pack("<HHHH", 0x40, 0x40, 0, 0),
    0x04: struct.pack("<HH", 0x40, 0) + bytes([1, 2, 0x30, 0]),
    0x05: struct.pack("<HHH", 0x40, 0, 0),
    DISCONNECT: struct.pack("<HH", 0x40, 0x40),
    DISCONNECTED: struct.pack("<HH", 0x40, 0x40),
    0x08: b"echo",
    0x09: b"echo",
    0x0A: struct.pack("<H", 2),
    0x0B: struct.pack("<HHI", 2, 0, 0xFFFFFFFF),
    UPDATE: struct.pack("<HHHH", 6, 3200, 499, 3200),
    UPDATED: struct.pack("<H", 0),
    CONNECT: struct.pack("<HHHHH", 0x81, 0x40, 23, 23, 1),
    CONNECTED: struct.pack("<HHHHH", 0x40, 23, 23, 1, 0),
    CREDITS: struct.pack("<HH", 0x40, 1),
    CONNECT_ENHANCED: struct.pack("<HHHHHHHHH", 0x81, 64, 64, 1, 0x40, 0x41, 0x42, 0x43, 0x44),
    CONNECTED_ENHANCED: struct.pack("<HHHHHHHHH", 64, 64, 1, 0, 0x40, 0x41, 0x42, 0x43, 0x44),
    RECONFIGURE: struct.pack("<HHHH", 64, 64, 0x40, 0x41),
    RECONFIGURED: struct.pack("<H", 0),
}
RESPONSES = [REJECT, 0x03, 0x05, DISCONNECTED, 0x09, 0x0B, UPDATED, CONNECTED, CONNECTED_ENHANCED, RECONFIGURED]


@dataclass(frozen=True)
class Endpoint:
    """The address of a batond on Bluetooth."""

    address: str
    psm: int

    @staticmethod
    def read(text: str) -> "Endpoint":
        """Parses `l2cap:00:AA:01:00:00:00/public:128`."""
        transport, _, rest = text.partition(":")
        address, _, door = rest.partition("/")
        kind, _, psm = door.partition(":")
        if transport != "l2cap" or kind != "public":
            raise ValueError(f"not the endpoint of an adapter that shows its address: {text}")
        return Endpoint(address, int(psm))


@dataclass(frozen=True)
class Command:
    """A signalling command."""

    code: int
    identifier: int
    body: bytes = b""
    length: int = -1  # the length in the header, or -1 for the real one

    def __bytes__(self) -> bytes:
        length = len(self.body) if self.length < 0 else self.length
        return struct.pack("<BBH", self.code, self.identifier, length & 0xFFFF) + self.body

    @staticmethod
    def read(data: bytes):
        """Returns the command in a signalling packet, or None if there is none."""
        if len(data) < 4:
            return None
        code, identifier, length = struct.unpack_from("<BBH", data)
        return Command(code, identifier, data[4:4 + length], length)

    def words(self) -> tuple:
        """Returns the command's body as 16-bit numbers."""
        return struct.unpack_from(f"<{len(self.body) // 2}H", self.body)


def packet(channel: int, payload: bytes, length: int = -1) -> bytes:
    """Returns a basic L2CAP frame, whose header may have a wrong payload length."""
    return struct.pack("<HH", (len(payload) if length < 0 else length) & 0xFFFF, channel) + payload


def connect(psm: int, source: int, mtu: int = 512, mps: int = 64, credits: int = 10) -> bytes:
    """Returns the body of an LE credit-based connection request."""
    return struct.pack("<HHHHH", psm, source, mtu, mps, credits)


def connect_enhanced(psm: int, sources, mtu: int = 512, mps: int = 64, credits: int = 10) -> bytes:
    """Returns the body of a credit-based connection request, which opens up to five channels."""
    return struct.pack(f"<HHHH{len(sources)}H", psm, mtu, mps, credits, *sources)


def first_frame(data: bytes, length: int = -1) -> bytes:
    """Returns an SDU's first K-frame, which contains the SDU's length."""
    return struct.pack("<H", (len(data) if length < 0 else length) & 0xFFFF) + data


def cut_short():
    """Yields every known command, cut after each of its bytes: once with a matching header, once with the header of the complete
    command."""
    for code, body in BODIES.items():
        for end in range(len(body)):
            yield Command(code, 1 + end, body[:end])
            yield Command(code, 1 + end, body[:end], len(body))


def of_wrong_length():
    """Yields every known command with headers whose length is too small, too large, and far too large, and longer ones than the least
    MTU."""
    for code, body in BODIES.items():
        for length in (0, 1, len(body) - 1, len(body) + 1, 0x7FFF, 0xFFFF):
            yield Command(code, 0x31, body, length)


def oversized():
    """Yields every known command with a tail: just too long for the least signalling MTU, and far too long."""
    for code, body in BODIES.items():
        for size in (COMMAND_MTU - 3, COMMAND_MTU, 200, 600):
            yield Command(code, 0x32, body + bytes(max(0, size - len(body))))


def unknown():
    """Yields codes that no specification has, without and with a body, and the identifier 0, which is forbidden."""
    for code in [0x00, *range(FIRST_UNKNOWN, 0x100)]:
        yield Command(code, 0x33)
        yield Command(code, 0, b"\xff" * 12)


def unasked():
    """Yields responses without requests, with every identifier, for channels of any program."""
    for code in RESPONSES:
        for identifier in range(1, 0x100):
            yield Command(code, identifier, BODIES[code])
