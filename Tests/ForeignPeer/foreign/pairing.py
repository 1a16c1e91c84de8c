# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Pairing.md: the advert, six digits, and the sealed introductions that follow."""

from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from .identity import Keys, raw_public
from .primitives import Message, Refused, contents, filled, hkdf, sha256

MAGIC = b"baton pair 2"


@dataclass(frozen=True)
class Share:
    random: bytes
    private: X25519PrivateKey

    @property
    def encoded(self) -> bytes:
        return self.random + raw_public(self.private)

    def agreement(self, peer: bytes) -> bytes:
        """Returns the X25519 agreement with the other side's encoded share."""
        return self.private.exchange(X25519PublicKey.from_public_bytes(peer[32:]))


def advert(nonce: bytes, psm: int) -> bytes:
    """Returns the payload that a device advertises while it looks for the other one."""
    return b"\x02" + nonce + bytes([psm])


def reply(share: bytes) -> bytes:
    return MAGIC + share


def commitment(share: bytes) -> bytes:
    return MAGIC + sha256(b"baton commit", share)


@dataclass(frozen=True)
class Secrets:
    """The shared values of both sides after the exchange of shares."""
    transcript: bytes
    digits: str
    initiator: bytes
    responder: bytes
    knock: bytes


def secrets(own: Share, m1: bytes, m2: bytes, m3: bytes, transport: str) -> Secrets:
    if m1 != commitment(m3):
        raise Refused("a share that was not committed to")
    if not m2.startswith(MAGIC):
        raise Refused("a reply of something else")
    theirs = m2[len(MAGIC):]
    if theirs[:32] == m3[:32] or theirs[32:] == m3[32:]:
        raise Refused("one's own share")
    peer = theirs if own.encoded == m3 else m3
    transcript = sha256(m1, m2, m3, transport.encode())
    keys = hkdf(own.agreement(peer), transcript, MAGIC, 104)
    digits = int.from_bytes(keys[:8], "big") % 1_000_000
    return Secrets(transcript, f"{digits:06}", keys[8:40], keys[40:72], keys[72:])


def seal(key: bytes, transcript: bytes, plaintext: bytes) -> bytes:
    box = ChaCha20Poly1305(key).encrypt(bytes(12), plaintext, transcript)
    return len(box).to_bytes(2, "big") + box


def unseal(answer: bytes, key: bytes, transcript: bytes) -> bytes:
    length = int.from_bytes(answer[:2], "big")
    if not 16 <= length <= 1_024 or len(answer) != 2 + length:
        raise Refused("an answer of another length")
    try:
        return ChaCha20Poly1305(key).decrypt(bytes(12), answer[2:], transcript)
    except InvalidTag as error:
        raise Refused("an answer that somebody else sealed") from error


def _signed(role: int, transcript: bytes, keys: Keys, name: str, circle: bytes) -> bytes:
    return b"baton introduction 1" + bytes([role]) + transcript + keys.id + (circle or bytes(16)) + name.encode()


def introduce(identity, name: str, circle: bytes, role: int, transcript: bytes) -> bytes:
    signature = identity.signing.sign(_signed(role, transcript, identity.keys, name, circle))
    inner = identity.keys.encoded() + contents(4, name) + filled(5, circle) + contents(6, signature)
    return contents(1, inner)


def introduced(plaintext: bytes, role: int, transcript: bytes):
    """Returns the keys, the name and the circle, or None if the user has refused."""
    answer = Message(plaintext)
    if not answer.has(1):
        return None
    message = answer.message(1)
    keys, name, circle = Keys.read(message), message.text(4), message.bytes(5)
    if len(circle) not in (0, 16) or not keys.signed(message.bytes(6), _signed(role, transcript, keys, name, circle)):
        raise Refused("an introduction that its device has not signed for this pairing")
    return keys, name, circle
