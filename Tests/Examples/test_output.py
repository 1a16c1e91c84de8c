# SPDX-License-Identifier: Apache-2.0
"""What batond prints for its user fails where it cannot be written: `baton` has a test of its own (ToolWrongUseTests).

    BATON_BIN=DIRECTORY /usr/bin/python3 -m unittest discover -s Tests/Examples
"""

import subprocess
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

    def test_what_batond_prints_is_whole(self):
        done = subprocess.run([BIN / "batond", "--version"], text=True, capture_output=True, timeout=LIMIT, check=True)
        self.assertRegex(done.stdout, r"\A\d+\.\d+\.\d+\S*\n\Z")
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    unittest.main()
