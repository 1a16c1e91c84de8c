# SPDX-License-Identifier: Apache-2.0
"""HCI commands for connections. Vol 4 Part E 7.1, 7.5.4 and 7.8.12 to 7.8.22, 7.8.33, 7.8.49 and 7.8.66."""

import struct

from . import hci
from .connection import Connection
from .hci import OK, Failed, command, status_only
from .initiating import Initiator
from .link import CENTRAL, Link
from .pdu import Phy
from .scanning import Parameters

LATEST_HANDLE = 0xEFF
ENHANCED_BIT = 9


class ConnectionCommands:
    """The initiator and the open connections."""

    # Commands that are answered by Command Status.
    BY_STATUS = {"disconnect", "read_remote_version", "create", "create_extended", "update", "read_remote_features", "set_phy"}

    def __init__(self, controller):
        self._controller = controller
        self._initiator = self._wanted = None
        self._connections = {}
        self._after = []

    def reset(self):
        if self._initiator is not None:
            self._initiator.stop()
        self._initiator = self._wanted = None
        for connection in list(self._connections.values()):
            del self._connections[connection.handle]
            connection.end.vanish()
        self._after.clear()

    def after_answer(self):
        """Runs the rest of a command after the command was answered."""
        while self._after:
            self._after.pop(0)()

    def _with(self, handle: int) -> Connection:
        if handle & 0xFFF not in self._connections:
            raise Failed(hci.NO_CONNECTION)
        return self._connections[handle & 0xFFF]

    # --- Connecting ---

    @command(0x200D, 26, 4)
    def create(self, p: bytes) -> int:
        interval, window, policy, peer_kind, peer, own, least, most, latency, timeout, _, _ = struct.unpack("<HHBB6sBHHHHHH", p)
        return self._initiate((peer_kind & 1, peer), policy, own, interval, window, (least, most), latency, timeout)

    @command(0x2043, 37, 7)
    def create_extended(self, p: bytes) -> int:
        policy, own, peer_kind, peer, phys = struct.unpack_from("<BBB6sB", p)
        if not phys & 1:
            raise Failed(0x11)
        interval, window, least, most, latency, timeout = struct.unpack_from("<HHHHHH", p, 10)
        return self._initiate((peer_kind & 1, peer), policy, own, interval, window, (least, most), latency, timeout)

    def _initiate(self, peer: tuple, policy: int, own: int, interval: int, window: int, range_: tuple, latency: int, timeout: int) -> int:
        if self._initiator is not None:
            raise Failed(hci.DISALLOWED)
        # The host gives a range and the controller chooses: the longest interval, as Zephyr does.
        least, chosen = range_
        if not 6 <= least <= chosen <= 3200 or not 10 <= timeout <= 3200 or not 0 < window <= interval:
            raise Failed(hci.INVALID)
        address = self._controller.own_address(own)
        if policy == 0 and self.has(address, peer):
            raise Failed(hci.CONNECTION_EXISTS)
        radio = self._controller.radio
        accepted = self._controller.accept_list

        def wants(pdu) -> bool:
            is_wanted = pdu.address == peer if policy == 0 else pdu.address in accepted
            return is_wanted and not self.has(address, pdu.address)

        def make() -> Link:
            return Link(radio.timeline, radio.medium.surroundings, chosen * 1_250, latency, timeout * 10_000)

        def connected(link: Link, found: tuple):
            self._initiator = None
            self.begin(link, CENTRAL, address, found)

        parameters = Parameters(address, interval * 625, window * 625)
        self._wanted = peer
        self._initiator = Initiator(radio, parameters, wants, make, connected)
        self._initiator.start()
        return OK

    @command(0x200E, 26, 5)
    def cancel(self, _) -> bytes:
        if self._initiator is None:
            raise Failed(hci.DISALLOWED)
        self._initiator.stop()
        self._initiator = None
        self._after.append(lambda: self.failed(hci.NO_CONNECTION, CENTRAL, self._wanted))
        return status_only()

    def has(self, own: tuple, peer: tuple) -> bool:
        """Returns whether the two addresses have a connection. Two addresses cannot have a second connection. Vol 6
        Part B 4.5."""
        return any((each.own, each.peer) == (own, peer) for each in self._connections.values())

    def begin(self, link: Link, role: int, own: tuple, peer: tuple) -> Connection:
        """Adds a new connection. Tells the host at once, before the connection is established."""
        handle = next(number for number in range(1, LATEST_HANDLE) if number not in self._connections)
        connection = self._connections[handle] = Connection(self._controller, handle, role, own, peer)
        connection.end = link.join(role, self._controller.radio, connection)
        self._tell(OK, handle, role, peer, link.interval // 1_250, link.latency, link.timeout // 10_000)
        if role == CENTRAL and self._controller.default_octets > connection.end.octets:
            connection.set_data_length(self._controller.default_octets)
        return connection

    def failed(self, status: int, role: int, peer: tuple):
        self._tell(status, 0, role, peer, 0, 0, 0)

    def _tell(self, status: int, handle: int, role: int, peer: tuple, interval: int, latency: int, timeout: int):
        start, rest = struct.pack("<BHBB6s", status, handle, role, *peer), struct.pack("<HHHB", interval, latency, timeout, 0)
        if self._controller.le_events & 1 << ENHANCED_BIT:
            self._controller.send(hci.le_event(hci.LE_ENHANCED_CONNECTION_COMPLETE, start + bytes(12) + rest))
        else:
            self._controller.send(hci.le_event(hci.LE_CONNECTION_COMPLETE, start + rest))

    # --- Open connections -------------

    def send_data(self, packet: bytes):
        """Sends an ACL packet. A packet of a connection that has ended is dropped."""
        handle, length = struct.unpack_from("<HH", packet)
        connection = self._connections.get(handle & 0xFFF)
        if connection is not None:
            connection.send(packet[4:4 + length], handle >> 12 & 3 != 1)

    def ended(self, connection: Connection, reason: int):
        if self._connections.pop(connection.handle, None) is connection:
            self._controller.send(hci.disconnected(connection.handle, reason))

    @command(0x0406, 0, 5)
    def disconnect(self, p: bytes) -> int:
        handle, reason = struct.unpack("<HB", p)
        connection = self._with(handle)
        self._after.append(lambda: connection.terminate(reason))
        return OK

    @command(0x041D, 2, 7)
    def read_remote_version(self, p: bytes) -> int:
        self._with(*struct.unpack("<H", p)).read_version()
        return OK

    @command(0x2016, 27, 5)
    def read_remote_features(self, p: bytes) -> int:
        self._with(*struct.unpack("<H", p)).read_features()
        return OK

    @command(0x1405, 15, 5)
    def read_rssi(self, p: bytes) -> bytes:
        handle = struct.unpack("<H", p)[0]
        signal = self._with(handle).end.signal
        return struct.pack("<BHb", OK, handle, 127 if signal is None else round(signal))

    @command(0x0C2D, 10, 2)
    def read_power(self, p: bytes) -> bytes:
        handle, _ = struct.unpack("<HB", p)
        self._with(handle)
        return struct.pack("<BHb", OK, handle, 0)

    @command(0x2013, 27, 2)
    def update(self, p: bytes) -> int:
        handle, _, most, latency, timeout, _, _ = struct.unpack("<HHHHHHH", p)
        connection = self._with(handle)
        if connection.role != CENTRAL:  # its host asks over L2CAP, because these controllers do not have the link layer's procedure
            raise Failed(hci.UNSUPPORTED_REMOTE)
        connection.update(most, latency, timeout)
        return OK

    @command(0x2014, 27, 3)
    def set_channels(self, _) -> bytes:
        return status_only()

    @command(0x2015, 27, 4)
    def read_channels(self, p: bytes) -> bytes:
        handle = struct.unpack("<H", p)[0]
        self._with(handle)
        return struct.pack("<BH", OK, handle) + bytes([0xFF, 0xFF, 0xFF, 0xFF, 0x1F])

    @command(0x2022, 33, 6)
    def set_data_length(self, p: bytes) -> bytes:
        handle, octets, _ = struct.unpack("<HHH", p)
        self._with(handle).set_data_length(octets)
        return struct.pack("<BH", OK, handle)

    @command(0x2030, 35, 4)
    def read_phy(self, p: bytes) -> bytes:
        handle = struct.unpack("<H", p)[0]
        phy = self._with(handle).link.phy.value
        return struct.pack("<BHBB", OK, handle, phy, phy)

    @command(0x2032, 35, 6)
    def set_phy(self, p: bytes) -> int:
        handle, unspecified, sending, _, _ = struct.unpack("<HBBBH", p)
        connection = self._with(handle)
        phy = Phy.LE_2M if sending & 2 and not unspecified & 1 else Phy.LE_1M
        if phy is connection.link.phy:
            self._after.append(lambda: connection.tell_phy(OK))
        else:
            connection.set_phy(phy)
        return OK
