# SPDX-License-Identifier: Apache-2.0
"""The comments and literals of a Swift source."""

import functools
import re

# A slash begins a regular expression where an operand may be. swift-format puts blanks around a division.
PATTERN = r"(?<![^\s(\[,:=])(?P<bars>#*)/(?![\s/*])(?:\\.|[^/\\\n])+/(?P=bars)"
CODE = re.compile(
    rf'(?P<line>//.*)|(?P<block>/\*)|(?P<pattern>{PATTERN})|(?P<hashes>#*)(?P<quotes>"""|")|(?P<parenthesis>[()])')
BLOCK = re.compile(r"/\*|\*/")


class Unbalanced(ValueError):
    """The error for a source that ends inside a literal, a comment or brackets, or has a closing bracket without an
    opening one."""


class Literals:
    """Finds the comments of a source, and the texts of its literals: without delimiters and interpolations."""

    def __init__(self, source):
        self.source, self.comments, self.texts = source, [], []
        self.read_code(0)

    def without_comments(self):
        """Returns the source with blanks in place of its comments. Every position stays the same."""
        return blanked(self.source, self.comments)

    def without_texts(self):
        """Returns the source with blanks in place of its comments and of its literals' texts."""
        return blanked(self.source, sorted(self.comments + self.texts))

    def read_code(self, position, is_interpolation=False):
        """Reads to the end of the source or of the interpolation. Returns the position after it."""
        depth = 0
        while found := CODE.search(self.source, position):
            position = found.end()
            if found["line"]:
                self.comments.append(found.span())
            elif found["block"]:
                position = self.read_block(found.start())
            elif found["pattern"]:
                self.texts.append(found.span())
            elif found["quotes"]:
                position = self.read_literal(position, found["hashes"], found["quotes"])
            elif is_interpolation:
                depth += 1 if found["parenthesis"] == "(" else -1
                if depth < 0:
                    return position
        if is_interpolation:
            raise Unbalanced("an interpolation has no end")
        return position

    def read_block(self, start):
        """Reads a comment between /* and */, which may contain others of its kind."""
        depth = 0
        for found in BLOCK.finditer(self.source, start):
            depth += 1 if found[0] == "/*" else -1
            if depth == 0:
                self.comments.append((start, found.end()))
                return found.end()
        raise Unbalanced("a comment has no end")

    def read_literal(self, position, hashes, quotes):
        """Reads a literal from the position after its opening quotes."""
        while found := in_literal(hashes, quotes).search(self.source, position):
            self.texts.append((position, found.start()))
            position = found.end()
            if found["end"]:
                return position
            if found["newline"]:
                break
            if found["interpolation"]:
                position = self.read_code(position, is_interpolation=True)
        raise Unbalanced("a literal has no end")


@functools.cache
def in_literal(hashes, quotes):
    """Returns the pattern of what interrupts or ends the text of a literal with these delimiters."""
    newline = r"(?P<newline>(?!))" if quotes == '"""' else r"(?P<newline>\n)"
    return re.compile(rf"(?P<interpolation>\\{hashes}\()|\\{hashes}[^(]|{newline}|(?P<end>{quotes}{hashes})")


def blanked(source, spans):
    parts, position = [], 0
    for start, end in spans:
        parts += source[position:start], re.sub(r"[^\n]", " ", source[start:end])
        position = end
    return "".join(parts) + source[position:]
