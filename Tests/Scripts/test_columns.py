# SPDX-License-Identifier: Apache-2.0
"""Tests what Scripts/columns wraps, and what it leaves unchanged."""

import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "Scripts" / "columns"
LOADER = importlib.machinery.SourceFileLoader("columns", str(SCRIPT))
columns = importlib.util.module_from_spec(importlib.util.spec_from_loader("columns", LOADER))
sys.dont_write_bytecode = True
LOADER.exec_module(columns)

WORDS = ("a word and " * 12).strip()


class Columns(unittest.TestCase):
    def wrapped(self, text: str) -> str:
        result = "\n".join(columns.page(text.split("\n"), 60))
        self.assertEqual("\n".join(columns.page(result.split("\n"), 60)), result, "what was wrapped stays")
        self.assertEqual(result.split(), text.split(), "no word is lost")
        return result

    def test_wrapped_paragraphs_and_items_fit(self):
        for text in (WORDS, "- " + WORDS, "  2. " + WORDS, f"short\n{WORDS}\nshort", f"- {WORDS}\n  more\n- {WORDS}"):
            result = self.wrapped(text)
            self.assertLessEqual(max(len(line) for line in result.split("\n")), 60, result)
        self.assertEqual(self.wrapped("- " + WORDS).count("\n  "), self.wrapped("- " + WORDS).count("\n"))

    def test_fitting_text_and_non_paragraphs_are_unchanged(self):
        for text in ("one\ntwo", "# " + WORDS, "| " + WORDS + " |", "> " + WORDS, f"```\n{WORDS}\n```", "    " + WORDS,
                     f"~~~~\n```\n{WORDS}\n~~~~", "see\n\n" + "x" * 90, f"<img {WORDS}>"):
            self.assertEqual(self.wrapped(text), text)

    def test_no_wrapped_line_gets_another_meaning(self):
        for sign in ("-", "+", "*", "#", "1.", "2)", ">", "|"):
            for length in range(40, 62):
                text = "x" * (length // 2) + " " + "y" * (length - length // 2) + f" {sign} 1 and some more words after that"
                for line in self.wrapped(text).split("\n"):
                    self.assertFalse(line.startswith(sign), text)

    def test_code_and_links_stay_on_one_line(self):
        result = self.wrapped(WORDS + " `baton open desk --wait 20` " + WORDS)
        self.assertIn("`baton open desk --wait 20`", result)

    def test_comments_are_wrapped_and_code_is_not(self):
        code = f'    /// {WORDS}\n    let text = "{WORDS}" // {WORDS}\n    ///\n    /// - Parameter x: {WORDS}'
        result = "\n".join(columns.source(code.split("\n")))
        self.assertIn(f'let text = "{WORDS}" // {WORDS}', result)
        for line in result.split("\n"):
            self.assertTrue(len(line) <= 100 or "let text" in line, line)
            self.assertEqual(line, line.rstrip())
        self.assertIn("\n    ///   ", result)

    def test_a_page_that_does_not_fit_fails_and_is_named(self):
        with tempfile.TemporaryDirectory() as directory:
            page = Path(directory, "page.md")
            page.write_text(f"# Page\n\n{WORDS}\n", encoding="utf-8")
            found = subprocess.run([SCRIPT, page], stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(found.returncode, 1)
            self.assertIn(f"{page}:3: more than 100 columns", found.stderr)
            subprocess.run([SCRIPT, "--wrap", page], check=True)
            self.assertEqual(subprocess.run([SCRIPT, page], check=False).returncode, 0)

    def test_a_file_of_another_kind_is_refused_and_unchanged(self):
        with tempfile.TemporaryDirectory() as directory:
            script = Path(directory, "shared.js")
            text = f"// {WORDS}\nimport Gio from 'gi://Gio';\n"
            script.write_text(text, encoding="utf-8")
            found = subprocess.run([SCRIPT, "--wrap", script], stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(found.returncode, 1)
            self.assertIn("neither a page", found.stderr)
            self.assertEqual(script.read_text(encoding="utf-8"), text)
