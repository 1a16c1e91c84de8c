# SPDX-License-Identifier: Apache-2.0
"""A message that arrives from another laptop, until Thunderbird shows it."""

import json

from gi.repository import GLib

import contents
import ladder
import launch
from extensions import arrival
from journal import JOURNAL
from mail import draft
from mail.program import WRITING
from wording import joined, tr

PATIENCE = 45  # seconds that Thunderbird may take to start and to open the message
# Seconds until the streams about the draft's fate are opened, and opened again if the other laptop does not know yet that the draft is here. Until it
# knows, its streams carry the draft.
PAUSES = (1, 2, 4, 8, 16)


class Arrival(arrival.Arrival):
    """A message on its way to Thunderbird."""

    def __init__(self, adapter, continuation, token: str | None, ended):
        super().__init__(adapter, continuation, token, ended)
        info = contents.read(continuation)
        self.is_draft = continuation.props.activity_type == WRITING
        self.key = info.get("draft" if self.is_draft else "message")
        self.is_ready = False  # this arrival waits for Thunderbird
        self.is_loading = False  # this arrival waits for the other laptop
        self.details = None
        GLib.idle_add(self._begin)

    def _begin(self):
        if self.is_draft and isinstance(self.key, str) and draft.IDENTIFIER.fullmatch(self.key):
            self._load()
        elif not self.is_draft and draft.is_message_id(self.key):
            self._start()
        else:
            self._end(tr("The other laptop does not say which message it is."))
        return GLib.SOURCE_REMOVE

    def _load(self):
        self.is_loading = True
        self._stop_timer()  # the transfer has a time limit of its own
        self.continuation.load_contents_async(None, self._loaded)

    def _loaded(self, continuation, result):
        self.is_loading = False
        try:
            self.copy = continuation.load_contents_finish(result).get_path()
            if self.is_draft:
                self.details = draft.unpack(self.copy)
        except (GLib.Error, OSError) as error:
            self._end(tr('The message did not come from "{laptop}". Try again.', laptop=self.device), str(error))
        except draft.Unreadable as error:
            self._end(tr('The message from "{laptop}" cannot be read.', laptop=self.device), str(error))
        else:
            self._start()

    def _start(self):
        if self.ended is None:  # Thunderbird failed meanwhile
            self._end(None)
            return
        if not self.timer:
            self.timer = GLib.timeout_add_seconds(PATIENCE, self._late)
        self.is_ready, self.has_asked = True, False
        try:
            self.adapter.give(self)
        except launch.NotStarted as error:
            self._end(error.sentence, error.detail)

    def _late(self):
        self.timer = 0
        self._end(tr("Thunderbird was started, but did not open the message. Try again.") if self.has_asked else
                  tr("Thunderbird was started, but did not ask for the message. Start it once more: Baton's extension for it runs from the second start on."))
        return GLib.SOURCE_REMOVE

    def tell(self, connection):
        """Hands the message to Thunderbird."""
        self.has_asked = True
        try:
            connection.send({"open": self.ticket, **self._message()})
        except OSError as error:
            self._end(tr("The message could not be given to Thunderbird. Try again."), str(error))

    def _message(self) -> dict:
        self._take_back()
        if self.is_draft:
            details, start = self.details
            return {"draft": self.key, "text": self._put(json.dumps(details).encode()), "data": self._put_file(start)}
        if self.copy:
            return {"copy": self._put_file(0), "limit": ladder.LARGEST}
        return {"message": self.key}

    def is_missing(self, connection):
        """Called when no account here has the message. Fetches a copy of the message if the other laptop can send one."""
        if self.copy is None and not self.is_draft and not self.is_loading:
            if self.continuation.props.supports_continuation_streams:
                self._load()
            else:
                self._end(tr('No account on this laptop has the message, and it is too large to be copied from "{laptop}".', laptop=self.device))

    def opened(self, notes):
        """Called when Thunderbird shows the message. The notes are codes of the extension."""
        notes = notes if isinstance(notes, list) else []
        sentences = [
            tr('This is a copy from "{laptop}". No account on this laptop has the message.', laptop=self.device) if self.copy and not self.is_draft else "",
            tr('Attachments stayed on "{laptop}". They are too large, or were not read in time.', laptop=self.device) if self.is_draft and self.details[0]["isCut"] else "",
            tr("Pictures and other parts were left out, because they would be loaded from the network or could run.") if "pictures" in notes else "",
            tr("No account here has the address of the sender. Check from which one you send it.") if "identity" in notes else "",
            tr("The draft that was open here has other changes. Both are open now.") if "beside" in notes else ""]
        continuation = self.continuation
        if self.is_draft:
            self.adapter.fates.share(self.key, contents.title(self.details[0]["subject"]))
            self._watch_later(list(PAUSES))
        self._end(None)
        self.adapter.tell(continuation, joined(sentences))

    def _watch_later(self, pauses: list):
        if pauses:
            GLib.timeout_add_seconds(pauses.pop(0), self._watch, pauses)

    def _watch(self, pauses: list):
        def came(continuation, result):
            try:
                streams = continuation.open_streams_finish(result)
            except GLib.Error as error:
                JOURNAL.write(f"Mail: {self.device} does not say what becomes of the draft: {error.message}")
            else:
                self.adapter.fates.watch(self.key, streams, lambda: self._watch_later(pauses))
        self.continuation.open_streams_async(None, came)
        return GLib.SOURCE_REMOVE

    def _put_file(self, start: int) -> str:
        with open(self.copy, "rb") as file:
            file.seek(start)
            return self._put(file.read(ladder.LARGEST + 1))
