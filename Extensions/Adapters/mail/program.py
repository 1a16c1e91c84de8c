# SPDX-License-Identifier: Apache-2.0
"""A running Thunderbird, and the messages that it offers to other laptops."""

from __future__ import annotations

from typing import NamedTuple

from gi.repository import GLib

import contents
import deadline
import ladder
from editors.unsaved import Unsaved
from mail import draft

WRITING, READING = "org.batonproject.mail.compose", "org.batonproject.mail.read"
PATIENCE = deadline.SAVING  # seconds that Thunderbird may take to answer
WITHIN = 3500  # milliseconds in which it writes the contents
MOST_DRAFTS = 16


class State(NamedTuple):
    """The extension's description of a message."""

    is_draft: bool
    key: str  # a draft's id, or the Message-ID
    title: str

    @staticmethod
    def read(found) -> State | None:
        """Reads a state, or None for a message that is not handed over."""
        if not isinstance(found, dict):
            return None
        title = contents.title(found["title"]) if isinstance(found.get("title"), str) else ""
        if found.get("kind") == "draft" and isinstance(found.get("draft"), str) and draft.IDENTIFIER.fullmatch(found["draft"]):
            return State(True, found["draft"], title)
        if found.get("kind") == "message" and draft.is_message_id(found.get("message")):
            return State(False, found["message"], title)
        return None


class Program:
    """A Thunderbird whose extension is connected to the socket."""

    def __init__(self, adapter, connection):
        self.adapter, self.connection = adapter, connection
        self.asked = 0
        self.reading, self.writing = None, {}  # the offered messages: the one in front, and drafts by their ids
        self.front = None

    def heard(self, message: dict):
        """Called when another message is in front, or when a draft was sent or closed."""
        if "state" in message:
            self._become(State.read(message["state"]))
        elif isinstance(message.get("ended"), str):
            self._ended(message["ended"], message.get("sent") is True)

    def _become(self, state: State | None):
        if self.reading and (state is None or not state.is_draft and state.key != self.reading.state.key):
            self.reading.end()
            self.reading = None
        if state is None:
            self.front = None
            return
        offered = self.writing.get(state.key) if state.is_draft else self.reading
        if offered is None:
            offered = self._offer(state)
            self.adapter.fates.opened(state.key)
        offered.show(state, self.front != state.key)
        self.front = state.key

    def _offer(self, state: State) -> Offered:
        offered = Offered(self, state)
        if not state.is_draft:
            self.reading = offered
            return offered
        if len(self.writing) == MOST_DRAFTS:
            self.writing.pop(next(iter(self.writing))).end()
        self.writing[state.key] = offered
        return offered

    def _ended(self, key: str, is_sent: bool):
        offered = self.writing.pop(key, None)
        # A draft from another laptop may end before the extension reports that it is in front.
        self.adapter.fates.ended(key, offered.state.title if offered else "", is_sent)
        if offered:
            offered.end()

    def ask(self, state: State) -> tuple:
        """Asks Thunderbird for a message. Returns the message's state, and the two files that Thunderbird has written,
        which are None if it does not send them."""
        self.asked += 1
        text, data = self.adapter.exchange.make(), self.adapter.exchange.make()
        try:
            answer = self.connection.ask(
                {"ask": self.asked, "draft": state.key if state.is_draft else None, "text": text, "data": data, "limit": ladder.LARGEST, "within": WITHIN},
                lambda message: message.get("answer") == self.asked, PATIENCE)
            if answer is None or answer.get("sent") is not True:
                return State.read(answer.get("state")) if answer else state, None, None
            take = self.adapter.exchange.take
            return State.read(answer.get("state")), take(text, draft.LONGEST_HEAD), take(data, ladder.LARGEST)
        finally:
            self.adapter.exchange.remove(text)
            self.adapter.exchange.remove(data)

    def end(self):
        """Called when Thunderbird has ended. If only the extension's host has ended, the extension reports its open
        messages again."""
        for key, offered in self.writing.items():
            self.adapter.fates.ended(key, offered.state.title, False)
        for offered in [*self.writing.values(), *filter(None, [self.reading])]:
            offered.end()
        self.writing, self.reading = {}, None


class Offered:
    """A message, offered to other laptops."""

    def __init__(self, program: Program, state: State):
        self.program, self.state = program, state
        self.adapter = program.adapter
        self.unsaved = Unsaved(self.adapter.directory, "draft" if state.is_draft else "message.eml")
        self.activity = self.adapter.publish(WRITING if state.is_draft else READING, self.adapter.application, self.save, self.continued)
        if state.is_draft:
            self.activity.props.supports_continuation_streams = True
            self.activity.connect("streams", self._watched)

    def show(self, state: State, is_another: bool):
        """Offers the message before all others if it has come to the front."""
        self.state = state
        self.activity.props.title = state.title or None
        if self.activity.props.is_current and is_another:
            self.activity.resign_current()
        if not self.activity.props.is_current:
            GLib.idle_add(self._become_current)

    def _become_current(self):
        if self.activity:
            self.activity.become_current()
        return GLib.SOURCE_REMOVE

    def save(self) -> dict:
        """Returns the current values. Raises ladder.Stays."""
        state, text, data = self.program.ask(self.state)
        if state is None or state.key != self.state.key:  # it is encrypted now, or another message is shown
            raise ladder.Stays(ladder.NO_MESSAGE)
        if self.state.is_draft and (text is None or data is None):
            raise ladder.Stays(ladder.BUSY)
        return self._draft(text, data) if self.state.is_draft else self._message(data)

    def _draft(self, text: bytes, data: bytes) -> dict:
        try:
            self.unsaved.write(draft.pack(text, data))
        except draft.Unreadable as error:
            raise ladder.Stays(ladder.TOO_LONG, str(error)) from None
        with self.unsaved.open() as file:
            return {"draft": self.state.key, **ladder.offer_new(self.activity, file)}

    def _message(self, data: bytes | None) -> dict:
        said = {"message": self.state.key}
        if data is None:  # too large to be copied
            ladder.clear(self.activity)
            return said
        self.unsaved.write(data)
        with self.unsaved.open() as file:
            return said | ladder.offer_new(self.activity, file)

    def continued(self):
        """Called when the other laptop has the draft. Streams that the other laptop opens from now on are about the
        draft's fate."""
        ladder.clear(self.activity)

    def _watched(self, _, streams):
        self.adapter.fates.share(self.state.key, self.state.title)
        self.adapter.fates.watch(self.state.key, streams)

    def end(self):
        self.activity.invalidate()
        self.activity = None
        self.unsaved.clear()
