# SPDX-License-Identifier: Apache-2.0
"""A cell of a page's table holds a phrase; what is more stands below the table."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST = 100  # characters, without code and without where links lead to


def cells(line: str) -> list:
    return [re.sub(r"`[^`]*`", "x", re.sub(r"\]\([^)]*\)", "]", cell)).strip() for cell in line.strip().strip("|").split("|")]


class Tables(unittest.TestCase):
    def test_cells_hold_a_phrase(self):
        pages = [ROOT / "README.md", *sorted((ROOT / "Documentation").rglob("*.md"))]
        rows = [(page, line) for page in pages for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
        self.assertGreater(len(rows), 1000)
        for page, line in rows:
            for cell in cells(line):
                with self.subTest(page=page.relative_to(ROOT).as_posix(), cell=cell):
                    self.assertLessEqual(len(cell), LONGEST)


if __name__ == "__main__":
    unittest.main()
