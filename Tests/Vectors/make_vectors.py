#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the vectors of Documentation/Protocol/Beacon.md and Channel.md, from those documents alone.

It shares no code with the product, so that an error would have to be made twice. Needs python3-cryptography for X25519.
`make_vectors.py --check` writes nothing and fails when the files differ.
"""

import hashlib
import hmac
import json
import pathlib
import struct
import sys

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

HERE = pathlib.Path(__file__).parent


def mac(key, *parts):
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def hkdf(key, salt, info, length):
    pseudo_random_key = mac(salt or bytes(32), key)
    output, block, counter = b"", b"", 1
    while len(output) < length:
        block = mac(pseudo_random_key, block, info, bytes([counter]))
        output += block
        counter += 1
    return output[:length]


def sample(label, length):
    """Bytes that nobody chose."""
    return hkdf(label.encode(), b"", b"baton vectors", length)


def xor(left, right):
    return bytes(a ^ b for a, b in zip(left, right))


# Beacons

def epoch(unix_time):
    return unix_time // 600  # Python rounds down, as the document asks


def seal(secret, unix_time, device, activity, flags, sequence, psm):
    keys = hkdf(secret, b"", b"baton beacon 1" + struct.pack(">q", epoch(unix_time)), 64)
    plaintext = struct.pack(">I5sBIB", device, activity, flags, sequence, psm)
    tag = mac(keys[:32], b"\x01", plaintext)[:8]
    return plaintext, b"\x01" + tag + xor(plaintext, mac(keys[32:], tag))


def activity_hash(secret, team, kind):
    digest = mac(hkdf(secret, b"", b"baton activity 1", 32), team.encode(), b"\0", kind.encode())[:5]
    return digest if any(digest) else b"\0\0\0\0\1"


def beacon_vectors():
    secrets = [bytes(range(32)), sample("secret", 32)]
    activity = activity_hash(secrets[0], "org.example", "org.example.reading")
    fields = [
        ("the first second of 1970", secrets[0], 0, 0, bytes(5), 8, 0, 0),
        ("before 1970", secrets[0], -1, 1, activity, 0, 1, 0x80),
        ("an activity", secrets[0], 1_795_230_000, 0x0A1B2C3D, activity, 0, 1025, 0xC1),
        ("all of its flags", secrets[1], 1_795_230_599, 0x0A1B2C3D, activity, 3, 1026, 0xC1),
        ("the next epoch", secrets[1], 1_795_230_600, 0x0A1B2C3D, activity, 3, 1026, 0xC1),
        ("ended", secrets[0], 1_795_230_000, 0x0A1B2C3D, activity, 4, 1027, 0xC1),
        ("idle", secrets[0], 1_795_230_000, 0x0A1B2C3D, bytes(5), 8, 1028, 0xC1),
        ("largest numbers", secrets[1], 4_102_444_800, 2**32 - 1, b"\xff" * 5, 15, 2**32 - 1, 255),
    ]
    sealed = []
    for name, secret, time, device, kind, flags, sequence, psm in fields:
        plaintext, value = seal(secret, time, device, kind, flags, sequence, psm)
        sealed.append({
            "name": name, "secret": secret.hex(), "unixTime": time, "epoch": epoch(time), "device": device,
            "activity": kind.hex(), "flags": flags, "sequence": sequence, "psm": psm,
            "plaintext": plaintext.hex(), "sealed": value.hex(),
        })
    _, unknown = seal(secrets[0], 1_795_230_000, 7, activity, 0xF1, 5, 0x80)
    return {
        "sealed": sealed,
        "unknownFlags": {
            "secret": secrets[0].hex(), "unixTime": 1_795_230_000, "sealed": unknown.hex(), "device": 7, "flags": 1,
        },
        "activities": [
            {"secret": secret.hex(), "team": team, "type": kind, "hash": activity_hash(secret, team, kind).hex()}
            for secret in secrets
            for team, kind in [
                ("org.example", "org.example.reading"), ("", "org.example.reading"), ("org.example", "x"),
                ("équipe", "org.example.日本語"),
            ]
        ],
    }


# Knocks

def public(private):
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def pairwise(own, peer, devices, circle):
    shared = own.exchange(X25519PublicKey.from_public_bytes(peer))
    smaller, larger = sorted(devices)
    return hkdf(shared, circle, b"baton pairwise 2" + smaller + larger, 32)


def client_hello(length):
    """A record of a length with what looks like a ClientHello."""
    body = sample("client hello %d" % length, min(length - 9, 8_000)).ljust(length - 9, b"\0")
    message = b"\x01" + struct.pack(">I", len(body))[1:] + body
    return b"\x16\x03\x01" + struct.pack(">H", len(message)) + message


def knock_vectors():
    a = X25519PrivateKey.from_private_bytes(sample("device a", 32))
    b = X25519PrivateKey.from_private_bytes(sample("device b", 32))
    circle = sample("circle", 16)
    devices = [sample("id of device a", 32), sample("id of device b", 32)]
    key = pairwise(a, public(b), devices, circle)
    assert key == pairwise(b, public(a), devices[::-1], circle)
    invitation = sample("invitation", 16)
    invitation_key = hkdf(invitation, b"", b"baton invitation 1", 32)
    knocks = []
    for name, secret, transport, length in [
        ("over L2CAP", key, "l2cap", 317), ("over TCP", key, "tcp", 517),
        ("on the simulated radio", key, "simulated", 9), ("with an invitation", invitation_key, "l2cap", 4096),
    ]:
        responder, initiator = sample("responder " + name, 16), sample("initiator " + name, 16)
        hello = client_hello(length)
        tag = mac(secret, b"knock", transport.encode(), responder, initiator, hashlib.sha256(hello).digest())[:16]
        knocks.append({
            "name": name, "key": secret.hex(), "transport": transport, "responderNonce": responder.hex(),
            "initiatorNonce": initiator.hex(), "clientHello": hello.hex(),
            "knock": (initiator + tag + struct.pack(">H", len(hello)) + hello).hex(),
            "answer": mac(secret, b"answer", responder, initiator, tag)[:16].hex(),
        })
    return {
        "pairwise": {
            "privateA": sample("device a", 32).hex(), "publicA": public(a).hex(),
            "privateB": sample("device b", 32).hex(), "publicB": public(b).hex(),
            "deviceA": devices[0].hex(), "deviceB": devices[1].hex(), "circle": circle.hex(), "key": key.hex(),
        },
        "invitation": {"secret": invitation.hex(), "key": invitation_key.hex()},
        "knocks": knocks,
    }


def main():
    differs = False
    for name, vectors in [("beacon.json", beacon_vectors()), ("knock.json", knock_vectors())]:
        text = json.dumps(vectors, indent=2, ensure_ascii=False) + "\n"
        path = HERE / name
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{name} is not what make_vectors.py writes", file=sys.stderr)
            differs = True
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
