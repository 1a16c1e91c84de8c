# SPDX-License-Identifier: Apache-2.0
"""Dials a Baton device from outside of its circle, and reports what it learns.

    dial.py ADDRESS

The program finds the PSM by trying all PSMs. Then it knocks, with a well-formed knock around a real ClientHello, and with noise.
The exit status is 0 only if it received nothing but the responder's nonce, and the channel was closed.
"""

import os
import socket
import ssl
import struct
import sys

import l2cap

ANY = "00:00:00:00:00:00"
NONCE, LIMIT = 16, 10  # bytes; seconds that a responder may keep an unproved channel open
OPENING = b"\0"  # the first packet of a dialler on a credit-based channel


def client_hello() -> bytes:
    """Returns a real ClientHello, as a member's TLS would send it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols(["baton/1"])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(incoming, outgoing).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def find(address: str) -> int:
    """Returns the PSM that accepts channels."""
    for psm in range(0x80, 0x100):
        try:
            l2cap.connect(socket.SOCK_STREAM, ANY, address, psm).close()
            return psm
        except OSError:
            continue
    sys.exit("no PSM of 0x80 to 0xff accepts a channel")


def connected(address: str, psm: int) -> socket.socket:
    """Opens a channel, and tries again if the link ends. That happens when bluetoothd tries to pair for ATT channels."""
    for _ in range(3):
        try:
            return l2cap.connect(socket.SOCK_STREAM, ANY, address, psm)
        except PermissionError:
            continue
    sys.exit("the link ended three times")


def learnt(address: str, psm: int, knock: bytes) -> bytes:
    """Returns all bytes until the responder closes the channel."""
    with connected(address, psm) as channel:
        channel.settimeout(float(os.environ.get("LAB_PATIENCE", 1)) * LIMIT)
        received = channel.recv(4096)
        if knock:
            channel.sendall(OPENING + knock)
        try:
            while piece := channel.recv(4096):
                received += piece
        except ConnectionResetError:
            pass
        except TimeoutError:
            sys.exit("the channel was left open")
    return received


def main(address: str):
    psm = find(address)
    hello = client_hello()
    knocks = {
        # Test this case first, because after several unproved channels the link is dropped with all channels on it.
        "silence": b"",
        "a knock without a key": os.urandom(32) + struct.pack(">H", len(hello)) + hello,
        "a bare ClientHello": hello,
        "noise": os.urandom(512),
    }
    for what, knock in knocks.items():
        received = learnt(address, psm, knock)
        if len(received) != NONCE:
            sys.exit(f"{what} got {len(received)} bytes: {received[:64].hex()}")
    print(f"{', '.join(knocks)}: nothing but {NONCE} random bytes each, then closed")


if __name__ == "__main__":
    main(sys.argv[1])
