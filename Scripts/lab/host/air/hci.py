# SPDX-License-Identifier: Apache-2.0
"""HCI packets: cuts a stream of them, and makes events. Vol 4 Part E 5.4 and 7.7, Part A 2."""

import struct

COMMAND, ACL, EVENT = 1, 2, 4
# By type: the size of the header, and the format of its length field.
HEADERS = {COMMAND: (3, ">xxB"), ACL: (4, "<xxH"), 3: (3, ">xxB"), EVENT: (2, ">xB"), 5: (4, "<xxH")}

# Error codes. Vol 1 Part F 1.3.
OK, UNKNOWN_COMMAND, NO_CONNECTION = 0x00, 0x01, 0x02
CONNECTION_EXISTS, DISALLOWED, INVALID = 0x0B, 0x0C, 0x12
LOCAL_HOST, UNSUPPORTED_REMOTE, INSTANT_PASSED, ADVERTISING_TIMEOUT, NO_SET = 0x16, 0x1A, 0x28, 0x3C, 0x42

# Subevents of LE Meta. Vol 4 Part E 7.7.65.
LE_CONNECTION_COMPLETE, LE_REPORT, LE_UPDATE_COMPLETE, LE_FEATURES, LE_DATA_LENGTH = 0x01, 0x02, 0x03, 0x04, 0x07
LE_ENHANCED_CONNECTION_COMPLETE, LE_PHY_COMPLETE, LE_EXTENDED_REPORT, LE_SET_TERMINATED = 0x0A, 0x0C, 0x0D, 0x12


class NotHci(Exception):
    """The error for a byte that begins no HCI packet, where a packet should begin."""


def packets(buffer: bytearray):
    """Removes the complete packets from the front of `buffer`, and yields each as its type and its bytes."""
    while buffer:
        if buffer[0] not in HEADERS:
            raise NotHci(f"no HCI packet begins with {buffer[0]:#x}")
        size, layout = HEADERS[buffer[0]]
        if len(buffer) < 1 + size:
            return
        end = 1 + size + struct.unpack_from(layout, buffer, 1)[0]
        if len(buffer) < end:
            return
        kind, packet = buffer[0], bytes(buffer[1:end])
        del buffer[:end]
        yield kind, packet


def event(code: int, parameters: bytes) -> bytes:
    return bytes([EVENT, code, len(parameters)]) + parameters


def command_complete(opcode: int, parameters: bytes) -> bytes:
    return event(0x0E, struct.pack("<BH", 1, opcode) + parameters)


def command_status(opcode: int, status: int) -> bytes:
    return event(0x0F, struct.pack("<BBH", status, 1, opcode))


def le_event(subevent: int, parameters: bytes) -> bytes:
    return event(0x3E, bytes([subevent]) + parameters)


def disconnected(handle: int, reason: int) -> bytes:
    return event(0x05, struct.pack("<BHB", OK, handle, reason))


def completed(handle: int, count: int) -> bytes:
    return event(0x13, struct.pack("<BHH", 1, handle, count))


def acl(handle: int, is_start: bool, data: bytes) -> bytes:
    """Returns a packet for the host. The boundary flag says whether an L2CAP packet begins."""
    return struct.pack("<BHH", ACL, handle | (2 if is_start else 1) << 12, len(data)) + data


def status_only(status: int = OK) -> bytes:
    """Returns the return parameters of most commands."""
    return bytes([status])


class Failed(Exception):
    """The error for a command that fails with an error code."""

    def __init__(self, code: int):
        super().__init__(code)
        self.code = code


def command(opcode: int, octet: int, bit: int):
    """Marks a method as the handler of a command, with the command's bit in Read Local Supported Commands (Vol 4 Part E
    6.27).

    The method takes the parameters. It returns the return parameters of Command Complete, or a number for Command Status.
    """

    def mark(method):
        method.command = (opcode, octet, bit)
        return method

    return mark


def commands_of(part) -> dict:
    """Returns an object's handlers by opcode, each with its bit among the supported commands."""
    methods = (getattr(part, name) for name in dir(type(part)) if hasattr(getattr(type(part), name), "command"))
    return {method.command[0]: (method, *method.command[1:]) for method in methods}
