# SPDX-License-Identifier: Apache-2.0
"""The base class of what arrives from another laptop for an app with a plugin of Baton."""

import os
import secrets
import shutil

from gi.repository import GLib

import contents


class Arrival:
    """A document on its way to an app. `ended(arrival, failure)` is called once."""

    def __init__(self, adapter, continuation, token: str | None, ended):
        self.adapter, self.continuation, self.token, self.ended = adapter, continuation, token, ended
        self.ticket = secrets.token_hex(16)
        self.device = contents.plain(continuation.props.device_name)
        self.copy, self.names = None, []  # the file that came, and those that the app reads
        self.timer, self.has_asked = 0, False

    def told(self, failure: str | None, detail: str = ""):
        """Called when the app has the document, or says why it does not have it."""
        self._end(failure, detail)

    def _put(self, found: bytes) -> str:
        """Writes a file for the app, and returns its name."""
        self.names.append(self.adapter.exchange.put(found))
        return self.names[-1]

    def _take_back(self):
        for name in self.names:
            self.adapter.exchange.remove(name)
        self.names = []

    def _stop_timer(self):
        if self.timer:
            GLib.source_remove(self.timer)
            self.timer = 0

    def _end(self, failure: str | None, detail: str = ""):
        self._stop_timer()
        # The app has what was not saved by now, or the other laptop still has it.
        self._take_back()
        if self.copy is not None:
            shutil.rmtree(os.path.dirname(self.copy), ignore_errors=True)
            self.copy = None
        if self.ended:
            ended, self.ended = self.ended, None
            ended(self, failure, detail)
