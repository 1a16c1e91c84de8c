# SPDX-License-Identifier: Apache-2.0
"""Scan windows, and active scanning."""

from dataclasses import dataclass

from .pdu import CONNECTABLE, PRIMARY_CHANNELS, SCANNABLE, T_IFS, T_SYNC, Kind, Pdu, Phy, scan_request
from .radio import Use

# The highest limit of the backoff procedure. Vol 6 Part B 4.4.3.2.
LARGEST_LIMIT = 256


@dataclass
class Parameters:
    """The parameters of a scanner or an initiator."""

    address: tuple  # the scanner's own
    interval: int
    window: int
    active: bool = False
    phase: int = 0  # the delay from `start` to the first window


class Windows:
    """Scan windows: one in each interval, on the next primary channel each time. Vol 6 Part B 4.4.3.

    The scanner listens in the windows whenever nothing else uses the radio. Subclasses define `_hear(pdu, signal,
    channel)`.
    """

    use = Use.SCANNING

    def __init__(self, radio, parameters: Parameters):
        self.radio, self.parameters = radio, parameters
        self.timeline, self.medium = radio.timeline, radio.medium
        self.refused = 0
        self.is_open = self._is_busy = False  # busy with a packet that follows a received one
        self._channel = -1
        self._receiver = self._opening = self._closing = self._step = None
        self.listened, self._since = 0, None  # total time of listening

    @property
    def is_continuous(self) -> bool:
        return self.parameters.window >= self.parameters.interval

    def start(self):
        self._opening = self.timeline.after(self.parameters.phase, self._open)

    def stop(self):
        for event in (self._opening, self._closing, self._step):
            self.timeline.cancel(event)
        self._close()

    # --- Windows ---

    def _open(self):
        self._opening = self.timeline.after(self.parameters.interval, self._open)
        self._channel = (self._channel + 1) % len(PRIMARY_CHANNELS)
        self.is_open = True
        if not self.is_continuous:
            self._closing = self.timeline.after(self.parameters.window, self._end_window)
        if self._is_busy:
            return
        self.radio.wait(self)
        if self.radio.take(self):
            self._listen_again()

    def _end_window(self):
        """Ends the window. An exchange that has begun continues until it is complete."""
        self.is_open = False
        if not self._is_busy:
            self._close()

    def _close(self):
        self.is_open = self._is_busy = False
        self.radio.stop_waiting(self)
        self._silence()
        self.radio.give_back(self)

    def radio_is_free(self):
        if self.radio.take_if_free(self):
            self._listen()

    def lose_radio(self):
        self.timeline.cancel(self._step)
        self._is_busy = False
        self._silence()

    # --- Listening ---

    def _listen(self):
        channel = PRIMARY_CHANNELS[self._channel]
        self._since = self.timeline.now
        self._receiver = self.medium.listen(self.radio, channel, lambda pdu, signal: self._hear(pdu, signal, channel))

    def _silence(self):
        self.medium.stop(self._receiver)
        self._receiver = None
        if self._since is not None:
            self.listened += self.timeline.now - self._since
            self._since = None

    def _listen_again(self):
        self._is_busy = False
        self._silence()
        if self.is_open:
            self._listen()
        else:
            self._close()

    def _follow(self, pdu: Pdu, hear):
        """Listens to the packet that ADV_EXT_IND points to: `hear(pdu, signal, channel, phy)`."""
        moment, channel, phy = pdu.auxiliary
        self._is_busy = True
        self._silence()

        def tune():
            self._receiver = receiver = self.medium.listen(self.radio, channel, lambda found, signal: hear(found, signal, channel, phy))
            self._await(receiver, T_SYNC, self._listen_again)

        self._step = self.timeline.at(moment - T_SYNC // 2, tune)

    def _await(self, receiver, delay: int, otherwise):
        """Calls `otherwise` if no packet begins within `delay`, or if the packet was not received completely."""

        def look():
            if receiver.transmission is None:
                otherwise()
            else:
                self._step = self.timeline.at(receiver.transmission.end + 1, look)

        self._step = self.timeline.after(delay, look)

    def _ask(self, pdu: Pdu, channel: int, phy, then):
        """Sends a request T_IFS after the packet that was just heard, and calls `then` at its end."""
        self._is_busy = True
        self._silence()

        def send():
            sent = self.medium.transmit(self.radio, channel, pdu, phy)
            self._step = self.timeline.at(sent.end, then)

        self._step = self.timeline.after(T_IFS, send)

    def _hear(self, pdu: Pdu, signal: float, channel: int):
        raise NotImplementedError


class Scanner(Windows):
    """Calls `report(pdu, signal)` for each advertisement and each scan response."""

    def __init__(self, radio, parameters: Parameters, report, accepts=lambda pdu: True):
        super().__init__(radio, parameters)
        self._report, self._accepts = report, accepts
        self._limit = self._count = 1
        self._successes = self._failures = 0

    def _hear(self, pdu: Pdu, signal: float, channel: int):
        if pdu.kind is Kind.ADV_EXT_IND:
            self._follow(pdu, self._hear_auxiliary)
        elif pdu.kind in CONNECTABLE or pdu.kind in (Kind.ADV_SCAN_IND, Kind.ADV_NONCONN_IND):
            self._take(pdu, signal, channel, pdu.kind in SCANNABLE, Phy.LE_1M)

    def _hear_auxiliary(self, pdu: Pdu, signal: float, channel: int, phy):
        self.timeline.cancel(self._step)
        self._take(pdu, signal, channel, pdu.scannable, phy)
        if not self._is_asking:
            self._listen_again()

    def _take(self, pdu: Pdu, signal: float, channel: int, scannable: bool, phy):
        self._is_asking = False
        if not self._accepts(pdu):
            return
        self._report(pdu, signal)
        if scannable and self.parameters.active and self.radio.user is self and self._may_ask():
            self._is_asking = True
            request = scan_request(self.parameters.address, pdu.address, pdu.kind is Kind.AUX_ADV_IND)
            self._ask(request, channel, phy, lambda: self._wait_for_response(pdu, channel))

    # --- Active scanning. Vol 6 Part B 4.4.3.2. ---

    def _may_ask(self) -> bool:
        self._count -= 1
        return self._count <= 0

    def _wait_for_response(self, asked: Pdu, channel: int):
        def hear(pdu, signal):
            if pdu.kind in (Kind.SCAN_RSP, Kind.AUX_SCAN_RSP) and pdu.address == asked.address:
                self.timeline.cancel(self._step)
                self._back_off(True)
                self._report(pdu, signal)
                self._listen_again()

        def nothing():
            self._back_off(False)
            self._listen_again()

        self._receiver = self.medium.listen(self.radio, channel, hear)
        self._await(self._receiver, T_IFS + T_SYNC, nothing)

    def _back_off(self, success: bool):
        if success:
            self._successes, self._failures = self._successes + 1, 0
            if self._successes == 2:
                self._limit, self._successes = max(1, self._limit // 2), 0
        else:
            self._failures, self._successes = self._failures + 1, 0
            if self._failures == 2:
                self._limit, self._failures = min(LARGEST_LIMIT, self._limit * 2), 0
        self._count = self.radio.random.randint(1, self._limit)
