# SPDX-License-Identifier: Apache-2.0
"""A directory that arrives from another laptop. A terminal is opened in the directory. The rest of the activity waits
in a file, which the program in the terminal, `open-terminal`, reads and removes."""

from __future__ import annotations

import json
import os
import time
from typing import NamedTuple

from gi.repository import GLib

import launch
from ladder import directories, names
from terminals.state import State
from wording import tr

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "open-terminal")
PATIENCE = 30  # seconds that a terminal may take to start
PANES_PATIENCE = 5  # seconds in which the directories of panes are searched; the others open in the terminal's directory
LINE_PATIENCE = 60  # seconds until a line that no shell has read is removed


class Found(NamedTuple):
    """The directories of another laptop's terminal, on this one."""

    path: str | None
    note: str
    line: str | None  # for the edit buffer
    windows: list  # with paths as panes


def find(state: State) -> Found:
    """Finds the directories on this laptop. The search may take some seconds, because it waits for git."""
    clones = directories.Clones()
    found = directories.find(state.directory, clones)
    if found is None:
        return Found(None, "", None, [])
    end = time.monotonic() + PANES_PATIENCE
    windows = [each._replace(panes=[_path(pane, found.path, clones, end) for pane in each.panes]) for each in state.windows]
    return Found(found.path, found.note, state.line or (f"ssh {state.host}" if state.host else None), windows)


def _path(pane, instead: str, clones: directories.Clones, end: float) -> str:
    found = directories.find(pane, clones) if pane and time.monotonic() < end else None
    return found.path if found else instead


class Arrival:
    """A terminal that is being opened. `ended(arrival, failure)` is called once."""

    def __init__(self, exchange, found: Found, ended):
        self.exchange, self.ended = exchange, ended
        self.line = exchange.put(found.line.encode()) if found.line else None
        if self.line:
            GLib.timeout_add_seconds(LINE_PATIENCE, self._forget_line)
        self.name = exchange.put(json.dumps({
            "directory": _hexadecimal(found.path), "line": self.line,
            "windows": [{"layout": each.layout, "isActive": each.is_active, "active": each.active,
                         "panes": [_hexadecimal(pane) for pane in each.panes]} for each in found.windows]}).encode())
        self.timer = GLib.timeout_add_seconds(PATIENCE, self._late)

    def start(self, connection, token: str | None):
        """Starts the user's terminal. Raises launch.NotStarted."""
        words = launch.in_terminal(PROGRAM, self.name)
        launch.start(connection, words[0], words, token)

    def end(self, failure: str | None):
        if self.timer:
            GLib.source_remove(self.timer)
            self.timer = 0
        ended, self.ended = self.ended, None
        self.exchange.remove(self.name)
        if ended:
            ended(self, failure)

    def _late(self):
        self.timer = 0
        self.end(tr("A terminal was started, but did not open. Try again."))
        return GLib.SOURCE_REMOVE

    def _forget_line(self):
        self.exchange.remove(self.line)
        return GLib.SOURCE_REMOVE


def _hexadecimal(path: str) -> str:
    return names.as_bytes(path).hex()
