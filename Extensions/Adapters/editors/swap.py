# SPDX-License-Identifier: Apache-2.0
"""The swap file in which Kate and KWrite record each change of a text since it was last saved. This module makes the
unsaved text from the swap file and the file, as Kate does after a crash (KTextEditor's kateswapfile.cpp). This module
never writes a swap file."""

from __future__ import annotations

import hashlib
import os
import struct
import time

BEGINNING = b"Kate Swap File 2.0"
LARGEST = 4 << 20  # bytes of a swap file
LONGEST = 1.0  # seconds for all changes
MANY = 1 << 31  # more than any line or column
# How many numbers each kind of change has. In an insertion, a text follows the numbers.
NUMBERS = {b"S": 0, b"E": 0, b"W": 2, b"U": 1, b"I": 2, b"R": 3}


class Unusable(Exception):
    """The swap file does not belong to the file, or is damaged."""


def path_of(file: str) -> str:
    """Returns the path of a file's swap file. A user can choose another directory, which is not known here."""
    return os.path.join(os.path.dirname(file), f".{os.path.basename(file)}.kate-swp")


def replay(swap: bytes, file: bytes, text: str) -> tuple:
    """Returns the unsaved text, and the line and the column of its last change, counted from 1. `text` is the text of
    the file. Raises Unusable."""
    reader = Reader(swap)
    if reader.text() != BEGINNING or reader.text() != checksum(file):
        raise Unusable("it belongs to another file")
    lines, place, limit = text.split("\n"), (0, 0), time.monotonic() + LONGEST
    while reader.has_more():
        if time.monotonic() > limit:
            raise Unusable("it has too many changes")
        place = change(lines, reader, place)
    return "\n".join(lines), place[0] + 1, place[1] + 1


def checksum(file: bytes) -> bytes:
    """Returns the checksum of a file that Kate keeps, which git would also compute."""
    return hashlib.sha1(b"blob %d\0" % len(file) + file, usedforsecurity=False).digest()


def change(lines: list, reader: Reader, place: tuple) -> tuple:
    """Makes the next change in the lines of a text. Returns the place of the cursor after the change, counted from 0.
    Raises Unusable."""
    kind = reader.bytes(1)
    if kind not in NUMBERS:
        raise Unusable("it has an unknown change")
    numbers = [reader.number() for _ in range(NUMBERS[kind])]
    if not numbers:
        return place
    line = numbers[0] - (kind == b"U")
    if not 0 <= line < len(lines) - (kind == b"U"):
        raise Unusable("it changes a line that there is not")
    before = lines[line]
    columns = [position(before, column) for column in numbers[1:]] or [0]
    first, last = columns[0], columns[-1]
    if kind == b"W":
        lines[line:line + 1] = [before[:first], before[first:]]
        return line + 1, 0
    if kind == b"U":
        lines[line:line + 2] = [before + lines[line + 1]]
        return line, len(before)
    if kind == b"R":
        lines[line] = before[:first] + before[last:]
        return line, first
    added = decoded(reader.text())
    if "\n" in added:
        raise Unusable("it has a line with a line end")
    lines[line] = before[:first] + added + before[first:]
    return line, first + len(added)


def position(line: str, column: int) -> int:
    """Returns the index in a line for a column, which Qt counts in units of UTF-16. Raises Unusable."""
    units = line.encode("utf-16-le")
    if 2 * column > len(units):
        raise Unusable("it changes a column that there is not")
    return column if line.isascii() else len(decoded(units[:2 * column], "utf-16-le"))


def column_of(line: str, position: int) -> int:
    """Returns Qt's column for an index in a line."""
    return len(line[:position].encode("utf-16-le", "surrogatepass")) // 2


def decoded(text: bytes, encoding: str = "utf-8") -> str:
    try:
        return text.decode(encoding)
    except UnicodeError:
        raise Unusable("it has a text that is not UTF-8") from None


class Reader:
    """Reads values as Qt's QDataStream writes them."""

    def __init__(self, data: bytes):
        self.data, self.place = data, 0

    def has_more(self) -> bool:
        return self.place < len(self.data)

    def bytes(self, length: int) -> bytes:
        found = self.data[self.place:self.place + length]
        if len(found) < length:
            raise Unusable("it is cut off")
        self.place += length
        return found

    def number(self) -> int:
        found = struct.unpack(">I", self.bytes(4))[0]
        if found >= MANY:
            raise Unusable("it has a number that is too large")
        return found

    def text(self) -> bytes:
        return self.bytes(self.number())
