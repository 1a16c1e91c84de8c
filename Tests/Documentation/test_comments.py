# SPDX-License-Identifier: Apache-2.0
"""Documentation comments of the Swift sources have one form.

    python3 -m unittest discover -s Tests/Documentation
"""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREES = ("Sources", "Tests", "Examples", "Benchmarks/Sources", "Fuzzing/Sources")
FIELD = re.compile(r"\s*/// - (?:Returns|Throws|Parameter \w+|Precondition): (.)")
ITEM = re.compile(r"\s*///   - \w+: (.)")
OPENING = re.compile(r"\s*(?:@\S+ )*(?:(?:public|open|package|internal|private|fileprivate|final|indirect) )*"
                     r"(?:class|struct|actor|enum|protocol|extension)\b")
PUBLIC = re.compile(r"\s*(?:@\S+ )*(?:public|open) ")
# What has no access level of its own: cases of a public enumeration, and what a public protocol wants.
PUBLIC_AROUND = re.compile(r"\s*(?:@\S+ )*public (?:indirect )?(?:enum|protocol)\b")
MEMBER = re.compile(r"\s*(?:case|(?:\w+ )*(?:func|var|init|subscript|associatedtype))\b")
NAMES = {"bluetoothd", "snapd", "xdg-desktop-portal"}  # written so wherever they stand


def fields(lines):
    """The first letter of what is said of each parameter, result and error, with its line's number."""
    among_parameters = False
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*/// - Parameters:\s*$", line):
            among_parameters = True
        elif not re.match(r"\s*///  ", line):
            among_parameters = False
        found = FIELD.match(line) or (ITEM.match(line) if among_parameters else None)
        if found:
            yield number, found[1]


def summaries(lines):
    """The first word of what is said of each public declaration, with its line's number."""
    begun, around = None, []
    for number, line in enumerate(lines, 1):
        said = re.match(r"\s*///(?: ([\w-]*)|$)", line)
        if said:
            begun = begun or (number, said[1])
            continue
        if re.fullmatch(r"\s*@\w+(?:\(.*\))?", line):
            continue
        depth = len(line) - len(line.lstrip())
        if line.strip():
            around = [opened for opened in around if opened[0] < depth]
        if begun:
            if PUBLIC.match(line) or (around and PUBLIC_AROUND.match(around[-1][1]) and MEMBER.match(line)):
                yield begun
            begun = None
        if OPENING.match(line):
            around.append((depth, line))


class Comments(unittest.TestCase):
    def test_what_is_said_of_parameters_results_and_errors_begins_with_a_capital(self):
        found, wrong = 0, []
        for path in sorted(path for tree in TREES for path in (ROOT / tree).rglob("*.swift") if not path.is_symlink()):
            for number, letter in fields(path.read_text(encoding="utf-8").splitlines()):
                found += 1
                if letter.islower():
                    wrong.append(f"{path.relative_to(ROOT)}:{number}")
        self.assertGreater(found, 1_000)
        self.assertEqual(wrong, [])

    def test_what_is_said_of_public_declarations_begins_with_a_capital(self):
        found, wrong = 0, []
        for path in sorted((ROOT / "Sources").rglob("*.swift")):
            if path.name.endswith(".pb.swift"):
                continue
            for number, word in summaries(path.read_text(encoding="utf-8").splitlines()):
                found += 1
                if word[:1].islower() and word not in NAMES:
                    wrong.append(f"{path.relative_to(ROOT)}:{number}")
        self.assertGreater(found, 2_000)
        self.assertEqual(wrong, [])

    def test_small_letters_are_seen_where_they_are_public(self):
        lines = """/// a type
public enum Kind {
    /// a case
    case one
    /// a
    /// value
    let hidden: Int
    /// `code` is what it is
    @available(*, deprecated)
    public let shown: Int
}
/// another
enum Own {
    /// a case
    case one
}""".splitlines()
        self.assertEqual(list(summaries(lines)), [(1, "a"), (3, "a"), (8, "")])


if __name__ == "__main__":
    unittest.main()
