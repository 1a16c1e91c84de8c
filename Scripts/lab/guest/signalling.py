# SPDX-License-Identifier: Apache-2.0
"""Prints how links and credit-based channels came and went in a recording of btmon. This helps to understand a failed
hand-over.

    signalling.py RECORDING
"""

import struct
import sys

from recording import ACL_RECEIVED, ACL_SENT, EVENT, records

DISCONNECTED, LE_META = 0x05, 0x3E
CONNECTED = (0x01, 0x0A)  # LE Connection Complete, and the enhanced one
FIRST_FRAGMENTS = (0, 2)  # packet boundary flags
LE_SIGNALLING = 0x0005
COMMANDS = {
    0x01: ("command reject", "reason"),
    0x06: ("disconnection request", "to from"),
    0x07: ("disconnection response", "to from"),
    0x14: ("connection request", "psm from mtu mps credits"),
    0x15: ("connection response", "to mtu mps credits result"),
    0x17: ("enhanced connection request", "psm mtu mps credits from"),
    0x18: ("enhanced connection response", "mtu mps credits result to"),
}


def of_event(payload: bytes):
    """Describes an HCI event about a link. Returns None if it is about something else."""
    if payload[0] == DISCONNECTED and len(payload) >= 6:
        status, handle, reason = struct.unpack_from("<BHB", payload, 2)
        return f"link {handle} ended, reason 0x{reason:02x}, status 0x{status:02x}"
    if payload[0] == LE_META and payload[2] in CONNECTED and len(payload) >= 7:
        status, handle, role = struct.unpack_from("<BHB", payload, 3)
        return f"link {handle}, {'peripheral' if role else 'central'}, status 0x{status:02x}"
    return None


def of_packet(payload: bytes):
    """Describes an ACL packet about a channel. Returns None if it is about something else."""
    if len(payload) < 12:
        return None
    flags, _, _, channel = struct.unpack_from("<HHHH", payload)
    if channel != LE_SIGNALLING or flags >> 12 & 3 not in FIRST_FRAGMENTS:
        return None
    code, identifier, length = struct.unpack_from("<BBH", payload, 8)
    if code not in COMMANDS:
        return None
    name, fields = COMMANDS[code]
    body = payload[12:12 + length]
    values = struct.unpack_from(f"<{len(body) // 2}H", body)
    text = " ".join(f"{field} 0x{value:x}" for field, value in zip(fields.split(), values))
    return f"{name} {identifier}: {text}"


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    begun = None
    for record in records(data):
        begun = begun or record.seconds
        if not record.payload:
            continue
        arrow, text = "", None
        if record.opcode == EVENT:
            text = of_event(record.payload)
        elif record.opcode in (ACL_SENT, ACL_RECEIVED):
            arrow, text = "<" if record.opcode == ACL_SENT else ">", of_packet(record.payload)
        if text:
            print(f"{record.seconds - begun:9.3f} hci{record.adapter} {arrow or ' '} {text}")


if __name__ == "__main__":
    main()
