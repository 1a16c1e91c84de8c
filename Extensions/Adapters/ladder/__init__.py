# SPDX-License-Identifier: Apache-2.0
"""Files that may be missing on the other laptop: how they are described, and how they are found.
All adapters use this package (Documentation/Files.md).

An activity contains a reference to a file, with everything that can lead to it. The other laptop
tries these ways in turn, the rungs of the ladder: the shared folder, the same path below home, the
same clone of a git repository, a copy of the contents, the page that the file came from.
"""

from ladder.digest import LARGEST
from ladder.find import Copy, File, Missing, Page, find
from ladder.leaving import EDITING, PLAYING, READING, WRITING, Stays, may_leave, why_it_stays
from ladder.names import repaired
from ladder.offer import clear, offer, offer_new
from ladder.reasons import BUSY, FAILED, NO_MESSAGE, NO_TEXT, TOO_LONG, sentence
from ladder.reference import KEY, Reference

__all__ = ["BUSY", "Copy", "EDITING", "FAILED", "File", "KEY", "LARGEST", "Missing", "NO_MESSAGE", "NO_TEXT", "PLAYING", "Page", "READING", "Reference", "Stays", "TOO_LONG", "WRITING",
           "clear", "find", "may_leave", "offer", "offer_new", "repaired", "sentence", "why_it_stays"]
