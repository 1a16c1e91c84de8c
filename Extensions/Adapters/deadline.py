# SPDX-License-Identifier: Apache-2.0
"""How long an event may wait for other programs. All adapters run in one main loop, so while one adapter waits, the
other adapters do nothing."""

import contextlib
import contextvars
import math
import time

LONGEST = 3  # seconds for which an event waits, all its questions together
SAVING = 4.5  # seconds for an activity's current values, for which Baton waits 5

# The time at which the current event stops waiting. A newly started thread has no such time.
_end = contextvars.ContextVar("end", default=math.inf)


@contextlib.contextmanager
def within(seconds: float = LONGEST):
    """Limits how long the statements inside wait for other programs. It is also a decorator. The limit of an outer
    event stays."""
    before = _end.set(min(_end.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _end.reset(before)


def left(most: float) -> float:
    """Returns for how many seconds a question may wait: `most`, or fewer near the end of the event's time."""
    return max(0.0, min(most, _end.get() - time.monotonic()))
