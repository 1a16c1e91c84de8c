# SPDX-License-Identifier: Apache-2.0
"""An LE controller with its HCI commands."""

import struct

from . import hci
from .advertising_commands import AdvertisingCommands
from .connection_commands import ConnectionCommands
from .general_commands import GeneralCommands
from .radio import Policy, Radio
from .scanning_commands import ScanningCommands

# Bits of the LE features. Vol 6 Part B 4.6.
PERIPHERAL_INITIATED_FEATURES, DATA_LENGTH, PHY_2M, EXTENDED_ADVERTISING, CHANNEL_SELECTION_2 = 3, 5, 8, 12, 14


class Controller:
    """A controller on a medium.

    `address` is the controller's public address, least significant octet first. `send` is called with each packet for
    the host. With `extended` it supports extended advertising. `buffers` is the number of ACL packets that it can hold.
    """

    def __init__(self, name: str, medium, random, address: bytes, send, policy: Policy = Policy.SCANNING_WINS, extended: bool = True,
                 buffers: int = 8):
        self.radio = Radio(name, medium, random, policy)
        self.timeline = medium.timeline
        self.public, self.random_address = address, bytes(6)
        self.send = send
        self.extended, self.buffers = extended, buffers
        self.version = (0x0C, 0xFFFF, 0)  # 5.3, by no company
        bits = [PERIPHERAL_INITIATED_FEATURES, DATA_LENGTH, PHY_2M, CHANNEL_SELECTION_2] + ([EXTENDED_ADVERTISING] if extended else [])
        self.features = struct.pack("<Q", sum(1 << bit for bit in bits))
        self.default_octets = 27
        self.le_events = 0x1F
        self.accept_list = set()
        self.advertising, self.scanning = AdvertisingCommands(self), ScanningCommands(self)
        self.connections = ConnectionCommands(self)
        self._commands = {}
        for part in (GeneralCommands(self), self.advertising, self.scanning, self.connections):
            self._commands.update(hci.commands_of(part))
        self.unknown = set()  # unknown opcodes that the host has sent

    @property
    def supported(self) -> bytes:
        """The return parameter of Read Local Supported Commands."""
        found = bytearray(64)
        for opcode, (_, octet, bit) in self._commands.items():
            if self.extended or not self.advertising.is_extended(opcode):
                found[octet] |= 1 << bit
        return bytes(found)

    def own_address(self, kind: int, random: bytes = None) -> tuple:
        """Returns the address that a command names by its type.

        The host makes resolvable private addresses itself, and sets them as random addresses.
        """
        return (1, random or self.random_address) if kind & 1 else (0, self.public)

    def receive(self, kind: int, packet: bytes):
        """Handles a packet from the host."""
        if kind == hci.ACL:
            self.connections.send_data(packet)
        elif kind == hci.COMMAND:
            opcode = struct.unpack_from("<H", packet)[0]
            self.send(self._answer(opcode, packet[3:]))
            self.connections.after_answer()

    def _answer(self, opcode: int, parameters: bytes) -> bytes:
        found = self._commands.get(opcode)
        if found is None or (not self.extended and self.advertising.is_extended(opcode)):
            self.unknown.add(opcode)
            return hci.command_complete(opcode, hci.status_only(hci.UNKNOWN_COMMAND))
        try:
            answer = found[0](parameters)
        except hci.Failed as error:
            is_status = found[0].__name__ in ConnectionCommands.BY_STATUS
            return hci.command_status(opcode, error.code) if is_status else hci.command_complete(opcode, hci.status_only(error.code))
        except (struct.error, IndexError, ValueError):
            return hci.command_complete(opcode, hci.status_only(hci.INVALID))
        return hci.command_status(opcode, answer) if isinstance(answer, int) else hci.command_complete(opcode, answer)

    def reset(self):
        """Resets everything, without telling other devices."""
        self.advertising.reset()
        self.scanning.reset()
        self.connections.reset()
        self.random_address, self.default_octets, self.le_events = bytes(6), 27, 0x1F
        self.accept_list.clear()

    # --- Events of connections ---

    def completed(self, connection):
        self.send(hci.completed(connection.handle, 1))

    def connection_ended(self, connection, reason: int):
        self.connections.ended(connection, reason)
