# SPDX-License-Identifier: Apache-2.0
"""A timeline on the real clock, between which and the next event files are read."""

import selectors
import time

# A machine that was later than this stands still for the air, too: else supervision timeouts would pass without a packet.
LATENESS = 50_000


class RealTime:
    """Lets a timeline's events happen when they are due.

    `behind` counts the microseconds in which the air stood still because this program had no processor, `worst` is the longest lateness of an event.
    """

    def __init__(self, timeline, clock=time.monotonic):
        self._timeline, self._clock = timeline, clock
        self._origin = self._read() - timeline.now
        self.selector = selectors.DefaultSelector()
        self.behind = self.worst = 0

    def _read(self) -> int:
        return int(self._clock() * 1_000_000)

    def watch(self, file, action):
        """Has `action` called whenever a file can be read."""
        self.selector.register(file, selectors.EVENT_READ, action)

    def forget(self, file):
        self.selector.unregister(file)

    def step(self, longest: float = 1.0):
        """Does all that is due, waits for what comes next, and reads files."""
        self._catch_up()
        due = self._timeline.next_moment
        wait = longest if due is None else min(longest, max(0, due + self._origin - self._read()) / 1_000_000)
        for key, _ in self.selector.select(wait):
            # What a file says is said now, and not when the last event was.
            self._catch_up()
            key.data()

    def _catch_up(self):
        now = self._read() - self._origin
        due = self._timeline.next_moment
        if due is not None and due < now:
            late = now - due
            self.worst = max(self.worst, late)
            if late > LATENESS:
                self._origin += late
                self.behind += late
                now = due
        self._timeline.run(now)
