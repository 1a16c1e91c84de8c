# SPDX-License-Identifier: Apache-2.0
"""Kate and KWrite, which have no plugin of Baton. On the bus both programs tell which file each window shows, and their
swap files have the changes that are not saved (Documentation/Editors.md)."""

from __future__ import annotations

import os
import re

from gi.repository import Gio, GLib

import bus
import deadline
import front
import ladder
from editors import form, swap
from editors.editor import Editor
from editors.place import State
from editors.session import read

NAMESPACE = "org.kde"
NAME = re.compile(r"org\.kde\.(kate|kwrite)-\d+")
MOST = 16  # running programs
MOST_WINDOWS = 32  # windows of one program
WIDGET, WINDOW = "org.qtproject.Qt.QWidget", "MainWindow_"
# Seconds after which a program is asked for its file again. A program is on the bus before it has opened a file, and it
# makes the directory of its sessions at the end of its first start.
LOOKS = (1, 8)
# The version from which on the swap file is written every 15 s, and not at each change. It is built with Qt 6.
WRITES_LATE = 24
SOON = 200  # ms in which changes of the sessions are collected
LATER = 2000  # ms after which a program is asked again that did not answer, because it was busy
MOST_REPETITIONS = 3  # unanswered questions in a row, because each delays the other apps


class Busy(Exception):
    """Raised when a program did not answer."""


class Kates:
    """All running instances of Kate and KWrite that batond admits."""

    def __init__(self, adapter):
        self.adapter, self.programs = adapter, {}  # the programs by bus name; None while batond judges one
        bus.watch_names(adapter.bus, NAMESPACE, self._came, self._went)
        front.listen(self._came_forward)

    def end(self):
        front.ignore(self._came_forward)
        for name in list(self.programs):
            self._went(name)

    def _came(self, name: str, owner: str):
        found = NAME.fullmatch(name)
        if found is None or name in self.programs or len(self.programs) == MOST:
            return
        self.programs[name] = None

        def judged(verdict):
            if verdict.is_admitted and name in self.programs:
                bus.send_bus(self.adapter.bus, "GetConnectionUnixProcessID", owner, lambda answer: known(verdict.application, answer))

        def known(application: str, answer):
            if answer and name in self.programs:
                self.programs[name] = Kate(self.adapter, found[1], application, owner, answer[0])
        self.adapter.judge.ask(owner, f"org.kde.{found[1]}", judged)

    def _went(self, name: str):
        if kate := self.programs.pop(name, None):
            kate.end()

    def _came_forward(self, window: front.Front):
        for kate in filter(None, self.programs.values()):
            if window.is_of(kate):
                kate.look(is_in_front=True)


class Kate(Editor):
    """A running Kate or KWrite. This class offers the text of the window in front, or of the one that was in front
    last."""

    def __init__(self, adapter, name: str, application: str, owner: str, process: int):
        # Pass the id by which batond knows the program, because batond judges the program again. Not every program has
        # an id.
        self._begin(adapter, None, name, application or None, owner)
        self.owner, self.process, self.application = owner, process, f"org.kde.{name}"
        self.window, self.monitors, self.timer, self.unanswered = None, {}, 0, 0
        self.is_in_front = False
        self.looks = [GLib.timeout_add_seconds(seconds, self._look_again, number) for number, seconds in enumerate(LOOKS)]
        self._watch()
        self.look()

    @property
    def viewer(self):
        """Returns the object that is compared with the window in front, in the same way as a view's viewer."""
        return self

    @deadline.within()
    def look(self, is_in_front=False):
        """Offers the text in front. A program that is too busy to answer keeps its offer, and is asked again."""
        try:
            state = self._state()
        except Busy:
            self.unanswered += 1
            if not self.timer and self.unanswered <= MOST_REPETITIONS:
                self.timer = GLib.timeout_add(LATER, self._looked)
            return
        self.unanswered = 0
        self.is_in_front = is_in_front or self.is_active
        self.heard({"state": state})

    def show(self):
        """Offers the text only if the last look found the program in front. Otherwise another program's offer stays."""
        if self.is_in_front:
            super().show()

    def ask(self) -> tuple:
        try:
            state = State.read({"state": self._state()})
        except Busy:
            state = None
        if stays := self.why_it_stays(state):
            raise stays
        if state is None or not state.is_unsaved:
            return state, None
        return self._unsaved(state)

    def save(self) -> dict:
        found = super().save()
        return found | {"isBehind": True} if found["isUnsaved"] and self._version() >= WRITES_LATE else found

    def end(self):
        for timer in filter(None, (*self.looks, self.timer)):
            GLib.source_remove(timer)
        for monitor in self.monitors.values():
            monitor.cancel()
        super().end()

    def _look_again(self, number: int):
        self.looks[number] = 0
        self._watch()
        self.look()
        return GLib.SOURCE_REMOVE

    def _watch(self):
        """Watches the directories of sessions. Kate writes its session some seconds after it has opened or closed a
        file, so it need not be asked all the time."""
        data = os.path.join(GLib.get_user_data_dir(), self.name)
        for directory in (data, os.path.join(data, "sessions")):
            if directory not in self.monitors and os.path.isdir(directory):
                self.monitors[directory] = Gio.File.new_for_path(directory).monitor_directory(Gio.FileMonitorFlags.WATCH_MOVES, None)
                self.monitors[directory].connect("changed", self._changed)

    def _changed(self, monitor, file, other, event):
        if not self.timer:
            self.timer = GLib.timeout_add(SOON, self._looked)

    def _looked(self):
        self.timer = 0
        self.look()
        return GLib.SOURCE_REMOVE

    def _state(self) -> dict | None:
        """Returns the state of the window in front, as a plugin would send it. Waits for the program. Raises Busy."""
        windows = {}
        for path in self._windows():
            windows[path] = bus.properties(self.adapter.bus, self.owner, path, WIDGET)
            if not windows[path]:
                raise Busy  # at once, because the other windows would not answer either
        active = [path for path, window in windows.items() if window.get("isActiveWindow") is True]
        self.is_active = bool(active)
        self.window = next((path for path in (*active, self.window, *reversed(windows)) if path in windows), None)
        found = windows.get(self.window, {})
        path = found.get("windowFilePath")
        if not isinstance(path, str) or not path.startswith("/") or not os.path.isfile(path):
            return None
        return {"file": path, "unsaved": found.get("windowModified") is True}

    def _windows(self) -> list:
        """Returns the objects of the windows. Raises Busy."""
        parent = f"/{self.name}"
        answer = bus.ask(self.adapter.bus, self.owner, parent, "org.freedesktop.DBus.Introspectable", "Introspect")
        if not answer:
            raise Busy
        try:
            nodes = [node.path or "" for node in Gio.DBusNodeInfo.new_for_xml(answer[0]).nodes]
        except GLib.Error:
            return []
        return [f"{parent}/{node}" for node in nodes if re.fullmatch(rf"{WINDOW}\d+", node)][:MOST_WINDOWS]

    def _version(self) -> int:
        """Returns the program's version, or a high number if the program does not tell it."""
        found = bus.ask(self.adapter.bus, self.owner, "/MainApplication", bus.PROPERTIES, "Get",
                        GLib.Variant("(ss)", ("org.qtproject.Qt.QCoreApplication", "applicationVersion")))
        number = re.match(r"\d{1,4}", str(found[0])) if found else None
        return int(number[0]) if number else WRITES_LATE

    @staticmethod
    def _unsaved(state: State) -> tuple:
        """Returns the state at the last change, and the unsaved text, or None instead of the text if it cannot be made
        from the swap file."""
        file, changes = read(state.file, ladder.LARGEST), read(swap.path_of(state.file), swap.LARGEST)
        if file is None or changes is None:
            return state, None
        text, found = form.read(file, form.Form())
        if found.encoding not in form.MARKS:  # Kate may have read the file in another encoding
            return state, None
        try:
            unsaved, line, column = swap.replay(changes, file, text.decode())
        except (swap.Unusable, UnicodeError):
            return state, None
        return state._replace(place=state.place._replace(line=line, column=column, top=line), form=found), unsaved.encode()
