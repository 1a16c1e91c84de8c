# SPDX-License-Identifier: Apache-2.0
"""What a report must not tell: addresses, and where its user's files are."""

import re
from pathlib import Path

# With colons, as D-Bus paths have them, or with hyphens.
ADDRESS = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{2}(?:([:_-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![0-9A-Fa-f])")
MASKED = "XX:XX:XX:XX:XX:XX"


HIDDEN = {}  # texts, and what stands for them


def hide(text: str, instead: str):
    """From here on a text is not told, unless it is too short to mean anything."""
    if len(text) > 1:
        HIDDEN[text] = instead


def masked(text: str) -> str:
    """A text without addresses, without the path of the user's home directory, and without what is hidden."""
    for hidden, instead in [(str(Path.home()), "~"), *HIDDEN.items()]:
        text = text.replace(hidden, instead) if len(hidden) > 1 else text
    return ADDRESS.sub(MASKED, text)


def everywhere(value):
    """The same for all texts of a value that JSON can have."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {masked(key): everywhere(each) for key, each in value.items()}
    return [everywhere(each) for each in value] if isinstance(value, (list, tuple)) else value


def copy(source: Path, target: Path):
    """A log, masked."""
    target.write_text(masked(source.read_text(encoding="utf-8", errors="replace")), encoding="utf-8")
