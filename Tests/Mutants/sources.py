# SPDX-License-Identifier: Apache-2.0
"""The Swift sources of a tree, in which an expression is found by the declaration that contains it."""

import collections
import functools
import re

from declarations import Declarations
from literals import Literals, Unbalanced

Place = collections.namedtuple("Place", "file start end")


class Sources:
    """Some sources: their texts by path, such as Sources/Module/File.swift."""

    def __init__(self, texts):
        self.texts = texts
        self.code = {}  # each text without its comments
        self.declared = collections.defaultdict(set)
        for file, text in texts.items():
            try:
                self.add(file, Literals(text))
            except Unbalanced as problem:
                raise Unbalanced(f"{file}: {problem}") from None

    def add(self, file, literals):
        self.code[file] = literals.without_comments()
        for name, start, end in Declarations(literals.without_texts()).found:
            for path in (name, f"{module(file)}.{name}"):
                self.declared[path].add(Place(file, start, end))

    def places(self, declaration, expression):
        """Returns where an expression is in the declarations with a name: overloads, or a type with its
        extensions."""
        pattern = by_tokens(expression)
        return sorted({Place(place.file, *found.span()) for place in self.declared.get(declaration, ())
                       for found in pattern.finditer(self.code[place.file], place.start, place.end)})

    def line(self, place):
        """Returns the file and line on which a place begins."""
        return f"{place.file}:{self.texts[place.file].count(chr(10), 0, place.start) + 1}"

    def indentation(self, place):
        """Returns the blanks at the beginning of the line on which a place begins."""
        text = self.texts[place.file]
        return re.compile(r"[ \t]*").match(text, text.rfind("\n", 0, place.start) + 1)[0]


@functools.cache
def of_tree(root):
    return Sources({path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
                    for path in sorted((root / "Sources").rglob("*.swift"))})


def module(file):
    return file.split("/")[1]


def by_tokens(expression):
    """Returns a pattern for the words and signs of an expression, with any blanks between them."""
    tokens = re.findall(r"(\w+)|([^\w\s])", expression)
    return re.compile(r"\s*".join(rf"\b{word}\b" if word else re.escape(sign) for word, sign in tokens))
