# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Circle.md, "Invitation": the line of text with which a device joins."""

import base64
from dataclasses import dataclass

from .circle import add, statement
from .endpoints import encoded_endpoints, read_endpoints
from .identity import Identity, Proof
from .primitives import Message, Refused, contents, hkdf, number

PREFIX = "baton-invitation-1:"
VERSION = 2


def invitation_key(secret: bytes) -> bytes:
    """Returns K(invitation) of Channel.md."""
    return hkdf(secret, b"", b"baton invitation 1", 32)


@dataclass(frozen=True)
class Invitation:
    """An invitation. `pin` is the digest of the inviter's certificate key. `expires` is in Unix seconds."""
    secret: bytes
    pin: bytes
    circle: bytes
    inviter: str
    expires: int
    endpoints: list  # (transport, address, port)

    @classmethod
    def read(cls, text: str, unix_time: int) -> "Invitation":
        line = text.strip()
        if not line.startswith(PREFIX):
            raise Refused("no invitation")
        message = Message(base64.b64decode(line[len(PREFIX):], validate=True))
        invitation = cls(message.bytes(2), message.bytes(3), message.bytes(4), message.text(5), message.number(6),
                         read_endpoints(message, 7))
        lengths = [len(invitation.secret), len(invitation.pin), len(invitation.circle)]
        if message.number(1) != VERSION or lengths != [16, 32, 16]:
            raise Refused("an invitation of another form")
        if unix_time >= invitation.expires:
            raise Refused("an invitation that has expired")
        return invitation

    def text(self) -> str:
        encoded = number(1, VERSION) + contents(2, self.secret) + contents(3, self.pin) + contents(4, self.circle) \
            + contents(5, self.inviter) + number(6, self.expires) + encoded_endpoints(7, self.endpoints)
        return PREFIX + base64.b64encode(encoded).decode() + "\n"

    @property
    def key(self) -> bytes:
        """Returns the key with which the joiner knocks."""
        return invitation_key(self.secret)

    def request(self, identity: Identity, name: str) -> bytes:
        """Returns a JoinRequest."""
        proof = Proof.made(identity, identity.keys.id, self.circle)
        naming = statement(identity, self.circle, add(identity.keys, name, proof))
        return contents(1, identity.keys.encoded()) + contents(2, name) + contents(4, proof.encoded()) + contents(5, naming)
