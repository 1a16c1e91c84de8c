# SPDX-License-Identifier: Apache-2.0
"""The memberships of circle.json: the members that follow from statements in any order."""

from foreign.circle import Circle, circle_id
from foreign.identity import Proof

from .devices import ANNA, BERTA, CARLA, CIRCLE, DORA, EVE, SampleDevice
from .reading import same
from .statements import FOUNDS, REMOVES_CARLA, THREE, add, parts, removals_digest, remove

ALL_THREE = [ANNA, BERTA, CARLA]
ELSEWHERE = DORA.proof(circle=circle_id(DORA.id))  # for another circle


def membership(name: str, statements: list, members: list, names: dict = None) -> dict:
    """Returns the members of the circle by these statements. Members have their own names, unless `names` has
    others."""
    pairs = [parts(each) for each in statements]
    named = {device.id: (names or {}).get(device.name, device.name) for device in members}
    digest = removals_digest(statements)
    for order in (pairs, pairs[::-1]):
        judged = Circle.judged(CIRCLE, order)
        same(name, judged.names, named)
        same(f"{name}, the removals", judged.removals_digest, digest)
    return {
        "name": name, "statements": [{"body": body.hex(), "signature": mark.hex()} for body, mark in pairs],
        "members": [{"id": device.hex(), "name": named[device]} for device in sorted(named)],
        "removalsDigest": digest.hex(),
    }


def additions() -> list:
    return [
        membership("the founder alone", [FOUNDS], [ANNA]),
        membership("taken in by who was taken in", THREE, ALL_THREE),
    ]


def removals() -> list:
    removed = [*THREE, REMOVES_CARLA]
    return [
        membership("removed", removed, [ANNA, BERTA]),
        membership("what the removed one adds, before or after, is not reached", [*removed, add(CARLA, DORA)],
                   [ANNA, BERTA]),
        membership("a removed one is not taken in again", [*removed, add(BERTA, CARLA, "again")], [ANNA, BERTA]),
        membership("who is removed can still evict, and admit nobody",
                   [*removed, remove(CARLA, BERTA, ANNA, CARLA, EVE), add(CARLA, EVE)], [ANNA]),
        membership("two who remove each other are both out",
                   [*THREE, remove(BERTA, CARLA, ANNA, BERTA), remove(CARLA, BERTA, ANNA, CARLA)], [ANNA]),
        membership("an Add at the same time as a removal holds", [*THREE, add(BERTA, DORA), REMOVES_CARLA],
                   [ANNA, BERTA, DORA]),
        membership("who removes itself has left", [*THREE, remove(BERTA, BERTA, ANNA, CARLA)], [ANNA, CARLA]),
        membership("who was taken in only by the one who is gone, and is kept by nobody, is out",
                   [*THREE, remove(ANNA, BERTA, ANNA)], [ANNA]),
        membership("who is kept stays, whoever took it in", [*THREE, remove(ANNA, BERTA, ANNA, CARLA)], [ANNA, CARLA]),
    ]


def renamings() -> list:
    return [
        membership("a device's last name for itself counts",
                   [*THREE, add(BERTA, BERTA, "second", 2), add(BERTA, BERTA, "first", 1), add(ANNA, BERTA, "other")],
                   ALL_THREE, {"berta": "second"}),
    ]


def copied_keys() -> list:
    """Returns statements in which Carla adds devices with keys of anna's, which she cannot prove.

    A copied agreement key needs no proof. No device can act as the device with the copied key, so the copy does no harm.
    """
    own, agreement = SampleDevice("forged"), SampleDevice("agreement", agreement="anna")
    found = []
    for copied in ({"certificate": "anna"}, {"signing": "anna"}, {"certificate": "anna", "agreement": "anna"}):
        forged = SampleDevice("forged", **copied)
        for whose, shown in (("the forger's own keys'", own.proof(of=forged)), ("the other device's", ANNA.proof())):
            found.append(membership(f"{' and '.join(copied)} key of another, with {whose} proof",
                                    [*THREE, add(CARLA, forged, shown=shown)], ALL_THREE))
    return [*found, membership("agreement key of another", [*THREE, add(CARLA, agreement)], [*ALL_THREE, agreement])]


def wrong_proofs() -> list:
    right, wrong = DORA.proof(), DORA.proof(of=SampleDevice("forged"))
    return [
        membership("a proof for another circle", [*THREE, add(ANNA, DORA, shown=ELSEWHERE)], ALL_THREE),
        membership("proved by the certificate key alone",
                   [*THREE, add(ANNA, DORA, shown=Proof(right.certificate, wrong.signing))], ALL_THREE),
        membership("proved by the signing key alone",
                   [*THREE, add(ANNA, DORA, shown=Proof(wrong.certificate, right.signing))], ALL_THREE),
        membership("what a device without a proof signs does not count",
                   [*THREE, add(ANNA, DORA, shown=ELSEWHERE), add(DORA, EVE)], ALL_THREE),
        membership("one Add with a proof is enough", [*THREE, add(ANNA, DORA, shown=ELSEWHERE), add(CARLA, DORA)],
                   [*ALL_THREE, DORA]),
        membership("not even the founder is without one", [add(ANNA, ANNA, "again", 1, shown=ELSEWHERE), *THREE],
                   ALL_THREE),
    ]


def vectors() -> list:
    return [*additions(), *removals(), *renamings(), *copied_keys(), *wrong_proofs()]
