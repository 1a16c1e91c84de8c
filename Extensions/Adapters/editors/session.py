# SPDX-License-Identifier: Apache-2.0
"""GNOME Text Editor, which has no plugins. The editor keeps its open files and the drafts of unsaved texts in a
directory, so that it can open them again. This module reads that directory, and never writes there
(Documentation/Editors.md)."""

from __future__ import annotations

import os
import re
import stat

from gi.repository import Gio, GLib

import ladder
from editors import form
from editors.editor import Editor
from editors.place import State
from extensions.exchange import SAFELY

NAME = "org.gnome.TextEditor"  # its desktop id, and its name on the bus
PROGRAM = "gnome-text-editor"
SESSION, VERSION = "session.gvariant", 1
LARGEST = 1 << 20  # bytes of a session
DRAFT = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SOON = 200  # ms in which changes of the directory are collected


class TextEditor:
    """Watches the sessions of GNOME Text Editor while it runs and batond admits it."""

    def __init__(self, adapter):
        self.adapter, self.directory = adapter, os.path.join(GLib.get_user_data_dir(), NAME)
        self.owner = self.editor = self.monitor = None
        self.timer = 0
        self.watch = Gio.bus_watch_name_on_connection(adapter.bus, NAME, Gio.BusNameWatcherFlags.NONE, self._appeared, self._vanished)

    def end(self):
        Gio.bus_unwatch_name(self.watch)
        self._stop()

    def _appeared(self, connection, name, owner):
        self._stop()
        self.owner = owner
        self.adapter.judge.ask(owner, NAME, lambda verdict: verdict.is_admitted and self.owner == owner and self._begin(verdict.application))

    def _vanished(self, connection, name):
        self._stop()

    def _begin(self, application: str):
        self.editor = Session(self.adapter, self.directory, application, self.owner)
        self._watch()
        self._look()

    def _watch(self):
        """Watches the directory of sessions, or its parent as long as there is no such directory."""
        if self.monitor:
            self.monitor.cancel()
        watched = self.directory if os.path.isdir(self.directory) else os.path.dirname(self.directory)
        self.monitor = Gio.File.new_for_path(watched).monitor_directory(Gio.FileMonitorFlags.WATCH_MOVES, None)
        self.monitor.connect("changed", self._changed)

    def _changed(self, monitor, file, other, event):
        names = {each.get_basename() for each in (file, other) if each}
        if NAME in names and os.path.isdir(self.directory):
            self._watch()
        if names & {SESSION, NAME} and not self.timer:
            self.timer = GLib.timeout_add(SOON, self._look)

    def _look(self):
        self.timer = 0
        if self.editor:
            self.editor.look()
        return GLib.SOURCE_REMOVE

    def _stop(self):
        self.owner = None
        if self.timer:
            GLib.source_remove(self.timer)
            self.timer = 0
        if self.monitor:
            self.monitor.cancel()
            self.monitor = None
        if self.editor:
            self.editor.end()
            self.editor = None


class Session(Editor):
    """A running Text Editor. The state comes from the editor's latest session, which it writes some seconds after a
    change."""

    def __init__(self, adapter, directory: str, application: str, owner: str):
        # Pass the id by which batond knows the program, because batond judges the program again. Not every program has
        # an id.
        self._begin(adapter, None, PROGRAM, application or None, owner)
        self.directory, self.told = directory, None

    def look(self):
        """Offers the text in front, if it is another one or has changed."""
        page = front(read(os.path.join(self.directory, SESSION), LARGEST))
        if page != self.told:
            self.told = page
            self.heard({"state": self._state(page)})

    def ask(self) -> tuple:
        page = front(read(os.path.join(self.directory, SESSION), LARGEST))
        message = {"state": self._state(page)}
        state = State.read(message)
        if stays := self.why_it_stays(state):
            raise stays
        if state is None or not state.is_unsaved:
            return state, None
        text = read(self._draft(page), ladder.LARGEST)
        return state._replace(form=self._form(state.file)), text

    def _state(self, page: dict) -> dict | None:
        """Returns the state of a page, as a plugin would send it."""
        address, draft = page.get("uri"), self._draft(page)
        path = Gio.File.new_for_uri(address).get_path() if isinstance(address, str) and address.startswith("file:///") else None
        is_unsaved = draft is not None and os.path.isfile(draft)
        if path is None and (address is not None or not is_unsaved):
            return None
        line, column = place(page.get("selection"))
        return {"file": path, "line": line, "column": column, "top": line, "unsaved": is_unsaved}

    def _draft(self, page: dict) -> str | None:
        name = page.get("draft-id")
        return os.path.join(self.directory, "drafts", name) if isinstance(name, str) and DRAFT.fullmatch(name) else None

    @staticmethod
    def _form(path: str | None) -> form.Form:
        """Returns the form in which the file is saved. A draft is UTF-8."""
        contents = read(path, ladder.LARGEST) if path else None
        found = form.read(contents, form.Form())[1] if contents else form.Form()
        return found if found.encoding in form.MARKS else form.Form("utf-8", False, found.ends)


def front(session: bytes | None) -> dict:
    """Returns the page in front in a session, or an empty dictionary if there is none."""
    if session is None:
        return {}
    found = GLib.Variant.new_from_bytes(GLib.VariantType("a{sv}"), GLib.Bytes.new(session), False)
    if not found.is_normal_form():
        return {}
    found = found.unpack()
    return _active(_active(found, "windows"), "pages") if found.get("version") == VERSION else {}


def _active(values: dict, key: str) -> dict:
    """Returns the active one of the dictionaries below a key, or the first one if none is active."""
    found = values.get(key)
    found = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    return next((each for each in found if each.get("is-active") is True), found[0] if found else {})


def place(selection) -> tuple:
    """Returns line and column of a selection, counted from 1."""
    is_place = isinstance(selection, list) and len(selection) == 2 and all(isinstance(each, tuple) and len(each) == 2 for each in selection)
    line, column = selection[0] if is_place else (0, 0)
    return (line + 1, column + 1) if isinstance(line, int) and isinstance(column, int) else (1, 1)


def read(path: str | None, most: int) -> bytes | None:
    """Returns the contents of a regular file of this user. Returns None for any other file, or if it is larger than
    `most` bytes."""
    try:
        descriptor = os.open(path or "", os.O_RDONLY | SAFELY)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_size > most:
            return None
        with open(descriptor, "rb", closefd=False) as file:
            contents = file.read(most + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return contents if len(contents) <= most else None
