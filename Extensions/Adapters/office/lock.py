# SPDX-License-Identifier: Apache-2.0
"""The lock file of a document (`.~lock.NAME#`), in which LibreOffice says who has it open. A folder that several
laptops share may contain the lock file of another laptop."""

from __future__ import annotations

import os
import re

import contents
from editors.session import read

LARGEST = 4096  # bytes
LONGEST = 64  # characters of a name that is shown
# The first fields: the user's name in LibreOffice, the user's name in the system, and the computer. A comma in a field
# has a backslash before it.
FIELDS = re.compile(r"((?:[^,\\]|\\.)*),((?:[^,\\]|\\.)*),((?:[^,\\]|\\.)*),", re.DOTALL)


def holder(path: str) -> str | None:
    """Returns who has a document open on another computer, for people: the computer's name, or a question mark. Returns
    None if nobody has the document open there. A lock of this computer does not count, because LibreOffice handles it
    itself."""
    lock = os.path.join(os.path.dirname(path), f".~lock.{os.path.basename(path)}#")
    if not os.path.lexists(lock):
        return None
    found = FIELDS.match((read(lock, LARGEST) or b"").decode(errors="replace"))
    computer = re.sub(r"\\(.)", r"\1", found[3], flags=re.DOTALL) if found else ""
    if computer and host(computer) == host(os.uname().nodename):
        return None
    return contents.plain(computer)[:LONGEST] or "?"


def host(name: str) -> str:
    """Returns a computer's name without its domain."""
    return name.split(".")[0].casefold()
