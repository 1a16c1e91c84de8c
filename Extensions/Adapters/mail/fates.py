# SPDX-License-Identifier: Apache-2.0
"""The fate of a draft that two laptops have. Each laptop tells the other through streams when it has sent the draft, so
that nobody sends the draft twice without knowing."""

from __future__ import annotations

from gi.repository import Gio, GLib

import contents
import notice
from journal import JOURNAL
from wording import tr

GREETING, SENT = b"baton draft 1\n", b"sent\n"
MOST = 64  # drafts
MOST_WATCHED = 4  # streams of one draft


class Fate:
    """A draft that other laptops have, too."""

    def __init__(self, title: str):
        self.title = title
        self.is_open, self.is_sent = True, False  # here
        self.sender = None  # the laptop that has sent it
        self.watches = []


class Fates:
    """The drafts that have gone from laptop to laptop, by their ids."""

    def __init__(self, adapter):
        self.adapter, self.kept = adapter, {}

    def share(self, key: str, title: str):
        """Called when another laptop has the draft that is open here, too."""
        fate = self.kept.pop(key, None) or Fate(title)
        self.kept[key] = fate
        if len(self.kept) > MOST:
            self._forget(next(iter(self.kept)))
        fate.is_open, fate.is_sent, fate.title = True, False, title

    def watch(self, key: str, streams, unheard=None):
        """Tells the other laptop the fate of the shared draft here, also if it was sent already, and listens for its fate there. `unheard()` is
        called if the other laptop does not answer."""
        fate = self.kept.get(key)
        if fate is None:  # it was closed meanwhile
            streams.close_async(GLib.PRIORITY_DEFAULT, None, None)
            return
        if len(fate.watches) == MOST_WATCHED:
            fate.watches.pop(0).end()

        def closed(watch):
            # The user gets no message about a draft that was closed here and not sent.
            if unheard is None or watch.is_answered or not (fate.is_open or fate.is_sent):
                self._closed(key, watch)
            elif watch in fate.watches:
                fate.watches.remove(watch)
                unheard()
        fate.watches.append(Watch(streams, lambda watch: self._heard(key, watch), closed))
        if fate.is_sent:
            fate.watches[-1].say(SENT)

    def opened(self, key: str):
        """Called when the draft is open here again, and was not sent from this window."""
        if fate := self.kept.get(key):
            fate.is_open, fate.is_sent = True, False

    def ended(self, key: str, title: str, is_sent: bool):
        """Called when the draft was sent or closed here."""
        fate = self.kept.get(key)
        if fate is None:
            return
        fate.is_open, fate.title = False, title or fate.title
        if not is_sent:
            if not fate.watches:
                del self.kept[key]
            return
        fate.is_sent = True
        for watch in fate.watches:
            watch.say(SENT)
        if fate.sender:
            self._say_twice(fate)

    def end(self):
        for key in list(self.kept):
            self._forget(key)

    def _heard(self, key: str, watch: Watch):
        fate = self.kept.get(key)
        if fate is None or fate.sender:
            return
        fate.sender = watch.laptop
        if fate.is_sent:
            self._say_twice(fate)
        elif fate.is_open:
            self._say(fate, tr('"{laptop}" has sent this message. It is still open here. Close it without sending it.', laptop=fate.sender))

    def _say_twice(self, fate: Fate):
        self._say(fate, tr('This message was sent twice: from this laptop and from "{laptop}".', laptop=fate.sender))

    def _say(self, fate: Fate, text: str):
        self.adapter.complain(text.english)
        notice.show(self.adapter.bus, fate.title or "Baton", text)

    def _closed(self, key: str, watch: Watch):
        fate = self.kept.get(key)
        if fate and watch in fate.watches:
            fate.watches.remove(watch)
        # Without streams no more news can come, but this laptop still knows whether the draft was sent there.
        if fate and not fate.watches and not fate.is_open:
            del self.kept[key]

    def _forget(self, key: str):
        for watch in self.kept.pop(key).watches:
            watch.end()


class Watch:
    """A pair of streams with another laptop. `heard(watch)` is called when the draft was sent there, `closed(watch)`
    at the end."""

    def __init__(self, streams, heard, closed):
        self.streams, self.heard, self.closed = streams, heard, closed
        self.laptop = contents.plain(streams.get_device_name() or "")
        self.rest, self.cancel = b"", Gio.Cancellable()
        self.say(GREETING)
        self._read()

    @property
    def is_answered(self) -> bool:
        return self.rest.startswith(GREETING)

    def say(self, words: bytes):
        try:
            self.streams.get_output_stream().write_all(words, None)  # a few bytes, for which the socket has room
        except GLib.Error as error:
            JOURNAL.write(f"Mail: {self.laptop} is not told about a draft: {error.message}")

    def end(self):
        self.cancel.cancel()
        self.streams.close_async(GLib.PRIORITY_DEFAULT, None, None)

    def _read(self):
        self.streams.get_input_stream().read_bytes_async(len(GREETING + SENT), GLib.PRIORITY_DEFAULT, self.cancel, self._came)

    def _came(self, stream, result):
        try:
            piece = stream.read_bytes_finish(result).get_data() or b""
        except GLib.Error:
            piece = b""
        self.rest += piece
        expected = GREETING + SENT
        if not piece or not expected.startswith(self.rest):
            self.end()
            self.closed(self)
        elif self.rest == expected:
            self.heard(self)
            self._read()
        else:
            self._read()
