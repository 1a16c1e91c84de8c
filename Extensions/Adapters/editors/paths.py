# SPDX-License-Identifier: Apache-2.0
"""Paths in the lines between editors and this service. JSON cannot contain a path that is not UTF-8. The bytes of such
a path are sent as hexadecimal digits under a key of their own (Documentation/Editors.md)."""

from ladder import names

TEXT, BYTES = "file", "fileBytes"


def read(values: dict):
    """Returns the path of an editor's file, or None if there is none. The value may have any type and need not be a
    path."""
    said = values.get(BYTES)
    try:
        return names.of_bytes(bytes.fromhex(said)) if isinstance(said, str) else values.get(TEXT)
    except ValueError:
        return ""


def of_state(state: dict, is_unsaved: bool):
    """Returns the path in an app's state: None for a text or document that has never been saved. Raises ValueError for a
    state that is not handed over."""
    path = read(state)
    if path is None and is_unsaved:
        return None
    if not isinstance(path, str) or not path.startswith("/") or len(path) > names.LONGEST_PATH:
        raise ValueError("there is no file")
    return path


def entries(path: str | None) -> dict:
    """Returns the entries for a path on this laptop in a message to an editor. A path of None stands for no path."""
    if path is None or names.is_utf8(path):
        return {TEXT: path}
    return {TEXT: None, BYTES: names.as_bytes(path).hex()}
