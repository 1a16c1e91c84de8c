# SPDX-License-Identifier: Apache-2.0
"""Tests that batond fails if its output cannot be written. ToolWrongUseTests tests the same for `baton`."""

import os
import resource
import subprocess
import tempfile
import unittest

from laptops import BIN, LIMIT


class Output(unittest.TestCase):
    def test_output_of_batond_that_cannot_be_written_fails(self):
        for words in ("--version", "--help", "--generate-completion-script bash"):
            for target, reason in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
                with self.subTest(words=words, target=target):
                    done = subprocess.run(["/bin/sh", "-c", f'exec "{BIN}/batond" {words} {target}'], text=True, stdin=subprocess.DEVNULL,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, check=False)
                    self.assertEqual((done.returncode, done.stdout, done.stderr),
                                     (74, "", f"batond: cannot write to standard output: {reason}\n"))

    def refusal(self, *words, **options) -> str:
        """Returns the exit status and the line with which batond refuses to start."""
        done = subprocess.run([BIN / "batond", "--radio", "simulated", *words], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LIMIT, check=False, **options)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(done.stderr, rb"\Abatond: [^\n]+\n\Z")
        return done.returncode, done.stderr.decode()

    def test_an_argument_that_is_not_utf_8_is_refused(self):
        with tempfile.TemporaryDirectory() as root:
            status, said = self.refusal("--state-directory", b"x\xe9", cwd=root)
            self.assertEqual((status, os.listdir(root)), (64, []))
            self.assertIn("argument 4 is not UTF-8", said)

    def test_too_few_descriptors_give_an_error_of_one_line(self):
        status, said = self.refusal(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16)))
        self.assertEqual(status, 1)
        self.assertIn("ulimit -n", said)

    def test_batond_prints_its_version_completely(self):
        done = subprocess.run([BIN / "batond", "--version"], text=True, capture_output=True, timeout=LIMIT, check=True)
        self.assertRegex(done.stdout, r"\A\d+\.\d+\.\d+\S*\n\Z")
        self.assertEqual(done.stderr, "")
