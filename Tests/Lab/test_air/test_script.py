# SPDX-License-Identifier: Apache-2.0
"""Tests scripts of attenuation and loss."""

import unittest

from .support import Room
from host.air.script import BadLine, Script


class Scripts(unittest.TestCase):
    def setUp(self):
        self.room = Room()
        self.script = Script(self.room.timeline, self.room.surroundings)
        self.one, self.other, self.third = (self.room.radio(name) for name in ("one", "other", "third"))

    def signal(self, sender, receiver):
        return self.room.surroundings.signal(sender, receiver)

    def losses(self, sender, receiver):
        return sum(self.room.surroundings.is_lost(sender, receiver) for _ in range(400)) / 400

    def test_a_line_with_a_time_waits_for_it_and_a_line_without_one_applies_at_once(self):
        self.script.read("2.5 attenuation 80")
        self.script.read("attenuation 70")
        self.room.run(2.4)
        self.assertEqual(self.signal(self.one, self.other), -70)
        self.room.run(0.1)
        self.assertEqual(self.signal(self.one, self.other), -80)

    def test_a_pair_is_attenuated_both_ways_and_loses_one_way(self):
        self.script.read("attenuation 90 one other")
        self.script.read("loss 0.5 one other")
        self.room.run(0)
        self.assertEqual([self.signal(*pair) for pair in ((self.one, self.other), (self.other, self.one), (self.one, self.third))], [-90, -90, -60])
        self.assertAlmostEqual(self.losses(self.one, self.other), 0.5, delta=0.1)
        self.assertEqual(self.losses(self.other, self.one), 0)

    def test_a_gradual_change_takes_the_stated_time(self):
        self.script.read("1 attenuation 55..95 over 40 one other")
        signals = []
        for _ in range(5):
            self.room.run(10.25)
            signals.append(self.signal(self.one, self.other))
        self.assertEqual(signals, sorted(signals, reverse=True))
        self.assertEqual((signals[0], signals[-1]), (-64.25, -95))

    def test_after_a_silence_the_former_attenuation_is_back(self):
        self.script.read("attenuation 75 one other")
        self.script.read("10 silence 2 one other")
        found = []
        for _ in range(3):
            self.room.run(5.5)
            found.append((self.signal(self.one, self.other), self.signal(self.one, self.third)))
        self.assertEqual(found, [(-75, -60), (-200, -60), (-75, -60)])

    def test_the_error_for_an_invalid_line_contains_the_line(self):
        for line in ("quiet 3", "loss", "loss 1.5", "attenuation x", "5", "loss 0.1 one", "attenuation 1..2 in 3"):
            with self.assertRaisesRegex(BadLine, line):
                self.script.read(line)
        for line in ("", "# loss 1"):
            self.script.read(line)
        self.assertIsNone(self.room.timeline.next_moment)
