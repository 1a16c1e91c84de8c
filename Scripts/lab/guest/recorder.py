# SPDX-License-Identifier: Apache-2.0
"""Records the same packets as btmon without decoding them, because btmon crashes on malformed packets.

    recorder.py RECORDING

The program ends at SIGTERM. The recording has btmon's format: a btsnoop file of the kernel's monitor.
"""

import ctypes
import signal
import socket
import struct
import sys
import time

from recording import RECORD

NO_DEVICE, MONITOR = 0xFFFF, 2
HEADER = struct.Struct("<HHH")  # opcode, adapter, length
BEGINNING = b"btsnoop\0" + struct.pack(">II", 1, 2001)
YEAR_0 = 0x00E03AB44A676000 - 946_684_800_000_000  # microseconds before 1970


def monitor() -> socket.socket:
    """Opens the kernel's monitor of all adapters. It calls the C library because Python's bind does not
    support HCI channels."""
    opened = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
    address = struct.pack("<HHH", socket.AF_BLUETOOTH, NO_DEVICE, MONITOR)
    if ctypes.CDLL(None, use_errno=True).bind(opened.fileno(), address, len(address)):
        raise OSError(ctypes.get_errno(), "the kernel's monitor cannot be bound")
    return opened


def record(packet: bytes, seconds: float) -> bytes:
    """Returns one packet of the monitor as a record."""
    opcode, adapter, _ = HEADER.unpack_from(packet)
    payload = packet[HEADER.size:]
    return RECORD.pack(len(payload), len(payload), adapter << 16 | opcode, 0, YEAR_0 + int(seconds * 1e6)) + payload


def main(path: str):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with monitor() as source, open(path, "wb", buffering=0) as file:
        file.write(BEGINNING)
        while True:
            packet = source.recv(65_536)
            if len(packet) >= HEADER.size:
                file.write(record(packet, time.time()))


if __name__ == "__main__":
    main(sys.argv[1])
