# SPDX-License-Identifier: Apache-2.0
"""Tests which runs Scripts/python-tests counts as passed."""

import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "Scripts" / "python-tests"
TEST = """import os, signal, unittest


class One(unittest.TestCase):
    def test_it(self):
        {}
"""
GOOD = TEST.format("self.assertTrue(1 == 1)")


class PythonTests(unittest.TestCase):
    def run_on(self, before=None, **files: str) -> tuple:
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                Path(directory, f"test_{name}.py").write_text(text, encoding="utf-8")
            done = subprocess.run([SCRIPT, directory], capture_output=True, text=True, check=False, preexec_fn=before)
        return done.returncode, done.stdout + done.stderr

    def test_all_classes_run(self):
        status, said = self.run_on(one=GOOD, two=GOOD)
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"(?m)^ok +[0-9.]+ s  \S+/test_two.One \(1\)$")
        self.assertRegex(said, r"python-tests: 2 tests in \d+ s\n$")

    def test_failed_tests_are_named_with_the_reason(self):
        for line, why in (("self.assertFalse(1 == 1)", "True is not false"), ("os.kill(os.getpid(), signal.SIGSEGV)", "in test_it")):
            status, said = self.run_on(one=GOOD, two=TEST.format(line))
            self.assertEqual(status, 1)
            self.assertRegex(said, r"; failed: \S+/test_two.One \(status -?\d+\)\n$")
            self.assertIn(why, said)

    def test_programs_of_a_run_in_the_background_can_be_interrupted(self):
        ends = TEST.format("os.kill(os.getpid(), signal.SIGINT)")
        status, said = self.run_on(before=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN), one=ends)
        self.assertEqual(status, 1)
        self.assertIn("KeyboardInterrupt", said)

    def test_process_that_ends_early_and_class_without_a_test_have_failed(self):
        for bad in (TEST.format("os._exit(0)"), TEST.format("pass") + "\n    @classmethod\n    def setUpClass(cls):\n        raise unittest.SkipTest\n"):
            status, said = self.run_on(one=GOOD, two=bad)
            self.assertEqual(status, 1)
            self.assertRegex(said, r"; failed: \S+/test_two.One ")

    def test_file_without_tests_unreadable_file_and_empty_directory_have_failed(self):
        for files in ({"one": GOOD, "two": "import unittest\n"}, {"one": GOOD, "two": "import nothing_called_so\n"},
                      {"one": GOOD, "two": GOOD + "\n\ndef load_tests(*_):\n    raise ValueError\n"}, {}):
            status, said = self.run_on(**files)
            self.assertEqual(status, 1)
            self.assertRegex(said, r"python-tests: \S+ has no tests, or cannot be read\n$")
