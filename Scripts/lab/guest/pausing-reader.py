# SPDX-License-Identifier: Apache-2.0
"""Finds out whether L2CAP loses data when a reader pauses. It sends 1 MiB from one adapter to another, and the
reader pauses on the way.

    pausing-reader.py RECEIVING SENDING stream|seqpacket

Prints what arrived, and whether it equals the sent bytes. The exit status says only whether the experiment ran.
"""

import hashlib
import os
import socket
import sys
import threading

import l2cap

PSM, TOTAL, BEFORE, PAUSE = 131, 1 << 20, 256 << 10, 8  # bytes, bytes read before the pause, seconds


def send(channel: socket.socket, data: bytes, finished: threading.Event):
    size = l2cap.send_mtu(channel)
    for start in range(0, len(data), size):
        channel.sendall(data[start:start + size])
    finished.wait()  # wait until the reader has everything, because closing the channel loses queued data
    channel.close()


def receive(channel: socket.socket) -> tuple:
    """Returns the received data, and how much of it was read before the pause."""
    received, paused = b"", 0
    channel.settimeout(float(os.environ.get("LAB_PATIENCE", 1)) * 60)
    try:
        while len(received) < TOTAL:
            if not paused and len(received) >= BEFORE:
                paused = len(received)
                threading.Event().wait(PAUSE)  # the pause is the experiment
            piece = channel.recv(65536)
            if not piece:
                break
            received += piece
    except (TimeoutError, ConnectionError) as error:
        print(f"the reader got {error!r}", file=sys.stderr)
    return received, paused


def main(receiving: str, sending: str, kind: str):
    number = socket.SOCK_STREAM if kind == "stream" else socket.SOCK_SEQPACKET
    server = l2cap.listen(number, receiving, PSM)
    client = l2cap.connect(number, sending, receiving, PSM)
    accepted = l2cap.accept(server)
    data, finished = os.urandom(TOTAL), threading.Event()
    sender = threading.Thread(target=send, args=(client, data, finished), daemon=True)
    sender.start()
    received, paused = receive(accepted)
    finished.set()
    accepted.close()
    same = hashlib.sha256(received).digest() == hashlib.sha256(data).digest()
    verdict = "all of it, unchanged" if same else f"LOST {TOTAL - len(received)} bytes, or changed"
    print(f"{kind}: {TOTAL} bytes, reader paused {PAUSE} s after {paused}: {verdict}")


if __name__ == "__main__":
    main(*sys.argv[1:])
