# SPDX-License-Identifier: Apache-2.0
"""A device of a circle: it joins with an invitation, sees offers, continues them, and offers
activities."""

import queue
import socket
import threading

from . import beacon
from .channel import Channel
from .circle import Circle
from .frames import ATTACH, TRIAL
from .identity import Identity
from .invitation import Invitation
from .messages import Hello
from .primitives import Broken, Refused, sha256
from .session import Control, now, redeem

PSM = 0x80
JOIN_DIALS = 3  # a connection may break while a device joins


class Device:
    """A device on one radio. It also dials TCP if it gets an address."""

    def __init__(self, name: str, radio, transport: str = "simulated"):
        self.name, self.radio, self.transport = name, radio, transport
        self.identity = Identity()
        self.circle = None
        self.sequence = 0
        self.offered = None  # (team, Activity)
        self.token = b""  # for all who ask for streams

    def join(self, text: str, transport: str):
        """Joins a circle by dialling an endpoint of a transport. If the connection breaks, it dials again, three times in all."""
        invitation = Invitation.read(text, now())
        address, port = next((address, port) for name, address, port in invitation.endpoints if name == transport)
        for dials_left in reversed(range(JOIN_DIALS)):
            try:
                channel = Channel.dial(
                    self._connect(transport, address, port), transport, invitation.key, self.identity,
                    lambda seen: sha256(seen) == invitation.pin)
                self.circle = redeem(channel, invitation, self.identity, self.name)
                return channel.close()
            except Broken:
                if not dials_left:
                    raise

    def hear_offer(self, limit: float = 30):
        """Returns a member's next offer on the air: its device, its beacon, its address."""
        def offers(address, payload):
            opened = beacon.unseal(payload, self.circle.secret, now())
            if opened is None or not opened.offers or opened.device == self.identity.keys.number:
                return None
            members = [keys for keys in self.circle.members.values() if keys.number == opened.device]
            return (members[0], opened, address) if members else None
        return self.radio.wait(offers, limit)

    def call(self, member, address: str, psm: int) -> Control:
        """Opens a control channel to a member, and exchanges hellos."""
        control = Control(self._dial(member, self.transport, address, psm), self._hello(), self._serve)
        try:
            self._learn(control.begin())
        except BaseException:
            control.channel.close()
            raise
        return control

    def call_for_streams(self, member, transport: str, address: str, port: int) -> Channel:
        return self._dial(member, transport, address, port)

    def type_of(self, hello: Hello, activity: bytes):
        """Returns team and type of a hash from a member's table. Each entry's hash is computed again."""
        for _, team, kind in hello.types:
            if beacon.activity_hash(self.circle.secret, team, kind) == activity:
                return team, kind
        return None

    def offer(self, team: str, activity):
        """Advertises an activity, and answers every device that dials, on a separate thread."""
        self.offered = (team, activity)
        self.sequence += 1
        listener = self.radio.listen(PSM)
        self.radio.advertise(beacon.seal(self._beacon(), self.circle.secret, now()))
        return Server(self, listener)

    def accept(self, stream) -> Control:
        """Handles the responder's side of a control channel. The dialler's first frame says what the channel is
        for."""
        keys = {self.identity.pairwise(keys, self.circle.id): keys.certificate
                for keys in self.circle.members.values() if keys.id != self.identity.keys.id}
        return Control(Channel.accept(stream, self.transport, keys, self.identity), self._hello(), self._serve, self.token)

    def _beacon(self) -> beacon.Beacon:
        return beacon.Beacon(self.identity.keys.number, self._hash(), 0, self.sequence, PSM)

    def _hash(self) -> bytes:
        if self.offered is None:
            return b""
        return beacon.activity_hash(self.circle.secret, self.offered[0], self.offered[1].kind)

    def _hello(self) -> Hello:
        types = [(self._hash(), self.offered[0], self.offered[1].kind)] if self.offered else []
        return Hello(self.name, now(), self.sequence, self._hash(), types, circle=self.circle.encoded)

    def _serve(self, activity: bytes):
        return self.offered[1] if self.offered and activity == self._hash() else None

    def _learn(self, hello: Hello):
        """Adopts the circle as the other device knows it. Only the other side changes it, so nothing is merged."""
        told = Circle(hello.circle)
        if told.id == self.circle.id and self.identity.keys.id in told.members:
            self.circle = told

    def _dial(self, member, transport, address, port) -> Channel:
        return Channel.dial(
            self._connect(transport, address, port), transport, self.identity.pairwise(member, self.circle.id),
            self.identity, lambda seen: seen == member.certificate)

    def _connect(self, transport: str, address: str, port: int) -> socket.socket:
        if transport == "tcp":
            return socket.create_connection((address, port), 10)
        return self.radio.dial(address, port)


class Server(threading.Thread):
    """Answers each device that dials, on a thread of its own, until an app has accepted the activity. If the device offers
    streams, answers until it is closed."""

    def __init__(self, device: Device, listener: socket.socket):
        super().__init__(daemon=True)
        self.device, self.listener = device, listener
        self.accepted, self.refused = threading.Event(), threading.Event()
        self.failures: list = []
        self.controls, self.attached = queue.Queue(), queue.Queue()  # control channels, and channels for streams with Attach
        self.start()

    def run(self):
        while self.device.token or not self.accepted.is_set():
            try:
                stream = self.device.radio.accept(self.listener)
            except OSError:
                return
            threading.Thread(target=self._answer, args=(stream,), daemon=True).start()

    def _answer(self, stream):
        try:
            control = self.device.accept(stream)
            # The accepting side sends nothing before the dialler's first frame.
            kind = control.take_first()
            if kind == ATTACH:
                self.attached.put((control.channel, control.attach))
                return
            if kind == TRIAL:
                control.channel.close()
                return
            control.begin()
            self.controls.put(control)
            while control.take() is not None:
                if any(control.accepted):
                    self.accepted.set()
                if not all(control.accepted):
                    self.refused.set()
            control.channel.close()
        except (Refused, OSError) as failure:
            self.failures.append(str(failure))

    def close(self):
        self.listener.close()
