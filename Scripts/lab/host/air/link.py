# SPDX-License-Identifier: Apache-2.0
"""Connections: their events, acknowledgements and retransmissions, and how they end."""

from collections import deque

from .pdu import T_IFS, T_SYNC, Phy, airtime
from .radio import Use
from .surroundings import SENSITIVITY

CENTRAL, PERIPHERAL = 0, 1
# transmitWindowDelay after CONNECT_IND. Vol 6 Part B 4.5.3.
WINDOW_DELAY = 1_250
# A connection fails to be established if nothing is heard for this number of intervals. Vol 6 Part B 4.5.2.
ESTABLISHING = 6
TIMEOUT, NOT_ESTABLISHED = 0x08, 0x3E
# The most octets of data in a packet: before the data length procedure, and at all. Vol 6 Part B 4.5.10.
DATA_OCTETS, MOST_OCTETS = 27, 251


class Packet:
    """A data channel PDU: its size, and actions for its reception and its acknowledgement."""

    __slots__ = ("size", "received", "acknowledged")

    def __init__(self, size: int, received=None, acknowledged=None):
        self.size, self.received, self.acknowledged = size, received, acknowledged


EMPTY = Packet(0)


class End:
    """One device's side of a connection.

    Its owner's `next_packet()` returns the next packet to send, or None. `has_more()` says whether there is another one. `ended(reason)` is called
    once.
    """

    use = Use.LINK

    def __init__(self, link, role: int, radio, owner):
        self.link, self.role, self.radio, self.owner = link, role, radio, owner
        self.refused = 0
        self.alive, self.established = True, False
        self.created = self.heard = radio.timeline.now
        self.octets = DATA_OCTETS
        self.signal = None  # of the last received packet
        self._serial = self._expected = 0  # transmitSeqNum and nextExpectedSeqNum
        self._current = None
        self.control = deque()  # control PDUs, which are sent before data
        self._leaving = None

    # --- The radio ---

    def comes(self) -> bool:
        """Returns whether this end takes part in an event from its beginning."""
        return self.alive and self.radio.take(self, self.is_near_its_end)

    @property
    def is_near_its_end(self) -> bool:
        """Returns whether the connection is about to time out. Scanning does not keep such a connection from the radio.
        Zephyr's controller has the same rule."""
        return self.deadline - self.link.timeline.now <= ESTABLISHING * self.link.interval

    @property
    def has_radio(self) -> bool:
        return self.alive and self.radio.user is self

    def lose_radio(self):
        """Called when another user takes the radio. The packet under way is lost, and the event is over."""

    # --- Acknowledgement and flow control. Vol 6 Part B 4.5.9. ---

    @property
    def has_data(self) -> bool:
        return self._current not in (None, EMPTY) or bool(self.control) or self.owner.has_more()

    def send(self) -> tuple:
        """Returns the packet to send with its two bits, and whether there is more data."""
        if self._current is None:
            self._current = self.control.popleft() if self.control else self.owner.next_packet() or EMPTY
        return self._current, self._serial, self._expected, bool(self.control) or self.owner.has_more()

    def receive(self, sent: tuple, signal: float):
        packet, serial, expected, _ = sent
        self.heard, self.established, self.signal = self.link.timeline.now, True, signal
        if expected != self._serial and self._current is not None:
            done, self._current = self._current, None
            self._serial ^= 1
            if done.acknowledged:
                done.acknowledged()
        if serial == self._expected:
            self._expected ^= 1
            if packet.received:
                packet.received()

    # --- The end ---

    def end_after_acknowledging(self, reason: int):
        self._leaving = reason

    def has_sent(self):
        """Called after this end has sent a packet. The packet acknowledges all received packets, whether it is heard or not."""
        if self._leaving is not None:
            self.end(self._leaving)

    @property
    def deadline(self) -> int:
        if not self.established:
            return self.created + ESTABLISHING * self.link.interval
        return self.heard + self.link.timeout

    def end(self, reason: int):
        """Ends this side without telling the other."""
        if self.alive:
            self.vanish()
            self.owner.ended(reason)

    def vanish(self):
        """Ends this side without calling its owner."""
        self.alive = False
        self.radio.give_back(self)
        self.link.left()


class Link:
    """A connection with two ends. Packets of connections do not collide, because two links rarely use the same of 37 channels at the same time."""

    def __init__(self, timeline, surroundings, interval: int, latency: int, timeout: int, phy: Phy = Phy.LE_1M):
        self.timeline, self.surroundings = timeline, surroundings
        self.interval, self.latency, self.timeout, self.phy = interval, latency, timeout, phy
        self.ends = [None, None]
        self.counter = -1
        self.anchor = self.next_anchor = 0
        self.changes = {}  # changes at an instant: actions by the event's number
        self._event = None

    def join(self, role: int, radio, owner) -> End:
        """Adds an end. The initiator's end joins when CONNECT_IND was sent, and the advertiser's end when the packet
        was heard."""
        end = self.ends[role] = End(self, role, radio, owner)
        if self._event is None:
            # The central chooses the first moment within the transmit window.
            self.next_anchor = self.timeline.now + WINDOW_DELAY + radio.random.randrange(self.interval)
            self._event = self.timeline.at(self.next_anchor, self._begin)
        self._watch(end)
        return end

    def left(self):
        if not self._is_alive:
            self.timeline.cancel(self._event)

    @property
    def _is_alive(self) -> bool:
        return any(end is not None and end.alive for end in self.ends)

    def _watch(self, end: End):
        """Ends a side if nothing is heard in time. Each end has one timer, which checks again if its deadline has moved."""

        def look():
            if not end.alive:
                return
            if end.deadline <= self.timeline.now:
                end.end(TIMEOUT if end.established else NOT_ESTABLISHED)
            else:
                self.timeline.at(end.deadline, look)

        self.timeline.at(end.deadline, look)

    # --- Connection events. Vol 6 Part B 4.5.1 and 4.5.6. ---

    def _begin(self):
        self.counter += 1
        self.anchor = self.timeline.now
        for change in self.changes.pop(self.counter, ()):
            change()
        if not self._is_alive:
            return
        self.next_anchor = self.anchor + self.interval
        self._event = self.timeline.at(self.next_anchor, self._begin)
        central, peripheral = self.ends
        central_comes = central is not None and central.comes()
        peripheral_comes = peripheral is not None and not self._sleeps(peripheral) and peripheral.comes()
        if central_comes:
            self._exchange(is_first=True)
        elif peripheral_comes:
            self._later(T_SYNC + T_IFS, self._close)

    def _sleeps(self, peripheral: End) -> bool:
        """Returns whether the peripheral skips the event, which the peripheral latency allows while it has nothing to
        send. Vol 6 Part B 4.5.1."""
        return bool(self.latency) and peripheral.established and not peripheral.has_data and not self.changes \
            and self.timeline.now - peripheral.heard < self.latency * self.interval

    def _close(self):
        for end in self.ends:
            if end is not None:
                end.radio.give_back(end)

    def _later(self, delay: int, action):
        """Runs an action later, unless the next event has begun by then."""
        counter = self.counter
        self.timeline.after(delay, lambda: action() if counter == self.counter else None)

    def _exchange(self, is_first=False):
        """Lets the central send and the peripheral answer."""
        central, peripheral = self.ends
        if not central.has_radio or not (is_first or self._has_room(central, peripheral)):
            self._close()
            return
        sent = central.send()
        self._later(airtime(sent[0].size, self.phy), lambda: self._sent_by_central(sent))

    def _has_room(self, central: End, peripheral: End) -> bool:
        """Returns whether an exchange of the longest packets would end T_IFS before the next event."""
        longest = sum(airtime(end.octets if end.has_data else 0, self.phy) for end in (central, peripheral))
        return self.timeline.now + longest + 2 * T_IFS <= self.next_anchor

    def _passes(self, sender: End, receiver: End) -> bool:
        return self.surroundings.signal(sender.radio, receiver.radio) >= SENSITIVITY and not self.surroundings.is_lost(sender.radio, receiver.radio)

    def _sent_by_central(self, sent: tuple):
        central, peripheral = self.ends
        is_heard = central.has_radio and peripheral is not None and peripheral.has_radio and self._passes(central, peripheral)
        if is_heard:
            peripheral.receive(sent, self.surroundings.signal(central.radio, peripheral.radio))
        central.has_sent()
        if is_heard and peripheral.has_radio:
            answer = peripheral.send()
            self._later(T_IFS + airtime(answer[0].size, self.phy), lambda: self._sent_by_peripheral(sent, answer))
        else:
            self._later(T_IFS + T_SYNC, self._close)

    def _sent_by_peripheral(self, sent: tuple, answer: tuple):
        central, peripheral = self.ends
        is_heard = central.has_radio and peripheral.has_radio and self._passes(peripheral, central)
        if is_heard:
            central.receive(answer, self.surroundings.signal(peripheral.radio, central.radio))
        peripheral.has_sent()
        if is_heard and (sent[3] or answer[3]):
            self._later(T_IFS, self._exchange)
        else:
            self._close()
