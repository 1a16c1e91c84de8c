# SPDX-License-Identifier: Apache-2.0
"""Files that may not be there on the other laptop: how they travel, and how they are found. One
place for all adapters (Documentation/Files.md).

A file travels by everything that can lead to it, its reference; the other laptop tries one after
the other, the rungs of the ladder: the shared folder, the same path below home, the same clone of a
git repository, a copy of the contents, the page that the file came from.
"""

from ladder.digest import LARGEST
from ladder.find import Copy, File, Missing, Page, find
from ladder.offer import clear, offer
from ladder.places import is_private
from ladder.reference import KEY, Reference

__all__ = ["Copy", "File", "KEY", "LARGEST", "Missing", "Page", "Reference", "clear", "find", "is_private", "offer"]
