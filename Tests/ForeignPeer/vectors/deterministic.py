# SPDX-License-Identifier: Apache-2.0
"""ECDSA by RFC 6979. The library's signatures differ each time, but vectors must stay the same."""

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from foreign.primitives import mac, sha256

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256


class DeterministicKey:
    """A P-256 key that always signs a message in the same way. `foreign.identity.Identity` uses it like any other
    key."""

    def __init__(self, private: bytes):
        self.number = int.from_bytes(private, "big")

    def public_key(self):
        return derive_private_key(self.number, SECP256R1()).public_key()

    def sign(self, message: bytes, _algorithm=None) -> bytes:
        """Returns an ECDSA signature with SHA-256, in DER."""
        return encode_dss_signature(*self.signature(message))

    def signature(self, message: bytes) -> tuple:
        """Returns the two numbers of the signature, r and s."""
        digest = int.from_bytes(sha256(message), "big")
        nonce = self._nonce(digest)
        r = derive_private_key(nonce, SECP256R1()).public_key().public_numbers().x % ORDER
        return r, pow(nonce, -1, ORDER) * (digest + r * self.number) % ORDER

    def _nonce(self, digest: int) -> int:
        """Returns the nonce for a message, as section 3.2 of the RFC derives it."""
        key, value = bytes(32), b"\1" * 32
        seed = self.number.to_bytes(32, "big") + (digest % ORDER).to_bytes(32, "big")
        for step in (b"\0", b"\1"):
            key = mac(key, value, step, seed)
            value = mac(key, value)
        nonce = int.from_bytes(mac(key, value), "big")
        if not 0 < nonce < ORDER:
            raise ValueError("the RFC takes another nonce here, which practically never happens")
        return nonce
