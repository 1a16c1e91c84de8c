# SPDX-License-Identifier: Apache-2.0
"""Lends an emulated controller of one laptop to another over TCP, or connects a controller outside of the machine.

    hci-bridge.py lend INDEX ADDRESS PORT     takes hciINDEX (down) as a user channel; serves one connection
    hci-bridge.py borrow ADDRESS PORT         makes a controller of /dev/vhci from that connection
    hci-bridge.py port NAME                   makes one from the virtual machine's serial port of that name

H4 packets pass unchanged. Both ends of HCI need one write for each whole packet. TCP keeps no packet borders, so
its bytes are cut by the lengths in the packets' headers.
"""

import ctypes
import errno
import os
import pathlib
import select
import socket
import struct
import sys

AF_BLUETOOTH, BTPROTO_HCI, HCI_CHANNEL_USER = 31, 1, 1
VENDOR, CREATE_CONTROLLER = 0xFF, 0x00
# packet type: (size of the header after the type byte, format of its length field)
HEADERS = {1: (3, ">xxB"), 2: (4, "<xxH"), 3: (3, ">xxB"), 4: (2, ">xB"), 5: (4, "<xxH")}


def packets(buffer: bytearray):
    """Removes the complete packets from the front of `buffer` and yields them."""
    while buffer:
        if buffer[0] not in HEADERS:
            sys.exit(f"hci-bridge: no H4 packet begins with {buffer[0]:#x}")
        size, layout = HEADERS[buffer[0]]
        if len(buffer) < 1 + size:
            return
        length = struct.unpack_from(layout, buffer, 1)[0]
        if buffer[0] in (2, 5):
            length &= 0xFFFF if buffer[0] == 2 else 0x3FFF
        end = 1 + size + length
        if len(buffer) < end:
            return
        yield bytes(buffer[:end])
        del buffer[:end]


def user_channel(index: int) -> socket.socket:
    """Opens hciINDEX exclusively. It calls the C library because Python's bind does not support HCI channels."""
    channel = socket.socket(AF_BLUETOOTH, socket.SOCK_RAW, BTPROTO_HCI)
    address = struct.pack("=HHH", AF_BLUETOOTH, index, HCI_CHANNEL_USER)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.bind(channel.fileno(), address, len(address)) != 0:
        sys.exit(f"hci-bridge: hci{index}: {os.strerror(ctypes.get_errno())}")
    return channel


def waiting(read):
    """Returns everything that can be read without waiting. The cable then carries many small packets in one
    segment."""
    packets = []
    try:
        while len(packets) < 64:
            packets.append(read())
    except BlockingIOError:
        pass
    return packets


def copy(controller: int, read, peer: socket.socket):
    """Copies in both directions until one side ends. `read` returns a packet of the controller, or raises
    BlockingIOError."""
    buffer = bytearray()
    while True:
        ready, _, _ = select.select([controller, peer], [], [])
        if controller in ready:
            found = waiting(read)
            if b"" in found:
                return
            # Drop vendor packets, because a vendor packet is vhci's own answer to the creation of the controller.
            peer.sendall(b"".join(p for p in found if p[0] != VENDOR))
        if peer in ready:
            received = peer.recv(65536)
            if not received:
                return
            buffer += received
            for packet in packets(buffer):
                try:
                    os.write(controller, packet)
                except OSError as error:
                    # A kernel that no longer waits for an answer refuses the packet, and repeats its command.
                    if error.errno != errno.ENXIO:
                        raise


def lend(index: int, address: str, port: int):
    with socket.create_server((address, port)) as server:
        print("listening", flush=True)
        peer, _ = server.accept()
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with peer, user_channel(index) as channel:
        print("lent", flush=True)
        copy(channel.fileno(), lambda: channel.recv(4096, socket.MSG_DONTWAIT), peer)


def borrow(address: str, port: int):
    with socket.create_connection((address, port), timeout=30) as peer:
        peer.settimeout(None)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        controller = os.open("/dev/vhci", os.O_RDWR | os.O_NONBLOCK)
        os.write(controller, bytes([VENDOR, CREATE_CONTROLLER]))
        print("borrowed", flush=True)
        copy(controller, lambda: os.read(controller, 4096), peer)


def port_named(name: str) -> str:
    """Returns the device of a serial port. If udev does not run, the port has no name of its own below /dev."""
    for each in pathlib.Path("/sys/class/virtio-ports").iterdir():
        if (each / "name").read_text(encoding="ascii").strip() == name:
            return f"/dev/{each.name}"
    sys.exit(f"hci-bridge: there is no port {name}")


def take(name: str):
    """Connects a port. Reads return the available bytes, and writes block until the host has taken everything."""
    port = os.open(port_named(name), os.O_RDWR)
    controller = os.open("/dev/vhci", os.O_RDWR | os.O_NONBLOCK)
    os.write(controller, bytes([VENDOR, CREATE_CONTROLLER]))
    print("borrowed", flush=True)
    copy(controller, lambda: os.read(controller, 4096), Port(port))


class Port:
    """A serial port with the methods of a socket that `copy` uses."""

    def __init__(self, descriptor: int):
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def recv(self, size: int) -> bytes:
        return os.read(self._descriptor, size)

    def sendall(self, data: bytes):
        while data:
            data = data[os.write(self._descriptor, data):]


if __name__ == "__main__":
    if sys.argv[1] == "port":
        take(sys.argv[2])
    elif sys.argv[1] == "lend":
        lend(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    else:
        borrow(sys.argv[2], int(sys.argv[3]))
