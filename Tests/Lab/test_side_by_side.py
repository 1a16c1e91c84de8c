# SPDX-License-Identifier: Apache-2.0
"""Tests jobs that run at the same time: their number, their output, and that none outlives the run."""

import os
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts" / "lab"))

from host import side_by_side  # noqa: E402

# Writes a file, waits until there are as many files as jobs, and prints its name.
MEET = """
import pathlib, sys, time
place, name, number = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
(place / name).touch()
while len(list(place.iterdir())) < number: time.sleep(0.01)
print(name)
"""
# Prints its name, and how many jobs run at that time, itself included.
ALONE = """
import pathlib, sys
place, name = pathlib.Path(sys.argv[1]), sys.argv[2]
(place / name).touch()
print(name, len(list(place.iterdir())))
(place / name).unlink()
"""


class SideBySide(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def job(self, script, *arguments, size=1):
        return side_by_side.Job((sys.executable, "-c", script, self.place.name, *arguments), size)

    def test_two_jobs_that_fit_run_at_once(self):
        shown = []
        self.assertEqual(side_by_side.run([self.job(MEET, "a", "2"), self.job(MEET, "b", "2")], 2, shown.append), [0, 0])
        self.assertEqual(set(shown), {"a\n", "b\n"})

    def test_a_job_that_takes_all_the_room_runs_alone(self):
        shown = []
        jobs = [self.job(ALONE, "a", size=2), self.job(ALONE, "b", size=5), self.job(ALONE, "c")]
        self.assertEqual(side_by_side.run(jobs, 2, shown.append), [0, 0, 0])
        self.assertEqual(shown, ["a 1\n", "b 1\n", "c 1\n"])

    def test_each_status_is_returned_and_a_failure_stops_no_other_job(self):
        fails = side_by_side.Job((sys.executable, "-c", "import sys; sys.exit('no')"), 2)
        shown = []
        self.assertEqual(side_by_side.run([fails, self.job(ALONE, "b")], 2, shown.append), [1, 0])
        self.assertEqual(shown, ["no\n", "b 1\n"])

    def test_output_larger_than_a_pipe_is_shown(self):
        shown = []
        side_by_side.run([side_by_side.Job((sys.executable, "-c", "print('x' * 1_000_000)"), 1)], 1, shown.append)
        self.assertEqual(len(shown[0]), 1_000_001)

    def test_an_interrupt_ends_the_running_jobs(self):
        place = Path(self.place.name)
        pids = [side_by_side.Job((sys.executable, "-c", f"""
import os, pathlib, time
pathlib.Path({str(place)!r}, str(os.getpid())).touch()
time.sleep(600)"""), 1)] * 2

        def interrupt():
            while len(list(place.iterdir())) < 2:
                pass
            os.kill(os.getpid(), 2)

        threading.Thread(target=interrupt).start()
        with self.assertRaises(KeyboardInterrupt):
            side_by_side.run(pids, 2, print)
        for pid in place.iterdir():
            self.assertFalse(Path("/proc", pid.name).exists())
