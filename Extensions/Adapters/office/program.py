# SPDX-License-Identifier: Apache-2.0
"""A running LibreOffice, and the document that it offers to other laptops."""

from __future__ import annotations

import os
from typing import NamedTuple

import contents
import ladder
from editors import paths
from editors.unsaved import Unsaved
from office import place

TYPE = "org.batonproject.office.edit"
PATIENCE = 3  # seconds that LibreOffice may take to answer; Baton waits 5
# For each kind of document, the app's desktop id, and the ending of a document that has never been saved.
KINDS = {"text": ("libreoffice-writer", "odt"), "spreadsheet": ("libreoffice-calc", "ods"),
         "presentation": ("libreoffice-impress", "odp"), "drawing": ("libreoffice-draw", "odg")}


class State(NamedTuple):
    """The extension's description of the document in front."""

    file: str | None  # an absolute path, or None for a document that has never been saved
    kind: str
    name: str  # for people
    is_unsaved: bool
    is_sent: bool  # the contents are in the file that the extension was asked to write them to
    place: dict

    @staticmethod
    def read(message: dict) -> State | None:
        """Returns the state in a message, or None for a document that is not handed over."""
        found = message.get("state")
        kind = contents.text(found, "kind") if isinstance(found, dict) else None
        if kind not in KINDS:
            return None
        is_unsaved = found.get("unsaved") is True
        try:
            file = paths.of_state(found, is_unsaved)
        except ValueError:
            return None
        said = found.get("place")
        return State(file, kind, contents.text(found, "name") or "", is_unsaved, found.get("sent") is True,
                     place.read(said, kind) if isinstance(said, dict) else {})

    def title(self) -> str:
        """Returns the document's name for people."""
        return contents.title(ladder.repaired(os.path.basename(self.file) if self.file else self.name))


class Program:
    """A LibreOffice whose extension is connected to the socket."""

    def __init__(self, adapter, connection):
        self.adapter, self.connection = adapter, connection
        self.state, self.activity, self.unsaved = None, None, None
        self.asked = 0

    def heard(self, message: dict):
        """Called when another document is in front, or the document in front has changed."""
        if "state" in message:
            self._become(State.read(message))

    def _become(self, state: State | None):
        stays = self.why_it_stays(state)
        if state is None or stays:
            self._withdraw()
            return
        if self.state is None or (self.state.file, self.state.kind) != (state.file, state.kind):
            self._withdraw()
            application, ending = KINDS[state.kind]
            self.unsaved = Unsaved(self.adapter.directory, f"untitled.{ending}")
            self.activity = self.adapter.publish(TYPE, application, self.save, lambda: None)
        self.state = state
        self.activity.props.title = state.title()
        if not self.activity.props.is_current:
            self.activity.become_current()

    def why_it_stays(self, state: State | None) -> ladder.Stays | None:
        """Returns why the document is not offered, or None if it is."""
        file = state.file if state else None
        stays = ladder.why_it_stays(file, ladder.WRITING) if file else None
        self.adapter.withhold(self, file or "", stays)
        return stays

    def save(self) -> dict | None:
        """Returns the current values, or the previous values while LibreOffice is busy."""
        asked = self.state
        state, sent = self._ask()
        if state is None:
            return None
        if (state.file, state.kind) != (asked.file, asked.kind):  # another document has come to the front meanwhile
            raise ladder.Stays(ladder.NO_TEXT)
        if stays := self.why_it_stays(state):
            raise stays
        found = {**state.place, "kind": state.kind, "isUnsaved": sent is not None, "isCutOff": state.is_unsaved and sent is None}
        if sent is None and state.file:
            return found | ladder.offer(self.activity, state.file, ladder.WRITING)
        if sent is None:
            raise ladder.Stays(ladder.NO_TEXT)
        self.unsaved.write(sent)
        with self.unsaved.open() as text:
            if state.file:
                return found | ladder.offer(self.activity, state.file, ladder.WRITING, text)
            return found | ladder.offer_new(self.activity, text)

    def _ask(self) -> tuple:
        """Asks LibreOffice for its state and the unsaved contents, which are None if it does not send them."""
        self.asked += 1
        name = self.adapter.exchange.make()
        try:
            answer = self.connection.ask({"ask": self.asked, "text": name, "limit": ladder.LARGEST},
                                         lambda message: message.get("answer") == self.asked, PATIENCE)
            state = State.read(answer) if answer else self.state
            is_sent = answer and state and state.is_sent and state.is_unsaved
            return state, self.adapter.exchange.take(name, ladder.LARGEST) if is_sent else None
        finally:
            self.adapter.exchange.remove(name)

    def _withdraw(self):
        self.state = None
        if self.activity:
            self.activity.invalidate()
            self.unsaved.clear()
            self.activity = None

    def end(self):
        self.adapter.withhold(self, "", None)
        self._withdraw()
