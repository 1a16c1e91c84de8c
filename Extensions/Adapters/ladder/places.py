# SPDX-License-Identifier: Apache-2.0
"""Where paths of another laptop lead on this one."""

import os
import unicodedata

from ladder import never
from ladder.layout import below, home

__all__ = ["below", "every_inside", "home", "inside"]
MOST_ENTRIES = 10_000  # of a directory that are looked at for another spelling


def inside(directory: str, path: str) -> str | None:
    """The regular file at a path below a directory, unless a symbolic link leads out of it, or it
    never leaves."""
    return next(every_inside(directory, path), None)


def every_inside(directory: str, path: str):
    """Those at the same path in any of Unicode's normal forms, the path as it is first."""
    for spelling in _spellings(directory, path.split("/")):
        found = os.path.realpath(spelling)
        if below(found, os.path.realpath(directory)) is not None and not never.holds(found) and os.path.isfile(found):
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
    """The names in a directory that say the same with other characters."""
    if name.isascii():
        return []
    same = unicodedata.normalize("NFC", name)
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for _, entry in zip(range(MOST_ENTRIES), entries)]
    except OSError:
        return []
    return sorted(each for each in names if each != name and unicodedata.normalize("NFC", each) == same)
