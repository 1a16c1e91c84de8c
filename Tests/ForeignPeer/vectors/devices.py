# SPDX-License-Identifier: Apache-2.0
"""The devices of the vectors, and the circle that anna founds."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from foreign.circle import circle_id
from foreign.identity import Identity, Keys, Proof

from .deterministic import DeterministicKey
from .sample import sample

KINDS = ("certificate", "signing", "agreement")


class SampleDevice:
    """A device whose keys are derived from its name. Some keys may be derived from another device's name, which makes them copies."""

    def __init__(self, name: str, **copied: str):
        self.name = name
        self.secrets = {kind: sample(f"{kind} key of {copied.get(kind, name)}", 32) for kind in KINDS}
        # With a first byte of zero, the number is certainly less than the order of the curve.
        self.secrets["certificate"] = b"\0" + self.secrets["certificate"][1:]
        self.identity = Identity(
            DeterministicKey(self.secrets["certificate"]),
            Ed25519PrivateKey.from_private_bytes(self.secrets["signing"]),
            X25519PrivateKey.from_private_bytes(self.secrets["agreement"]))

    @property
    def keys(self) -> Keys:
        return self.identity.keys

    @property
    def id(self) -> bytes:
        return self.keys.id

    def proof(self, of=None, circle=None) -> Proof:
        """Returns a proof signed with this device's keys, by default of the device itself and for anna's circle."""
        return Proof.made(self.identity, (of or self).id, circle or CIRCLE)

    def vector(self) -> dict:
        return {
            "name": self.name, **{f"{kind}Private": self.secrets[kind].hex() for kind in KINDS},
            **{f"{kind}Key": getattr(self.keys, kind).hex() for kind in KINDS},
            "id": self.id.hex(), "number": self.keys.number,
        }


ANNA, BERTA, CARLA, DORA, EVE = ALL = [SampleDevice(name) for name in ("anna", "berta", "carla", "dora", "eve")]
CIRCLE = circle_id(ANNA.id)
