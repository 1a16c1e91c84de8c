# SPDX-License-Identifier: Apache-2.0
"""The advertising channels, on which packets collide."""

from .events import Timeline
from .pdu import Pdu, Phy, airtime
from .surroundings import CAPTURE, SENSITIVITY, Surroundings

CHANNELS = 40


class Transmission:
    """A packet on the air."""

    __slots__ = ("sender", "pdu", "start", "end", "beside", "receivers")

    def __init__(self, sender, pdu: Pdu, start: int, end: int):
        self.sender, self.pdu, self.start, self.end = sender, pdu, start, end
        self.beside = []  # transmissions that overlap with it on its channel
        self.receivers = []


class Receiver:
    """A radio that listens on a channel. `transmission` is set while it receives one."""

    __slots__ = ("radio", "channel", "hear", "transmission", "signal")

    def __init__(self, radio, channel: int, hear):
        self.radio, self.channel, self.hear = radio, channel, hear
        self.transmission, self.signal = None, 0


class Medium:
    """The advertising physical channels of a room. Packets of connections do not pass through it (see Link).

    A receiver takes the first packet that is strong enough, and hears no other until that packet has ended. A second packet on the channel at
    the same time spoils the first packet, unless the second one is weaker by CAPTURE.
    """

    def __init__(self, timeline: Timeline, surroundings: Surroundings):
        self.timeline, self.surroundings = timeline, surroundings
        self._on_air = [[] for _ in range(CHANNELS)]
        self._receivers = [[] for _ in range(CHANNELS)]
        self.collisions = 0

    def listen(self, radio, channel: int, hear) -> Receiver:
        """Calls `hear(pdu, signal)` at the end of each packet that a radio receives on a channel."""
        receiver = Receiver(radio, channel, hear)
        self._receivers[channel].append(receiver)
        return receiver

    def stop(self, receiver):
        """Stops a receiver, which loses the packet that it is receiving. Ignores None and a receiver that has stopped
        already."""
        if receiver is not None and receiver in self._receivers[receiver.channel]:
            self._receivers[receiver.channel].remove(receiver)
            receiver.transmission = None

    def transmit(self, radio, channel: int, pdu: Pdu, phy: Phy = Phy.LE_1M) -> Transmission:
        """Sends a packet now."""
        now = self.timeline.now
        sent = Transmission(radio, pdu, now, now + airtime(pdu.size, phy))
        on_air = self._on_air[channel]
        if on_air:
            on_air[:] = beside = [other for other in on_air if other.end > now]
            sent.beside = list(beside)
            for other in beside:
                other.beside.append(sent)
        on_air.append(sent)
        for receiver in self._receivers[channel]:
            if receiver.transmission is None and receiver.radio is not radio:
                signal = self.surroundings.signal(radio, receiver.radio)
                if signal >= SENSITIVITY and not self._is_spoilt(sent, receiver.radio, signal):
                    receiver.transmission, receiver.signal = sent, signal
                    sent.receivers.append(receiver)
        if sent.receivers:
            self.timeline.at(sent.end, lambda: self._ended(sent))
        return sent

    def _is_spoilt(self, sent: Transmission, receiver, signal: float) -> bool:
        return any(self.surroundings.signal(other.sender, receiver) > signal - CAPTURE for other in sent.beside)

    def _ended(self, sent: Transmission):
        for receiver in sent.receivers:
            if receiver.transmission is not sent:
                continue
            receiver.transmission = None
            if self._is_spoilt(sent, receiver.radio, receiver.signal):
                self.collisions += 1
            elif not self.surroundings.is_lost(sent.sender, receiver.radio):
                receiver.hear(sent.pdu, receiver.signal)
