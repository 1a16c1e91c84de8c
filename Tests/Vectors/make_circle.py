#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes pairing.json and circle.json from Documentation/Protocol/Pairing.md, Circle.md and "Hails" of Beacon.md, with an encoder of its own.

It shares no code with the product. Needs python3-cryptography. With --check it fails when the files are not what it would write.
"""

import base64
import hashlib
import json
import pathlib
import struct
import sys

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from make_vectors import hkdf, mac, pairwise, public, sample, xor

HERE = pathlib.Path(__file__).parent


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


# Protobuf's wire format

def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def contents(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value if value else b""


def message(field, value):
    """A message is written even when it is empty."""
    return varint(field << 3 | 2) + varint(len(value)) + value


class Device:
    """A device with keys that nobody chose, or some of them another's, of which it has the public halves only."""

    def __init__(self, name, **copied):
        self.name = name
        self.secrets = [sample(f"{kind} key of {copied.get(kind, name)}", 32) for kind in ("certificate", "signing", "agreement")]
        # A number that is certainly less than the order of the curve.
        self.secrets[0] = b"\0" + self.secrets[0][1:]
        self.certificate = int.from_bytes(self.secrets[0], "big")
        certificate = derive_private_key(self.certificate, SECP256R1())
        self.signing = Ed25519PrivateKey.from_private_bytes(self.secrets[1])
        self.agreement = X25519PrivateKey.from_private_bytes(self.secrets[2])
        self.keys = [
            certificate.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint),
            public(self.signing), public(self.agreement)]
        self.id = sha256(b"baton device 1", *self.keys)

    @property
    def encoded(self):
        return b"".join(contents(field + 1, key) for field, key in enumerate(self.keys))

    def vector(self):
        names = ("certificate", "signing", "agreement")
        return {
            "name": self.name, **{f"{name}Private": key.hex() for name, key in zip(names, self.secrets)},
            **{f"{name}Key": key.hex() for name, key in zip(names, self.keys)},
            "id": self.id.hex(), "number": int.from_bytes(self.id[:4], "big"),
        }


ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256


def ecdsa(private, signed):
    """ECDSA with P-256 and SHA-256, r and s, by the nonce that RFC 6979 makes of key and message: the library's is another each time."""
    digest = sha256(signed)
    key, value = bytes(32), b"\1" * 32
    seed = private.to_bytes(32, "big") + (int.from_bytes(digest, "big") % ORDER).to_bytes(32, "big")
    for step in (b"\0", b"\1"):
        key = mac(key, value, step, seed)
        value = mac(key, value)
    value = mac(key, value)
    nonce = int.from_bytes(value, "big")
    assert 0 < nonce < ORDER  # else the next would be taken; it never comes to that
    r = derive_private_key(nonce, SECP256R1()).public_key().public_numbers().x % ORDER
    s = pow(nonce, -1, ORDER) * (int.from_bytes(digest, "big") + r * private) % ORDER
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


ANNA, BERTA, CARLA, DORA, EVE = (Device(name) for name in ("anna", "berta", "carla", "dora", "eve"))
CIRCLE = sha256(b"baton circle 1", ANNA.id)[:16]


# Pairing

def introduction(device, name, circle, role, transcript):
    signed = (b"baton introduction 1" + bytes([role]) + transcript + device.id + (circle or bytes(16)) + name.encode())
    inner = device.encoded + contents(4, name) + contents(5, circle or b"") + contents(6, device.signing.sign(signed))
    return message(1, inner)


def pairing(name, transport, circle):
    """anna dials berta; `circle` is anna's, or none."""
    random = {"I": sample(f"random of I, {name}", 32), "R": sample(f"random of R, {name}", 32)}
    secret = {"I": sample(f"ephemeral of I, {name}", 32), "R": sample(f"ephemeral of R, {name}", 32)}
    private = {side: X25519PrivateKey.from_private_bytes(key) for side, key in secret.items()}
    share = {side: random[side] + public(private[side]) for side in "IR"}
    m1 = b"baton pair 2" + sha256(b"baton commit", share["I"])
    m2, m3 = b"baton pair 2" + share["R"], share["I"]
    agreement = private["I"].exchange(X25519PublicKey.from_public_bytes(share["R"][32:]))
    transcript = sha256(m1, m2, m3, transport.encode())
    keys = hkdf(agreement, transcript, b"baton pair 2", 104)
    digits = "%06d" % (int.from_bytes(keys[:8], "big") % 1_000_000)

    def sealed(key, plaintext):
        box = ChaCha20Poly1305(key).encrypt(bytes(12), plaintext, transcript)
        return struct.pack(">H", len(box)) + box

    of_anna = introduction(ANNA, "anna", circle, 0, transcript)
    of_berta = introduction(BERTA, "berta", None, 1, transcript)
    return {
        "name": name, "transport": transport, "initiator": "anna", "responder": "berta",
        "circle": circle.hex() if circle else "",
        **{f"random{side}": random[side].hex() for side in "IR"},
        **{f"ephemeral{side}": secret[side].hex() for side in "IR"},
        "m1": m1.hex(), "m2": m2.hex(), "m3": m3.hex(), "agreement": agreement.hex(), "transcript": transcript.hex(),
        "digits": digits, "KI": keys[8:40].hex(), "KR": keys[40:72].hex(), "knockKey": keys[72:].hex(),
        "plaintextI": of_anna.hex(), "plaintextR": of_berta.hex(),
        "answerI": sealed(keys[8:40], of_anna).hex(), "answerR": sealed(keys[40:72], of_berta).hex(),
        "noI": sealed(keys[8:40], b"").hex(), "noR": sealed(keys[40:72], b"").hex(),
    }


def pairing_vectors():
    nonce = sample("pairing nonce", 8)
    return {
        "devices": [ANNA.vector(), BERTA.vector()],
        "advert": {"nonce": nonce.hex(), "psm": 0xC1, "payload": (b"\x02" + nonce + b"\xc1").hex()},
        "pairings": [pairing("over L2CAP", "l2cap", CIRCLE), pairing("over TCP, no circle", "tcp", None)],
    }


# The circle

def statement(signer, body):
    return body, signer.signing.sign(b"baton statement 1" + CIRCLE + body)


def proof(device, of=None, circle=CIRCLE):
    """What a device's keys show of a device, itself if none is given."""
    signed = b"baton keys 1" + circle + (of or device).id
    return contents(1, ecdsa(device.certificate, signed)) + contents(2, device.signing.sign(signed))


def add(signer, device, name=None, revision=0, shown=None):
    """`shown` is the proof, if it is not the device's own."""
    named = message(1, device.encoded) + contents(2, name or device.name) + number(3, revision)
    named += message(4, shown or proof(device))
    return statement(signer, contents(1, signer.id) + message(2, named))


def remove(signer, gone, *stays):
    named = contents(1, gone.id) + b"".join(contents(2, each) for each in sorted(device.id for device in stays))
    return statement(signer, contents(1, signer.id) + message(3, named))


def removals_digest(*removals):
    return sha256(*sorted({sha256(body) for body, _ in removals}))


def bent(pair):
    body, signature = pair
    return body, signature[:-1] + bytes([signature[-1] ^ 1])


FOUNDS = add(ANNA, ANNA)
TAKES_BERTA, TAKES_CARLA = add(ANNA, BERTA), add(BERTA, CARLA)


def membership(name, statements, members, names=None):
    """What these statements, in any order, make of a circle; names are their owners' unless they are given."""
    # Behind the signer's 34 bytes comes what the statement says.
    removals = [each for each in statements if each[0][34] == 3 << 3 | 2]
    names = names or {}
    return {
        "name": name, "statements": [{"body": body.hex(), "signature": mark.hex()} for body, mark in statements],
        "members": [{"id": each.id.hex(), "name": names.get(each.name, each.name)} for each in
                    sorted(members, key=lambda device: device.id)],
        "removalsDigest": removals_digest(*removals).hex(),
    }


def memberships():
    base = [FOUNDS, TAKES_BERTA, TAKES_CARLA]
    removes_carla = remove(ANNA, CARLA, ANNA, BERTA)
    return [
        membership("the founder alone", [FOUNDS], [ANNA]),
        membership("taken in by who was taken in", base, [ANNA, BERTA, CARLA]),
        membership("removed", [*base, removes_carla], [ANNA, BERTA]),
        membership("what the removed one adds, before or after, is not reached",
                   [*base, removes_carla, add(CARLA, DORA)], [ANNA, BERTA]),
        membership("a removed one is not taken in again", [*base, removes_carla, add(BERTA, CARLA, "again")],
                   [ANNA, BERTA]),
        membership("who is removed can still evict, and admit nobody",
                   [*base, removes_carla, remove(CARLA, BERTA, ANNA, CARLA, EVE), add(CARLA, EVE)], [ANNA]),
        membership("two who remove each other are both out",
                   [*base, remove(BERTA, CARLA, ANNA, BERTA), remove(CARLA, BERTA, ANNA, CARLA)], [ANNA]),
        membership("an Add at the same time as a removal holds", [*base, add(BERTA, DORA), removes_carla],
                   [ANNA, BERTA, DORA]),
        membership("who removes itself has left", [*base, remove(BERTA, BERTA, ANNA, CARLA)], [ANNA, CARLA]),
        membership("who was taken in only by the one who is gone, and is kept by nobody, is out",
                   [*base, remove(ANNA, BERTA, ANNA)], [ANNA]),
        membership("who is kept stays, whoever took it in", [*base, remove(ANNA, BERTA, ANNA, CARLA)], [ANNA, CARLA]),
        membership("a device's last name for itself counts",
                   [*base, add(BERTA, BERTA, "second", 2), add(BERTA, BERTA, "first", 1), add(ANNA, BERTA, "other")],
                   [ANNA, BERTA, CARLA], {"berta": "second"}),
        *forgeries(base),
    ]


def forgeries(base):
    """Carla takes devices in that have keys of anna's, and proves them as far as she can: none changes anything but one with a copied
    agreement key, which nobody can speak for."""
    members = [ANNA, BERTA, CARLA]
    own = Device("forged")
    agreement = Device("agreement", agreement="anna")
    elsewhere = proof(DORA, circle=sha256(b"baton circle 1", DORA.id)[:16])
    halves = [proof(DORA), proof(DORA, of=own)]
    for copied in ({"certificate": "anna"}, {"signing": "anna"}, {"certificate": "anna", "agreement": "anna"}):
        forged = Device("forged", **copied)
        for whose, shown in (("the forger's own keys'", proof(own, of=forged)), ("the other device's", proof(ANNA))):
            yield membership(f"{' and '.join(copied)} key of another, with {whose} proof", [*base, add(CARLA, forged, shown=shown)], members)
    yield membership("agreement key of another", [*base, add(CARLA, agreement)], [*members, agreement])
    yield membership("a proof for another circle", [*base, add(ANNA, DORA, shown=elsewhere)], members)
    # The signatures have 66 bytes each, with what protobuf puts before them.
    yield membership("proved by the certificate key alone", [*base, add(ANNA, DORA, shown=halves[0][:66] + halves[1][66:])], members)
    yield membership("proved by the signing key alone", [*base, add(ANNA, DORA, shown=halves[1][:66] + halves[0][66:])], members)
    yield membership("what a device without a proof signs does not count",
                     [*base, add(ANNA, DORA, shown=elsewhere), add(DORA, EVE)], members)
    yield membership("one Add with a proof is enough", [*base, add(ANNA, DORA, shown=elsewhere), add(CARLA, DORA)], [*members, DORA])
    yield membership("not even the founder is without one", [add(ANNA, ANNA, "again", 1, shown=elsewhere), *base], members)


def record(signer, count, secret, removals):
    digest = removals_digest(*removals)
    signed = b"baton secret 1" + CIRCLE + struct.pack(">I", count) + digest + sha256(secret) + signer.id
    return {
        "number": count, "removalsDigest": digest, "secretDigest": sha256(secret), "signer": signer.id,
        "signature": signer.signing.sign(signed),
    }


def encoded_state(statements, of_secret, secret):
    encoded = number(1, of_secret["number"]) + b"".join(
        contents(field, of_secret[name])
        for field, name in ((2, "removalsDigest"), (3, "secretDigest"), (4, "signer"), (5, "signature")))
    return (contents(1, CIRCLE)
            + b"".join(message(2, contents(1, body) + contents(2, mark)) for body, mark in statements)
            + message(3, encoded) + contents(4, secret))


def state(name, statements, signer, count, removals, is_usable=True, secret=None, told=None):
    """A CircleState; `told` is the secret that is sent, if it is not the record's."""
    secret = secret or sample("secret of " + name, 32)
    signed = record(signer, count, secret, removals)
    return {
        "name": name, "isUsable": is_usable,
        "record": {key: value if isinstance(value, int) else value.hex() for key, value in signed.items()},
        "secret": (told or secret).hex(), "state": encoded_state(statements, signed, told or secret).hex(),
    }


def states():
    base = [FOUNDS, TAKES_BERTA, TAKES_CARLA]
    removes_carla = remove(ANNA, CARLA, ANNA, BERTA)
    return [
        state("the first secret", [FOUNDS], ANNA, 1, []),
        state("after a removal", [*base, removes_carla], BERTA, 2, [removes_carla]),
        state("the largest number", base, CARLA, 2**32 - 1, []),
        state("signed by the removed one", [*base, removes_carla], CARLA, 3, [removes_carla], False),
        state("signed without knowing of the removal", [*base, removes_carla], BERTA, 3, [], False),
        state("another secret than is signed", base, BERTA, 3, [], False, told=sample("another secret", 32)),
        state("signed by nobody of the circle", base, EVE, 3, [], False),
        state("without the founder", [TAKES_BERTA], ANNA, 1, [], False),
        state("a statement with a wrong signature is left out, and with it who signed the record",
              [FOUNDS, bent(TAKES_BERTA)], BERTA, 1, [], False),
    ]


def device_names():
    """Which names a device may have, by Circle.md, "Device"."""
    valid = ["a", "Anna's laptop", "می\u200cخواهم", "ක්\u200dෂ", "👩\u200d💻", "❤\ufe0f\u200d🔥", "n" * 63, "\u0378"]
    invalid = ["", " ", "\u3164", "n" * 64, "a\n", "a\u200b", "a\u202eb", "\u200da", "a\u200d", "a\u200d\u200db", "a\u200c b", "\u3164\u200da",
               "\ufe0f\u200d\ufe0f", "a\u2060b", "🏴\U000e0067\U000e007f"]
    return [{"name": name, "isValid": name in valid} for name in valid + invalid]


def invitation_vector():
    secret, expires = sample("invitation's secret", 16), 1_795_230_600
    endpoints = [("l2cap", "C0:FF:EE:00:00:01/public", 0xC1), ("tcp", "192.0.2.1", 40_000), ("tcp", "2001:db8::1", 40_000)]
    encoded = (number(1, 2) + contents(2, secret) + contents(3, sha256(ANNA.keys[0])) + contents(4, CIRCLE)
               + contents(5, "anna") + number(6, expires)
               + b"".join(message(7, contents(1, kind) + contents(2, where) + number(3, port))
                          for kind, where, port in endpoints))
    return {
        "text": "baton-invitation-1:" + base64.b64encode(encoded).decode() + "\n", "secret": secret.hex(),
        "certificatePin": sha256(ANNA.keys[0]).hex(), "circle": CIRCLE.hex(), "inviterName": "anna", "expires": expires,
        "endpoints": [{"transport": kind, "address": where, "port": port} for kind, where, port in endpoints],
        "key": hkdf(secret, b"", b"baton invitation 1", 32).hex(),
        "join": {"device": "eve", "name": "Évè",
                 "request": (message(1, EVE.encoded) + contents(2, "Évè") + message(4, proof(EVE))).hex()},
    }


def hail(name, sender, receiver, unix_time, psm):
    key = pairwise(sender.agreement, receiver.keys[2], [sender.id, receiver.id], CIRCLE)
    keys = hkdf(key, b"", b"baton hail 1" + struct.pack(">q", unix_time // 600), 64)
    plaintext = struct.pack(">I5sBIB", int.from_bytes(sender.id[:4], "big"), bytes(5), 0, 0, psm)
    tag = mac(keys[:32], b"\x01", plaintext)[:8]
    return {
        "name": name, "from": sender.name, "to": receiver.name, "key": key.hex(), "unixTime": unix_time, "psm": psm,
        "plaintext": plaintext.hex(), "sealed": (b"\x01" + tag + xor(plaintext, mac(keys[32:], tag))).hex(),
    }


def circle_vectors():
    return {
        "devices": [device.vector() for device in (ANNA, BERTA, CARLA, DORA, EVE)],
        "founder": "anna", "circle": CIRCLE.hex(),
        "names": device_names(), "memberships": memberships(), "states": states(), "invitation": invitation_vector(),
        "hails": [
            hail("anna hails berta", ANNA, BERTA, 1_795_230_000, 0xC1),
            hail("the other way the key is the same", BERTA, ANNA, 1_795_230_000, 0x80),
            hail("in the next epoch", ANNA, BERTA, 1_795_230_600, 0xC1),
        ],
    }


def main():
    differs = False
    for name, vectors in [("pairing.json", pairing_vectors()), ("circle.json", circle_vectors())]:
        text = json.dumps(vectors, indent=2, ensure_ascii=False) + "\n"
        path = HERE / name
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{name} is not what make_circle.py writes", file=sys.stderr)
            differs = True
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
