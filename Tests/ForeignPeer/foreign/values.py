# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Session.md, "userInfo": Python's values and their encoding.

A list is an array, a frozenset is a set, a uuid.UUID is a UUID. `Date` and `URL` are below.
"""

import uuid
from dataclasses import dataclass

from .primitives import Message, Refused, contents, double, explicit, filled, zigzag


@dataclass(frozen=True)
class Date:
    """A time in seconds since 2001-01-01T00:00:00Z. All bits of the number are kept."""
    seconds: float


@dataclass(frozen=True)
class URL:
    """A URL's own text, and the base that it is relative to, if any."""
    text: str
    base: str = ""

    def encoded(self) -> bytes:
        return contents(1, self.text) + filled(2, self.base)

    @classmethod
    def read(cls, message: Message) -> "URL":
        return cls(message.text(1), message.text(2))


def dictionary(pairs: dict) -> bytes:
    """Encodes pairs in the order of their own bytes."""
    encoded = [contents(1, value(key)) + contents(2, value(item)) for key, item in pairs.items()]
    return b"".join(contents(1, pair) for pair in sorted(encoded))


def value(item) -> bytes:
    """Encodes a value. It is a member of a oneof, so it is written even if it is zero."""
    if item is None:
        return contents(1, b"")
    if isinstance(item, bool):
        return explicit(2, item)
    if isinstance(item, int):
        return explicit(4, item) if item >= 2**63 else explicit(3, zigzag(item))
    if isinstance(item, float):
        return double(5, item)
    if isinstance(item, str):
        return contents(6, item)
    if isinstance(item, bytes):
        return contents(7, item)
    if isinstance(item, Date):
        return double(8, item.seconds)
    if isinstance(item, uuid.UUID):
        return contents(9, item.bytes)
    if isinstance(item, URL):
        return contents(10, item.encoded())
    if isinstance(item, list):
        return contents(11, b"".join(contents(1, value(each)) for each in item))
    if isinstance(item, frozenset):
        return contents(12, b"".join(contents(1, each) for each in sorted(map(value, item))))
    if isinstance(item, dict):
        return contents(13, dictionary(item))
    raise TypeError(type(item))


def read_dictionary(message: Message) -> dict:
    return {read_value(pair.message(1)): read_value(pair.message(2)) for pair in message.messages(1)}


def read_value(message: Message):
    readers = {
        1: lambda: None, 2: lambda: bool(message.number(2)), 3: lambda: message.signed(3), 4: lambda: message.number(4),
        5: lambda: message.double(5), 6: lambda: message.text(6), 7: lambda: message.bytes(7),
        8: lambda: Date(message.double(8)), 9: lambda: read_uuid(message.bytes(9)),
        10: lambda: URL.read(message.message(10)),
        11: lambda: [read_value(each) for each in message.message(11).messages(1)],
        12: lambda: frozenset(read_value(each) for each in message.message(12).messages(1)),
        13: lambda: read_dictionary(message.message(13)),
    }
    kinds = [kind for kind in message.fields if kind in readers]
    if len(kinds) != 1:
        raise Refused("a value without a kind")
    return readers[kinds[0]]()


def read_uuid(data: bytes) -> uuid.UUID:
    if len(data) != 16:
        raise Refused("a UUID of another length")
    return uuid.UUID(bytes=data)
