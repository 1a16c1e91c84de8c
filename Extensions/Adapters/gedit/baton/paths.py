# SPDX-License-Identifier: Apache-2.0
"""Paths in the lines of the socket. JSON has no place for one that is not UTF-8: its bytes stand as hexadecimal digits
under a key of their own (Documentation/Editors.md)."""

from __future__ import annotations

import os


def said(path: str | None) -> dict:
    """A path, or None, as it is told."""
    try:
        (path or "").encode()
    except UnicodeEncodeError:  # PyGObject has what is no UTF-8 as surrogates
        return {"file": None, "fileBytes": os.fsencode(path).hex()}
    return {"file": path}


def heard(it: dict) -> str | None:
    """The path that came, or None."""
    return os.fsdecode(bytes.fromhex(it["fileBytes"])) if "fileBytes" in it else it["file"]
