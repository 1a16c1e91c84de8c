# SPDX-License-Identifier: Apache-2.0
"""The figures of libbaton's page are those of what it speaks of, in lines that are not empty."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
NOTES = {"C": "notes.c", "GJS": "notes.js", "Python": "notes.py"}


def lines(text: str) -> int:
    return sum(1 for line in text.splitlines() if line)


class Figures(unittest.TestCase):
    def rows(self) -> list:
        """Each language, with what its row says: Notes with libbaton, and the smallest app."""
        page = (ROOT / "Libraries" / "GObject" / "README.md").read_text(encoding="utf-8")
        return re.findall(r"(?m)^\| \[(\w+)\]\([^|]*\) \|[^|]*\| (\d*) ?\| (\d+) \|$", page)

    def test_notes_are_as_long_as_is_said(self):
        said = {language: int(notes) for language, notes, _ in self.rows() if notes}
        found = {language: lines((ROOT / "Examples" / "Notes" / language / file).read_text(encoding="utf-8")) for language, file in NOTES.items()}
        self.assertEqual(said, found)

    def test_smallest_apps_are_as_long_as_is_said(self):
        rows = self.rows()
        self.assertEqual(len(rows), 6)
        for language, _, smallest in rows:
            with self.subTest(language=language):
                page = (ROOT / "Documentation" / "Languages" / f"{language}.md").read_text(encoding="utf-8")
                programs = re.findall(r"(?ms)^```\w+\n(.*?)^```$", page)
                self.assertIn(int(smallest), [lines(program) for program in programs])


if __name__ == "__main__":
    unittest.main()
