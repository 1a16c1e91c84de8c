# SPDX-License-Identifier: Apache-2.0
"""Paths of another laptop: which of them are safe here."""

import os
import unicodedata

from ladder import never
from ladder.layout import below, home

__all__ = ["below", "home", "inside", "is_name", "is_relative"]
LONGEST_PATH = 4096  # bytes
LONGEST_NAME = 255


def is_name(name: str) -> bool:
    """Whether this can be a file's name: no path, and nothing that a terminal would obey."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return False
    return 0 < size <= LONGEST_NAME and name not in (".", "..") and "/" not in name and not any(unicodedata.category(each) == "Cc" for each in name)


def is_relative(path: str) -> bool:
    """Whether a path of another laptop leads to a place below the one that it is joined to."""
    return len(path) <= LONGEST_PATH and all(is_name(part) for part in path.split("/"))


def inside(directory: str, path: str) -> str | None:
    """The regular file at a path below a directory, unless a symbolic link leads out of it, or it
    never leaves."""
    found = os.path.realpath(os.path.join(directory, path))
    if below(found, os.path.realpath(directory)) is None or never.holds(found) or not os.path.isfile(found):
        return None
    return found
