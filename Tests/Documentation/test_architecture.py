# SPDX-License-Identifier: Apache-2.0
"""Checks that Documentation/Architecture.md says for each module what Package.swift lets it import, and which files make
errors in the words of another program (Documentation/Decisions/0115-reasons-and-words.md)."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = re.compile(r'(?:module|\.executableTarget|\.target)\(\s*(?:name: )?"([\w-]+)",\s*'
                    r'(?:dependencies: )?\[([^]]*)\]([^)]*)\)')


def modules(package: str) -> dict:
    """Returns the dependencies of each module and each example. All modules of swift-nio are called
    NIO."""
    products = {name: "NIO" if origin == "swift-nio" else product
                for name, product, origin in re.findall(r'let (\w+) = other\("(\w+)", "([\w-]+)"\)', package)}
    return {name: {products.get(word, word) for word in re.findall(r"[\w-]+", needed)}
            for name, needed, rest in TARGET.findall(package) if 'path: "Tests/' not in rest}


def table(page: str) -> dict:
    """Returns what each row says that its modules may import."""
    found = {}
    for names, _, imports in re.findall(r"(?m)^\| (`[^|]*`) \| ([^|]*) \| ([^|]*) \|$", page.split("\n## Modules")[1].split("\n## ")[0]):
        words = re.sub(r" \([^)]*\)|`", "", imports).replace("nothing of ours", "")
        found |= {name: set(words.split(", ")) - {""} for name in re.findall(r"`([\w-]+)`", names)}
    return found


class Architecture(unittest.TestCase):
    def test_the_table_lists_the_allowed_imports_of_modules(self):
        package = modules((ROOT / "Package.swift").read_text(encoding="utf-8"))
        self.assertEqual(set(package), {path.name for path in (ROOT / "Sources").iterdir()} | {"contacts", "notes"})
        said = table((ROOT / "Documentation" / "Architecture.md").read_text(encoding="utf-8"))
        self.maxDiff = None
        self.assertEqual({name: sorted(imports) for name, imports in said.items()},
                         {name: sorted(imports) for name, imports in package.items()})

    def test_the_fuzz_package_and_the_package_build_modules_in_the_same_way(self):
        fuzzing = ROOT / "Fuzzing"
        package = modules((ROOT / "Package.swift").read_text(encoding="utf-8"))
        fuzzed = modules((fuzzing / "Package.swift").read_text(encoding="utf-8"))
        self.assertEqual([path for path in fuzzing.glob("Modules/**/*") if not path.exists()], [], "links to nothing")
        for name in sorted(set(fuzzed) - {"baton-fuzz"}):
            with self.subTest(module=name):
                sources = fuzzing / "Modules" / name
                self.assertTrue(sources.is_dir(), f"{sources} is missing")
                if sources.is_symlink():  # a directory has only some files of its module
                    self.assertEqual({word.lower() for word in fuzzed[name]}, {word.lower() for word in package[name]})

    def test_only_bus_errors_and_apps_texts_become_errors_unchanged(self):
        importing = {str(path.relative_to(ROOT / "Sources")) for path in (ROOT / "Sources").rglob("*.swift")
                     if "@_spi(Reported)" in path.read_text(encoding="utf-8")}
        self.assertEqual(importing, {
            "HandoffModel/BatonError.swift",  # declares them
            "BatonBus/Coding/BatonError+Wire.swift", "BatonClient/BatonError+App.swift",
            "BatonClient/DaemonConnection+Events.swift", "BatonClient/StreamOutcomes.swift"})
