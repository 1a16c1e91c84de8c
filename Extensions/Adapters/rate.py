# SPDX-License-Identifier: Apache-2.0
"""Limits how often something may happen."""

import time


class Rate:
    """Allows `at_once` events at once, and `per_second` events per second after that."""

    def __init__(self, at_once: int, per_second: float):
        self.at_once, self.per_second = at_once, per_second
        self.left, self.since = float(at_once), time.monotonic()

    def allows(self, count: int = 1) -> bool:
        """Counts `count` events if they are within the limit. Returns whether they are."""
        now = time.monotonic()
        self.left = min(self.at_once, self.left + (now - self.since) * self.per_second)
        self.since = now
        if self.left < count:
            return False
        self.left -= count
        return True
