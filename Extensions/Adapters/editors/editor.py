# SPDX-License-Identifier: Apache-2.0
"""A running editor, and the text that it offers to other laptops."""

from __future__ import annotations

import os

import contents
import ladder
from editors import form, programs
from editors.place import State
from editors.unsaved import NAMELESS, Unsaved
from ladder.leaving import open_file

TYPE = "org.batonproject.document.edit"
PATIENCE = 2  # seconds that an editor may take to answer; Baton waits 5


class Editor:
    """An editor whose plugin is connected to the socket."""

    def __init__(self, adapter, connection, name: str):
        self._begin(adapter, connection, name, programs.application(name))

    def _begin(self, adapter, connection, name: str, application: str | None, speaker: str | None = None):
        self.adapter, self.connection, self.name = adapter, connection, name
        self.state = None
        self.asked = 0
        self.unsaved = Unsaved(adapter.directory)
        self.activity = adapter.publish(TYPE, application, self.save, lambda: None, speaker=speaker)

    def heard(self, message: dict):
        """Called when the text in front has changed, or the editor's window has come to the front."""
        if "state" in message:
            state = State.read(message)
            self.state = None if self.why_it_stays(state) else state
            if self.state is None:
                self.activity.resign_current()
            else:
                self.show()

    def why_it_stays(self, state: State | None) -> ladder.Stays | None:
        """Returns why the editor's text is not offered, or None if it is."""
        file = state.file if state else None
        stays = ladder.why_it_stays(file, ladder.EDITING) if file else None
        self.adapter.withhold(self, file or "", stays)
        return stays

    def show(self):
        self.activity.props.title = title(self.state)
        if not self.activity.props.is_current:
            self.activity.become_current()

    def save(self) -> dict:
        """Returns the current values, or the previous values while the editor is busy."""
        state, text = self.ask()
        if state is None:
            raise ladder.Stays(ladder.NO_TEXT)
        self.activity.props.title = title(state)
        return {**state.place._asdict(), "editor": self.name, **self.offer(state, text)}

    def offer(self, state: State, text: bytes | None) -> dict:
        """Returns the values to offer for the text. Raises ladder.Stays."""
        file, saved = form.saved(text or b"", state.form)
        is_sent = text is not None and len(file) <= ladder.LARGEST
        self.unsaved.write(file if is_sent else b"")
        if not is_sent and state.file:
            saved = saved._replace(has_last_end=_has_last_end(state.file, saved))
        found = {**saved.values(), "isUnsaved": state.is_unsaved and is_sent, "isCutOff": state.is_unsaved and not is_sent,
                 "isRecoded": is_sent and (state.is_recoded or saved.encoding != (state.form.encoding or saved.encoding))}
        with self.unsaved.open() as sent:
            if state.file:
                return found | ladder.offer(self.activity, state.file, ladder.EDITING, sent if is_sent else None)
            return found | ladder.offer_new(self.activity, sent)

    def ask(self) -> tuple:
        """Asks the editor for its state and its unsaved text. The text is None if the editor does not send
        it. Raises ladder.Stays."""
        state, text = self._ask({})
        if text is not None and state.form.encoding is None:  # an encoding that other editors may not know
            state, text = self._ask({"encoding": "utf-8"})
        return state, text

    def _ask(self, more: dict) -> tuple:
        self.asked += 1
        name = self.adapter.exchange.make()
        try:
            answer = self.connection.ask({"ask": self.asked, "text": name, "limit": ladder.LARGEST, **more},
                                         lambda message: message.get("answer") == self.asked, PATIENCE)
            state = State.read(answer) if answer else self.state
            if stays := self.why_it_stays(state):
                raise stays
            is_sent = answer and state and state.is_sent
            return state, self.adapter.exchange.take(name, ladder.LARGEST) if is_sent else None
        finally:
            self.adapter.exchange.remove(name)

    def end(self):
        self.adapter.withhold(self, "", None)
        self.activity.invalidate()
        self.unsaved.clear()


def title(state: State) -> str:
    """Returns the name of a text's file."""
    return contents.title(ladder.repaired(os.path.basename(state.file or NAMELESS)))


def _has_last_end(path: str, saved: form.Form) -> bool | None:
    """Returns whether the last line of a file ends with a line end, or None if the file does not exist."""
    try:
        with open_file(path, ladder.EDITING) as file:
            size = os.fstat(file.descriptor).st_size
            return form.tail_has_end(os.pread(file.descriptor, form.LONGEST_END, max(0, size - form.LONGEST_END)), saved)
    except (OSError, ladder.Stays):
        return None
