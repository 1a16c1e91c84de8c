# SPDX-License-Identifier: Apache-2.0
"""Initiators, which scan for a device and begin a connection with it."""

from .pdu import CONNECTABLE, T_IFS, T_SYNC, Kind, Pdu, Phy, connect_request
from .scanning import Parameters, Windows


class Initiator(Windows):
    """Answers the first connectable advertisement for which `wants(pdu)` is true with a request. Vol 6 Part B 4.4.4.

    `make_link()` returns the connection for the request. `connected(link, address)` is called at the end of CONNECT_IND. Nothing confirms that
    packet. The first events of the connection show whether the advertiser has heard it. AUX_CONNECT_REQ is confirmed by AUX_CONNECT_RSP. Without that answer, the initiator continues scanning.
    """

    def __init__(self, radio, parameters: Parameters, wants, make_link, connected):
        super().__init__(radio, parameters)
        self._wants, self._make_link, self._connected = wants, make_link, connected

    def _hear(self, pdu: Pdu, signal: float, channel: int):
        if pdu.kind is Kind.ADV_EXT_IND:
            self._follow(pdu, self._hear_auxiliary)
        elif pdu.kind in CONNECTABLE and self._is_for_us(pdu):
            link = self._make_link()
            request = connect_request(self.parameters.address, pdu.address, link, False)
            self._ask(request, channel, Phy.LE_1M, lambda: self._done(link, pdu))

    def _hear_auxiliary(self, pdu: Pdu, signal: float, channel: int, phy):
        self.timeline.cancel(self._step)
        if pdu.connectable and self._is_for_us(pdu):
            link = self._make_link()
            link.phy = phy
            request = connect_request(self.parameters.address, pdu.address, link, True)
            self._ask(request, channel, phy, lambda: self._wait_for_response(link, pdu, channel))
        else:
            self._listen_again()

    def _is_for_us(self, pdu: Pdu) -> bool:
        return self._wants(pdu) and pdu.target in (None, self.parameters.address)

    def _wait_for_response(self, link, asked: Pdu, channel: int):
        def hear(pdu, _):
            if pdu.kind is Kind.AUX_CONNECT_RSP and pdu.address == asked.address:
                self.timeline.cancel(self._step)
                self._done(link, asked)

        self._receiver = self.medium.listen(self.radio, channel, hear)
        self._await(self._receiver, T_IFS + T_SYNC, self._listen_again)

    def _done(self, link, pdu: Pdu):
        self.stop()
        self._connected(link, pdu.address)
