# SPDX-License-Identifier: Apache-2.0
"""Where paths of another laptop lead on this one."""

import os

from ladder import never
from ladder.layout import below, home

__all__ = ["below", "home", "inside"]


def inside(directory: str, path: str) -> str | None:
    """The regular file at a path below a directory, unless a symbolic link leads out of it, or it
    never leaves."""
    found = os.path.realpath(os.path.join(directory, path))
    if below(found, os.path.realpath(directory)) is None or never.holds(found) or not os.path.isfile(found):
        return None
    return found
