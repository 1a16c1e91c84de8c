# SPDX-License-Identifier: Apache-2.0
"""pairing.json, of Documentation/Protocol/Pairing.md."""

from foreign import pairing
from foreign.pairing import Secrets, Share

from .devices import ANNA, BERTA, CIRCLE, SampleDevice
from .reading import refused, same
from .sample import agreement_key, sample


def answers(name: str, side: str, role: int, device: SampleDevice, circle: bytes, known: Secrets) -> tuple:
    """Returns the introduction of one side, its answer with that introduction, and its answer that says no."""
    key, other = (known.initiator, known.responder) if side == "I" else (known.responder, known.initiator)
    plaintext = pairing.introduce(device.identity, device.name, circle, role, known.transcript)
    yes, no = (pairing.seal(key, known.transcript, text) for text in (plaintext, b""))
    opened = pairing.unseal(yes, key, known.transcript)
    same(f"{name}, {side}", pairing.introduced(opened, role, known.transcript), (device.keys, device.name, circle))
    declined = pairing.unseal(no, key, known.transcript)
    same(f"{name}, no of {side}", pairing.introduced(declined, role, known.transcript), None)
    refused(f"{name}, {side} in the other role", pairing.introduced, opened, 1 - role, known.transcript)
    refused(f"{name}, {side} in another pairing", pairing.introduced, opened, role, bytes(32))
    refused(f"{name}, {side} under the other key", pairing.unseal, yes, other, known.transcript)
    return plaintext, yes, no


def paired(name: str, transport: str, circle: bytes) -> dict:
    """Returns a pairing in which anna dials berta. `circle` is the circle of anna, or empty. berta has no circle."""
    labels = {side: f"ephemeral of {side}, {name}" for side in "IR"}
    own, peer = (Share(sample(f"random of {side}, {name}", 32), agreement_key(labels[side])) for side in "IR")
    m1, m2, m3 = pairing.commitment(own.encoded), pairing.reply(peer.encoded), own.encoded
    known = pairing.secrets(own, m1, m2, m3, transport)
    same(f"{name}, the responder's secrets", pairing.secrets(peer, m1, m2, m3, transport), known)
    refused(f"{name}, another commitment", pairing.secrets, peer, m1[:-1] + bytes([m1[-1] ^ 1]), m2, m3, transport)
    plaintext_i, yes_i, no_i = answers(name, "I", 0, ANNA, circle, known)
    plaintext_r, yes_r, no_r = answers(name, "R", 1, BERTA, b"", known)
    return {
        "name": name, "transport": transport, "initiator": "anna", "responder": "berta", "circle": circle.hex(),
        "randomI": own.random.hex(), "randomR": peer.random.hex(),
        **{f"ephemeral{side}": sample(labels[side], 32).hex() for side in "IR"},
        "m1": m1.hex(), "m2": m2.hex(), "m3": m3.hex(), "agreement": own.agreement(peer.encoded).hex(),
        "transcript": known.transcript.hex(), "digits": known.digits,
        "KI": known.initiator.hex(), "KR": known.responder.hex(), "knockKey": known.knock.hex(),
        "plaintextI": plaintext_i.hex(), "plaintextR": plaintext_r.hex(),
        "answerI": yes_i.hex(), "answerR": yes_r.hex(), "noI": no_i.hex(), "noR": no_r.hex(),
    }


def vectors() -> dict:
    nonce = sample("pairing nonce", 8)
    return {
        "devices": [ANNA.vector(), BERTA.vector()],
        "advert": {"nonce": nonce.hex(), "psm": 0xC1, "payload": pairing.advert(nonce, 0xC1).hex()},
        "pairings": [paired("over L2CAP", "l2cap", CIRCLE), paired("over TCP, no circle", "tcp", b"")],
    }
