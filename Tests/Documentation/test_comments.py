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


if __name__ == "__main__":
    unittest.main()
