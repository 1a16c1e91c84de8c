# SPDX-License-Identifier: Apache-2.0
"""Attenuation and loss between two radios."""

# The weakest signal that a receiver can receive, and the power of a transmitter. Vol 6 Part A 4.1 requires at least -70 dBm. Radios of laptops are
# some 20 dB better.
SENSITIVITY = -94
POWER = 0
# How much stronger a packet must be than others on the air. Vol 6 Part A 4.2 allows receivers that need 21 dB. Data sheets say 6 to 11.
CAPTURE = 10


class Surroundings:
    """The attenuation between each two radios, by their names, and the share of packets that is lost in spite of a sufficient signal.

    `random` chooses the lost packets.
    """

    def __init__(self, random, attenuation: float = 60, loss: float = 0):
        self._random = random
        self._attenuation, self._loss = {}, {}
        self._usual_attenuation, self._usual_loss = attenuation, loss

    def set_attenuation(self, attenuation: float, one: str = None, other: str = None):
        """Sets the attenuation between two radios in both directions. Without names it sets all, and removes earlier settings."""
        if one is None:
            self._attenuation.clear()
            self._usual_attenuation = attenuation
        else:
            self._attenuation[one, other] = self._attenuation[other, one] = attenuation

    def attenuations(self):
        """Returns all attenuations, for `restore_attenuations`."""
        return self._usual_attenuation, dict(self._attenuation)

    def restore_attenuations(self, before):
        self._usual_attenuation, self._attenuation = before[0], dict(before[1])

    def set_loss(self, loss: float, one: str = None, other: str = None):
        """Sets the share of lost packets, 0 to 1, from one radio to another. Without names it sets all, and removes earlier settings."""
        if one is None:
            self._loss.clear()
            self._usual_loss = loss
        else:
            self._loss[one, other] = loss

    def signal(self, sender, receiver) -> float:
        """Returns how strongly a radio hears another."""
        return POWER - self._attenuation.get((sender.name, receiver.name), self._usual_attenuation)

    def is_lost(self, sender, receiver) -> bool:
        """Returns whether to lose a packet that is strong enough to be received."""
        loss = self._loss.get((sender.name, receiver.name), self._usual_loss)
        return loss > 0 and self._random.random() < loss
