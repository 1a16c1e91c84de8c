# SPDX-License-Identifier: Apache-2.0
"""Checks that libbaton exports what its headers declare, each with a version, and imports only from GIO."""

import re
import subprocess
import unittest
import xml.etree.ElementTree

from installed import INSTALLED, ROOT

HEADERS = INSTALLED / "include" / "baton-1"
SOURCES = (*(ROOT / "Libraries" / "GObject" / "baton").glob("*.c"), ROOT / ".build" / "gobject" / "plain" / "baton-fields.c")
LIBRARY = INSTALLED / "lib" / "libbaton-1.so.0"


def said(*command) -> str:
    return subprocess.run([str(word) for word in command], text=True, check=True, stdout=subprocess.PIPE).stdout


def declared() -> set:
    """Returns the functions of the public headers. The macro that declares a type also declares the function
    `…_get_type`."""
    names = {"baton_error_get_type"}
    for header in HEADERS.glob("*.h"):
        text = header.read_text(encoding="utf-8")
        names.update(re.findall(r"^BATON_PUBLIC [^(\n]*?\b(baton_\w+)\(", text, re.M))
        names.update(f"{name}_get_type" for name in re.findall(r"G_DECLARE_FINAL_TYPE\(\w+, (\w+)", text))
    return names


class Symbols(unittest.TestCase):
    def test_only_the_functions_in_the_headers_are_exported(self):
        exported = re.findall(r" [A-Z] (\S+)$", said("nm", "--dynamic", "--defined-only", LIBRARY), re.M)
        functions = {name.split("@@")[0] for name in exported if name.startswith("baton_")}
        self.assertEqual(functions, declared())
        self.assertEqual({name for name in exported if "@@" not in name} - {"LIBBATON_1.0", "LIBBATON_1.1"}, set())

    def test_library_needs_only_glib(self):
        needed = re.findall(r"NEEDED\s+(\S+)", said("objdump", "-p", LIBRARY))
        self.assertEqual({name.split(".so")[0] for name in needed}, {"libgio-2.0", "libgobject-2.0", "libglib-2.0", "libc"})

    def test_library_calls_the_bus_only_through_generated_functions(self):
        """The library calls each method of the pages' XML, and no other, through functions that gdbus-codegen makes
        from this XML."""
        wanted = set()
        for page, interfaces in (("Baton1", ("Activities", "Offers")), ("Application1", ("Application1",))):
            for interface in xml.etree.ElementTree.parse(ROOT / "Documentation" / "DBus" / f"org.batonproject.{page}.xml").iter("interface"):
                if (name := interface.get("name").rpartition(".")[2]) in interfaces:
                    methods = [re.sub(r"(?<!^)([A-Z])", r"_\1", method.get("name")).lower() for method in interface.iter("method")]
                    wanted |= {f"baton_bus_{name.lower()}_{verb}_{method}" for method in methods for verb in ("call", "complete")}
        self.assertGreater(len(wanted), 30)
        found = set(re.findall(r" (baton_bus_\w+?_(?:call|complete)_\w+)$", said("nm", LIBRARY), re.M))
        self.assertEqual({name for name in found if not re.search("_(sync|finish)$", name)}, wanted)

    def test_each_public_function_has_documentation_with_its_version(self):
        sources = "".join(file.read_text(encoding="utf-8") for file in SOURCES)
        for name in declared():
            if not name.endswith("_get_type"):
                comment = re.search(rf"/\*\*\n \* {name}:(?:.|\n)*?\*/", sources)
                self.assertTrue(comment, name)
                self.assertIn("Since: 1.", comment[0], name)
