# SPDX-License-Identifier: Apache-2.0
"""HCI commands for scanning, legacy and extended, and their reports. Vol 4 Part E 7.8.10, 7.8.11, 7.8.64, 7.8.65, 7.7.65.2 and 7.7.65.13."""

import struct
from collections import OrderedDict

from . import hci, scanning
from .hci import Failed, command, status_only
from .pdu import Kind, Pdu

# Event_Type of reports, legacy and extended.
EVENT_TYPES = {
    Kind.ADV_IND: (0, 0x13), Kind.ADV_DIRECT_IND: (1, 0x15), Kind.ADV_SCAN_IND: (2, 0x12), Kind.ADV_NONCONN_IND: (3, 0x10), Kind.SCAN_RSP: (4, 0x1B),
}
CONNECTABLE, SCANNABLE, DIRECTED, RESPONSE = 1, 2, 4, 8
# The number of advertisers that the duplicate filter remembers.
REMEMBERED = 64


class ScanningCommands:
    """The scanner."""

    def __init__(self, controller):
        self._controller = controller
        self.reset()

    def reset(self):
        if getattr(self, "_scanner", None):
            self._scanner.stop()
        self._scanner = None
        self._parameters = (0, 10_000, 10_000, False, 0)  # type of the own address, interval, window, whether active, filter policy
        self._is_extended, self._filters = False, False
        self._seen = OrderedDict()

    @command(0x200B, 26, 2)
    def set_parameters(self, p: bytes) -> bytes:
        kind, interval, window, own, policy = struct.unpack("<BHHBB", p)
        return self._set(own, interval, window, kind, policy)

    @command(0x200C, 26, 3)
    def enable(self, p: bytes) -> bytes:
        return self._enable(p, False)

    @command(0x2041, 37, 5)
    def set_extended_parameters(self, p: bytes) -> bytes:
        own, policy, phys = struct.unpack_from("<BBB", p)
        if phys & 1 == 0:
            raise Failed(0x11)  # unsupported: primary channels use only 1M here
        kind, interval, window = struct.unpack_from("<BHH", p, 3)
        return self._set(own, interval, window, kind, policy)

    @command(0x2042, 37, 6)
    def enable_extended(self, p: bytes) -> bytes:
        return self._enable(p, True)

    def _set(self, own: int, interval: int, window: int, kind: int, policy: int) -> bytes:
        if self._scanner is not None:
            raise Failed(hci.DISALLOWED)
        if window > interval or window == 0:
            raise Failed(hci.INVALID)
        self._parameters = (own, interval * 625, window * 625, kind == 1, policy)
        return status_only()

    def _enable(self, p: bytes, is_extended: bool) -> bytes:
        if self._scanner is not None:
            self._scanner.stop()
            self._scanner = None
        if p[0]:
            own, interval, window, active, _ = self._parameters
            self._is_extended, self._filters = is_extended, bool(p[1])
            self._seen.clear()
            parameters = scanning.Parameters(self._controller.own_address(own), interval, window, active)
            self._scanner = scanning.Scanner(self._controller.radio, parameters, self._report, self._accepts)
            self._scanner.start()
        return status_only()

    def _accepts(self, pdu: Pdu) -> bool:
        if pdu.target is not None and pdu.target != self._scanner.parameters.address:
            return False
        return self._parameters[4] & 1 == 0 or pdu.address in self._controller.accept_list

    def _is_duplicate(self, pdu: Pdu) -> bool:
        key = (pdu.address, pdu.kind, pdu.sid)
        if key in self._seen:
            return True
        self._seen[key] = True
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return False

    def _report(self, pdu: Pdu, signal: float):
        if self._filters and self._is_duplicate(pdu):
            return
        rssi = max(-127, min(20, round(signal)))
        kind, address = pdu.address
        if not self._is_extended:
            if pdu.kind in EVENT_TYPES:
                report = struct.pack("<BBB6sB", 1, EVENT_TYPES[pdu.kind][0], kind, address, len(pdu.data)) + pdu.data + struct.pack("<b", rssi)
                self._controller.send(hci.le_event(hci.LE_REPORT, report))
            return
        is_auxiliary = pdu.kind not in EVENT_TYPES
        target = pdu.target or (0, bytes(6))
        report = struct.pack("<BHB6sBBBbbHB6sB", 1, self._event_type(pdu), kind, address, 1, 1 if is_auxiliary else 0, pdu.sid, 127, rssi, 0, *target,
                             len(pdu.data))
        self._controller.send(hci.le_event(hci.LE_EXTENDED_REPORT, report + pdu.data))

    @staticmethod
    def _event_type(pdu: Pdu) -> int:
        if pdu.kind in EVENT_TYPES:
            return EVENT_TYPES[pdu.kind][1]
        if pdu.kind is Kind.AUX_SCAN_RSP:
            return SCANNABLE | RESPONSE
        return pdu.connectable * CONNECTABLE | pdu.scannable * SCANNABLE | (pdu.target is not None) * DIRECTED
