# SPDX-License-Identifier: Apache-2.0
"""Keys and nonces of the vectors. They are derived from labels, so every run has the same keys and nonces, and nobody
chose them."""

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from foreign.primitives import hkdf


def sample(label: str, length: int) -> bytes:
    return hkdf(label.encode(), b"", b"baton vectors", length)


def agreement_key(label: str) -> X25519PrivateKey:
    return X25519PrivateKey.from_private_bytes(sample(label, 32))
