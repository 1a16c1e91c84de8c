# SPDX-License-Identifier: Apache-2.0
"""Other paths of a file whose file system is mounted more than once, as a whole or in part by a
bind mount (proc_pid_mountinfo(5))."""

import os
import re
from typing import NamedTuple

from ladder import layout

TABLE = "/proc/self/mountinfo"


class Mount(NamedTuple):
    """A part of a file system and its mount point."""

    device: str
    root: str
    point: str


def other_paths(path: str) -> list:
    """Returns the other paths of the same file, without symbolic links."""
    mounts = _mounts()
    # If several mounts have the same mount point, the last one hides the others.
    here = max((mount for mount in reversed(mounts) if _within(path, mount.point) is not None), key=lambda mount: len(mount.point), default=None)
    if here is None:
        return []
    inside = _joined(here.root, _within(path, here.point))
    found = (_joined(mount.point, rest) for mount in mounts
             if mount.device == here.device and (rest := _within(inside, mount.root)) is not None)
    return [each for each in dict.fromkeys(found) if each != path]


def _mounts() -> list:
    try:
        with open(TABLE, encoding="utf-8", errors="surrogateescape") as table:
            return [Mount(fields[2], _plain(fields[3]), _plain(fields[4])) for line in table if len(fields := line.split(" ")) > 4]
    except OSError:
        return []


def _plain(text: str) -> str:
    """Decodes a field of the table, in which a space is written as \\040."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


def _within(path: str, directory: str) -> str | None:
    """Returns the part of a path below a directory: empty for the directory itself, and None for a path outside."""
    return "" if path == directory else layout.below(path, directory)


def _joined(directory: str, rest: str) -> str:
    return os.path.join(directory, rest) if rest else directory
