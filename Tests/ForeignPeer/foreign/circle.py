# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Circle.md: statements, the members that follow from them, and the circle's secret."""

from dataclasses import dataclass

from .identity import Identity, Keys, Proof
from .names import checked
from .primitives import Message, Refused, contents, number, same, sha256


def circle_id(founder: bytes) -> bytes:
    """Returns the id of the circle that a device founds."""
    return sha256(b"baton circle 1", founder)[:16]


def add(keys: Keys, name: str, proof: Proof, revision: int = 0) -> bytes:
    """Returns an Add, as in the body of a statement."""
    return contents(2, contents(1, keys.encoded()) + contents(2, name) + number(3, revision)
                    + contents(4, proof.encoded()))


def remove(gone: bytes, stays) -> bytes:
    """Returns a Remove, as in the body of a statement, with the ids of the removed device and of those that stay."""
    return contents(3, contents(1, gone) + b"".join(contents(2, each) for each in sorted(stays)))


def statement(signer: Identity, circle: bytes, says: bytes) -> bytes:
    """Returns a signed statement that contains an Add or a Remove."""
    body = contents(1, signer.keys.id) + says
    return contents(1, body) + contents(2, signer.signing.sign(b"baton statement 1" + circle + body))


def removals_digest(bodies) -> bytes:
    """Returns the digest of the bodies of Removes, in any order."""
    return sha256(*sorted({sha256(body) for body in bodies}))


@dataclass(frozen=True)
class SecretRecord:
    """A member's signed statement that a secret belongs to the circle. It names the removals that the member knew."""
    number: int
    removals_digest: bytes
    secret_digest: bytes
    signer: bytes
    signature: bytes

    @classmethod
    def made(cls, signer: Identity, circle: bytes, count: int, secret: bytes, removals: bytes) -> "SecretRecord":
        """Signs a secret. Takes the record's number and the digest of the removals."""
        unsigned = cls(count, removals, sha256(secret), signer.keys.id, b"")
        return cls(count, removals, sha256(secret), signer.keys.id, signer.signing.sign(unsigned._signed(circle)))

    @classmethod
    def read(cls, message: Message) -> "SecretRecord":
        return cls(message.number(1), message.bytes(2), message.bytes(3), message.bytes(4), message.bytes(5))

    def encoded(self) -> bytes:
        return number(1, self.number) + contents(2, self.removals_digest) + contents(3, self.secret_digest) \
            + contents(4, self.signer) + contents(5, self.signature)

    def holds(self, keys: Keys, circle: bytes) -> bool:
        """Returns whether these keys signed the record."""
        return keys.signed(self.signature, self._signed(circle))

    def _signed(self, circle: bytes) -> bytes:
        return b"baton secret 1" + circle + self.number.to_bytes(4, "big") + self.removals_digest \
            + self.secret_digest + self.signer


def state(circle: bytes, statements, record: SecretRecord, secret: bytes) -> bytes:
    """Returns a CircleState, which members exchange inside TLS."""
    return contents(1, circle) + b"".join(contents(2, each) for each in statements) \
        + contents(3, record.encoded()) + contents(4, secret)


class Circle:
    """A circle, read from the CircleState that a member sent."""

    def __init__(self, encoded: bytes):
        message = Message(encoded)
        self.encoded = encoded
        self.id, self.secret = message.bytes(1), message.bytes(4)
        self._judge([(each.bytes(1), each.bytes(2)) for each in message.messages(2)])
        self._check_record(SecretRecord.read(message.message(3)))

    @classmethod
    def judged(cls, circle: bytes, statements) -> "Circle":
        """Returns a circle without a secret: its members follow from these statements, which are pairs of body and
        signature."""
        self = cls.__new__(cls)
        self.id = circle
        self._judge(statements)
        return self

    def _judge(self, statements):
        """Finds Ever, the devices that the founder reaches by valid Adds, and the members that the removals leave."""
        ever: dict = {}
        adds, removals = set(), set()
        names: dict = {}
        progress = True
        while progress:
            progress = False
            for body, signature in statements:
                statement = Message(body)
                signer = statement.bytes(1)
                added, proof = None, None
                if statement.has(2):
                    added = Keys.read(statement.message(2).message(1))
                    proof = Proof.read(statement.message(2).message(4))
                founding = added is not None and added.id == signer and circle_id(signer) == self.id
                keys = ever.get(signer) or (added if founding else None)
                if keys is None or not keys.signed(signature, b"baton statement 1", self.id, body):
                    continue
                if added is not None and not proof.holds(added, self.id):
                    continue
                if added is not None:
                    adds.add((signer, added.id))
                    if added.id not in ever:
                        ever[added.id], progress = added, True
                    own = signer == added.id
                    revision = statement.message(2).number(3)
                    rank = (not own, -revision if own else 0, body, signature)
                    if added.id not in names or rank < names[added.id][0]:
                        names[added.id] = (rank, checked(statement.message(2).text(2)))
                else:
                    stays = frozenset(statement.message(3).fields.get(2, []))
                    removals.add((signer, statement.message(3).bytes(1), stays, body))
        members = set(ever)
        for signer, gone, stays, _ in removals:
            allowed, frontier = set(stays - {gone}), list(stays - {gone})
            while frontier:
                at = frontier.pop()
                for adder, taken in adds:
                    if adder == at and at != gone and taken != gone and taken not in allowed:
                        allowed.add(taken)
                        frontier.append(taken)
            members &= allowed
        members -= {gone for _, gone, _, _ in removals}
        steps, frontier, count = {}, {device for device in ever if circle_id(device) == self.id}, 0
        while frontier:
            steps.update(dict.fromkeys(frontier, count))
            frontier = {taken for adder, taken in adds if adder in frontier} - set(steps)
            count += 1
        first = {}  # by number
        for device in sorted(members, key=lambda device: (steps[device], device)):
            first.setdefault(device[:4], device)
        members = set(first.values())
        self.members = {device: ever[device] for device in members}
        self.names = {device: names[device][1] for device in members}
        self.removals_digest = removals_digest(body for _, _, _, body in removals)

    def _check_record(self, record: SecretRecord):
        signer = self.members.get(record.signer)
        if signer is None or not record.holds(signer, self.id) or not same(
                record.secret_digest, sha256(self.secret)) or record.removals_digest != self.removals_digest:
            raise Refused("a secret that no member who knows the removals vouches for")

    def named(self, name: str) -> Keys:
        """Returns the member with a name."""
        return next(keys for device, keys in self.members.items() if self.names[device] == name)
