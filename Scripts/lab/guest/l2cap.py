# SPDX-License-Identifier: Apache-2.0
"""LE credit-based channels in Python. Python's own bind and connect do not support LE addresses."""

import ctypes
import os
import socket
import struct

AF_BLUETOOTH, BTPROTO_L2CAP, BDADDR_LE_PUBLIC = 31, 0, 1
SOL_BLUETOOTH, BT_SNDMTU, BT_RCVMTU = 274, 12, 13
libc = ctypes.CDLL(None, use_errno=True)


def sockaddr(address: str, psm: int) -> bytes:
    """Returns a struct sockaddr_l2: family, PSM, reversed address, channel id, address type, and
    padding."""
    octets = bytes.fromhex(address.replace(":", ""))[::-1]
    return struct.pack("<HH6sHBx", AF_BLUETOOTH, psm, octets, 0, BDADDR_LE_PUBLIC)


def call(function, channel: socket.socket, address: bytes):
    if function(channel.fileno(), address, len(address)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def listen(kind: int, address: str, psm: int) -> socket.socket:
    channel = socket.socket(AF_BLUETOOTH, kind, BTPROTO_L2CAP)
    call(libc.bind, channel, sockaddr(address, psm))
    channel.listen(1)
    return channel


def accept(server: socket.socket) -> socket.socket:
    """Accepts the next channel. socket.accept() would fail because it cannot represent the
    address."""
    descriptor = libc.accept(server.fileno(), None, None)
    if descriptor < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return socket.socket(AF_BLUETOOTH, server.type, BTPROTO_L2CAP, fileno=descriptor)


def connect(kind: int, local: str, remote: str, psm: int) -> socket.socket:
    channel = socket.socket(AF_BLUETOOTH, kind, BTPROTO_L2CAP)
    try:
        call(libc.bind, channel, sockaddr(local, 0))
        call(libc.connect, channel, sockaddr(remote, psm))
    except OSError:
        channel.close()
        raise
    return channel


def send_mtu(channel: socket.socket) -> int:
    return struct.unpack("H", channel.getsockopt(SOL_BLUETOOTH, BT_SNDMTU, 2))[0]
