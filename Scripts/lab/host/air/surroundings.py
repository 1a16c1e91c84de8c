# SPDX-License-Identifier: Apache-2.0
"""Attenuation and loss between two radios."""

# What a receiver needs, and what a transmitter sends with. Vol 6 Part A 4.1 asks for -70 dBm at least; radios of laptops have some 20 dB more.
SENSITIVITY = -94
POWER = 0
# By how much a packet must be stronger than what is on air beside it. Vol 6 Part A 4.2 permits receivers that need 21 dB; data sheets say 6 to 11.
CAPTURE = 10


class Surroundings:
    """How strongly radios hear each other, by their names, and how many packets are lost nevertheless.

    `random` decides which packets these are.
    """

    def __init__(self, random, attenuation: float = 60, loss: float = 0):
        self._random = random
        self._attenuation, self._loss = {}, {}
        self._usual_attenuation, self._usual_loss = attenuation, loss

    def set_attenuation(self, attenuation: float, one: str = None, other: str = None):
        """Between two radios in both directions; without names, between all, whatever was set before."""
        if one is None:
            self._attenuation.clear()
            self._usual_attenuation = attenuation
        else:
            self._attenuation[one, other] = self._attenuation[other, one] = attenuation

    def attenuations(self):
        """All of them, for `restore_attenuations`."""
        return self._usual_attenuation, dict(self._attenuation)

    def restore_attenuations(self, before):
        self._usual_attenuation, self._attenuation = before[0], dict(before[1])

    def set_loss(self, loss: float, one: str = None, other: str = None):
        """The share of packets, 0 to 1, from one radio to another; without names, between all, whatever was set before."""
        if one is None:
            self._loss.clear()
            self._usual_loss = loss
        else:
            self._loss[one, other] = loss

    def signal(self, sender, receiver) -> float:
        """How strongly a radio hears another."""
        return POWER - self._attenuation.get((sender.name, receiver.name), self._usual_attenuation)

    def is_lost(self, sender, receiver) -> bool:
        """Whether a packet that nothing else hinders is not received."""
        loss = self._loss.get((sender.name, receiver.name), self._usual_loss)
        return loss > 0 and self._random.random() < loss
