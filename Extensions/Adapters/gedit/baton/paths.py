# SPDX-License-Identifier: Apache-2.0
"""Paths in the lines of the socket. JSON cannot contain a path that is not UTF-8. The bytes of such a path are sent as
hexadecimal digits under a key of their own (Documentation/Editors.md)."""

from __future__ import annotations

import os


def said(path: str | None) -> dict:
    """Returns the entries for a path, or for None, in a message."""
    try:
        (path or "").encode()
    except UnicodeEncodeError:  # PyGObject represents bytes that are not UTF-8 as surrogates
        return {"file": None, "fileBytes": os.fsencode(path).hex()}
    return {"file": path}


def heard(it: dict) -> str | None:
    """Returns the path in a message, or None."""
    return os.fsdecode(bytes.fromhex(it["fileBytes"])) if "fileBytes" in it else it["file"]
