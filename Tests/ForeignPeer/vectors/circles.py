# SPDX-License-Identifier: Apache-2.0
"""circle.json, of Documentation/Protocol/Circle.md and of "Hails" in Beacon.md."""

from foreign.beacon import HAIL, NO_ACTIVITY, Beacon, seal, unseal
from foreign.identity import Identity, Keys, Proof
from foreign.invitation import Invitation
from foreign.names import is_name
from foreign.primitives import Message, sha256

from . import memberships, states
from .beacons import NEXT, NOON
from .devices import ALL, ANNA, BERTA, CIRCLE, EVE, SampleDevice
from .reading import refused, same
from .sample import sample

VALID = ["a", "Anna's laptop", "می\u200cخواهم", "ක්\u200dෂ", "👩\u200d💻", "❤\ufe0f\u200d🔥", "n" * 63, "\u0378"]
INVALID = [
    "", " ", "\u3164", "n" * 64, "a\n", "a\u200b", "a\u202eb", "\u200da", "a\u200d", "a\u200d\u200db", "a\u200c b",
    "\u3164\u200da", "\ufe0f\u200d\ufe0f", "a\u2060b", "🏴\U000e0067\U000e007f",
]


def names() -> list:
    for name in VALID + INVALID:
        same(f"the name {name!r}", is_name(name), name in VALID)
    return [{"name": name, "isValid": name in VALID} for name in VALID + INVALID]


def invitation() -> dict:
    """Returns anna's invitation, and eve's request to join."""
    made = Invitation(
        sample("invitation's secret", 16), sha256(ANNA.keys.certificate), CIRCLE, "anna", NEXT,
        [("l2cap", "C0:FF:EE:00:00:01/public", 0xC1), ("tcp", "192.0.2.1", 40_000), ("tcp", "2001:db8::1", 40_000)])
    same("the invitation", Invitation.read(made.text(), made.expires - 1), made)
    refused("the invitation after its time", Invitation.read, made.text(), made.expires)
    join(made, Identity(), "a device that signs at random")
    return {
        "text": made.text(), "secret": made.secret.hex(), "certificatePin": made.pin.hex(), "circle": made.circle.hex(),
        "inviterName": made.inviter, "expires": made.expires,
        "endpoints": [{"transport": kind, "address": where, "port": port} for kind, where, port in made.endpoints],
        "key": made.key.hex(),
        "join": {"device": "eve", "name": "Évè", "request": join(made, EVE.identity, "Évè").hex()},
    }


def join(answered: Invitation, identity: Identity, name: str) -> bytes:
    request = answered.request(identity, name)
    message = Message(request)
    same("the request to join", (Keys.read(message.message(1)), message.text(2)), (identity.keys, name))
    proof = Proof.read(message.message(4))
    same("the proof of the request", proof.holds(identity.keys, answered.circle), True)
    same("the proof in another circle", proof.holds(identity.keys, bytes(16)), False)
    naming = message.message(5)
    same("the naming of the request", identity.keys.signed(
        naming.bytes(2), b"baton statement 1", answered.circle, naming.bytes(1)), True)
    return request


def hail(name: str, sender: SampleDevice, receiver: SampleDevice, unix_time: int, psm: int) -> dict:
    key = sender.identity.pairwise(receiver.keys, CIRCLE)
    same(f"{name}, the receiver's key", receiver.identity.pairwise(sender.keys, CIRCLE), key)
    beacon = Beacon(sender.keys.number, NO_ACTIVITY, 0, 0, psm)
    payload = seal(beacon, key, unix_time, HAIL)
    same(name, unseal(payload, key, unix_time + 600, HAIL), beacon)
    same(f"{name}, opened as a beacon", unseal(payload, key, unix_time), None)
    return {
        "name": name, "from": sender.name, "to": receiver.name, "key": key.hex(), "unixTime": unix_time, "psm": psm,
        "plaintext": beacon.plaintext().hex(), "sealed": payload.hex(),
    }


def vectors() -> dict:
    return {
        "devices": [device.vector() for device in ALL],
        "founder": "anna", "circle": CIRCLE.hex(),
        "names": names(), "memberships": memberships.vectors(), "states": states.vectors(), "invitation": invitation(),
        "hails": [
            hail("anna hails berta", ANNA, BERTA, NOON, 0xC1),
            hail("the other way the key is the same", BERTA, ANNA, NOON, 0x80),
            hail("in the next epoch", ANNA, BERTA, NEXT, 0xC1),
        ],
    }
