# SPDX-License-Identifier: Apache-2.0
"""The queue of events of a discrete-event simulation."""

import heapq
import itertools

MILLISECOND = 1_000
SECOND = 1_000_000


class Timeline:
    """Runs actions in the order of their times. Two actions of the same time run in the order in which they were
    added."""

    def __init__(self):
        self.now = 0
        self._waiting = []
        self._order = itertools.count()

    def at(self, moment: int, action) -> list:
        """Schedules `action` for a time, or for now if that time has passed. Returns the value for `cancel`."""
        event = [max(moment, self.now), next(self._order), action]
        heapq.heappush(self._waiting, event)
        return event

    def after(self, delay: int, action) -> list:
        return self.at(self.now + delay, action)

    @staticmethod
    def cancel(event):
        """Cancels an event. Ignores None and an event that has already happened."""
        if event is not None:
            event[2] = None

    @property
    def next_moment(self):
        """Returns the time of the next action, or None."""
        while self._waiting and self._waiting[0][2] is None:
            heapq.heappop(self._waiting)
        return self._waiting[0][0] if self._waiting else None

    def run(self, until: int):
        """Runs all actions until a time, including those at that time."""
        waiting = self._waiting
        while waiting and waiting[0][0] <= until:
            event = heapq.heappop(waiting)
            action, event[2] = event[2], None
            if action is not None:
                self.now = event[0]
                action()
        self.now = max(self.now, until)
