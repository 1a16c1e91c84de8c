# SPDX-License-Identifier: Apache-2.0
"""Checks Tests/Mutants: each mutant can be switched on, and each test of Documentation/Reliability.md has
one."""

import sys
import unittest

from test_reliability import PYTHON
from test_requirements import ROOT, TEST

sys.path.insert(0, str(ROOT / "Tests" / "Mutants"))

import mutants  # noqa: E402
from sources import Sources  # noqa: E402

# These tests cover code outside of Sources: an example that loses its batond, and the panel.
WITHOUT = {
    "test_book.py: Books.test_a_book_is_discarded_if_the_daemon_ends_before_it_is_complete",
    "test_panel.py: Shown.test_item_follows_a_daemon_that_ends_and_restarts",
}


class Mutants(unittest.TestCase):
    every = mutants.read()

    def test_each_mutant_can_be_switched_on_beside_the_others(self):
        self.assertGreater(len(self.every), 300)
        self.assertEqual(list(mutants.faults(self.every)), [])

    def test_each_test_of_the_reliability_page_has_a_mutant(self):
        document = (ROOT / "Documentation" / "Reliability.md").read_text(encoding="utf-8")
        named = {".".join(test) for test in TEST.findall(document)} - {"Suite.function"}
        named |= {f"{file}: {group}.{name}" for file, group, name in PYTHON.findall(document) if file != "file.py"}
        self.assertGreater(len(named), 200)
        self.assertEqual(sorted(named - WITHOUT - {test for mutant in self.every for test in mutant.tests}), [])



def source_of(body):
    """Returns the source of a type whose function has this body, without indentation."""
    return f"struct Door {{\nfunc open() {{\n{body}\n}}\n}}\n"


class Anchors(unittest.TestCase):
    old, new = "guard isLocked else { return 1 }", "guard isLocked || mutated else { return 1 }"

    def mutant(self, declaration="Door.open", old=old, new=new, number=7):
        return mutants.Mutant(number, "list", [f"Suite.test{number}"], declaration, old, new)

    def faults(self, files, *changes):
        sources = Sources({f"Sources/{name}.swift": text for name, text in files.items()})
        return list(mutants.faults([self.mutant(**change) for change in changes or [{}]], sources))

    def planted(self, files, **change):
        sources = Sources({f"Sources/{name}.swift": text for name, text in files.items()})
        self.assertEqual(list(mutants.faults([self.mutant(**change)], sources)), [])
        return mutants.mutated([self.mutant(**change)], sources)

    def test_blanks_line_breaks_and_comments_do_not_count(self):
        planted = source_of("    guard isLocked || Mutation.isOn(7) else { return 1 }\n    return 2")
        for layout in ("guard isLocked else { return 1 }", "guard isLocked else {\n        return 1\n    }",
                       "guard\n    isLocked\n    else {return 1}", "guard isLocked else { // locked\n return 1 }"):
            with self.subTest(layout=layout):
                files = {"M/A": source_of(f"    {layout}\n    return 2")}
                self.assertEqual(self.planted(files), {"Sources/M/A.swift": planted})

    def test_a_function_may_move_to_another_file_and_to_an_extension(self):
        code = source_of(self.old)
        extension = code.replace("struct Door", "struct Window { }\nextension Door")
        for files in ({"M/A": "", "M/Other": code}, {"M/A": "struct Door { }", "M/Other": extension}):
            with self.subTest(files=files):
                self.assertEqual(list(self.planted(files)), ["Sources/M/Other.swift"])

    def test_only_the_named_declaration_is_changed(self):
        other = source_of(self.old).replace("open", "close")
        self.assertEqual(list(self.planted({"M/A": source_of(self.old), "M/B": other})), ["Sources/M/A.swift"])

    def test_comments_contain_no_expressions(self):
        self.assertEqual(self.faults({"M/A": source_of(f"// {self.old}\n{self.old}")}), [])
        self.assertEqual(self.faults({"M/A": source_of(f"// {self.old}")}),
                         ["list.toml, Suite.test7: the old expression is not in Door.open"])

    def test_words_match_only_as_a_whole(self):
        self.assertEqual(self.faults({"M/A": source_of("return isOpen && isOpened")}, {"old": "isOpen"}), [])

    def test_two_equal_expressions_are_refused(self):
        places = "Sources/M/A.swift:3, Sources/M/A.swift:4"
        self.assertEqual(self.faults({"M/A": source_of(f"{self.old}\n{self.old}")}),
                         [f"list.toml, Suite.test7: the old expression is 2 times in Door.open: {places}"])

    def test_labels_select_an_overload_and_a_module_selects_a_type(self):
        overload = source_of(self.old).replace("open()", "open(with key: Key)")
        files = {"M/A": source_of(self.old), "M/B": overload, "N/A": source_of(self.old)}
        self.assertIn("3 times in Door.open: ", self.faults(files)[0])
        self.assertIn("2 times in Door.open(): ", self.faults(files, {"declaration": "Door.open()"})[0])
        self.assertEqual(self.faults(files, {"declaration": "Door.open(with:)"}, {"declaration": "M.Door.open()"},
                                     {"declaration": "N.Door.open"}), [])

    def test_a_missing_declaration_is_refused(self):
        self.assertEqual(self.faults({"M/A": source_of(self.old)}, {"declaration": "Door.close"}),
                         ["list.toml, Suite.test7: no source declares Door.close"])

    def test_a_new_expression_without_a_switch_is_refused(self):
        self.assertEqual(self.faults({"M/A": source_of(self.old)}, {"new": "unmutated"}),
                         ["list.toml, Suite.test7: the new expression is not switched by `mutated`"])

    def test_mutants_that_overlap_are_refused(self):
        files = {"M/A": source_of(self.old)}
        self.assertEqual(self.faults(files, {"old": "isLocked else"}, {"old": "else { return 1 }", "number": 8}),
                         ["list.toml, Suite.test8: the old expression overlaps that of Suite.test7"])
        self.assertEqual(self.faults(files, {"old": "isLocked"}, {"old": "else { return 1 }", "number": 8}), [])

    def test_a_new_expression_is_indented_like_its_line(self):
        new = "if mutated {\n    return\n}\nclose()"
        planted = self.planted({"M/A": source_of("    close()")}, old="close()", new=new)
        self.assertEqual(planted["Sources/M/A.swift"],
                         source_of("    if Mutation.isOn(7) {\n        return\n    }\n    close()"))
