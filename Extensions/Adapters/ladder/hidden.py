# SPDX-License-Identifier: Apache-2.0
"""Hidden files and files of programs. Users do not open such files in a player or a viewer."""

import os

from ladder import layout

COPIES = "baton/documents"  # below $XDG_DATA_HOME: copies from other laptops


def holds(path: str, real: str) -> bool:
    """Returns whether a file is hidden or belongs to a program. Both its path as written and `real`, without symbolic
    links, count."""
    return any(is_hidden(form) or is_programs_own(form) for form in (os.path.normpath(path), real))


def is_hidden(path: str) -> bool:
    """Returns whether a part of a path is hidden. For a path below home, only the parts below home are checked. Copies
    from other laptops do not count as hidden, because Baton put them there."""
    of = layout.current()
    begins = [*(os.path.join(data, COPIES) for data in of.data), *of.homes, "/"]
    within = next((found for begin in begins if (found := layout.below(path, begin)) is not None), "")
    return any(part.startswith(".") for part in within.split("/"))


def is_programs_own(path: str) -> bool:
    """Returns whether a file is a program's configuration, state or cache, hidden or not."""
    of = layout.current()
    return any(layout.below(path, each) is not None for each in (*of.configurations, *of.states, *of.caches))
