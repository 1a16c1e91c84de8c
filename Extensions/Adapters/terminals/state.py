# SPDX-License-Identifier: Apache-2.0
"""The facts about a terminal that are sent to another laptop. `read` checks all values from another laptop."""

from __future__ import annotations

from typing import NamedTuple

from gi.repository import GLib

import contents
from ladder.directories import Directory
from terminals import remote, tmux
from terminals.line import plain


class Window(NamedTuple):
    """A window of tmux. A pane without a directory opens in the session's directory."""

    layout: str | None
    is_active: bool
    panes: list
    active: int


class State(NamedTuple):
    directory: Directory
    line: str | None = None  # the half-typed line, which is only for the edit buffer
    host: str | None = None  # the host of an ssh session
    windows: tuple = ()

    def values(self) -> dict:
        """Returns the entries of userInfo."""
        windows = [{"layout": GLib.Variant("s", window.layout), "isActive": GLib.Variant("b", window.is_active),
                    "active": GLib.Variant("x", window.active),
                    "panes": GLib.Variant("aa{sv}", [_entries(pane) for pane in window.panes])} for window in self.windows]
        return {**self.directory.values(), "line": self.line, "host": self.host,
                "windows": GLib.Variant("aa{sv}", windows) if windows else None}

    @staticmethod
    def read(values: dict) -> State | None:
        """Reads another laptop's values. Returns None without a directory."""
        directory = Directory.read(values)
        if directory is None:
            return None
        found, left = [], tmux.MOST_PANES
        for window in _list(values.get("windows"))[:tmux.MOST_WINDOWS]:
            panes = _list(window.get("panes"))[:left]
            left -= len(panes)
            if panes:
                found.append(_window(window, [Directory.read(pane) for pane in panes]))
        return State(directory, plain(values.get("line")), remote.destination(values.get("host")), tuple(found))


def _entries(pane: Directory | None) -> dict:
    return {key: value for key, value in pane.values().items() if value is not None} if pane else {}


def _list(value) -> list:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _window(values: dict, panes: list) -> Window:
    layout, active = contents.text(values, "layout", 2048), contents.number(values, "active", 0, len(panes) - 1)
    is_layout = layout is not None and tmux.LAYOUT.fullmatch(layout)
    return Window(layout if is_layout else None, values.get("isActive") is True, panes, int(active or 0))
