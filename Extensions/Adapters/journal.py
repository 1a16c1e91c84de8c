# SPDX-License-Identifier: Apache-2.0
"""Writes lines to the journal. Other laptops and other programs cause most of the lines, so their number is limited."""

import sys

import contents
from rate import Rate

AT_ONCE, PER_SECOND = 60, 1 / 60  # lines of all adapters
LONGEST = 1024  # characters of a line


class Journal:
    """Writes lines, and reports how many it has left out."""

    def __init__(self, out=sys.stderr, rate: Rate | None = None):
        self.out, self.rate, self.left_out = out, rate or Rate(AT_ONCE, PER_SECOND), 0

    def write(self, text: str):
        if not self.rate.allows():
            self.left_out += 1
            return
        if self.left_out:
            text, self.left_out = f"{text} (left out {self.left_out} lines before this one)", 0
        print(f"baton-adapters: {contents.plain(text)[:LONGEST]}", file=self.out, flush=True)


JOURNAL = Journal()
