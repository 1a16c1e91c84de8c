# SPDX-License-Identifier: Apache-2.0
"""Runs a timeline on the real clock, and reads files between two events."""

import selectors
import time

# If an event is later than this, the air stands still for that time, so that no supervision timeout passes without packets.
LATENESS = 50_000


class RealTime:
    """Runs the events of a timeline when they are due.

    `behind` counts the microseconds for which the air stood still because this program got no processor. `worst` is the longest delay of an event.
    """

    def __init__(self, timeline, clock=time.monotonic):
        self._timeline, self._clock = timeline, clock
        self._origin = self._read() - timeline.now
        self.selector = selectors.DefaultSelector()
        self.behind = self.worst = 0

    def _read(self) -> int:
        return int(self._clock() * 1_000_000)

    def watch(self, file, action):
        """Calls `action` whenever a file can be read."""
        self.selector.register(file, selectors.EVENT_READ, action)

    def forget(self, file):
        self.selector.unregister(file)

    def step(self, longest: float = 1.0):
        """Runs all due events, waits for the next one, and reads files."""
        self._catch_up()
        due = self._timeline.next_moment
        wait = longest if due is None else min(longest, max(0, due + self._origin - self._read()) / 1_000_000)
        for key, _ in self.selector.select(wait):
            # The bytes of a file arrive now, and not at the time of the last event.
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
