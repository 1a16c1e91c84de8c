# SPDX-License-Identifier: Apache-2.0
"""Valid and invalid statements about anna's circle."""

from foreign import circle
from foreign.identity import Proof
from foreign.primitives import Message

from .devices import ANNA, BERTA, CARLA, CIRCLE, SampleDevice


def add(signer: SampleDevice, device: SampleDevice, name: str = "", revision: int = 0, shown: Proof = None) -> bytes:
    """Returns an Add. `shown` is the proof, if it is not the device's own."""
    says = circle.add(device.keys, name or device.name, shown or device.proof(), revision)
    return circle.statement(signer.identity, CIRCLE, says)


def remove(signer: SampleDevice, gone: SampleDevice, *stays: SampleDevice) -> bytes:
    return circle.statement(signer.identity, CIRCLE, circle.remove(gone.id, [device.id for device in stays]))


def wrongly_signed(statement: bytes) -> bytes:
    """Returns the statement with one wrong bit in its signature, which comes last."""
    return statement[:-1] + bytes([statement[-1] ^ 1])


def parts(statement: bytes) -> tuple:
    """Returns a statement's body and signature."""
    message = Message(statement)
    return message.bytes(1), message.bytes(2)


def removals_digest(statements) -> bytes:
    """Returns the digest of the removals among statements."""
    bodies = (parts(each)[0] for each in statements)
    return circle.removals_digest(body for body in bodies if Message(body).has(3))


FOUNDS = add(ANNA, ANNA)
TAKES_BERTA, TAKES_CARLA = add(ANNA, BERTA), add(BERTA, CARLA)
THREE = [FOUNDS, TAKES_BERTA, TAKES_CARLA]
REMOVES_CARLA = remove(ANNA, CARLA, ANNA, BERTA)
