# SPDX-License-Identifier: Apache-2.0
"""Tests that nothing is polled: while nothing happens, the adapters' service does not run."""

import pathlib
import re
import time

from apps import LIMIT, MOCK
from test_documents import QUIET, TYPE, Reading

WINDOW = 5  # seconds. In this time a program that polls once a second runs five times.
FEW = 3  # how often a service may run in this time


def runs(process: int) -> int:
    """Returns how often the threads of a program have gone to sleep, which they do after each wakeup."""
    found = 0
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        found += int(re.search(r"(?m)^voluntary_ctxt_switches:\s*(\d+)$", (task / "status").read_text(encoding="ascii"))[1])
    return found


class Silence(Reading):
    def assert_is_silent(self, process: int):
        """Waits for a period in which a process does almost nothing. Before that, earlier events may still have
        effects."""
        counts, limit = [], time.monotonic() + LIMIT
        while not counts or counts[-1] >= FEW:
            self.assertLess(time.monotonic(), limit, f"it ran so often in {WINDOW} s each: {counts}")
            before = runs(process)
            time.sleep(WINDOW)  # the measured period
            counts.append(runs(process) - before)

    def test_service_stays_asleep_while_a_document_is_open_and_a_song_plays(self):
        self.prefer(self.sofa, "zathura")
        self.desk.spawn(["zathura", "--page=37", self.write("book.pdf")], **QUIET)
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        self.desk.spawn([MOCK, "https://music.example/song"])
        self.eventually(lambda: self.names(self.desk, "org.mpris.MediaPlayer2.mock"))
        self.assert_is_silent(self.desk.adapters.pid)

    def test_service_stays_asleep_after_a_hand_over(self):
        self.prefer(self.sofa, "zathura")
        self.desk.spawn(["zathura", "--page=37", self.write("book.pdf")], **QUIET)
        self.open(self.sofa, TYPE)
        for laptop in (self.sofa, self.desk):
            self.assert_is_silent(laptop.adapters.pid)
