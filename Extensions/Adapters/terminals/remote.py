# SPDX-License-Identifier: Apache-2.0
"""The host of an ssh session that runs in a terminal. The other laptop puts `ssh HOST` into the edit buffer."""

from __future__ import annotations

import os
import re

# OpenSSH's options that take an argument: ssh(1).
WITH_ARGUMENT = "BbcDEeFIiJLlmOopPQRSWw"
# A name or an address, with or without a user. It does not begin with a dash, and has no character that a shell would
# interpret.
DESTINATION = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,63}@)?[A-Za-z0-9_][A-Za-z0-9._:-]{0,252}")


def host(words: list) -> str | None:
    """Returns where the program with these words is logged in, or None if it is not ssh, or if the name is unusual."""
    if not words or os.path.basename(words[0]) != "ssh":
        return None
    words = iter(words[1:])
    for word in words:
        if not word.startswith("-"):
            return destination(word)
        # If one word has several letters, the first one that takes an argument takes the rest of the word, or the next
        # word.
        taking = next((at for at, letter in enumerate(word[1:], 1) if letter in WITH_ARGUMENT), None)
        if taking == len(word) - 1:
            next(words, None)
    return None


def destination(word) -> str | None:
    return word if isinstance(word, str) and DESTINATION.fullmatch(word) else None
