# SPDX-License-Identifier: Apache-2.0
"""Tests what Scripts/failed-tests prints about a log."""

import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "Scripts" / "failed-tests"
SWIFT = """✔ Test "a quick one" passed after 0.002 seconds.
✘ Test "a slow one" recorded an issue at SlowTests.swift:12:5: Time limit was exceeded: 180.000 seconds
✘ Test "a slow one" failed after 180.002 seconds with 1 issue.
✘ Suite SlowTests failed after 181.000 seconds with 1 issue.
✘ Test run with 3 tests in 1 suite failed after 181.000 seconds with 1 issue.
"""
PYTHON = """ok       5.5 s  Tests/Examples/test_book.Books (2)
FAIL: test_a_page (test_book.Pages.test_a_page)
Traceback (most recent call last):
  File "test_book.py", line 3, in test_a_page
AssertionError: 1 != 2
python-tests: 3 tests in 6 s; failed: Tests/Examples/test_book.Pages (status 1)
"""


class FailedTests(unittest.TestCase):
    def said(self, log):
        """Returns the lines about a log, without the one that names it."""
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory, "part.log")
            file.write_text(log, encoding="utf-8")
            printed = subprocess.run([SCRIPT, file], capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertEqual(printed[0], f"What failed, from {file}:")
        return [line.strip() for line in printed[1:]]

    def test_issues_of_a_swift_test_are_printed_without_its_suite(self):
        self.assertEqual(self.said(SWIFT), [line for line in SWIFT.splitlines() if '✘ Test "a slow one"' in line])

    def test_python_tests_are_printed_with_their_reasons(self):
        self.assertEqual(self.said(PYTHON), [line for line in PYTHON.splitlines() if line.startswith(("FAIL", "AssertionError", "python-tests"))])

    def test_failed_scenario_of_the_lab_is_printed(self):
        self.assertEqual(self.said("lab: one passed 3.0 s\nlab: two FAILED 12.0 s\n"), ["lab: two FAILED 12.0 s"])

    def test_last_lines_are_printed_if_the_log_names_no_failure(self):
        self.assertEqual(self.said("one\ntwo\nthree\nfour\n"), ["two", "three", "four"])

    def test_many_failures_are_cut_and_counted(self):
        said = self.said("FAIL: test\n" * 40)
        self.assertEqual((len(said), said[-1]), (17, "and 24 lines more"))
