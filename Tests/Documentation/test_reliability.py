# SPDX-License-Identifier: Apache-2.0
"""Checks Documentation/Reliability.md: each row has a promise and an existing test, or says that it has
none. The tests that Documentation/ThreatModel.md names in Python exist, too."""

import re
import unittest

from test_requirements import ROOT, TEST, declared, rows

SCENARIO = re.compile(r"`lab: ([a-z0-9-]+)`")
PYTHON = re.compile(r"`(\w+\.py): (\w+)\.(\w+)`")
HEADINGS = {"fault"}


class Reliability(unittest.TestCase):
    document = (ROOT / "Documentation" / "Reliability.md").read_text(encoding="utf-8")

    def test_every_named_test_exists(self):
        sources = {file: file.read_text(encoding="utf-8") for file in (ROOT / "Tests").rglob("*.swift")}
        named = set(TEST.findall(self.document)) - {("Suite", "function")}
        self.assertGreater(len(named), 150)
        self.assertEqual(sorted(named - declared(sources)), [])

    def test_every_named_scenario_exists(self):
        from host.scenarios import SCENARIOS

        named = set(SCENARIO.findall(self.document)) - {"scenario"}
        self.assertGreater(len(named), 5)
        self.assertEqual(named - {scenario.name for scenario in SCENARIOS}, set())

    def test_every_named_python_test_exists(self):
        for file, group, name in PYTHON.findall(self.document):
            if file == "file.py":
                continue
            texts = [path.read_text(encoding="utf-8") for path in (ROOT / "Tests").rglob(file)]
            self.assertTrue(any(f"class {group}" in text and f"def {name}" in text for text in texts), (file, group, name))

    def test_every_python_test_of_the_threat_model_exists(self):
        page = (ROOT / "Documentation" / "ThreatModel.md").read_text(encoding="utf-8")
        texts = [(path.stem, path.read_text(encoding="utf-8")) for path in (ROOT / "Tests").rglob("*.py")]
        existing = {name for file, text in texts for name in (file, *re.findall(r"def (test_\w+)", text))}
        # A name that ends with an ellipsis stands for several tests.
        named = set(re.findall(r"\b(test_\w+)\b(?!…)", page))
        self.assertGreater(len(named), 50)
        self.assertEqual(named - existing, set())
        for file, group in re.findall(r"`(test_\w+)\.([A-Z]\w*)", page):
            self.assertTrue(any(stem == file and re.search(rf"(?m)^class {group}\b", text) for stem, text in texts), (file, group))

    def test_every_fault_has_a_test_or_says_that_there_is_none(self):
        faults = [row for row in rows(self.document) if len(row) == 3 and row[0] not in HEADINGS]
        self.assertGreater(len(faults), 200)
        for row in faults:
            shown = "`" in row[2] or "*No test yet*" in row[2] or "*Not promised yet*" in row[1]
            self.assertTrue(shown and row[1], row)
