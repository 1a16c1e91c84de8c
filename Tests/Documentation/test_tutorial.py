# SPDX-License-Identifier: Apache-2.0
"""Checks that the tutorial of Examples/Contacts shows the app's own code, which the build
has compiled."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTACTS = ROOT / "Examples" / "Contacts"
LEFT_OUT = "…"


def lines(text: str) -> list:
    """Returns the lines with content, without their indentation."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def runs(snippet: str) -> list:
    """Returns the parts of a listing between the places where lines are left out."""
    found = [[]]
    for line in lines(snippet):
        if line == LEFT_OUT:
            found.append([])
        else:
            found[-1].append(line)
    return [run for run in found if run]


def contains(source: list, run: list) -> bool:
    return any(source[start:start + len(run)] == run for start in range(len(source)))


class Tutorial(unittest.TestCase):
    def setUp(self):
        text = (CONTACTS / "README.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```swift\n(.*?)```", text, re.DOTALL)
        self.manifest = [block for block in blocks if block.startswith(".package(")]
        self.snippets = [block for block in blocks if block not in self.manifest]
        self.sources = [lines(file.read_text(encoding="utf-8")) for file in sorted(CONTACTS.glob("*.swift"))]

    def test_every_snippet_is_code_of_the_app(self):
        self.assertGreater(len(self.snippets), 4)
        for run in (run for snippet in self.snippets for run in runs(snippet)):
            self.assertTrue(any(contains(source, run) for source in self.sources), "\n".join(run))

    def test_the_manifest_names_products_that_exist(self):
        products = re.findall(r'\.library\(name: "(\w+)"', (ROOT / "Package.swift").read_text(encoding="utf-8"))
        named = re.findall(r'\.product\(name: "(\w+)"', "".join(self.manifest))
        self.assertTrue(named)
        self.assertLessEqual(set(named), set(products))

    def test_a_line_that_is_not_in_the_app_is_reported(self):
        self.assertFalse(contains(["a", "b", "c"], ["a", "c"]))
        self.assertEqual(runs("a\n  …\n\n b"), [["a"], ["b"]])
