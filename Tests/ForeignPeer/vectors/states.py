# SPDX-License-Identifier: Apache-2.0
"""The states of circle.json: secrets that a member may adopt, and secrets that it may not."""

from dataclasses import replace

from foreign import circle
from foreign.circle import Circle, SecretRecord

from .devices import ANNA, BERTA, CARLA, CIRCLE, EVE, SampleDevice
from .reading import refused, same
from .sample import sample
from .statements import FOUNDS, REMOVES_CARLA, TAKES_BERTA, THREE, removals_digest, wrongly_signed


def state(name: str, statements: list, signer: SampleDevice, count: int, removals: list, is_usable: bool = True,
          told: bytes = None) -> dict:
    """Returns a CircleState. `told` is the secret that is sent, if it is not the one that the signer vouches
    for."""
    secret = sample(f"secret of {name}", 32)
    record = SecretRecord.made(signer.identity, CIRCLE, count, secret, removals_digest(removals))
    encoded = circle.state(CIRCLE, statements, record, told or secret)
    if is_usable:
        same(name, Circle(encoded).secret, secret)
        forged = replace(record, signature=sample("no signature", 64))
        refused(f"{name}, with a forged record", Circle, circle.state(CIRCLE, statements, forged, secret))
    else:
        refused(name, Circle, encoded)
    return {
        "name": name, "isUsable": is_usable,
        "record": {
            "number": record.number, "removalsDigest": record.removals_digest.hex(),
            "secretDigest": record.secret_digest.hex(), "signer": record.signer.hex(),
            "signature": record.signature.hex(),
        },
        "secret": (told or secret).hex(), "state": encoded.hex(),
    }


def vectors() -> list:
    removed = [*THREE, REMOVES_CARLA]
    return [
        state("the first secret", [FOUNDS], ANNA, 1, []),
        state("after a removal", removed, BERTA, 2, [REMOVES_CARLA]),
        state("the largest number", THREE, CARLA, 2**32 - 1, []),
        state("signed by the removed one", removed, CARLA, 3, [REMOVES_CARLA], False),
        state("signed without knowing of the removal", removed, BERTA, 3, [], False),
        state("another secret than is signed", THREE, BERTA, 3, [], False, told=sample("another secret", 32)),
        state("signed by nobody of the circle", THREE, EVE, 3, [], False),
        state("without the founder", [TAKES_BERTA], ANNA, 1, [], False),
        state("a statement with a wrong signature is left out, and with it who signed the record",
              [FOUNDS, wrongly_signed(TAKES_BERTA)], BERTA, 1, [], False),
    ]
