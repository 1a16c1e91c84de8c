# SPDX-License-Identifier: Apache-2.0
"""A room of radios on virtual time."""

import random
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Scripts" / "lab"))

from host.air import advertising, initiating, scanning  # noqa: E402
from host.air.events import MILLISECOND, SECOND, Timeline  # noqa: E402
from host.air.link import CENTRAL, PERIPHERAL, Link, Packet  # noqa: E402
from host.air.medium import Medium  # noqa: E402
from host.air.pdu import RANDOM, Phy  # noqa: E402
from host.air.radio import Policy, Radio  # noqa: E402
from host.air.surroundings import Surroundings  # noqa: E402

BEACON = bytes(range(31))


class Room:
    """A room whose radios share one seed for everything random."""

    def __init__(self, seed: int = 1, policy: Policy = Policy.SCANNING_WINS, **surroundings):
        self.random = random.Random(seed)
        self.timeline = Timeline()
        self.surroundings = Surroundings(self.random, **surroundings)
        self.medium = Medium(self.timeline, self.surroundings)
        self.policy = policy

    def radio(self, name: str) -> Radio:
        return Radio(name, self.medium, self.random, self.policy)

    def run(self, seconds: float):
        self.timeline.run(self.timeline.now + round(seconds * SECOND))


def address(number: int) -> tuple:
    return RANDOM, bytes([number & 0xFF, number >> 8, 0, 0, 0, 0xC0])


def advertise(radio, number: int, milliseconds: float, connected=None, **parameters) -> advertising.AdvertisingSet:
    """Starts a set that advertises with the address `number`."""
    given = {"data": BEACON, **parameters}
    advertised = advertising.AdvertisingSet(radio, advertising.Parameters(address(number), round(milliseconds * MILLISECOND), **given), connected)
    advertised.start()
    return advertised


def scan(radio, interval: float, window: float, phase: float = 0, active: bool = False) -> tuple:
    """Starts a scanner with times in milliseconds. Returns it and the list of its reports: time, PDU and signal."""
    found = []
    parameters = scanning.Parameters(address(999), round(interval * MILLISECOND), round(window * MILLISECOND), active, round(phase * MILLISECOND))
    scanner = scanning.Scanner(radio, parameters, lambda pdu, signal: found.append((radio.timeline.now, pdu, signal)))
    scanner.start()
    return scanner, found


class Owner:
    """The owner of a connection's end. It sends packets of a size as long as there are buffers, like a host that always has
    data.

    A buffer is free again for the next event, and not in the event in which it was acknowledged, unless the host is `instant`.
    """

    def __init__(self, timeline, size: int = 0, buffers: int = 0, delay: int = None):
        self.timeline, self.size, self.left, self.delay = timeline, size, buffers, delay
        self.received, self.reason, self.ended_at, self.numbers = 0, None, None, []
        self._number = 0

    def next_packet(self):
        if not self.has_more():
            return None
        self.left -= 1
        self._number += 1
        number, other = self._number, self.other
        return Packet(self.size, lambda: other.take(number, self.size), self._acknowledged)

    def has_more(self) -> bool:
        return self.size > 0 and self.left > 0

    def _acknowledged(self):
        if self.delay is None:
            self.left += 1
        else:
            self.timeline.after(self.delay, self._freed)

    def _freed(self):
        self.left += 1

    def take(self, number: int, size: int):
        self.received += size
        self.numbers.append(number)

    def ended(self, reason: int):
        self.reason, self.ended_at = reason, self.timeline.now


def connect(room: Room, one: Radio, other: Radio, interval: float, timeout: float, owners: tuple = None, octets: int = 251, phy: Phy = Phy.LE_1M) -> tuple:
    """Returns a connection with the longest data length, and its two owners. Times are in milliseconds."""
    link = Link(room.timeline, room.surroundings, round(interval * MILLISECOND), 0, round(timeout * MILLISECOND), phy)
    owners = owners or (Owner(room.timeline), Owner(room.timeline))
    owners[0].other, owners[1].other = owners[1], owners[0]
    for role, radio, owner in ((CENTRAL, one, owners[0]), (PERIPHERAL, other, owners[1])):
        link.join(role, radio, owner).octets = octets
    return (link, *owners)


def median_of(measure, seeds=range(1, 8)) -> float:
    """Returns the median of a measurement over several seeds. Each seed gives all periodic events another phase."""
    return statistics.median(measure(seed) for seed in seeds)
