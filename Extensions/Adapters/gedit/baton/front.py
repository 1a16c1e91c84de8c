# SPDX-License-Identifier: Apache-2.0
"""Tells the session's adapters which text is in front, and sends the unsaved text."""

from __future__ import annotations

import time

from gi.repository import Gedit, GLib

from . import lines, paths, place, texts

RETRY = 10  # seconds until the next try to connect
SOON = 150  # ms in which changes are collected, because the adapters accept 10 lines a second
PAUSE = 4  # seconds without a change after which the place is sent
NOT_THERE = (Gedit.TabState.STATE_LOADING, Gedit.TabState.STATE_REVERTING, Gedit.TabState.STATE_LOADING_ERROR, Gedit.TabState.STATE_REVERTING_ERROR,
             Gedit.TabState.STATE_CLOSING)


class Front:
    """The state that the adapters have of this gedit."""

    def __init__(self):
        self.connection, self.tried = None, -RETRY
        self.window = None  # the window that was in front last
        self.is_told = False  # the adapters know a text of this gedit
        self.soon = self.pause = 0

    def changed(self, window):
        """Called when another text is in front, when the window has come to the front, or when the
        text has changed."""
        if window.is_active() or self.window is None:
            self.window = window
        if window is self.window and not self.soon:
            self.soon = GLib.timeout_add(SOON, self._tell)

    def moved(self, window):
        """Called when the cursor or the view has moved."""
        self._stop("pause")
        if window is self.window:
            self.pause = GLib.timeout_add_seconds(PAUSE, self._paused)

    def forget(self, window):
        """Forgets a window that is closed."""
        if window is self.window:
            self.window = None

    def end(self):
        self._stop("soon")
        self._stop("pause")
        if self.connection:
            self.connection.close()
            self.connection = None

    def _paused(self):
        self.pause = 0
        return self._tell()

    def _tell(self):
        self._stop("soon")
        if self.window is None or not (self.connection or self._connect()):
            return GLib.SOURCE_REMOVE
        found = state(self.window)
        # A change in a window behind others must not bring its text to the front.
        if found is not None and self.window.is_active() or found is None and self.is_told:
            self._send(found)
        return GLib.SOURCE_REMOVE

    def _send(self, found: dict | None):
        self.is_told = found is not None
        self.connection.send({"state": found})

    def _stop(self, timer: str):
        if source := getattr(self, timer):
            GLib.source_remove(source)
            setattr(self, timer, 0)

    def _connect(self) -> bool:
        if time.monotonic() - self.tried < RETRY:
            return False
        self.tried, self.is_told = time.monotonic(), False
        self.connection = lines.connect({}, self._heard, self._closed)
        return self.connection is not None

    def _closed(self):
        self.connection = None

    def _heard(self, message: dict):
        if "ask" in message:
            found = state(self.window) if self.window else None
            if found and found["unsaved"]:
                document = self.window.get_active_document()
                found |= texts.write(document, self.connection.directory, message)
            self.connection.send({"answer": message["ask"], "state": found})


def state(window) -> dict | None:
    """Returns the description of the text in front, or None if it is not handed over."""
    tab = window.get_active_tab()
    if tab is None or tab.get_state() in NOT_THERE:
        return None
    document = tab.get_document()
    location = document.get_file().get_location()
    path = location.get_path() if location is not None and location.is_native() else None
    # Files on other machines, and empty new documents, are not handed over.
    if path is None and (location is not None or not document.get_modified()):
        return None
    return {**paths.said(path), "unsaved": document.get_modified(), **texts.form(document), **place.where(tab.get_view())}
