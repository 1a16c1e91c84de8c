# SPDX-License-Identifier: Apache-2.0
"""A host with the functions that a test needs: it sends commands, and records its controller's events."""

import struct

from host.air import hci
from host.air.controller import Controller

from .support import Room

NOBODY = bytes(6)
# An advertisement of Baton's size: flags, and 24 octets of manufacturer data.
DATA = bytes([2, 1, 6, 27, 0xFF, 0xFF, 0xFF]) + bytes(range(24))


def octets(number: int) -> bytes:
    return bytes([number, 0, 0, 0xEE, 0xFF, 0xC0])


class Host:
    """One controller on a room's medium, and its host. `events` has the received events: code, subevent or 0,
    parameters."""

    def __init__(self, room: Room, number: int, **options):
        self.room, self.address = room, octets(number)
        self.events, self.data = [], []
        self.controller = Controller(f"hci{number}", room.medium, room.random, self.address, self._take, room.policy, **options)
        self.radio = self.controller.radio
        self._free = self.controller.buffers

    def _take(self, packet: bytes):
        assert list(hci.packets(bytearray(packet))), packet.hex()
        if packet[0] == hci.ACL:
            self.data.append((struct.unpack_from("<H", packet, 1)[0] >> 12, packet[5:]))
            return
        code, parameters = packet[1], packet[3:]
        self.events.append((code, parameters[0], parameters[1:]) if code == 0x3E else (code, 0, parameters))

    def command(self, opcode: int, layout: str = "", *values) -> bytes:
        """Sends a command. Returns the return parameters of Command Complete, or the status."""
        parameters = struct.pack(f"<{layout}", *values)
        before = len(self.events)
        self.controller.receive(hci.COMMAND, struct.pack("<HB", opcode, len(parameters)) + parameters)
        code, _, answer = self.events.pop(before)
        assert struct.unpack_from("<H", answer, 1 if code == 0x0E else 2)[0] == opcode, answer.hex()
        return answer[3:] if code == 0x0E else answer[:1]

    def succeeds(self, opcode: int, layout: str = "", *values) -> bytes:
        answer = self.command(opcode, layout, *values)
        assert answer[0] == hci.OK, f"{opcode:#06x}: {answer.hex()}"
        return answer[1:]

    def of(self, code: int, subevent: int = 0) -> list:
        """Returns the parameters of all events of a kind."""
        return [parameters for each, sub, parameters in self.events if (each, sub) == (code, subevent)]

    def le(self, subevent: int) -> list:
        return self.of(0x3E, subevent)

    # --- As Linux does it ---

    def advertise(self, handle: int = 1, milliseconds: float = 100, properties: int = 0x13, address: bytes = None, data: bytes = DATA, **more):
        units = round(milliseconds / 0.625)
        self.succeeds(0x2036, "BHHBHBBBB6sBbBBBBB", handle, properties, units, 0, units + 80, 0, 7, 1 if address else 0,
                      more.get("peer_kind", 0), more.get("peer", NOBODY), 0, 127, 1, 0, more.get("phy", 1), handle, 0)
        if address:
            self.succeeds(0x2035, "B6s", handle, address)
        if data:
            self.succeeds(0x2037, f"BBBB{len(data)}s", handle, 3, 1, len(data), data)
        self.succeeds(0x2039, "BBBHB", 1, 1, handle, 0, 0)

    def scan(self, interval: float = 60, window: float = 30, active: bool = False, filters: bool = False):
        self.succeeds(0x2041, "BBBBHH", 0, 0, 1, int(active), round(interval / 0.625), round(window / 0.625))
        self.succeeds(0x2042, "BBHH", 1, int(filters), 0, 0)

    def connect(self, peer: bytes, kind: int = 0, interval: float = 50, timeout: int = 420):
        units = round(interval / 1.25)
        self.succeeds(0x2043, "BBB6sBHHHHHHHH", 0, 0, kind, peer, 1, 96, 96, units, units, 0, timeout // 10, 0, 0)

    def send(self, handle: int, data: bytes, starts: bool = True):
        self.controller.receive(hci.ACL, struct.pack("<HH", handle | (0 if starts else 1) << 12, len(data)) + data)


def pair(room: Room, seconds: float = 2, length: int = 27, **options) -> tuple:
    """Returns two connected hosts, of which the first is the central, and the handles of both ends."""
    one, other = Host(room, 1), Host(room, 2)
    for host in (one, other):
        host.succeeds(0x2024, "HH", length, 2120)
    other.advertise()
    one.connect(other.address, **options)
    room.run(seconds)
    handles = [struct.unpack_from("<H", host.le(hci.LE_CONNECTION_COMPLETE)[0], 1)[0] for host in (one, other)]
    return one, other, *handles
