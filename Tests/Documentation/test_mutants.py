# SPDX-License-Identifier: Apache-2.0
"""Tests/Mutants: each mutant can be switched on, and each test of Documentation/Reliability.md has one."""

import sys
import unittest

from test_reliability import PYTHON
from test_requirements import ROOT, TEST

sys.path.insert(0, str(ROOT / "Tests" / "Mutants"))

import mutants  # noqa: E402

# What they see is no code of Sources: an example that batond leaves, and the panel.
WITHOUT = {
    "test_book.py: Books.test_a_book_is_none_when_the_daemon_ends_before_it_is_whole",
    "test_panel.py: Shown.test_daemon_that_goes_and_comes_is_followed",
}


class Mutants(unittest.TestCase):
    every = mutants.read()

    def test_each_can_be_switched_on_beside_the_others(self):
        self.assertGreater(len(self.every), 300)
        self.assertEqual(list(mutants.faults(self.every)), [])

    def test_each_test_of_the_table_of_faults_has_one(self):
        document = (ROOT / "Documentation" / "Reliability.md").read_text(encoding="utf-8")
        named = {".".join(test) for test in TEST.findall(document)} - {"Suite.function"}
        named |= {f"{file}: {group}.{name}" for file, group, name in PYTHON.findall(document) if file != "file.py"}
        self.assertGreater(len(named), 200)
        self.assertEqual(sorted(named - WITHOUT - {test for mutant in self.every for test in mutant.tests}), [])


if __name__ == "__main__":
    unittest.main()
