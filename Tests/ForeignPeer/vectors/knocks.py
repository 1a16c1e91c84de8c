# SPDX-License-Identifier: Apache-2.0
"""knock.json, of Documentation/Protocol/Channel.md."""

import struct

from foreign.identity import pairwise, raw_public
from foreign.invitation import invitation_key
from foreign.knock import answer, knock, length, open_knock, tag

from .reading import refused, same
from .sample import agreement_key, sample

A, B = agreement_key("device a"), agreement_key("device b")
DEVICES = sample("id of device a", 32), sample("id of device b", 32)
CIRCLE = sample("circle", 16)
KEY = pairwise(A, raw_public(B), DEVICES, CIRCLE)
INVITATION = sample("invitation", 16)


def client_hello(size: int) -> bytes:
    """Returns a TLS record of a given size that looks like a ClientHello."""
    body = sample(f"client hello {size}", min(size - 9, 8_000)).ljust(size - 9, b"\0")
    message = b"\x01" + struct.pack(">I", len(body))[1:] + body
    return b"\x16\x03\x01" + struct.pack(">H", len(message)) + message


def pair() -> dict:
    same("pairwise", pairwise(B, raw_public(A), DEVICES[::-1], CIRCLE), KEY)
    return {
        "privateA": sample("device a", 32).hex(), "publicA": raw_public(A).hex(),
        "privateB": sample("device b", 32).hex(), "publicB": raw_public(B).hex(),
        "deviceA": DEVICES[0].hex(), "deviceB": DEVICES[1].hex(), "circle": CIRCLE.hex(), "key": KEY.hex(),
    }


def knocked(name: str, key: bytes, transport: str, size: int) -> dict:
    responder, initiator = sample(f"responder {name}", 16), sample(f"initiator {name}", 16)
    hello = client_hello(size)
    whole = knock(key, transport, responder, initiator, hello)
    answered = answer(key, responder, initiator, tag(key, transport, responder, initiator, hello))
    same(name, length(whole[:34]), len(hello))
    same(name, open_knock(whole, transport, responder, [bytes(32), key]), (key, answered, hello))
    refused(f"{name}, under another key", open_knock, whole, transport, responder, [bytes(32)])
    refused(f"{name}, under no key", open_knock, whole, transport, responder, [])
    refused(f"{name}, with another nonce", open_knock, whole, transport, bytes(16), [key])
    refused(f"{name}, over another transport", open_knock, whole, "another", responder, [key])
    return {
        "name": name, "key": key.hex(), "transport": transport, "responderNonce": responder.hex(),
        "initiatorNonce": initiator.hex(), "clientHello": hello.hex(), "knock": whole.hex(), "answer": answered.hex(),
    }


def vectors() -> dict:
    return {
        "pairwise": pair(),
        "invitation": {"secret": INVITATION.hex(), "key": invitation_key(INVITATION).hex()},
        "knocks": [
            knocked("over L2CAP", KEY, "l2cap", 317), knocked("over TCP", KEY, "tcp", 517),
            knocked("on the simulated radio", KEY, "simulated", 9),
            knocked("with an invitation", invitation_key(INVITATION), "l2cap", 4096),
        ],
    }
