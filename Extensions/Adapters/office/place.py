# SPDX-License-Identifier: Apache-2.0
"""The user's place in an office document, as numbers from 0 on and a sheet's name."""

from __future__ import annotations

import contents

MOST = 2**31 - 1
# For each kind of document, the numbers that its place must have, and those of which it may have all or none.
KINDS = {
    "text": (("page",), ("paragraph", "offset")),
    "spreadsheet": (("sheet", "firstRow", "firstColumn"), ("row", "column", "endRow", "endColumn")),
    "presentation": (("page",), ()),
    "drawing": (("page",), ()),
}


def read(values: dict, kind: str | None) -> dict:
    """Reads a place in a document of a kind. The place is empty if a number is missing or out of bounds."""
    if kind not in KINDS:
        return {}
    needed, more = (_numbers(values, keys) for keys in KINDS[kind])
    name = {"sheetName": contents.text(values, "sheetName") or ""} if kind == "spreadsheet" else {}
    return {**needed, **(more or {}), **name} if needed else {}


def _numbers(values: dict, keys: tuple) -> dict | None:
    found = {key: contents.number(values, key, 0, MOST) for key in keys}
    return None if None in found.values() else {key: int(value) for key, value in found.items()}
