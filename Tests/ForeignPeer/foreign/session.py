# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Session.md: what two members say to each other."""

import struct
import time
from dataclasses import dataclass, field

from .primitives import Message, Refused, contents, number, signed, varint

HELLO, REQUEST, REPLY, CONTINUED, STREAM_REQUEST, STREAM_REPLY, GOODBYE, JOIN, WELCOME, JOINED = range(1, 11)
PROBE_REQUEST, PROBE_REPLY, TRIAL = 19, 20, 21
IDLE, SHUTDOWN, ANSWER = 1, 3, 4
EPOCH = 978_307_200  # 2001-01-01T00:00:00Z


@dataclass
class Hello:
    name: str
    unix_time: int
    sequence: int = 0
    activity: bytes = b""
    types: list = field(default_factory=list)  # (hash, team, type)
    endpoints: list = field(default_factory=list)  # (transport, address, port)
    circle: bytes = b""

    def encoded(self) -> bytes:
        types = b"".join(contents(6, contents(1, each) + contents(2, team) + contents(3, kind))
                         for each, team, kind in self.types)
        endpoints = b"".join(contents(7, contents(1, transport) + contents(2, address) + number(3, port))
                             for transport, address, port in self.endpoints)
        activity = contents(5, self.activity) if self.activity else b""
        return number(1, 1) + contents(2, self.name) + signed(3, self.unix_time) + number(4, self.sequence) \
            + activity + types + endpoints + contents(8, self.circle)

    @classmethod
    def read(cls, data: bytes) -> "Hello":
        message = Message(data)
        if message.number(1) < 1 or not 1 <= len(message.bytes(2)) <= 63:
            raise Refused("a hello without version or name")
        return cls(
            message.text(2), message.signed(3), message.number(4), message.bytes(5),
            [(each.bytes(1), each.text(2), each.text(3)) for each in message.messages(6)],
            [(each.text(1), each.text(2), each.number(3)) for each in message.messages(7)], message.bytes(8))


@dataclass
class Activity:
    """What travels of an activity; userInfo as Python's own values."""
    kind: str
    title: str = ""
    user_info: dict = field(default_factory=dict)
    webpage: str = ""
    streams: bool = False

    def encoded(self) -> bytes:
        return contents(1, self.kind) + (contents(2, self.title) if self.title else b"") \
            + contents(3, dictionary(self.user_info)) + (contents(4, contents(1, self.webpage)) if self.webpage else b"") \
            + number(10, int(self.streams))

    @classmethod
    def read(cls, message: Message) -> "Activity":
        return cls(message.text(1), message.text(2), read_dictionary(Message(message.bytes(3))),
                   message.message(4).text(1) if message.has(4) else "", bool(message.number(10)))


def dictionary(pairs: dict) -> bytes:
    """Pairs in the order of their own bytes."""
    encoded = [contents(1, value(key)) + contents(2, value(item)) for key, item in pairs.items()]
    return b"".join(contents(1, pair) for pair in sorted(encoded))


def value(item) -> bytes:
    """A member of a oneof is written even when it is zero."""
    if item is None:
        return contents(1, b"")
    if isinstance(item, bool):
        return varint(2 << 3) + varint(item)
    if isinstance(item, int):
        if item >= 2**63:
            return varint(4 << 3) + varint(item)
        return varint(3 << 3) + varint((item << 1) ^ (item >> 63))
    if isinstance(item, float):
        return varint(5 << 3 | 1) + struct.pack("<d", item)
    if isinstance(item, str):
        return contents(6, item)
    if isinstance(item, bytes):
        return contents(7, item)
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
    """Dates are Unix seconds, UUIDs and URLs what they are made of."""
    readers = {
        1: lambda: None, 2: lambda: bool(message.number(2)), 3: lambda: message.signed(3), 4: lambda: message.number(4),
        5: lambda: struct.unpack("<d", message.bytes(5))[0], 6: lambda: message.text(6), 7: lambda: message.bytes(7),
        8: lambda: ("date", struct.unpack("<d", message.bytes(8))[0] + EPOCH), 9: lambda: ("uuid", message.bytes(9).hex()),
        10: lambda: ("url", message.message(10).text(1)),
        11: lambda: [read_value(each) for each in message.message(11).messages(1)],
        12: lambda: frozenset(read_value(each) for each in message.message(12).messages(1)),
        13: lambda: read_dictionary(message.message(13)),
    }
    kinds = [kind for kind in message.fields if kind in readers]
    if len(kinds) != 1:
        raise Refused("a value without a kind")
    return readers[kinds[0]]()


def redeem(channel, invitation, identity, name: str):
    """Joining (Circle.md), on a channel whose knock was made with the invitation's key; the circle's state."""
    from .circle import Circle

    channel.send(JOIN, invitation.request(identity, name))
    kind, welcome = channel.receive() or (None, b"")
    if kind != WELCOME:
        raise Refused("no welcome")
    circle = Circle(welcome)
    if circle.id != invitation.circle or identity.keys.id not in circle.members:
        raise Refused("another circle than the invitation's, or without this device")
    channel.send(JOINED, int(time.time()).to_bytes(8, "big"))
    if (channel.receive() or (None,))[0] != JOINED:
        raise Refused("the inviter did not keep this device")
    return circle


class Control:
    """A control channel, one step after the other. Says hello first, and answers what comes meanwhile."""

    def __init__(self, channel, hello: Hello, serve=None):
        self.channel, self.hello, self.serve = channel, hello, serve
        self.peer, self.accepted, self.requests, self.goodbye = None, [], 0, False

    def begin(self):
        self.channel.send(HELLO, self.hello.encoded())
        while self.peer is None:
            if self.take() is None:
                raise Refused("the channel was closed before a hello")
        return self.peer

    def take_first(self):
        """The dialler's first frame: its kind, which says what the channel is for. A trial is answered, and closed by who tries."""
        frame = self.channel.receive()
        if frame is not None and frame[0] == TRIAL:
            self.channel.send(TRIAL, b"")
            self.channel.receive()
            return TRIAL
        return self._taken(frame) and frame[0]

    def take(self):
        """One frame; what it was, for who waits for it. None at the channel's end."""
        return self._taken(self.channel.receive())

    def _taken(self, frame):
        if frame is None:
            return None
        kind, data = frame
        if self.peer is None and kind != HELLO:
            raise Refused(f"frame {kind} before hello")
        if kind == HELLO:
            self.peer = Hello.read(data)
        elif kind == REQUEST:
            self._answer(Message(data))
        elif kind == PROBE_REQUEST:
            self._answer_probe(Message(data))
        elif kind == CONTINUED:
            self.accepted.append(bool(Message(data).number(2)))
        elif kind == GOODBYE and not self.goodbye:
            self.goodbye = True
            self.channel.send(GOODBYE, number(1, ANSWER))
        return frame

    def ask(self, activity: bytes):
        """Continues an activity: its instance and itself. The peer is then owed a `report`."""
        self.requests += 1
        self.channel.send(REQUEST, number(1, self.requests) + contents(2, activity))
        reply = self._reply(REPLY)
        if not reply.has(2):
            raise Refused(f"failure {reply.message(3).number(1)}: {reply.message(3).text(2)}")
        return reply.message(2).bytes(1), Activity.read(reply.message(2).message(2))

    def report(self, accepted: bool):
        self.channel.send(CONTINUED, number(1, self.requests) + number(2, int(accepted)))

    def ask_for_streams(self, instance: bytes):
        """A token, and where to dial."""
        self.requests += 1
        self.channel.send(STREAM_REQUEST, number(1, self.requests) + contents(2, instance))
        reply = self._reply(STREAM_REPLY)
        if not reply.has(2):
            raise Refused(f"failure {reply.message(3).number(1)}")
        grant = reply.message(2)
        return grant.bytes(1), [(each.text(1), each.text(2), each.number(3)) for each in grant.messages(2)]

    def leave(self):
        """Says goodbye, hears the other's, and closes."""
        if not self.goodbye:
            self.channel.send(GOODBYE, number(1, IDLE))
            while True:
                frame = self.channel.receive()
                if frame is None or frame[0] == GOODBYE:
                    break
        self.channel.close()

    def _answer_probe(self, request: Message):
        """It hears the other well, and has not tried TCP."""
        heard = contents(1, signed(1, -40))
        ways = contents(2, contents(1, "simulated") + varint(2 << 3) + varint(0)) \
            + contents(2, contents(1, "tcp") + contents(3, number(1, 2) + contents(2, "there is none here")))
        self.channel.send(PROBE_REPLY, number(1, request.number(1)) + contents(2, heard + ways))

    def _reply(self, kind: int) -> Message:
        while True:
            frame = self.take()
            if frame is None:
                raise Refused("the channel was closed")
            if frame[0] == kind and Message(frame[1]).number(1) == self.requests:
                return Message(frame[1])

    def _answer(self, request: Message):
        activity = self.serve(request.bytes(2)) if self.serve else None
        if activity is None:
            result = contents(3, number(1, 6) + contents(2, "no such activity"))
        else:
            result = contents(2, contents(1, bytes(range(16))) + contents(2, activity.encoded()))
        self.channel.send(REPLY, number(1, request.number(1)) + result)


def now() -> int:
    return int(time.time())
