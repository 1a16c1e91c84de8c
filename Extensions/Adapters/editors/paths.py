# SPDX-License-Identifier: Apache-2.0
"""Paths in the lines that go between editors and this service. JSON has no place for one that is not UTF-8: its bytes
stand as hexadecimal digits under a key of their own (Documentation/Editors.md)."""

from ladder import names

TEXT, BYTES = "file", "fileBytes"


def read(values: dict):
    """What an editor says is its file; None for none. It may be of any type, and no path."""
    said = values.get(BYTES)
    try:
        return names.of_bytes(bytes.fromhex(said)) if isinstance(said, str) else values.get(TEXT)
    except ValueError:
        return ""


def entries(path: str | None) -> dict:
    """A path of this laptop, as an editor is told it; None for none."""
    if path is None or names.is_utf8(path):
        return {TEXT: path}
    return {TEXT: None, BYTES: names.as_bytes(path).hex()}
