# SPDX-License-Identifier: Apache-2.0
"""Hidden files, and programs' own: what nobody has in a player or a viewer to read."""

import os

from ladder import layout

COPIES = "baton/documents"  # below $XDG_DATA_HOME: what came from other laptops


def holds(path: str, real: str) -> bool:
    """Whether a file is hidden or a program's own, by its path as it is written or without symbolic links, `real`."""
    return any(is_hidden(form) or is_programs_own(form) for form in (os.path.normpath(path), real))


def is_hidden(path: str) -> bool:
    """Whether a part of a path is hidden; of one below home only the parts below it count. Copies
    from other laptops are where they are by Baton's doing."""
    of = layout.current()
    begins = [*(os.path.join(data, COPIES) for data in of.data), *of.homes, "/"]
    within = next((found for begin in begins if (found := layout.below(path, begin)) is not None), "")
    return any(part.startswith(".") for part in within.split("/"))


def is_programs_own(path: str) -> bool:
    """Whether it is a program's configuration, state or cache, hidden or not."""
    of = layout.current()
    return any(layout.below(path, each) is not None for each in (*of.configurations, *of.states, *of.caches))
