# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Channel.md: the bytes before TLS."""

import struct

from .primitives import Refused, mac, same, sha256

RETRY = bytes.fromhex("CF21AD74E59A6111BE1D8C021E65B891C2A211167ABB8C5E079E09E2C8A8339C")


def tag(key: bytes, transport: str, responder: bytes, initiator: bytes, hello: bytes) -> bytes:
    return mac(key, b"knock", transport.encode(), responder, initiator, sha256(hello))[:16]


def knock(key: bytes, transport: str, responder: bytes, initiator: bytes, hello: bytes) -> bytes:
    check_client_hello(hello)
    return initiator + tag(key, transport, responder, initiator, hello) + struct.pack(">H", len(hello)) + hello


def answer(key: bytes, responder: bytes, initiator: bytes, knock_tag: bytes) -> bytes:
    return mac(key, b"answer", responder, initiator, knock_tag)[:16]


def length(head: bytes) -> int:
    """Returns the length of the ClientHello after the first 34 bytes of a knock."""
    count = struct.unpack(">H", head[32:34])[0]
    if not 1 <= count <= 4_096:
        raise Refused("a ClientHello of no length or too long")
    return count


def open_knock(received: bytes, transport: str, responder: bytes, candidates):
    """Returns the key that fits a complete knock, the answer, and the ClientHello."""
    initiator, knock_tag, hello = received[:16], received[16:32], received[34:]
    check_client_hello(hello)
    fits = [key for key in candidates if same(tag(key, transport, responder, initiator, hello), knock_tag)]
    if not fits:
        raise Refused("a knock under no key")
    return fits[0], answer(fits[0], responder, initiator, knock_tag), hello


def check_client_hello(record: bytes):
    whole = len(record) >= 9 and record[0] == 22 and record[1] == 3 and record[5] == 1 \
        and int.from_bytes(record[3:5], "big") == len(record) - 5 \
        and int.from_bytes(record[6:9], "big") == len(record) - 9
    if not whole or len(record) > 4_096:
        raise Refused("no ClientHello in one record")


def check_server_hello(records: bytes) -> bool:
    """Returns whether the server's first bytes are an ordinary ServerHello. Returns False while there are too few bytes."""
    message, position = b"", 0
    while position + 5 <= len(records) and len(message) < 38:
        kind, count = records[position], int.from_bytes(records[position + 3:position + 5], "big")
        if kind == 21:
            return True  # an alert, which TLS will report
        if kind != 22:
            raise Refused("no ServerHello")
        message += records[position + 5:position + 5 + count]
        position += 5 + count
    if len(message) < 38:
        return False
    if message[0] != 2 or message[6:38] == RETRY:
        raise Refused("a HelloRetryRequest, or no ServerHello")
    return True
