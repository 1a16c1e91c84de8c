# SPDX-License-Identifier: Apache-2.0
"""Advertising sets."""

from dataclasses import dataclass

from .events import MILLISECOND
from .pdu import PRIMARY_CHANNELS, T_IFS, T_MAFS, T_SYNC, Kind, Pdu, Phy, advertisement, airtime
from .radio import Use

# T_advEvent is the interval and a delay of 0 to 10 ms. Vol 6 Part B 4.4.2.2.1.
ADV_DELAY = 10 * MILLISECOND
# High duty cycle directed advertising: the longest time between two packets of a channel, and its total. Vol 6 Part B 4.4.2.4.3.
DIRECTED_INTERVAL = 3_750
DIRECTED_DURATION = 1_280 * MILLISECOND
# The time from the last moment at which an answer may begin until the packet on the next channel. At most 10 ms are allowed. Vol 6 Part B 4.4.2.3.
SWITCHING = 120
SECONDARY_CHANNELS = 37


@dataclass
class Parameters:
    """The parameters of an advertising set."""

    address: tuple  # the advertiser's own
    interval: int
    connectable: bool = True
    scannable: bool = True
    target: tuple = None  # for directed advertising
    high_duty: bool = False
    data: bytes = b""
    response: bytes = b""
    channels: tuple = PRIMARY_CHANNELS
    extended: bool = False  # uses ADV_EXT_IND and AUX_ADV_IND
    secondary_phy: Phy = Phy.LE_1M
    sid: int = 0


class AdvertisingSet:
    """Advertises from `start` until `stop`, or until a connection begins.

    `connected(link, sender)` is called at the end of the packet that begins a connection. `ended()` is called when high duty cycle directed
    advertising ends without one. `accepts(sender, connects)` decides which scanners and initiators are answered.
    """

    use = Use.ADVERTISING

    def __init__(self, radio, parameters: Parameters, connected=None, ended=None, accepts=lambda sender, connects: True):
        self.radio, self.parameters = radio, parameters
        self.timeline, self.medium = radio.timeline, radio.medium
        self._connected, self._ended, self._accepts = connected, ended, accepts
        self.refused, self.events = 0, 0
        self._next = self._step = self._receiver = None
        self._until = None

    # --- Timing -----

    def start(self):
        """Starts after a random delay, because two sets that start at the same time would collide."""
        if self.parameters.high_duty:
            self._until = self.timeline.now + DIRECTED_DURATION
        self._next = self.timeline.after(self.radio.random.randrange(ADV_DELAY), self._event)

    def stop(self):
        for event in (self._next, self._step):
            self.timeline.cancel(event)
        self._close()

    @property
    def interval(self) -> int:
        if self.parameters.high_duty:
            return DIRECTED_INTERVAL
        return self.parameters.interval + self.radio.random.randrange(ADV_DELAY + 1)

    def _event(self):
        if self._until is not None and self.timeline.now >= self._until:
            self.stop()
            if self._ended:
                self._ended()
            return
        self._next = self.timeline.after(self.interval, self._event)
        if self.radio.take(self):
            self._begin()
        elif self.radio.user.use is Use.ADVERTISING:
            self.radio.wait(self)

    def radio_is_free(self):
        """Starts an event late, after another set has released the radio."""
        self.radio.stop_waiting(self)
        if self.radio.take_if_free(self):
            self._begin()

    def lose_radio(self):
        self.timeline.cancel(self._step)
        self.medium.stop(self._receiver)

    def _close(self):
        """Ends an advertising event."""
        self.medium.stop(self._receiver)
        self.radio.stop_waiting(self)
        self.radio.give_back(self)

    # --- An advertising event ---

    def _begin(self):
        self.events += 1
        p = self.parameters
        if p.extended:
            per_packet = airtime(7) + SWITCHING
            moment = self.timeline.now + len(p.channels) * per_packet + T_MAFS
            self._auxiliary = (moment, self.radio.random.randrange(SECONDARY_CHANNELS), p.secondary_phy)
            self._pdu = Pdu(Kind.ADV_EXT_IND, p.address, 7, auxiliary=self._auxiliary, sid=p.sid)
        else:
            self._pdu = self._legacy()
        self._left = list(p.channels)
        self._send()

    def _legacy(self) -> Pdu:
        p = self.parameters
        if p.target is not None:
            return advertisement(Kind.ADV_DIRECT_IND, p.address, b"", p.target)
        kinds = {(True, True): Kind.ADV_IND, (False, True): Kind.ADV_SCAN_IND, (False, False): Kind.ADV_NONCONN_IND}
        return advertisement(kinds[p.connectable, p.scannable], p.address, p.data)

    def _send(self):
        """Sends the packet on the next channel."""
        if not self._left:
            if self.parameters.extended:
                self._step = self.timeline.at(self._auxiliary[0], self._send_auxiliary)
            else:
                self._close()
            return
        channel = self._left.pop(0)
        sent = self.medium.transmit(self.radio, channel, self._pdu)
        answerable = not self.parameters.extended and (self.parameters.connectable or self.parameters.scannable)
        if answerable and sent.receivers:
            self._step = self.timeline.at(sent.end, lambda: self._listen(channel, self._send))
        else:
            wait = T_IFS + T_SYNC if answerable else 0
            self._step = self.timeline.at(sent.end + wait + SWITCHING, self._send)

    def _send_auxiliary(self):
        p, (_, channel, phy) = self.parameters, self._auxiliary
        scannable = p.scannable and not p.connectable
        pdu = Pdu(Kind.AUX_ADV_IND, p.address, 10 + (0 if scannable else len(p.data)), b"" if scannable else p.data,
                  target=p.target, connectable=p.connectable, scannable=scannable, sid=p.sid)
        sent = self.medium.transmit(self.radio, channel, pdu, phy)
        if (p.connectable or scannable) and sent.receivers:
            self._step = self.timeline.at(sent.end, lambda: self._listen(channel, self._close))
        else:
            self._step = self.timeline.at(sent.end, self._close)

    # --- Answers -------

    def _listen(self, channel: int, after):
        """Waits for a request. If none comes, calls `after`."""
        receiver = self._receiver = self.medium.listen(self.radio, channel, lambda pdu, _: self._hear(pdu, channel, after))

        def look():
            if receiver.transmission is not None:
                self._step = self.timeline.at(receiver.transmission.end + 1, look)
                return
            self.medium.stop(receiver)
            self._step = self.timeline.after(SWITCHING, after)

        self._step = self.timeline.after(T_IFS + T_SYNC, look)

    def _hear(self, pdu: Pdu, channel: int, after):
        p = self.parameters
        if pdu.address != p.address or pdu.kind not in (Kind.SCAN_REQ, Kind.AUX_SCAN_REQ, Kind.CONNECT_IND, Kind.AUX_CONNECT_REQ):
            return
        connects = pdu.kind in (Kind.CONNECT_IND, Kind.AUX_CONNECT_REQ)
        if (p.target is not None and pdu.sender != p.target) or not self._accepts(pdu.sender, connects):
            return
        self.timeline.cancel(self._step)
        self.medium.stop(self._receiver)
        if not connects:
            if p.scannable:
                self._step = self.timeline.after(T_IFS, lambda: self._respond(channel, after))
        elif p.connectable:
            if pdu.kind is Kind.AUX_CONNECT_REQ:
                self._step = self.timeline.after(T_IFS, lambda: self._confirm(channel, pdu))
            else:
                self._connect(pdu)

    def _respond(self, channel: int, after):
        p = self.parameters
        kind = Kind.AUX_SCAN_RSP if p.extended else Kind.SCAN_RSP
        pdu = Pdu(kind, p.address, 6 + len(p.response) + (4 if p.extended else 0), p.response, sid=p.sid)
        sent = self.medium.transmit(self.radio, channel, pdu, p.secondary_phy if p.extended else Phy.LE_1M)
        self._step = self.timeline.at(sent.end + SWITCHING, after)

    def _confirm(self, channel: int, request: Pdu):
        """Sends AUX_CONNECT_RSP, which has AdvA and TargetA in an extended header."""
        sent = self.medium.transmit(self.radio, channel, Pdu(Kind.AUX_CONNECT_RSP, self.parameters.address, 14, target=request.sender),
                                    self.parameters.secondary_phy)
        self._step = self.timeline.at(sent.end, lambda: self._connect(request))

    def _connect(self, request: Pdu):
        self.stop()
        if self._connected:
            self._connected(request.link, request.sender)
