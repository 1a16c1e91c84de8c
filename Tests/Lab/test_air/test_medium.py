# SPDX-License-Identifier: Apache-2.0
"""Tests channels: airtime, collisions, capture, range, loss."""

import unittest

from .support import Phy, Room, address
from host.air.pdu import Kind, advertisement, airtime
from host.air.surroundings import CAPTURE

FIRST, SECOND_ONE = (advertisement(Kind.ADV_NONCONN_IND, address(number), bytes(31)) for number in (1, 2))


class Airtime(unittest.TestCase):
    def test_airtimes_are_those_of_the_core_specification(self):
        # Vol 6 Part B 2.1: 44 to 2128 us at 1M without MIC. The longest data packet, the empty one, CONNECT_IND and a full ADV_IND.
        self.assertEqual([airtime(size) for size in (251, 0, 34, 37, 27)], [2088, 80, 352, 376, 296])
        self.assertEqual([airtime(size, Phy.LE_2M) for size in (251, 0)], [1048, 44])


class Channels(unittest.TestCase):
    def setUp(self):
        self.room = Room()
        self.listener, self.one, self.other = (self.room.radio(name) for name in ("listener", "one", "other"))
        self.heard = []

    def listen(self, channel=37):
        return self.room.medium.listen(self.listener, channel, lambda pdu, signal: self.heard.append((self.room.timeline.now, pdu, signal)))

    def send(self, moment, radio, pdu, channel=37):
        self.room.timeline.at(moment, lambda: self.room.medium.transmit(radio, channel, pdu))

    def pdus(self):
        self.room.timeline.run(10_000)
        return [pdu for _, pdu, _ in self.heard]

    def test_a_packet_is_heard_at_its_end_with_its_signal(self):
        self.listen()
        self.room.surroundings.set_attenuation(71, "one", "listener")
        self.send(100, self.one, FIRST)
        self.pdus()
        self.assertEqual(self.heard, [(100 + 376, FIRST, -71)])

    def test_a_radio_hears_neither_other_channels_nor_its_own_packets(self):
        self.listen()
        self.send(0, self.one, FIRST, 38)
        self.send(1_000, self.listener, SECOND_ONE)
        self.assertEqual(self.pdus(), [])

    def test_a_packet_that_began_before_the_receiver_listened_is_not_heard(self):
        self.send(0, self.one, FIRST)
        self.room.timeline.at(1, self.listen)
        self.assertEqual(self.pdus(), [])

    def test_a_packet_is_lost_when_its_receiver_stops(self):
        receiver = self.listen()
        self.send(0, self.one, FIRST)
        self.room.timeline.at(375, lambda: self.room.medium.stop(receiver))
        self.assertEqual(self.pdus(), [])

    def test_two_overlapping_packets_of_equal_strength_are_both_lost(self):
        for delay in (0, 375):
            self.heard.clear()
            self.setUp()
            self.listen()
            self.send(0, self.one, FIRST)
            self.send(delay, self.other, SECOND_ONE)
            self.assertEqual(self.pdus(), [], delay)
            self.assertEqual(self.room.medium.collisions, 1)

    def test_two_packets_that_do_not_overlap_are_both_heard(self):
        self.listen()
        self.send(0, self.one, FIRST)
        self.send(377, self.other, SECOND_ONE)
        self.assertEqual(self.pdus(), [FIRST, SECOND_ONE])

    def test_the_first_packet_is_heard_if_it_is_stronger_by_enough(self):
        for stronger, expected in ((CAPTURE, [FIRST]), (CAPTURE - 1, [])):
            self.setUp()
            self.room.surroundings.set_attenuation(60 + stronger, "other", "listener")
            self.listen()
            self.send(0, self.one, FIRST)
            self.send(100, self.other, SECOND_ONE)
            self.assertEqual(self.pdus(), expected)

    def test_a_stronger_packet_that_begins_later_is_not_heard_and_spoils_the_first(self):
        self.room.surroundings.set_attenuation(80, "one", "listener")
        self.listen()
        self.send(0, self.one, FIRST)
        self.send(100, self.other, SECOND_ONE)
        self.assertEqual(self.pdus(), [])

    def test_a_packet_that_the_receiver_cannot_hear_causes_no_collision(self):
        self.room.surroundings.set_attenuation(120, "other", "listener")
        self.listen()
        self.send(0, self.one, FIRST)
        self.send(100, self.other, SECOND_ONE)
        self.assertEqual(self.pdus(), [FIRST])

    def test_no_packet_is_heard_below_the_sensitivity(self):
        self.listen()
        for attenuation, expected in ((94, 1), (95, 0)):
            self.heard.clear()
            self.room.surroundings.set_attenuation(attenuation)
            self.send(self.room.timeline.now, self.one, FIRST)
            self.room.run(0.001)
            self.assertEqual(len(self.heard), expected, attenuation)

    def test_the_share_of_lost_packets_is_the_requested_one(self):
        self.room.surroundings.set_loss(0.3, "one", "listener")
        self.listen()
        for number in range(1_000):
            self.send(number * 1_000, self.one, FIRST)
            self.send(number * 1_000 + 500, self.other, SECOND_ONE)
        self.room.run(2)
        found = [pdu for _, pdu, _ in self.heard]
        self.assertEqual(found.count(SECOND_ONE), 1_000)
        self.assertAlmostEqual(found.count(FIRST) / 1_000, 0.7, delta=0.05)
