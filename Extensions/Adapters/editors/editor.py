# SPDX-License-Identifier: Apache-2.0
"""One editor that runs: what it offers to other laptops."""

import os

import contents
import ladder
from editors import programs
from editors.place import State
from editors.unsaved import NAMELESS, Unsaved

TYPE = "org.batonproject.document.edit"
PATIENCE = 2  # seconds that an editor may take to say where it is: Baton gives 5


class Editor:
    """What a plugin at the socket speaks for."""

    def __init__(self, adapter, connection, name: str, directory: str):
        self.connection, self.name = connection, name
        self.state = None
        self.asked = 0
        self.unsaved = Unsaved(directory)
        self.activity = adapter.publish(TYPE, programs.application(name), self.save, lambda: None)

    def heard(self, message: dict):
        """The text in front has changed, or its window has come to the front."""
        if "state" in message:
            self.state = State.read(message)
            if self.state is None:
                self.activity.resign_current()
            else:
                self.show()

    def show(self):
        self.activity.props.title = contents.title(os.path.basename(self.state.file or NAMELESS))
        if not self.activity.props.is_current:
            self.activity.become_current()

    def save(self) -> dict:
        """What is there now; what was there last when the editor is busy."""
        self.asked += 1
        path = self.unsaved.make()
        answer = self.connection.ask({"ask": self.asked, "text": path, "limit": ladder.LARGEST},
                                     lambda message: message.get("answer") == self.asked, PATIENCE)
        state = State.read(answer) if answer else self.state
        if state is None:
            ladder.clear(self.activity)
            self.activity.resign_current()
            return {}
        is_sent = state.is_sent and self.unsaved.is_small()
        self.activity.props.title = contents.title(os.path.basename(state.file or NAMELESS))
        return {**state.place._asdict(), "editor": self.name, "isUnsaved": state.is_unsaved and is_sent,
                "isCutOff": state.is_unsaved and not is_sent,
                **ladder.offer(self.activity, state.file or path, path if is_sent else None)}

    def end(self):
        self.activity.invalidate()
        self.unsaved.clear()
