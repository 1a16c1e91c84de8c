# SPDX-License-Identifier: Apache-2.0
"""Tests connections: throughput, loss, supervision, and failures to be established."""

import unittest

from .support import CENTRAL, MILLISECOND, PERIPHERAL, SECOND, Link, Owner, Phy, Room, address, advertise, connect
from host.air import initiating, scanning
from host.air.link import ESTABLISHING, NOT_ESTABLISHED, TIMEOUT

# The time of a packet of n octets and its answer, with T_IFS after each.
EXCHANGE = {(Phy.LE_1M, 251): 2088 + 150 + 80 + 150, (Phy.LE_1M, 27): 296 + 150 + 80 + 150, (Phy.LE_2M, 251): 1048 + 150 + 44 + 150}


def stream(seconds: float, interval: float, timeout: float = 4_000, octets: int = 251, phy: Phy = Phy.LE_1M, role: int = CENTRAL, buffers: int = 100,
           delay: int = None, seed: int = 1, **surroundings) -> tuple:
    """Lets one end send without a pause. Returns octets per second, the sending owner, and the receiving one."""
    room = Room(seed, **surroundings)
    sender, receiver = Owner(room.timeline, octets, buffers, delay), Owner(room.timeline)
    owners = (sender, receiver) if role == CENTRAL else (receiver, sender)
    connect(room, room.radio("one"), room.radio("other"), interval, timeout, owners, octets, phy)
    room.run(seconds)
    return receiver.received / seconds, sender, receiver


class Throughput(unittest.TestCase):
    def test_throughput_is_the_number_of_exchanges_that_fit_into_each_interval(self):
        for (phy, octets), exchange in EXCHANGE.items():
            for interval in (7.5, 15, 50):
                expected = interval * MILLISECOND // exchange * octets / (interval / 1000)
                self.assertAlmostEqual(stream(1, interval, octets=octets, phy=phy)[0] / expected, 1, delta=0.02, msg=(phy, octets, interval))

    def test_the_peripheral_sends_as_fast_and_its_last_packet_waits_for_the_next_event(self):
        self.assertAlmostEqual(stream(2, 50, role=PERIPHERAL)[0] / (20 * 251 / 0.05), 1, delta=0.02)

    def test_buffers_that_are_freed_once_in_an_interval_limit_the_throughput(self):
        # A real controller's 59.3 kB/s resulted from its twelve buffers.
        self.assertAlmostEqual(stream(4, 50, buffers=12, delay=25 * MILLISECOND)[0] / (12 * 251 / 0.05), 1, delta=0.02)

    def test_only_the_exchanges_before_the_first_loss_of_each_event_succeed(self):
        # An event ends with the first lost packet: q^2 + q^4 + ... + q^2N exchanges of N succeed, where q is the share that is heard.
        for loss, measured in ((0.1, 19_200), (0.3, None)):
            q = 1 - loss
            expected = sum(q ** (2 * k) for k in range(1, 13)) * 251 / 0.05
            found = stream(40, 50, timeout=32_000, buffers=12, delay=25 * MILLISECOND, loss=loss)[0]
            self.assertAlmostEqual(found / expected, 1, delta=0.06, msg=loss)
            if measured:  # a real link layer's 19.7 kB/s there and 18.7 back, with twelve buffers
                self.assertAlmostEqual(found / measured, 1, delta=0.1)

    def test_all_data_arrives_once_and_in_order_despite_losses(self):
        for role in (CENTRAL, PERIPHERAL):
            _, _, receiver = stream(20, 15, timeout=32_000, loss=0.3, role=role)
            self.assertGreater(len(receiver.numbers), 500)
            self.assertEqual(receiver.numbers, list(range(1, len(receiver.numbers) + 1)))

    def test_a_run_with_the_same_seed_gives_the_same_result(self):
        first, again, other = (stream(5, 50, timeout=32_000, loss=0.2, seed=seed)[2].numbers for seed in (3, 3, 4))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


class Ends(unittest.TestCase):
    def setUp(self):
        self.room = Room()
        self.one, self.other = self.room.radio("one"), self.room.radio("other")

    def test_silence_ends_a_link_after_the_supervision_timeout(self):
        for timeout in (420, 4_000):
            self.setUp()
            link, central, peripheral = connect(self.room, self.one, self.other, 50, timeout)
            self.room.run(3)
            self.room.surroundings.set_attenuation(200)
            heard = [end.heard for end in link.ends]
            self.room.run(10)
            for owner, moment in zip((central, peripheral), heard):
                self.assertEqual((owner.reason, owner.ended_at), (TIMEOUT, moment + timeout * MILLISECOND))

    def test_the_link_to_an_end_that_vanishes_ends_after_the_supervision_timeout(self):
        link, central, peripheral = connect(self.room, self.one, self.other, 50, 420)
        self.room.run(1)
        link.ends[PERIPHERAL].vanish()
        self.room.run(1)
        self.assertEqual((central.reason, peripheral.reason), (TIMEOUT, None))
        self.assertIsNone(self.room.timeline.next_moment)  # nothing of the link is left

    def test_a_link_to_a_peripheral_that_never_answers_fails_after_six_intervals(self):
        link, owner = Link(self.room.timeline, self.room.surroundings, 50 * MILLISECOND, 0, 4 * SECOND), Owner(self.room.timeline)
        link.join(CENTRAL, self.one, owner)
        self.room.run(1)
        self.assertEqual((owner.reason, owner.ended_at), (NOT_ESTABLISHED, ESTABLISHING * 50 * MILLISECOND))

    def test_a_link_whose_first_packets_are_lost_one_way_fails_to_be_established(self):
        self.room.surroundings.set_loss(1, "other", "one")
        _, central, peripheral = connect(self.room, self.one, self.other, 50, 4_000)
        self.room.run(20)
        # The peripheral hears the central until the central has given up.
        self.assertEqual((central.reason, peripheral.reason), (NOT_ESTABLISHED, TIMEOUT))

    def test_a_link_is_established_if_one_of_six_events_succeeds(self):
        # An answer establishes the central's link. With half of the packets lost, an answer comes in one event of four.
        failures = 0
        for seed in range(200):
            room = Room(seed, loss=0.5)
            _, central, _ = connect(room, room.radio("one"), room.radio("other"), 50, 32_000)
            room.run(0.31)
            failures += central.reason == NOT_ESTABLISHED
        # The first event comes up to one interval late, so five or six events fit into the time.
        self.assertAlmostEqual(failures / 200, (0.75 ** 5 + 0.75 ** 6) / 2, delta=0.08)

    def test_links_live_as_long_as_runs_of_lost_events_are_rare(self):
        # 420 ms have eight events of 50 ms, and the central hears nothing in p = 3/4 of them when half of the packets are lost. The first run of
        # eight is over after (1 - p^8) / (p^8 (1 - p)) = 36 events on average.
        p, lives = 0.75, []
        for seed in range(80):
            owner = stream(30, 50, timeout=420, octets=0, seed=seed, loss=0.5)[1]
            if owner.reason == TIMEOUT:
                lives.append(owner.ended_at / (50 * MILLISECOND))
        self.assertGreater(len(lives), 50)
        self.assertAlmostEqual(sum(lives) / len(lives) / ((1 - p ** 8) / (p ** 8 * (1 - p))), 1, delta=0.25)

    def test_a_loss_of_a_tenth_ends_no_link_whose_radio_has_no_other_use(self):
        self.assertEqual({stream(30, 50, timeout=420, octets=0, seed=seed, loss=0.1)[1].reason for seed in range(10)}, {None})

    def test_a_peripheral_with_latency_skips_events_and_answers_when_it_has_data(self):
        link, central, peripheral = connect(self.room, self.one, self.other, 50, 4_000)
        link.latency = 9
        self.room.run(1)
        moments = set()
        for _ in range(100):
            self.room.run(0.05)
            moments.add(link.ends[PERIPHERAL].heard)
        self.assertAlmostEqual(len(moments), 5 / 0.5, delta=2)
        self.assertIsNone(central.reason)
        # A peripheral with data waits only for the next event, although its latency allows it to skip nine.
        peripheral.size, peripheral.delay = 27, 1_000 * SECOND
        for number in range(1, 6):
            peripheral.left = 1
            self.room.run(0.06)
            self.assertEqual(central.received, number * 27)
            self.room.run(0.2)


class Dials(unittest.TestCase):
    """Tests CONNECT_IND, which a radio sends to one that advertises."""

    def dial(self, room, loss_of_request: float = 0, extended: bool = False):
        one, other = room.radio("one"), room.radio("other")
        owners = Owner(room.timeline), Owner(room.timeline)
        room.surroundings.set_loss(loss_of_request, "one", "other")
        advertised = advertise(other, 7, 100, lambda link, sender: link.join(PERIPHERAL, other, owners[PERIPHERAL]), extended=extended)

        def connected(link, _):
            room.surroundings.set_loss(0)
            self.began = room.timeline.now
            link.join(CENTRAL, one, owners[CENTRAL])

        parameters = scanning.Parameters(address(8), 60 * MILLISECOND, 60 * MILLISECOND)
        initiating.Initiator(one, parameters, lambda pdu: pdu.address == address(7),
                             lambda: Link(room.timeline, room.surroundings, 50 * MILLISECOND, 0, 420 * MILLISECOND), connected).start()
        room.run(1)
        return owners, advertised

    def test_a_connection_begins(self):
        for extended in (False, True):
            owners, advertised = self.dial(Room(), extended=extended)
            self.assertEqual([owner.reason for owner in owners], [None, None])
            events = advertised.events
            advertised.radio.timeline.run(3 * SECOND)
            self.assertEqual(advertised.events, events)  # the advertiser has stopped

    def test_only_the_initiator_learns_of_a_lost_request_and_only_six_intervals_later(self):
        owners, advertised = self.dial(Room(), loss_of_request=1)
        self.assertEqual([owner.reason for owner in owners], [NOT_ESTABLISHED, None])
        self.assertEqual(owners[CENTRAL].ended_at, self.began + 6 * 50 * MILLISECOND)
        events = advertised.events
        advertised.radio.timeline.run(3 * SECOND)
        self.assertGreater(advertised.events, events)  # the advertiser does not know that it was dialled

    def test_a_lost_request_of_extended_advertising_is_repeated(self):
        owners, _ = self.dial(Room(seed=5), loss_of_request=0.7, extended=True)
        self.assertEqual([owner.reason for owner in owners], [None, None])
