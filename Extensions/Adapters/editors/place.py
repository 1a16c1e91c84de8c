# SPDX-License-Identifier: Apache-2.0
"""The user's place in a text, as numbers only."""

from __future__ import annotations

from typing import NamedTuple

import contents
from editors import paths
from editors.form import Form

MOST = 2**31 - 1


class Place(NamedTuple):
    """Line, column and first visible line, counted from 1. Columns are Unicode
    scalars."""

    line: int = 1
    column: int = 1
    top: int = 1

    @staticmethod
    def read(values: dict) -> Place:
        """Reads a place. A value that is not a number between 1 and 2^31 - 1 becomes
        1."""
        found = (contents.number(values, key, 1, MOST) for key in Place._fields)
        return Place(*(int(each) if each is not None else 1 for each in found))


class State(NamedTuple):
    """An editor's description of the text in front."""

    file: str | None  # an absolute path, or None for a text that has never been saved
    place: Place
    is_unsaved: bool  # the text differs from the file
    is_sent: bool  # the text is in the file that the editor was asked to write it to
    form: Form  # the form in which the editor saves the text
    is_recoded: bool  # the sent text is UTF-8, because the text's own encoding cannot represent all of it

    @staticmethod
    def read(message: dict) -> State | None:
        """Reads a state, or None for a text that is not handed over."""
        found = message.get("state")
        if not isinstance(found, dict):
            return None
        is_unsaved = found.get("unsaved") is True
        try:
            file = paths.of_state(found, is_unsaved)
        except ValueError:
            return None
        return State(file, Place.read(found), is_unsaved, found.get("sent") is True, Form.read(found),
                     found.get("isRecoded") is True)
