# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Session.md, "Messages" and "Which properties are sent"."""

from dataclasses import dataclass, field

from .endpoints import encoded_endpoints, read_endpoints
from .primitives import Message, Refused, contents, double, explicit, filled, number, signed, zigzag
from .values import URL, Date, dictionary, read_dictionary


@dataclass
class Hello:
    name: str
    unix_time: int
    sequence: int = 0
    activity: bytes = b""
    types: list = field(default_factory=list)  # (hash, team, type)
    endpoints: list = field(default_factory=list)  # (transport, address, port)
    circle: bytes = b""
    keeps_link: bool = False

    def encoded(self) -> bytes:
        types = b"".join(contents(6, contents(1, each) + contents(2, team) + contents(3, kind))
                         for each, team, kind in self.types)
        return number(1, 1) + contents(2, self.name) + signed(3, self.unix_time) + number(4, self.sequence) \
            + filled(5, self.activity) + types + encoded_endpoints(7, self.endpoints) + filled(8, self.circle) \
            + number(9, int(self.keeps_link))

    @classmethod
    def read(cls, data: bytes) -> "Hello":
        message = Message(data)
        if message.number(1) < 1 or not 1 <= len(message.bytes(2)) <= 63:
            raise Refused("a hello without version or name")
        return cls(
            message.text(2), message.signed(3), message.number(4), message.bytes(5),
            [(each.bytes(1), each.text(2), each.text(3)) for each in message.messages(6)],
            read_endpoints(message, 7), message.bytes(8), bool(message.number(9)))


@dataclass
class Offer:
    """The offer of a device over a link that both sides keep. It may say that there is no activity."""
    sequence: int
    activity: bytes = b""
    flags: int = 0
    title: str = ""

    def encoded(self) -> bytes:
        return number(1, self.sequence) + filled(2, self.activity) + number(3, self.flags) + filled(4, self.title)

    @classmethod
    def read(cls, data: bytes) -> "Offer":
        message = Message(data)
        return cls(message.number(1), message.bytes(2), message.number(3), message.text(4))


@dataclass
class Activity:
    """The properties of an activity that are sent. `user_info` has values of
    values.py."""
    kind: str
    title: str = ""
    user_info: dict = field(default_factory=dict)
    webpage: str = ""
    streams: bool = False
    referrer: str = ""
    expires: Date = None
    required_keys: list = field(default_factory=list)
    target: str = ""
    persistent: str = ""

    def encoded(self) -> bytes:
        pages = [(4, self.webpage), (5, self.referrer)]
        return contents(1, self.kind) + filled(2, self.title) + contents(3, dictionary(self.user_info)) \
            + b"".join(contents(number, URL(page).encoded()) for number, page in pages if page) \
            + (double(6, self.expires.seconds) if self.expires else b"") \
            + b"".join(contents(7, key) for key in sorted(self.required_keys)) \
            + filled(8, self.target) + filled(9, self.persistent) + number(10, int(self.streams))

    @classmethod
    def read(cls, message: Message) -> "Activity":
        return cls(
            message.text(1), message.text(2), read_dictionary(message.message(3)), message.message(4).text(1),
            bool(message.number(10)), message.message(5).text(1), Date(message.double(6)) if message.has(6) else None,
            message.texts(7), message.text(8), message.text(9))


# Requests and reports

def request(count: int, activity: bytes) -> bytes:
    """Returns a ContinueRequest."""
    return number(1, count) + contents(2, activity)


def continued(count: int, accepted: bool) -> bytes:
    return number(1, count) + number(2, int(accepted))


def acceptance(instance: bytes, grant_id: bytes = b"") -> bytes:
    return contents(1, instance) + filled(2, grant_id)


def stream_request(count: int, instance: bytes) -> bytes:
    return number(1, count) + contents(2, instance)


def probe_request(count: int) -> bytes:
    return number(1, count)


def goodbye(reason: int) -> bytes:
    return number(1, reason)


# Replies: ContinueReply, StreamReply and ProbeReply have one form.

def granted(count: int, result: bytes) -> bytes:
    return number(1, count) + contents(2, result)


def failed(count: int, code: int, text: str = "") -> bytes:
    return number(1, count) + contents(3, failure(code, text))


def failure(code: int, text: str = "") -> bytes:
    return number(1, code) + filled(2, text)


def grant(instance: bytes, activity: bytes, origin: bytes = b"", grant_id: bytes = b"") -> bytes:
    """Returns the result of a ContinueReply, with an encoded activity."""
    return contents(1, instance) + contents(2, activity) + filled(3, origin) + filled(4, grant_id)


def stream_grant(token: bytes, endpoints) -> bytes:
    """Returns the result of a StreamReply."""
    return contents(1, token) + encoded_endpoints(2, endpoints)


def probe_report(heard=None, ways=(), muted: bool = False) -> bytes:
    """Returns the result of a ProbeReply. `heard` is None if the other device is not
    heard."""
    return (b"" if heard is None else contents(1, heard)) + b"".join(contents(2, each) for each in ways) \
        + number(3, int(muted))


def heard_at(signal=None) -> bytes:
    """Returns how strongly a device is heard, in dBm, or None if that is not known."""
    return b"" if signal is None else explicit(1, zigzag(signal))


def way(transport: str, milliseconds: int) -> bytes:
    """Returns a way of a ProbeReport that leads to the other device."""
    return contents(1, transport) + explicit(2, milliseconds)


def closed_way(transport: str, code: int, text: str) -> bytes:
    """Returns a way of a ProbeReport that does not lead to the other device."""
    return contents(1, transport) + contents(3, failure(code, text))
