# SPDX-License-Identifier: Apache-2.0
"""Tests the timeline, also on the real clock."""

import socket
import unittest

from .support import SECOND, Timeline
from host.air.realtime import LATENESS, RealTime


class Timelines(unittest.TestCase):
    def setUp(self):
        self.timeline, self.happened = Timeline(), []

    def note(self, name):
        return lambda: self.happened.append((self.timeline.now, name))

    def test_events_run_by_time_and_then_in_the_order_in_which_they_were_added(self):
        for moment, name in ((20, "c"), (10, "a"), (20, "d"), (10, "b"), (31, "e")):
            self.timeline.at(moment, self.note(name))
        self.timeline.run(30)
        self.assertEqual(self.happened, [(10, "a"), (10, "b"), (20, "c"), (20, "d")])
        self.assertEqual(self.timeline.now, 30)

    def test_an_event_in_the_past_runs_now(self):
        self.timeline.run(50)
        self.timeline.at(10, self.note("late"))
        self.timeline.run(50)
        self.assertEqual(self.happened, [(50, "late")])

    def test_cancelled_events_do_not_run_and_are_not_the_next_event(self):
        event = self.timeline.at(5, self.note("no"))
        self.timeline.at(9, self.note("yes"))
        self.timeline.cancel(event)
        self.assertEqual(self.timeline.next_moment, 9)
        self.timeline.run(10)
        self.timeline.cancel(event)
        self.timeline.cancel(None)
        self.assertEqual(self.happened, [(9, "yes")])
        self.assertIsNone(self.timeline.next_moment)


class RealTimes(unittest.TestCase):
    def setUp(self):
        self.clock, self.timeline = 100.0, Timeline()
        self.real = RealTime(self.timeline, lambda: self.clock)
        self.addCleanup(self.real.selector.close)

    def test_events_run_when_the_clock_reaches_their_time(self):
        happened = []
        self.timeline.at(2_000, lambda: happened.append(self.timeline.now))
        self.clock += 0.001
        self.real.step(0)
        self.assertEqual(happened, [])
        self.clock += 0.001
        self.real.step(0)
        self.assertEqual(happened, [2_000])

    def test_the_air_stands_still_while_the_program_has_no_processor(self):
        happened = []
        for moment in (1_000, 1_000_000):
            self.timeline.at(moment, lambda: happened.append(self.timeline.now))
        self.clock += 5
        self.real.step(0)
        self.assertEqual(happened, [1_000])
        self.assertEqual(self.real.behind, 5 * SECOND - 1_000)
        self.clock += 1
        self.real.step(0)
        self.assertEqual(happened, [1_000, 1_000_000])

    def test_a_small_delay_is_caught_up(self):
        self.timeline.at(1_000, lambda: None)
        self.clock += LATENESS / 2 / SECOND
        self.real.step(0)
        self.assertEqual((self.real.behind, self.timeline.now), (0, LATENESS // 2))
        self.assertEqual(self.real.worst, LATENESS // 2 - 1_000)

    def test_readable_files_are_read(self):
        ours, theirs = socket.socketpair()
        self.addCleanup(ours.close)
        self.addCleanup(theirs.close)
        said = []
        self.real.watch(ours, lambda: said.append((self.timeline.now, ours.recv(10))))
        theirs.send(b"x")
        self.clock += 0.5
        self.real.step(1)
        self.assertEqual(said, [(500_000, b"x")])
