# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Session.md: the messages of two members. Circle.md, "Joining": the messages of a joiner."""

import time

from . import messages
from .circle import Circle
from .endpoints import read_endpoints
from .frames import (
    ATTACH, CONTINUED, GOODBYE, HELLO, JOIN, JOINED, OFFER, PROBE_REPLY, PROBE_REQUEST, REATTACH, REPLY, REQUEST, STREAM_REPLY,
    STREAM_REQUEST, TRIAL, WELCOME)
from .messages import Activity, Hello, Offer
from .primitives import Message, Refused
from .streams import reattach

IDLE, SHUTDOWN, ANSWER = 1, 3, 4


def redeem(channel, invitation, identity, name: str):
    """Joins on a channel whose knock was made with the invitation's key. Returns the circle."""
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
    """A control channel, used step by step. It sends hello first, and answers requests that come meanwhile."""

    def __init__(self, channel, hello: Hello, serve=None, token: bytes = b""):
        self.channel, self.hello, self.serve = channel, hello, serve
        self.token = token  # for those who ask for streams
        self.attach = None  # the first frame of a channel for streams
        self.peer, self.accepted, self.requests, self.goodbye = None, [], 0, False
        self.offer = None  # the peer's offer over this link, if both sides keep the link

    def begin(self):
        self.channel.send(HELLO, self.hello.encoded())
        while self.peer is None:
            if self.take() is None:
                raise Refused("the channel was closed before a hello")
        return self.peer

    def take_first(self):
        """Returns the kind of the dialler's first frame, which says what the channel is for. Answers a trial."""
        frame = self.channel.receive()
        if frame is not None and frame[0] == TRIAL:
            self.channel.send(TRIAL, b"")
            self.channel.receive()
            return TRIAL
        if frame is not None and frame[0] == ATTACH:
            self.attach = Message(frame[1])
            return ATTACH
        return self._taken(frame) and frame[0]

    def take(self):
        """Handles one frame, and returns it for a caller that waits for it. Returns None at the channel's end."""
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
        elif kind == STREAM_REQUEST and self.token:
            self.channel.send(STREAM_REPLY, messages.granted(Message(data).number(1), messages.stream_grant(self.token, [])))
        elif kind == CONTINUED:
            self.accepted.append(bool(Message(data).number(2)))
        elif kind == OFFER and self.is_kept:
            offer = Offer.read(data)
            self.offer = offer if offer.activity else None
        elif kind == GOODBYE and not self.goodbye:
            self.goodbye = True
            self.channel.send(GOODBYE, messages.goodbye(ANSWER))
        return frame

    @property
    def is_kept(self) -> bool:
        return self.hello.keeps_link and self.peer is not None and self.peer.keeps_link

    def tell(self, offer: Offer):
        self.channel.send(OFFER, offer.encoded())

    def ask(self, activity: bytes):
        """Continues an activity. Returns its instance and the activity. The peer then expects a `report`."""
        self.requests += 1
        self.channel.send(REQUEST, messages.request(self.requests, activity))
        reply = self._reply(REPLY)
        if not reply.has(2):
            raise Refused(f"failure {reply.message(3).number(1)}: {reply.message(3).text(2)}")
        return reply.message(2).bytes(1), Activity.read(reply.message(2).message(2))

    def report(self, accepted: bool):
        self.channel.send(CONTINUED, messages.continued(self.requests, accepted))

    def ask_for_streams(self, instance: bytes):
        """Returns a token and the endpoints to dial."""
        self.requests += 1
        self.channel.send(STREAM_REQUEST, messages.stream_request(self.requests, instance))
        reply = self._reply(STREAM_REPLY)
        if not reply.has(2):
            raise Refused(f"failure {reply.message(3).number(1)}")
        return reply.message(2).bytes(1), read_endpoints(reply.message(2), 2)

    def ask_for_another_channel(self, token: bytes, generation: int):
        self.channel.send(REATTACH, reattach(token, generation))

    def leave(self):
        """Sends goodbye, waits for the other side's goodbye, and closes."""
        if not self.goodbye:
            self.channel.send(GOODBYE, messages.goodbye(IDLE))
            while True:
                frame = self.channel.receive()
                if frame is None or frame[0] == GOODBYE:
                    break
        self.channel.close()

    def _answer_probe(self, asked: Message):
        """Reports that this device hears the other one well, and that TCP does not reach it."""
        ways = [messages.way("simulated", 0), messages.closed_way("tcp", 2, "there is none here")]
        report = messages.probe_report(messages.heard_at(-40), ways)
        self.channel.send(PROBE_REPLY, messages.granted(asked.number(1), report))

    def _reply(self, kind: int) -> Message:
        while True:
            frame = self.take()
            if frame is None:
                raise Refused("the channel was closed")
            if frame[0] == kind and Message(frame[1]).number(1) == self.requests:
                return Message(frame[1])

    def _answer(self, asked: Message):
        activity = self.serve(asked.bytes(2)) if self.serve else None
        if activity is None:
            reply = messages.failed(asked.number(1), 6, "no such activity")
        else:
            grant = messages.grant(bytes(range(16)), activity.encoded())
            reply = messages.granted(asked.number(1), grant)
        self.channel.send(REPLY, reply)


def now() -> int:
    return int(time.time())
