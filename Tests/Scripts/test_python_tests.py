# SPDX-License-Identifier: Apache-2.0
"""Scripts/python-tests: what passes for it, and what does not."""

import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "Scripts" / "python-tests"
TEST = """import unittest


class One(unittest.TestCase):
    def test_it(self):
        self.assert{}(1 == 1)
"""


class PythonTests(unittest.TestCase):
    def run_on(self, **files: str) -> tuple:
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                Path(directory, f"test_{name}.py").write_text(text, encoding="utf-8")
            done = subprocess.run([SCRIPT, directory], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_all_classes_run_and_what_failed_is_named(self):
        status, said = self.run_on(one=TEST.format("True"), two=TEST.format("True"))
        self.assertEqual(status, 0, said)
        self.assertIn("2 tests", said)
        status, said = self.run_on(one=TEST.format("True"), two=TEST.format("False"))
        self.assertEqual(status, 1)
        self.assertRegex(said, r"failed: \S+/test_two.One\n")
        self.assertIn("True is not false", said)


    def test_file_without_tests_or_that_cannot_be_read_and_directory_without_files_have_failed(self):
        for files in ({"one": TEST.format("True"), "empty": "import unittest\n"},
                      {"one": TEST.format("True"), "broken": "import nothing_called_so\n"}, {}):
            self.assertEqual(self.run_on(**files)[0], 1)


if __name__ == "__main__":
    unittest.main()
