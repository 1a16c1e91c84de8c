# SPDX-License-Identifier: Apache-2.0
"""The host of an ssh session that runs in a terminal. The other laptop puts `ssh HOST` into the edit buffer."""

from __future__ import annotations

import os
import re

# OpenSSH's options that take an argument: ssh(1).
WITH_ARGUMENT = "BbcDEeFIiJLlmOopPQRSWw"
# A name or an address, with or without a user. It begins with no dash, and a shell reads nothing else in it.
DESTINATION = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9._-]{0,63}@)?[A-Za-z0-9_][A-Za-z0-9._:-]{0,252}")


def host(words: list) -> str | None:
    """Returns where the program with these words is logged in; None if it is not ssh, or if the name is unusual."""
    if not words or os.path.basename(words[0]) != "ssh":
        return None
    words = iter(words[1:])
    for word in words:
        if not word.startswith("-"):
            return destination(word)
        # Of several letters in one word, the first that takes an argument takes the rest or the next word.
        taking = next((at for at, letter in enumerate(word[1:], 1) if letter in WITH_ARGUMENT), None)
        if taking == len(word) - 1:
            next(words, None)
    return None


def destination(word) -> str | None:
    return word if isinstance(word, str) and DESTINATION.fullmatch(word) else None
