# SPDX-License-Identifier: Apache-2.0
"""Finds the files on this laptop for paths of another laptop."""

import os
import unicodedata

from ladder import never
from ladder.layout import below, home

__all__ = ["below", "every_inside", "home", "inside"]
MOST_ENTRIES = 10_000  # names in a directory that are checked for another spelling


def inside(directory: str, path: str, is_there=os.path.isfile) -> str | None:
    """Returns the regular file at a path below a directory. Returns None if a symbolic link leads
    out of the directory, or if the file never leaves its laptop. `is_there` can check for something other than a
    file."""
    return next(every_inside(directory, path, is_there), None)


def every_inside(directory: str, path: str, is_there=os.path.isfile):
    """Yields the files at the same path in any of Unicode's normal forms, the unchanged path
    first."""
    for spelling in _spellings(directory, path.split("/")):
        found = os.path.realpath(spelling)
        if below(found, os.path.realpath(directory)) is not None and not never.holds(found) and is_there(found):
            yield found


def _spellings(directory: str, parts: list):
    first, *rest = parts
    for name in (first, *_other_forms(directory, first)):
        path = os.path.join(directory, name)
        if not rest:
            yield path
        elif os.path.isdir(path):
            yield from _spellings(path, rest)


def _other_forms(directory: str, name: str) -> list:
    """Returns the names in a directory that are the same text in another normal form."""
    if name.isascii():
        return []
    same = unicodedata.normalize("NFC", name)
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for _, entry in zip(range(MOST_ENTRIES), entries)]
    except OSError:
        return []
    return sorted(each for each in names if each != name and unicodedata.normalize("NFC", each) == same)
