# SPDX-License-Identifier: Apache-2.0
"""HCI commands for advertising, legacy and extended. Vol 4 Part E 7.8.5 to 7.8.9 and 7.8.52 to
7.8.60."""

import struct

from . import advertising, hci
from .hci import OK, Failed, command, status_only
from .link import PERIPHERAL
from .pdu import PRIMARY_CHANNELS, Phy

SETS = 10
MOST_DATA = 191
LEGACY_DATA = 31
# The handle of the legacy commands' set, which no extended command can use.
LEGACY = 0x100
# By Advertising_Type: connectable, scannable, high duty. Types 1 and 4 are directed.
TYPES = {0: (True, True, False), 1: (True, False, True), 2: (False, True, False), 3: (False, False, False), 4: (True, False, False)}
DIRECTED_TYPES = (1, 4)


class Set:
    """An advertising set of the host. `running` is set while it advertises."""

    def __init__(self, parameters: advertising.Parameters, own_kind: int, filter_policy: int):
        self.parameters, self.own_kind, self.filter_policy = parameters, own_kind, filter_policy
        self.address = None
        self.running = self.expiry = None


class AdvertisingCommands:
    """The advertising sets."""

    EXTENDED = range(0x2035, 0x2042)
    SCANNING = range(0x2041, 0x2044)

    def __init__(self, controller):
        self._controller = controller
        self._sets = {}
        self._legacy_data = [b"", b""]

    def is_extended(self, opcode: int) -> bool:
        """Returns whether only controllers with extended advertising have the command."""
        return opcode in self.EXTENDED or opcode in self.SCANNING

    def reset(self):
        for handle in list(self._sets):
            self._stop(handle)
        self._sets.clear()
        self._legacy_data = [b"", b""]

    # --- Legacy ---

    @command(0x2006, 25, 5)
    def set_parameters(self, p: bytes) -> bytes:
        least, _, kind, own, peer_kind, peer, channels, policy = struct.unpack("<HHBBB6sBB", p)
        if kind not in TYPES or self._is_running(LEGACY):
            raise Failed(hci.DISALLOWED if kind in TYPES else hci.INVALID)
        connectable, scannable, high_duty = TYPES[kind]
        target = (peer_kind & 1, peer) if kind in DIRECTED_TYPES else None
        self._sets[LEGACY] = Set(self._parameters(least * 625, connectable, scannable, high_duty, target, channels), own, policy)
        return status_only()

    @command(0x2008, 25, 7)
    def set_data(self, p: bytes) -> bytes:
        return self._set_legacy_data(0, p)

    @command(0x2009, 26, 0)
    def set_response(self, p: bytes) -> bytes:
        return self._set_legacy_data(1, p)

    def _set_legacy_data(self, which: int, p: bytes) -> bytes:
        self._legacy_data[which] = p[1:1 + min(p[0], LEGACY_DATA)]
        if LEGACY in self._sets:
            self._give_legacy_data()
        return status_only()

    def _give_legacy_data(self):
        self._sets[LEGACY].parameters.data, self._sets[LEGACY].parameters.response = self._legacy_data

    @command(0x200A, 26, 1)
    def enable(self, p: bytes) -> bytes:
        if not p[0]:
            self._stop(LEGACY)
        elif not self._is_running(LEGACY):
            if LEGACY not in self._sets:
                default = self._parameters(1_280_000, True, True, False, None, 7)
                self._sets[LEGACY] = Set(default, 0, 0)
            self._give_legacy_data()
            self._start(LEGACY, self._controller.own_address(self._sets[LEGACY].own_kind))
        return status_only()

    # --- Extended ---

    @command(0x2035, 36, 1)
    def set_address(self, p: bytes) -> bytes:
        found = self._set(p[0])
        if self._is_running(p[0]) and found.parameters.connectable:
            raise Failed(hci.DISALLOWED)
        found.address = p[1:7]
        if found.running:
            found.parameters.address = self._controller.own_address(found.own_kind, found.address)
        return status_only()

    @command(0x2036, 36, 2)
    def set_extended_parameters(self, p: bytes) -> bytes:
        handle, properties = struct.unpack_from("<BH", p)
        least = int.from_bytes(p[3:6], "little")
        channels, own, peer_kind, peer, policy, _, _, _, phy, sid, _ = struct.unpack_from("<BBB6sBbBBBBB", p, 9)
        if self._is_running(handle):
            raise Failed(hci.DISALLOWED)
        connectable, scannable, directed, high_duty, legacy = (bool(properties & 1 << bit) for bit in range(5))
        if handle not in self._sets and len(self._sets) >= SETS:
            raise Failed(0x07)
        before = self._sets.get(handle)
        parameters = self._parameters(least * 625, connectable, scannable, high_duty, (peer_kind & 1, peer) if directed else None, channels)
        parameters.extended, parameters.sid = not legacy, sid
        parameters.secondary_phy = Phy.LE_2M if phy == Phy.LE_2M.value else Phy.LE_1M
        self._sets[handle] = Set(parameters, own, policy)
        if before is not None:
            self._sets[handle].address = before.address
            parameters.data, parameters.response = before.parameters.data, before.parameters.response
        return bytes([OK, 0])

    @command(0x2037, 36, 3)
    def set_extended_data(self, p: bytes) -> bytes:
        parameters = self._set(p[0]).parameters
        parameters.data = self._joined(parameters.data, p, parameters)
        return status_only()

    @command(0x2038, 36, 4)
    def set_extended_response(self, p: bytes) -> bytes:
        parameters = self._set(p[0]).parameters
        parameters.response = self._joined(parameters.response, p, parameters)
        return status_only()

    @staticmethod
    def _joined(before: bytes, p: bytes, parameters) -> bytes:
        """Returns the data after an operation: 0 and 2 append, 1 and 3 start again, 4 changes
        nothing."""
        operation, data = p[1], p[4:4 + p[3]]
        data = before if operation == 4 else before + data if operation in (0, 2) else data
        if len(data) > (MOST_DATA if parameters.extended else LEGACY_DATA):
            raise Failed(hci.INVALID)
        return data

    @command(0x2039, 36, 5)
    def enable_extended(self, p: bytes) -> bytes:
        wanted = [struct.unpack_from("<BHB", p, 2 + 4 * i) for i in range(p[1])]
        if not p[0]:
            for handle in [each[0] for each in wanted] or [handle for handle in self._sets if handle != LEGACY]:
                self._set(handle)
                self._stop(handle)
            return status_only()
        for handle, _, _ in wanted:
            if self._set(handle).own_kind & 1 and self._set(handle).address is None:
                raise Failed(hci.INVALID)
        for handle, duration, _ in wanted:
            found = self._set(handle)
            self._stop(handle)
            self._start(handle, self._controller.own_address(found.own_kind, found.address))
            if duration:
                found.expiry = self._controller.timeline.after(duration * 10_000, lambda handle=handle: self._expired(handle))
        return status_only()

    @command(0x203A, 36, 6)
    def read_most_data(self, _) -> bytes:
        return struct.pack("<BH", OK, MOST_DATA)

    @command(0x203B, 36, 7)
    def read_number_of_sets(self, _) -> bytes:
        return bytes([OK, SETS])

    @command(0x203C, 37, 0)
    def remove_set(self, p: bytes) -> bytes:
        self._set(p[0])
        if self._is_running(p[0]):
            raise Failed(hci.DISALLOWED)
        del self._sets[p[0]]
        return status_only()

    @command(0x203D, 37, 1)
    def clear_sets(self, _) -> bytes:
        if any(each.running for each in self._sets.values()):
            raise Failed(hci.DISALLOWED)
        self._sets.clear()
        return status_only()

    # --- Both ---

    @staticmethod
    def _parameters(interval, connectable, scannable, high_duty, target, channels) -> advertising.Parameters:
        used = tuple(channel for bit, channel in enumerate(PRIMARY_CHANNELS) if channels & 1 << bit)
        if not used:
            raise Failed(hci.INVALID)
        return advertising.Parameters((0, bytes(6)), max(interval, 20_000), connectable, scannable, target, high_duty, channels=used)

    def _set(self, handle: int) -> Set:
        if handle not in self._sets:
            raise Failed(hci.NO_SET)
        return self._sets[handle]

    def _is_running(self, handle: int) -> bool:
        return handle in self._sets and self._sets[handle].running is not None

    def _start(self, handle: int, address: tuple):
        found = self._sets[handle]
        found.parameters.address = address

        def connected(link, sender):
            events = found.running.events
            self._stop(handle)
            connection = self._controller.connections.begin(link, PERIPHERAL, address, sender)
            if handle != LEGACY:
                self._terminated(handle, OK, connection.handle, events)

        def in_vain():
            self._stop(handle)
            if handle == LEGACY:
                self._controller.connections.failed(hci.ADVERTISING_TIMEOUT, PERIPHERAL, found.parameters.target)
            else:
                self._terminated(handle, hci.ADVERTISING_TIMEOUT, 0, 0)

        def accepts(sender, connects) -> bool:
            if connects and self._controller.connections.has(address, sender):
                return False
            return not found.filter_policy & (2 if connects else 1) or sender in self._controller.accept_list

        found.running = advertising.AdvertisingSet(self._controller.radio, found.parameters, connected, in_vain, accepts)
        found.running.start()

    def _stop(self, handle: int):
        found = self._sets.get(handle)
        if found is not None and found.running is not None:
            found.running.stop()
            self._controller.timeline.cancel(found.expiry)
            found.running = found.expiry = None

    def _expired(self, handle: int):
        events = self._sets[handle].running.events
        self._stop(handle)
        self._terminated(handle, hci.ADVERTISING_TIMEOUT, 0, events)

    def _terminated(self, handle: int, status: int, connection: int, events: int):
        self._controller.send(hci.le_event(hci.LE_SET_TERMINATED, struct.pack("<BBHB", status, handle, connection, min(events, 255))))
