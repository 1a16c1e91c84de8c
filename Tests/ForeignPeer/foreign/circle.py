# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Circle.md: devices, who belongs to a circle, its secret, invitations."""

import base64
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicKey, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .names import checked
from .primitives import Message, Refused, contents, hkdf, number, same, sha256


@dataclass(frozen=True)
class Keys:
    """A device's public keys."""
    certificate: bytes
    signing: bytes
    agreement: bytes

    @classmethod
    def read(cls, message: Message) -> "Keys":
        keys = cls(message.bytes(1), message.bytes(2), message.bytes(3))
        if [len(key) for key in (keys.certificate, keys.signing, keys.agreement)] != [65, 32, 32]:
            raise Refused("keys of another length")
        return keys

    def encoded(self) -> bytes:
        return contents(1, self.certificate) + contents(2, self.signing) + contents(3, self.agreement)

    @property
    def id(self) -> bytes:
        return sha256(b"baton device 1", self.certificate, self.signing, self.agreement)

    @property
    def number(self) -> int:
        return int.from_bytes(self.id[:4], "big")

    def signed(self, signature: bytes, *parts: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(self.signing).verify(signature, b"".join(parts))
            return True
        except InvalidSignature:
            return False


class Identity:
    """This device's private keys."""

    def __init__(self, certificate=None, signing=None, agreement=None):
        self.certificate = certificate or generate_private_key(SECP256R1())
        self.signing = signing or Ed25519PrivateKey.generate()
        self.agreement = agreement or X25519PrivateKey.generate()

        def raw(private):
            return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

        self.keys = Keys(
            self.certificate.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint),
            raw(self.signing), raw(self.agreement))

    def pairwise(self, peer: Keys, circle: bytes) -> bytes:
        return pairwise(self.agreement, peer.agreement, (self.keys.id, peer.id), circle)


def pairwise(private: X25519PrivateKey, peer: bytes, devices, circle: bytes) -> bytes:
    """K(a, b) of Channel.md, for two device ids. X25519 with a key of small order raises an error here."""
    shared = private.exchange(X25519PublicKey.from_public_bytes(peer))
    return hkdf(shared, circle, b"baton pairwise 2" + b"".join(sorted(devices)), 32)


@dataclass(frozen=True)
class Proof:
    """Shows that a device holds its certificate key and its signing key."""
    certificate: bytes
    signing: bytes

    @staticmethod
    def _signed(circle: bytes, device: bytes) -> bytes:
        return b"baton keys 1" + circle + device

    @classmethod
    def made(cls, identity: Identity, device: bytes, circle: bytes) -> "Proof":
        """What an identity's keys can show of a device, be it its own or not."""
        signed = cls._signed(circle, device)
        r, s = decode_dss_signature(identity.certificate.sign(signed, ECDSA(SHA256())))
        return cls(r.to_bytes(32, "big") + s.to_bytes(32, "big"), identity.signing.sign(signed))

    @classmethod
    def read(cls, message: Message) -> "Proof":
        proof = cls(message.bytes(1), message.bytes(2))
        if [len(proof.certificate), len(proof.signing)] != [64, 64]:
            raise Refused("signatures of another length")
        return proof

    def encoded(self) -> bytes:
        return contents(1, self.certificate) + contents(2, self.signing)

    def holds(self, keys: Keys, circle: bytes) -> bool:
        signed = self._signed(circle, keys.id)
        r, s = (int.from_bytes(half, "big") for half in (self.certificate[:32], self.certificate[32:]))
        try:
            EllipticCurvePublicKey.from_encoded_point(SECP256R1(), keys.certificate).verify(
                encode_dss_signature(r, s), signed, ECDSA(SHA256()))
        except InvalidSignature:
            return False
        return keys.signed(self.signing, signed)


def add(keys: Keys, name: str, proof: Proof, revision: int = 0) -> bytes:
    """An Add, as the body of a statement has it."""
    return contents(2, contents(1, keys.encoded()) + contents(2, name) + number(3, revision) + contents(4, proof.encoded()))


def statement(signer: Identity, circle: bytes, says: bytes) -> bytes:
    body = contents(1, signer.keys.id) + says
    return contents(1, body) + contents(2, signer.signing.sign(b"baton statement 1" + circle + body))


class Circle:
    """A circle's state, as a member tells it inside TLS."""

    def __init__(self, encoded: bytes):
        message = Message(encoded)
        self.encoded = encoded
        self.id, self.secret = message.bytes(1), message.bytes(4)
        self._judge([(each.bytes(1), each.bytes(2)) for each in message.messages(2)])
        self._check_record(message.message(3))

    @classmethod
    def judged(cls, circle: bytes, statements) -> "Circle":
        """A circle without a secret: who belongs to it."""
        self = cls.__new__(cls)
        self.id = circle
        self._judge(statements)
        return self

    def _judge(self, statements):
        """Ever: what the founder reaches by Adds that are rightly signed; then what every removal allows."""
        ever: dict = {}
        adds, removals = set(), set()
        names: dict = {}
        progress = True
        while progress:
            progress = False
            for body, signature in statements:
                statement = Message(body)
                signer = statement.bytes(1)
                added, proof = None, None
                if statement.has(2):
                    added = Keys.read(statement.message(2).message(1))
                    proof = Proof.read(statement.message(2).message(4))
                founding = added is not None and added.id == signer and sha256(
                    b"baton circle 1", signer)[:16] == self.id
                keys = ever.get(signer) or (added if founding else None)
                if keys is None or not keys.signed(signature, b"baton statement 1", self.id, body):
                    continue
                if added is not None and not proof.holds(added, self.id):
                    continue
                if added is not None:
                    adds.add((signer, added.id))
                    if added.id not in ever:
                        ever[added.id], progress = added, True
                    own = signer == added.id
                    revision = statement.message(2).number(3)
                    rank = (not own, -revision if own else 0, body, signature)
                    if added.id not in names or rank < names[added.id][0]:
                        names[added.id] = (rank, checked(statement.message(2).text(2)))
                else:
                    stays = frozenset(statement.message(3).fields.get(2, []))
                    removals.add((signer, statement.message(3).bytes(1), stays, body))
        members = set(ever)
        for signer, gone, stays, _ in removals:
            allowed, frontier = set(stays - {gone}), list(stays - {gone})
            while frontier:
                at = frontier.pop()
                for adder, taken in adds:
                    if adder == at and at != gone and taken != gone and taken not in allowed:
                        allowed.add(taken)
                        frontier.append(taken)
            members &= allowed
        members -= {gone for _, gone, _, _ in removals}
        self.members = {device: ever[device] for device in members}
        self.names = {device: names[device][1] for device in members}
        hashes = {sha256(body) for _, _, _, body in removals}
        self.removals_digest = sha256(*sorted(hashes))

    def _check_record(self, record: Message):
        signer = self.members.get(record.bytes(4))
        parts = (b"baton secret 1", self.id, record.number(1).to_bytes(4, "big"), record.bytes(2), record.bytes(3),
                 record.bytes(4))
        if signer is None or not signer.signed(record.bytes(5), *parts) or not same(
                record.bytes(3), sha256(self.secret)) or record.bytes(2) != self.removals_digest:
            raise Refused("a secret that no member who knows the removals vouches for")

    def named(self, name: str) -> Keys:
        """The member of a name."""
        return next(keys for device, keys in self.members.items() if self.names[device] == name)


class Invitation:
    """The text of an invitation."""

    PREFIX = "baton-invitation-1:"

    def __init__(self, text: str, unix_time: int):
        line = text.strip()
        if not line.startswith(self.PREFIX):
            raise Refused("no invitation")
        message = Message(base64.b64decode(line[len(self.PREFIX):], validate=True))
        self.secret, self.pin, self.circle = message.bytes(2), message.bytes(3), message.bytes(4)
        self.inviter, self.expires = message.text(5), message.number(6)
        self.endpoints = [(each.text(1), each.text(2), each.number(3)) for each in message.messages(7)]
        if message.number(1) != 2 or [len(self.secret), len(self.pin), len(self.circle)] != [16, 32, 16]:
            raise Refused("an invitation of another form")
        if unix_time >= self.expires:
            raise Refused("an invitation that is over")

    @property
    def key(self) -> bytes:
        return hkdf(self.secret, b"", b"baton invitation 1", 32)

    def request(self, identity: Identity, name: str) -> bytes:
        proof = Proof.made(identity, identity.keys.id, self.circle)
        return contents(1, identity.keys.encoded()) + contents(2, name) + contents(4, proof.encoded())

