# SPDX-License-Identifier: Apache-2.0
"""Names of files: which can be named on another laptop, and how they are sent (Documentation/Files.md).

For the system a name consists of bytes. Here a name is a text as in Python: a byte that is not UTF-8 becomes a
surrogate (PEP 383)."""

import unicodedata

from ladder import reasons

LONGEST_NAME = 255  # bytes
LONGEST_PATH = 4096
BAD = "\N{REPLACEMENT CHARACTER}"


def refusal(path: str) -> str | None:
    """Returns why the file at a path of this laptop cannot be named on another one, as a code of `reasons`, or None if
    it can."""
    name = path.rpartition("/")[2]
    if as_bytes(path) is None or "\0" in path:
        return reasons.PATH
    if len(as_bytes(name)) > LONGEST_NAME:
        return reasons.LONG_NAME
    return None if is_name(name) else reasons.PATH


def is_name(name: str) -> bool:
    """Returns whether a text can be a file's name. A path cannot."""
    size = len(as_bytes(name) or b"")
    return 0 < size <= LONGEST_NAME and name not in (".", "..") and not set(name) & {"/", "\0"}


def is_relative(path: str) -> bool:
    """Returns whether a path leads to a place below the directory that it is joined to."""
    found = as_bytes(path)
    return found is not None and len(found) <= LONGEST_PATH and all(is_name(part) for part in path.split("/"))


def is_plain(name: str) -> bool:
    """Returns whether a name is sent as a text: it is UTF-8 and has no control characters for terminals."""
    return repaired(name) == name


def is_utf8(name: str) -> bool:
    return not any(unicodedata.category(each) == "Cs" for each in name)


def repaired(name: str) -> str:
    """Returns a name that can be shown to people. The result is a valid file name if `name` is one."""
    found = _without_bad(name, BAD)
    return found if found == name or len(found.encode()) <= LONGEST_NAME else _without_bad(name, "_")


def as_bytes(name: str) -> bytes | None:
    """Returns the bytes of a name or path, or None if the text stands for no bytes."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None


def of_bytes(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _without_bad(name: str, instead: str) -> str:
    return "".join(instead if unicodedata.category(each) in ("Cc", "Cs") else each for each in name)
