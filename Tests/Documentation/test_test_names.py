# SPDX-License-Identifier: Apache-2.0
"""Every test of Swift is called by a sentence."""

import re
import unittest
from pathlib import Path

TESTS = Path(__file__).parents[1]


class TestNames(unittest.TestCase):
    def test_each_is_a_sentence(self):
        found = 0
        for file in sorted(TESTS.rglob("*.swift")):
            for match in re.finditer(r"@Test\b(.{0,40})", file.read_text(encoding="utf-8"), re.DOTALL):
                found += 1
                with self.subTest(file=file.relative_to(TESTS).as_posix(), test=match[0]):
                    self.assertRegex(match[1], r'\A\(\s*#?"(?:[^a-z]|(?:baton|batond|firewalld|ufw)\b)')
        self.assertGreater(found, 1500)


if __name__ == "__main__":
    unittest.main()
