# SPDX-License-Identifier: Apache-2.0
"""Removes private data from a report: addresses, and the paths of its user's files."""

import re
from pathlib import Path

# An address with colons, with underscores as in D-Bus paths, or with hyphens.
ADDRESS = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{2}(?:([:_-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4}(?![0-9A-Fa-f])")
MASKED = "XX:XX:XX:XX:XX:XX"


HIDDEN = {}  # texts, and their replacements


def hide(text: str, instead: str):
    """Hides a text in everything that is masked later, unless the text is too short to mean anything."""
    if len(text) > 1:
        HIDDEN[text] = instead


def masked(text: str) -> str:
    """Returns a text without addresses, the path of the user's home directory, and hidden texts."""
    for hidden, instead in [(str(Path.home()), "~"), *HIDDEN.items()]:
        text = text.replace(hidden, instead) if len(hidden) > 1 else text
    return ADDRESS.sub(MASKED, text)


def everywhere(value):
    """Returns a JSON value in which all texts are masked."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {masked(key): everywhere(each) for key, each in value.items()}
    return [everywhere(each) for each in value] if isinstance(value, (list, tuple)) else value


def copy(source: Path, target: Path):
    """Copies a log and masks it."""
    target.write_text(masked(source.read_text(encoding="utf-8", errors="replace")), encoding="utf-8")
