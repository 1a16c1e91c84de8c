# SPDX-License-Identifier: Apache-2.0
"""A type of Sources has at most 20 stored properties and stands in at most four files, but for those of Decision 0092.

    python3 -m unittest discover -s Tests/Documentation
"""

import re
import unittest
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECISION = ROOT / "Documentation" / "Decisions" / "0092-a-file-for-each-concern.md"
MOST_PROPERTIES, MOST_FILES = 20, 4

# Comments and texts; in an interpolation may stand texts and two levels of parentheses.
PLAIN = r'[^()"\n]|"(?:\\.|[^"\\\n])*"'
INNER = rf"{PLAIN}|\((?:{PLAIN}|\((?:{PLAIN})*\))*\)"
SILENT = re.compile(rf'//.*|/\*[\s\S]*?\*/|(#+)"[\s\S]*?"\1|"""[\s\S]*?"""|"(?:\\\((?:{INNER})*\)|\\.|[^"\\\n])*"')
TYPE = re.compile(r"\b(class|struct|actor|enum|protocol|extension) ([A-Z][\w.]*)")
PROPERTY = re.compile(r"\s*(?:@\w+(?:\([^)]*\))? )*((?:\w+(?:\(\w+\))? )*)(var|let) (\w+(?:, \w+)*)(.*)")
COMPUTED = re.compile(r"[^={]*\{(?!\s*(?:didSet|willSet)\b)")


def code(text: str) -> list:
    """The lines of a source without comments and texts."""
    return SILENT.sub(lambda found: "\n" * found[0].count("\n"), text).split("\n")


def stored(line: str, following: str) -> int:
    """How many stored properties of an instance a line of a type's body declares."""
    found = PROPERTY.match(line)
    if not found or {"static", "class"} & set(found[1].split()):
        return 0
    is_computed = found[2] == "var" and "{" in found[4] and COMPUTED.match(found[4] + following)
    return 0 if is_computed else found[3].count(",") + 1


class Source:
    """The types that a source declares and extends, by their full names."""

    def __init__(self, text: str):
        self.declared, self.extended, self.properties = set(), set(), defaultdict(int)
        self.depth = 0
        around, begun = [], None  # (name, whether it has properties, its depth)
        lines = code(text) + [""]
        for line, following in zip(lines, lines[1:]):
            if around and around[-1][1] and around[-1][2] == self.depth:
                self.properties[around[-1][0]] += stored(line, following)
            found = TYPE.search(line)
            if found:
                name = f"{around[-1][0]}.{found[2]}" if around else found[2]
                (self.extended if found[1] == "extension" else self.declared).add(name)
                begun = (name, found[1] in ("class", "struct", "actor"))
            for letter in re.sub(r"[^{}]", "", line):
                self.depth += 1 if letter == "{" else -1
                if letter == "{" and begun:
                    around.append((*begun, self.depth))
                    begun = None
                while around and around[-1][2] > self.depth:
                    around.pop()


def excepted(page: str) -> dict:
    """The types of the decision's table, with the number of their files."""
    return {name: int(files) for name, files in re.findall(r"(?m)^\| `([\w.]+)` \| (\d+) \|", page)}


class Types(unittest.TestCase):
    def setUp(self):
        self.sources = {path.relative_to(ROOT / "Sources"): Source(path.read_text(encoding="utf-8"))
                        for path in sorted((ROOT / "Sources").rglob("*.swift")) if "Generated" not in path.parts}
        self.excepted = excepted(DECISION.read_text(encoding="utf-8"))

    def test_every_source_is_understood(self):
        self.assertGreater(len(self.sources), 500)
        self.assertEqual([str(path) for path, source in self.sources.items() if source.depth], [])

    def test_types_have_few_stored_properties(self):
        found = {(path.parts[0], name): count
                 for path, source in self.sources.items() for name, count in source.properties.items()}
        self.assertGreaterEqual(max(found.values()), 18)
        self.assertEqual({name: count for (_, name), count in found.items() if count > MOST_PROPERTIES}, {})

    def test_types_stand_in_few_files_but_for_those_that_are_named(self):
        declared, files = defaultdict(set), defaultdict(set)
        for path, source in self.sources.items():
            for name in source.declared:
                declared[name].add(path.parts[0])
                files[path.parts[0], name].add(path)
        for path, source in self.sources.items():
            for name in source.extended:
                own = {path.parts[0]} & declared[name]
                for module in own or declared[name]:
                    files[module, name].add(path)
        many = {name: len(found) for (_, name), found in files.items() if len(found) > MOST_FILES}
        self.assertEqual(many, self.excepted)

    def test_what_is_stored_is_told_from_what_is_computed(self):
        source = Source("""struct One {
    let name = "{\\(other.map { "\\"{" } ?? "")"
    private(set) var watched = 0 { didSet { changed() } }
    var told: Int {
        didSet { changed() }
    }
    var computed: Int { 1 }
    var longer: Int {
        let here = 1
        return here
    }
    static let shared = One()
    @Flag(help: "what") var flag = false
    struct Inner { }  // let it be
    let action: () -> Int = { 1 }
    let one, two: Int
}
extension One.Inner { var text: String { "" } }""")
        self.assertEqual(source.properties["One"], 7)
        self.assertEqual((source.declared, source.extended, source.depth), ({"One", "One.Inner"}, {"One.Inner"}, 0))


if __name__ == "__main__":
    unittest.main()
