# SPDX-License-Identifier: Apache-2.0
"""Tests that Tests/Mutants finds the declarations of Swift sources."""

import re
import sys
import unittest

from test_requirements import ROOT

sys.path.insert(0, str(ROOT / "Tests" / "Mutants"))

from declarations import Declarations  # noqa: E402
from literals import Literals, Unbalanced  # noqa: E402
from sources import of_tree  # noqa: E402

TOP_LEVEL = re.compile(r"^(?:@\w+ )*(?:\w+ )*(?:actor|class|enum|extension|func|protocol|struct) ", re.MULTILINE)


def declared(source):
    """Returns the code of each declaration of a source, by its name."""
    found = Declarations(Literals(source).without_texts()).found
    return {name: source[start:end].strip() for name, start, end in found}


class Sources(unittest.TestCase):
    def test_every_source_is_parsed(self):
        sources = of_tree(ROOT)
        self.assertGreater(len(sources.texts), 500)
        self.assertGreater(len(sources.declared), 20_000)

    def test_each_declaration_without_indentation_is_found(self):
        found = 0
        for path in sorted((ROOT / "Sources").rglob("*.swift")):
            code = Literals(path.read_text(encoding="utf-8")).without_texts()
            ranges = [(start, end) for _, start, end in Declarations(code).found]
            for line in TOP_LEVEL.finditer(code):
                found += 1
                with self.subTest(file=path.name, line=line[0]):
                    self.assertTrue(any(start <= line.start() and line.end() <= end for start, end in ranges))
        self.assertGreater(found, 1_000)


class Names(unittest.TestCase):
    def names(self, source):
        return set(declared(source))

    def test_names_of_nested_types_contain_their_outer_types(self):
        source = "struct Outer<T>: Kind where T: Kind { enum Inner { } }; extension Outer.Inner { actor Deep { } }"
        self.assertEqual(self.names(source), {"Outer", "Outer.Inner", "Outer.Inner.Deep"})
        self.assertEqual(self.names("extension [Outer] { var count: Int { 0 } }"), {"[Outer]", "[Outer].count"})

    def test_functions_also_have_a_name_with_labels(self):
        source = "func read<T: Kind<Int>>(_ a: (Int, T) -> T, from b: [Int: T] = [1: 2], to: Int) -> (x: T, y: T) { 1 }"
        self.assertEqual(self.names(source), {"read", "read(_:from:to:)"})
        self.assertEqual(self.names("struct A { init?() { }; subscript(at index: Int) -> Int { 1 } }"),
                         {"A", "A.init", "A.init()", "A.subscript", "A.subscript(at:)"})
        self.assertEqual(self.names("struct A { static func < (a: A, b: A) -> Bool { true } ; deinit { } }"),
                         {"A", "A.<", "A.<(a:b:)", "A.deinit"})

    def test_properties_and_cases_have_names(self):
        source = """enum Door {
    case open, closed(by: (Int, Int))
    case actor = 3
    static let one, two: Int
    weak var `in`: Int?
}"""
        names = {"open", "closed", "actor", "one", "two", "in"}
        self.assertEqual(self.names(source), {"Door", *(f"Door.{name}" for name in names)})

    def test_declarations_inside_a_member_have_no_name(self):
        source = "func outer() { let a = 1; func inner() { }; struct Local { var b: Int }; switch a { case 1: break } }"
        self.assertEqual(self.names(source), {"outer", "outer()"})


class Ranges(unittest.TestCase):
    def test_a_member_ends_at_the_next_declaration(self):
        found = declared('''@main struct A {
    @Flag(help: "one")
    private(set) var one = [1,
        2].map { $0 }
    var two: Int { 2 }

    @discardableResult
    public func three() -> Int { 3 }
}

func four() { }
''')
        self.assertEqual(found["A.one"], '@Flag(help: "one")\n    private(set) var one = [1,\n        2].map { $0 }')
        self.assertEqual(found["A.two"], "var two: Int { 2 }")
        self.assertEqual(found["A.three"], "@discardableResult\n    public func three() -> Int { 3 }")
        self.assertTrue(found["A"].startswith("@main") and found["A"].endswith("}"))
        self.assertEqual(found["four"], "func four() { }")

    def test_brackets_in_comments_and_literals_do_not_count(self):
        for text in ('"}"', '"\\""', '"\\\\"', '#"}"\\("#', '"""\n  } " \\""" }\n  """', '##"""\n}\n"""##', '/[}"]\\//',
                     "1 // }", "1 /* } /* } */ } */", '"}\\(["}": "{\\("}")"].map { $0 }.count)}"', '#"}\\#("{")"#'):
            with self.subTest(text=text):
                found = declared(f"struct A {{\n    let one = {text}\n    let two = 2 / 1\n}}\n")
                self.assertEqual(set(found), {"A", "A.one", "A.two"})
                self.assertEqual(found["A.one"].rstrip(), f"let one = {text}")

    def test_a_source_without_an_end_is_refused(self):
        for source in ("struct A {", "struct A { } }", "let a = [1)", "/* 1", 'let a = "1', 'let a = "1\n"',
                       'let a = "\\(1"', 'let a = """\n1'):
            with self.subTest(source=source), self.assertRaises(Unbalanced):
                declared(source)
