# SPDX-License-Identifier: Apache-2.0
"""Tests which tests Scripts/slowest-tests lists, and in which order."""

import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "Scripts" / "slowest-tests"
LOG = """◇ Test "a quick one" started.
✔ Test "a quick one" passed after 0.002 seconds.
✔ Test withCases(text:) with 14 test cases passed after 1.500 seconds.
✔ Test case passing 1 argument text → "a" (Swift.String) to withCases(text:) passed after 9.000 seconds.
✘ Test slow() failed after 10.250 seconds with 1 issue.
✔ Suite Slow passed after 30.000 seconds.
✔ Test run with 3 tests in 1 suite passed after 30.000 seconds.
"""
OTHERS = """ok       5.5 s  Tests/Examples/test_book.Books (2)
          4.5 s  Tests/Examples/test_book.Books.test_a_book
lab: bluez-one-laptop             passed   12.5 s
    bluetoothd 5.66
"""


class SlowestTests(unittest.TestCase):
    def printed(self, *logs):
        with tempfile.TemporaryDirectory() as directory:
            files = [Path(directory, f"{number}.log") for number in range(len(logs))]
            for file, log in zip(files, logs):
                file.write_text(log, encoding="utf-8")
            return subprocess.run([SCRIPT, *files], capture_output=True, text=True, check=True).stdout

    def test_only_tests_are_listed_slowest_first(self):
        self.assertEqual(self.printed(LOG).splitlines(), [
            "The 3 slowest tests, in seconds:", "    10.2  slow()", "     1.5  withCases(text:)", "     0.0  a quick one"])

    def test_python_tests_and_lab_scenarios_are_listed_too(self):
        self.assertEqual(self.printed(LOG, OTHERS).splitlines()[1:4], [
            "    12.5  lab: bluez-one-laptop", "    10.2  slow()", "     4.5  Tests/Examples/test_book.Books.test_a_book"])

    def test_twenty_tests_are_listed(self):
        log = "\n".join(f"lab: scenario-{number} passed {number}.0 s" for number in range(30))
        self.assertEqual(len(self.printed(log).splitlines()), 21)

    def test_a_log_without_tests_gives_no_output(self):
        self.assertEqual(self.printed("error: it does not build\n"), "")
