# SPDX-License-Identifier: Apache-2.0
"""Checks that Documentation/Requirements.md names existing tests, and leaves no requirement out, and that the model matches its
description."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Scripts" / "lab"))

TEST = re.compile(r"`([A-Z]\w+Tests)\.(\w+)`")
LAB = re.compile(r"`lab ([a-z0-9-]+)`")
IMPORT = re.compile(r"^(?:@\w+(?:\(\w+\))? )*(?:(?:public|package|internal) )?import (\w+)", re.MULTILINE)
NUMBERS = {3, 5, 15, *range(17, 148)}


def rows(document: str) -> list:
    """Returns the cells of every row of every table."""
    lines = [line for line in document.splitlines() if line.startswith("|") and not set(line) <= set("|- ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def declared(sources: dict) -> set:
    """Returns (suite, function) of each test in Swift sources, by the file that has both."""
    found = set()
    for text in sources.values():
        # The file may only extend the suite.
        suites = re.findall(r"struct (\w+Tests)\b", text) or re.findall(r"extension (?:\w+\.)*(\w+Tests)\b", text)
        functions = re.findall(r"@Test\b(?:(?!@Test\b)[\s\S])*?\bfunc (\w+)", text)
        found.update((suite, function) for suite in suites for function in functions)
    return found


class Requirements(unittest.TestCase):
    def setUp(self):
        self.document = (ROOT / "Documentation" / "Requirements.md").read_text(encoding="utf-8")
        files = (ROOT / "Tests").rglob("*.swift")
        self.tests = declared({file: file.read_text(encoding="utf-8") for file in files})

    def test_every_named_test_exists(self):
        named = set(TEST.findall(self.document))
        self.assertGreater(len(named), 80)
        self.assertEqual(sorted(named - self.tests), [])

    def test_every_named_scenario_exists(self):
        from host.scenarios import SCENARIOS

        self.assertEqual(set(LAB.findall(self.document)) - {s.name for s in SCENARIOS if s.always}, set())

    def test_every_requirement_occurs_once_with_a_test_or_a_reason(self):
        seen = []
        for row in rows(self.document):
            if not re.fullmatch(r"[0-9]+(, [0-9]+)*", row[0]):
                continue
            seen += map(int, row[0].split(", "))
            shown = TEST.search(row[2]) or LAB.search(row[2]) or "*Not there*" in row[2] or "advice:" in row[2]
            self.assertTrue(shown, row)
        self.assertEqual(sorted(seen), sorted(NUMBERS))

    def test_the_page_names_the_counterpart_of_every_public_type(self):
        kinds = r"(?:class|struct|enum|protocol|actor|typealias|let)"
        pattern = re.compile(rf"^(?:public|open) (?:final |indirect )?{kinds} (\w+)", re.MULTILINE)
        sources = [file for module in ("ActivityModel", "UserActivity", "BatonClient", "Baton")
                   for file in (ROOT / "Sources" / module).rglob("*.swift")]
        public = {name for file in sources for name in pattern.findall(file.read_text(encoding="utf-8"))}
        table = self.document.split("## Public types", 1)[1]
        self.assertEqual(sorted(name for name in public if f"`{name}`" not in table), [])

    def test_only_members_that_a_test_uses_are_called_the_same(self):
        model = (ROOT / "Documentation" / "ActivityModel.md").read_text(encoding="utf-8")
        table = model.split("## Members", 1)[1].split("\n- ", 1)[0]
        same = {name for cells in rows(table) if cells[1].startswith("same") for name in re.findall(r"`(\w+)", cells[0])}
        self.assertGreater(len(same), 20)
        folders = ("AppleAPITests", "UserActivityTests", "Programs/AppShapes/Shapes")
        files = [file for folder in folders for file in (ROOT / "Tests" / folder).rglob("*.swift")]
        used = set(re.findall(r"\w+", "\n".join(file.read_text(encoding="utf-8") for file in files)))
        self.assertEqual(sorted(same - used), [])

    def test_the_model_imports_no_c_and_does_no_io(self):
        doing = re.compile(r"\b(FileManager|FileHandle|Pipe|Process|URLSession|Socket\w*|contentsOf:|write\(to:)")
        allowed = {
            "ActivityModel": {"FoundationEssentials", "Swift"},
            "Diagnosis": {"Swift"},
            "TransportModel": {"Swift"},
            "UserActivity": {"ActivityModel", "Foundation", "Synchronization"},
        }
        for module, imports in allowed.items():
            for file in (ROOT / "Sources" / module).rglob("*.swift"):
                text = file.read_text(encoding="utf-8")
                self.assertLessEqual(set(IMPORT.findall(text)), imports, file)
                code = "\n".join(line for line in text.splitlines() if not line.strip().startswith("//"))
                self.assertIsNone(doing.search(code), file)

    def test_the_programs_and_what_they_link_import_no_foundation(self):
        """Foundation would add ICU, 38 MB of tables (Decision 0053). `make deb` checks the programs themselves."""
        found, waiting = set(), ["batond", "baton", "browser-host", "domain-fetcher"]
        while waiting:
            module = waiting.pop()
            found.add(module)
            # protoc's output imports Foundation only if there is no FoundationEssentials.
            files = [file for file in (ROOT / "Sources" / module).rglob("*.swift") if not file.name.endswith(".pb.swift")]
            for file in files:
                imported = set(IMPORT.findall(file.read_text(encoding="utf-8")))
                self.assertFalse(imported & {"Foundation", "FoundationInternationalization", "UserActivity"}, file)
                waiting += [name for name in imported - found if (ROOT / "Sources" / name).is_dir()]
        self.assertLessEqual({"ActivityModel", "AssociatedDomains", "BatonClient", "BatonService", "BlueZTransport", "ChildProcesses"}, found)

    def test_only_the_domain_fetcher_uses_http(self):
        sources = ROOT / "Sources"
        speakers = {file.relative_to(sources).parts[0] for file in sources.rglob("*.swift")
                    if "AsyncHTTPClient" in IMPORT.findall(file.read_text(encoding="utf-8"))}
        self.assertEqual(speakers, {"domain-fetcher"})
        package = (ROOT / "Package.swift").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r'"([\w-]+)",\s+dependencies: \[[^]]*asyncHTTPClient', package), ["domain-fetcher"])

    def test_only_the_bluez_transport_names_bluez(self):
        for file in (ROOT / "Sources").rglob("*.swift"):
            if "BlueZTransport" not in file.parts:
                self.assertNotIn('"org.bluez', file.read_text(encoding="utf-8"), file)

    def test_a_missing_test_is_reported(self):
        sources = {"a": "@Suite struct ATests {\n @Test(\"x\") func one() {}\n func helper() {} }\nextension ATests {}"}
        self.assertEqual(declared(sources), {("ATests", "one")})
