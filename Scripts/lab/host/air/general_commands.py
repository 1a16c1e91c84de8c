# SPDX-License-Identifier: Apache-2.0
"""HCI commands about the controller itself. Vol 4 Part E 7.3, 7.4 and 7.8."""

import struct

from .hci import OK, command, status_only
from .link import MOST_OCTETS
from .pdu import airtime

ACCEPT_LIST_SIZE = 16
# LMP features, byte 4: LE is supported, BR/EDR is not. Vol 2 Part C 3.3.
LE_ONLY = bytes([0, 0, 0, 0, 0x60, 0, 0, 0])
# All combinations of states. Vol 4 Part E 7.8.27.
STATES = (1 << 42) - 1


class GeneralCommands:
    """Reset, readable values, and the filter accept list."""

    def __init__(self, controller):
        self._controller = controller

    @command(0x0C03, 5, 7)
    def reset(self, _) -> bytes:
        self._controller.reset()
        return status_only()

    @command(0x0C01, 5, 6)
    def set_event_mask(self, _) -> bytes:
        return status_only()

    @command(0x1001, 14, 3)
    def read_local_version(self, _) -> bytes:
        version, company, subversion = self._controller.version
        return struct.pack("<BBHBHH", OK, version, 0, version, company, subversion)

    @command(0x1002, 14, 4)
    def read_local_commands(self, _) -> bytes:
        return status_only() + self._controller.supported

    @command(0x1003, 14, 5)
    def read_local_features(self, _) -> bytes:
        return status_only() + LE_ONLY

    @command(0x1009, 15, 1)
    def read_address(self, _) -> bytes:
        return status_only() + self._controller.public

    @command(0x2001, 25, 0)
    def set_le_event_mask(self, p: bytes) -> bytes:
        self._controller.le_events = struct.unpack("<Q", p)[0]
        return status_only()

    @command(0x2002, 25, 1)
    def read_buffer_size(self, _) -> bytes:
        return struct.pack("<BHB", OK, MOST_OCTETS, self._controller.buffers)

    @command(0x2003, 25, 2)
    def read_le_features(self, _) -> bytes:
        return status_only() + self._controller.features

    @command(0x2005, 25, 4)
    def set_random_address(self, p: bytes) -> bytes:
        self._controller.random_address = p[:6]
        return status_only()

    @command(0x2007, 25, 6)
    def read_advertising_power(self, _) -> bytes:
        return bytes([OK, 0])

    @command(0x2018, 27, 7)
    def rand(self, _) -> bytes:
        return status_only() + self._controller.radio.random.randbytes(8)

    @command(0x201C, 28, 3)
    def read_states(self, _) -> bytes:
        return struct.pack("<BQ", OK, STATES)

    # --- The filter accept list ---

    @command(0x200F, 26, 6)
    def read_accept_list_size(self, _) -> bytes:
        return bytes([OK, ACCEPT_LIST_SIZE])

    @command(0x2010, 26, 7)
    def clear_accept_list(self, _) -> bytes:
        self._controller.accept_list.clear()
        return status_only()

    @command(0x2011, 27, 0)
    def add_to_accept_list(self, p: bytes) -> bytes:
        if len(self._controller.accept_list) >= ACCEPT_LIST_SIZE:
            return status_only(0x07)  # memory capacity exceeded
        self._controller.accept_list.add((p[0], p[1:7]))
        return status_only()

    @command(0x2012, 27, 1)
    def remove_from_accept_list(self, p: bytes) -> bytes:
        self._controller.accept_list.discard((p[0], p[1:7]))
        return status_only()

    # --- Data length and PHY of new connections ---

    @command(0x2023, 33, 7)
    def read_default_length(self, _) -> bytes:
        octets = self._controller.default_octets
        return struct.pack("<BHH", OK, octets, airtime(octets + 4))

    @command(0x2024, 34, 0)
    def write_default_length(self, p: bytes) -> bytes:
        self._controller.default_octets = max(27, min(MOST_OCTETS, struct.unpack_from("<H", p)[0]))
        return status_only()

    @command(0x202F, 35, 3)
    def read_most_length(self, _) -> bytes:
        return struct.pack("<BHHHH", OK, *(MOST_OCTETS, airtime(MOST_OCTETS + 4)) * 2)

    @command(0x2031, 35, 5)
    def set_default_phy(self, _) -> bytes:
        """Accepts the host's preference, which has no effect: a connection stays on 1M until an end requests
        another PHY."""
        return status_only()
