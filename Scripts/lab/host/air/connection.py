# SPDX-License-Identifier: Apache-2.0
"""A connection as HCI shows it: ACL data and the procedures of the link layers. Vol 6 Part B 5.1.

Both link layers use this code, so control PDUs have a size and an effect, but no bytes.
"""

import struct
from collections import deque

from . import hci
from .link import CENTRAL, DATA_OCTETS, ESTABLISHING, MOST_OCTETS, Packet
from .pdu import Phy, airtime

# Octets of the control PDUs' payload: opcode and CtrData. Vol 6 Part B 2.4.2.
UPDATE_IND, TERMINATE_IND, FEATURE_PDU, VERSION_IND, LENGTH_PDU, PHY_PDU, PHY_UPDATE_IND = 12, 2, 9, 6, 9, 3, 5
# Octets that encryption adds. The times that HCI reports include them. Vol 6 Part B 4.5.10.
MIC = 4


class Outgoing:
    """An ACL packet from the host, and how much of it has been sent."""

    __slots__ = ("data", "starts", "sent")

    def __init__(self, data: bytes, starts: bool):
        self.data, self.starts, self.sent = data, starts, 0


class Connection:
    """A controller's end of a link. `end` is set when it has joined."""

    def __init__(self, controller, handle: int, role: int, own: tuple, peer: tuple):
        self.controller, self.handle, self.role = controller, handle, role
        self.own, self.peer = own, peer  # addresses
        self.end = None
        self.reason = None  # why the host ends it
        self.largest = controller.default_octets  # the most octets that it would send in a packet
        self._told = DATA_OCTETS, DATA_OCTETS  # the data length that the host was told
        self._outgoing = deque()
        self._pending = {}  # procedures that the host waits for, each with the event that the host gets if the link ends first

    @property
    def link(self):
        return self.end.link

    @property
    def other(self) -> "Connection":
        """The same connection at the other controller."""
        return self.link.ends[1 - self.role].owner

    # --- Data ---

    def send(self, data: bytes, starts: bool):
        if data:
            self._outgoing.append(Outgoing(data, starts))
        else:
            self.controller.completed(self)

    def has_more(self) -> bool:
        return bool(self._outgoing)

    def next_packet(self):
        if not self._outgoing:
            return None
        first = self._outgoing[0]
        starts = first.starts and first.sent == 0
        piece = first.data[first.sent:first.sent + self.end.octets]
        first.sent += len(piece)
        is_last = first.sent == len(first.data)
        if is_last:
            self._outgoing.popleft()
        return Packet(len(piece), lambda: self.other.deliver(piece, starts), (lambda: self.controller.completed(self)) if is_last else None)

    def deliver(self, data: bytes, starts: bool):
        self.controller.send(hci.acl(self.handle, starts, data))

    # --- Procedures ---

    def control(self, size: int, received, acknowledged=None):
        """Sends a control PDU. `received` is called at the other end with that end's connection."""
        self.end.control.append(Packet(size, lambda: received(self.other), acknowledged))

    def read_features(self):
        def tell(status: int):
            self._pending.pop("features", None)
            self.controller.send(hci.le_event(hci.LE_FEATURES, struct.pack("<BH", status, self.handle) + self.controller.features))

        self._pending["features"] = tell
        self.control(FEATURE_PDU, lambda other: other.control(FEATURE_PDU, lambda us: tell(hci.OK)))

    def read_version(self):
        def tell(status: int):
            self._pending.pop("version", None)
            self.controller.send(hci.event(0x0C, struct.pack("<BHBHH", status, self.handle, *self.controller.version)))

        self._pending["version"] = tell
        self.control(VERSION_IND, lambda other: other.control(VERSION_IND, lambda us: tell(hci.OK)))

    def set_data_length(self, octets: int):
        """Exchanges LL_LENGTH_REQ and LL_LENGTH_RSP. Afterwards each end sends at most what both support."""
        self.largest = max(DATA_OCTETS, min(octets, MOST_OCTETS))

        def answer(other):
            other.agree()
            other.control(LENGTH_PDU, Connection.agree)

        self.control(LENGTH_PDU, answer)

    def agree(self):
        """Sets the length that each end sends, and tells the host when one has changed. Both ends can receive the
        longest data, so each decides by itself."""
        lengths = self.largest, self.other.largest
        self.end.octets = self.largest
        if lengths != self._told:
            self._told = lengths
            times = [airtime(octets + MIC) for octets in lengths]
            self.controller.send(hci.le_event(hci.LE_DATA_LENGTH, struct.pack("<HHHHH", self.handle, lengths[0], times[0], lengths[1], times[1])))

    def _at_instant(self, size: int, change):
        """Lets both ends make a change in the same event. A peripheral that learns of the change too late ends the connection.
        Vol 6 Part B 5.5."""
        link, instant = self.link, self.link.counter + ESTABLISHING + self.link.latency

        def received(other):
            if link.counter >= instant:
                other.end.end(hci.INSTANT_PASSED)
            else:
                link.changes.setdefault(instant, []).append(change)

        self.control(size, received)

    def update(self, interval: int, latency: int, timeout: int):
        """Sends LL_CONNECTION_UPDATE_IND from the central. The times are in units of HCI."""
        link = self.link

        def change():
            link.interval, link.latency, link.timeout = interval * 1_250, latency, timeout * 10_000
            for end in link.ends:
                if end.alive:
                    end.owner.controller.send(hci.le_event(
                        hci.LE_UPDATE_COMPLETE, struct.pack("<BHHHH", hci.OK, end.owner.handle, interval, latency, timeout)))

        self._at_instant(UPDATE_IND, change)

    def set_phy(self, phy: Phy):
        """Exchanges LL_PHY_REQ and LL_PHY_RSP, and sends LL_PHY_UPDATE_IND from the central. Both directions use the
        same PHY."""
        link = self.link

        def change():
            link.phy = phy
            for end in link.ends:
                if end.alive:
                    end.owner.tell_phy(hci.OK)

        def decide(central):
            central._at_instant(PHY_UPDATE_IND, change)

        if self.role == CENTRAL:
            self.control(PHY_PDU, lambda other: other.control(PHY_PDU, decide))
        else:
            self.control(PHY_PDU, decide)

    def tell_phy(self, status: int):
        phy = self.link.phy.value
        self.controller.send(hci.le_event(hci.LE_PHY_COMPLETE, struct.pack("<BHBB", status, self.handle, phy, phy)))

    # --- The end ---

    def terminate(self, reason: int):
        """Sends LL_TERMINATE_IND. This end of the connection ends when that is acknowledged, or after the supervision
        timeout."""
        self.reason = hci.LOCAL_HOST
        self.control(TERMINATE_IND, lambda other: other.end.end_after_acknowledging(reason), lambda: self.end.end(hci.LOCAL_HOST))

    def ended(self, reason: int):
        for tell in list(self._pending.values()):
            tell(reason)
        self._outgoing.clear()
        self.controller.connection_ended(self, self.reason or reason)
