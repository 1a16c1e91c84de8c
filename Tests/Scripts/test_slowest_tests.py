# SPDX-License-Identifier: Apache-2.0
"""Scripts/slowest-tests: whom it names, and in which order."""

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


class SlowestTests(unittest.TestCase):
    def printed(self, log, *arguments):
        with tempfile.NamedTemporaryFile("w", suffix=".log") as file:
            file.write(log)
            file.flush()
            return subprocess.run([SCRIPT, file.name, *arguments], capture_output=True, text=True, check=True).stdout

    def test_tests_are_named_the_slowest_first_and_neither_suites_nor_cases(self):
        self.assertEqual(self.printed(LOG).splitlines(), [
            "The 3 slowest tests, in seconds:", "    10.2  slow()", "     1.5  withCases(text:)", "     0.0  a quick one"])

    def test_no_more_than_asked_for_are_named(self):
        self.assertEqual(self.printed(LOG, "1").splitlines()[1:], ["    10.2  slow()"])

    def test_a_log_without_tests_says_nothing(self):
        self.assertEqual(self.printed("error: it does not build\n"), "")


if __name__ == "__main__":
    unittest.main()
