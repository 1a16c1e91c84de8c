# SPDX-License-Identifier: Apache-2.0
"""Checks CHANGELOG.md: each version has Added, Changed, Fixed and Security, one line each, and the version that is built has the same
date everywhere."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
KINDS = ["Added", "Changed", "Fixed", "Security"]
VERSION = re.compile(r"^## ([0-9]+\.[0-9]+\.[0-9]+) - ([0-9]{4}-[0-9]{2}-[0-9]{2})$", re.MULTILINE)


def faults(entry: str) -> list[str]:
    """Returns what is wrong with an entry's line."""
    rules = {
        "longer than 100 columns": len(entry) > 100,
        "does not begin with a capital": not re.match(r"- [A-Z`]", entry),
        "ends with a full stop": entry.endswith("."),
    }
    return [text for text, broken in rules.items() if broken]


class Changelog(unittest.TestCase):
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    entries = [line for line in text.splitlines() if line.startswith("- ")]

    def test_entries_are_single_lines_of_the_same_form(self):
        self.assertGreater(len(self.entries), 100)
        self.assertEqual({entry: faults(entry) for entry in self.entries if faults(entry)}, {})
        self.assertEqual([line for line in self.text.splitlines() if line.startswith(" ")], [])
        self.assertEqual(len(set(self.entries)), len(self.entries))

    def test_versions_have_only_the_four_kinds_in_order(self):
        for part in re.split(r"^## ", self.text, flags=re.MULTILINE)[1:]:
            kinds = re.findall(r"^### (.*)$", part, re.MULTILINE)
            self.assertEqual(kinds, [kind for kind in KINDS if kind in kinds], part.splitlines()[0])

    def test_the_built_version_is_the_last_released_one(self):
        version, date = VERSION.findall(self.text)[0]
        built = re.search(r'current = "(.*)"', (ROOT / "Sources/BatonBus/BatonVersion.swift").read_text()).group(1)
        self.assertEqual(built, version)
        metainfo = (ROOT / "Packaging/org.batonproject.Baton.metainfo.xml").read_text(encoding="utf-8")
        self.assertIn(f'<release version="{version}" date="{date}"', metainfo)
        self.assertTrue((ROOT / "Packaging/debian/changelog").read_text(encoding="utf-8").startswith(f"baton ({version})"))

    def test_wrong_entries_are_found(self):
        self.assertEqual(faults("- Say why"), [])
        self.assertEqual(len(faults("- says why" + 100 * "y" + ".")), 3)
