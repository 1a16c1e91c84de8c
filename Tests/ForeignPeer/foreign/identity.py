# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Circle.md: a device's keys, and the proof that the device holds them."""

from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicKey, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .primitives import Message, Refused, contents, hkdf, sha256


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


def raw_public(private) -> bytes:
    """Returns the public half of an Ed25519 or X25519 key."""
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


class Identity:
    """A device's private keys."""

    def __init__(self, certificate=None, signing=None, agreement=None):
        self.certificate = certificate or generate_private_key(SECP256R1())
        self.signing = signing or Ed25519PrivateKey.generate()
        self.agreement = agreement or X25519PrivateKey.generate()
        self.keys = Keys(
            self.certificate.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint),
            raw_public(self.signing), raw_public(self.agreement))

    def pairwise(self, peer: Keys, circle: bytes) -> bytes:
        return pairwise(self.agreement, peer.agreement, (self.keys.id, peer.id), circle)


def pairwise(private: X25519PrivateKey, peer: bytes, devices, circle: bytes) -> bytes:
    """Returns K(a, b) of Channel.md for two device ids. X25519 with a key of small order raises an error
    here."""
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
        """Signs for a device id with an identity's keys, even if the id belongs to another identity."""
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
