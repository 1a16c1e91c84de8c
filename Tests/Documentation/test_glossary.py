# SPDX-License-Identifier: Apache-2.0
"""Checks that each word of Documentation/Glossary.md is used on the page that explains it, and that the page
fits a window."""

import re
import unittest
from pathlib import Path

DOCUMENTATION = Path(__file__).parents[2] / "Documentation"
ROW = re.compile(r"^\| ([^|]+?) \| ([^|]+?) \| \[[^]]+\]\(([^)]+)\) \|$", re.MULTILINE)


class Glossary(unittest.TestCase):
    page = (DOCUMENTATION / "Glossary.md").read_text(encoding="utf-8")

    def test_each_word_is_used_on_its_page(self):
        rows = ROW.findall(self.page)
        self.assertGreater(len(rows), 20)
        for word, _, home in rows:
            stem = word.removeprefix("to ").rstrip("es").replace("coming back", "comes back")
            self.assertIn(stem.lower(), (DOCUMENTATION / home).read_text(encoding="utf-8").lower(), f"{word}: {home}")

    def test_each_word_has_one_row(self):
        words = [word for word, _, _ in ROW.findall(self.page)]
        self.assertEqual(sorted(set(words)), sorted(words))
        # The pattern must match every row of the table.
        self.assertEqual(len(words), len([line for line in self.page.splitlines() if line.startswith("| ")]) - 1)

    def test_lines_have_at_most_100_columns(self):
        longest = max(self.page.splitlines(), key=lambda line: len(re.sub(r"\]\([^)]*\)", "]", line)))
        self.assertLessEqual(len(re.sub(r"\]\([^)]*\)", "]", longest)), 100, longest)
