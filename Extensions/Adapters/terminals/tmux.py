# SPDX-License-Identifier: Apache-2.0
"""tmux's windows and panes. tmux is asked once, when another laptop wants the activity. The contents of panes, the
names of windows and the history are not sent."""

from __future__ import annotations

import os
import re
import subprocess
from typing import NamedTuple

import deadline
from ladder import names

MOST_WINDOWS, MOST_PANES = 16, 32  # windows of a session, and panes of all of them
MOST_OUTPUT = 65_536  # bytes
PATIENCE = 1  # seconds
FORMAT = "#{window_index}\t#{window_active}\t#{window_layout}\t#{pane_active}\t#{pane_current_path}"
# A checksum, which tmux checks, and then cells: WIDTHxHEIGHT,X,Y and the number of a pane. A size that tmux has no memory
# for ends the server with all sessions. tmux itself makes no window wider or higher than 10,000. No digit may follow a
# number, so each text has one reading. Trying all readings of a text can take for ever.
CELL = r"[1-9][0-9]{0,3}x[1-9][0-9]{0,3},[0-9]{1,4},[0-9]{1,4}(?![0-9x])(?:,[0-9]{1,9}(?![0-9x]))?"
LAYOUT = re.compile(rf"(?=.{{6,2005}}\Z)[0-9a-f]{{4}},(?:{CELL}|[,\[\]{{}}])+")


class Window(NamedTuple):
    """A window, with the directories of its panes in tmux's order."""

    layout: str
    is_active: bool
    panes: list
    active: int  # the index of the active pane


def windows(variable: str, pane: str) -> list:
    """Returns the windows of the session that a shell runs in, by its variables `TMUX` and `TMUX_PANE`, or an empty
    list outside of tmux."""
    socket = variable.split(",")[0]
    if not socket.startswith("/") or not re.fullmatch(r"%\d{1,9}", pane) or not _is_own(socket):
        return []
    try:
        done = subprocess.run(["tmux", "-u", "-S", socket, "list-panes", "-s", "-t", pane, "-F", FORMAT], stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=deadline.left(PATIENCE))
    except (OSError, subprocess.TimeoutExpired):
        return []
    return read(names.of_bytes(done.stdout[:MOST_OUTPUT]))


def read(output: str) -> list:
    """Reads tmux's output. Lines that are not as in `FORMAT` are left out."""
    found = {}
    for fields in list(filter(lambda fields: len(fields) == 5, (line.split("\t") for line in output.split("\n"))))[:MOST_PANES]:
        index, is_active, layout, is_front, path = fields
        if index not in found and len(found) == MOST_WINDOWS or not path.startswith("/") or not LAYOUT.fullmatch(layout):
            continue
        window = found.setdefault(index, Window(layout, is_active == "1", [], 0))
        if is_front == "1":
            found[index] = window._replace(active=len(window.panes))
        window.panes.append(path)
    return list(found.values())


def _is_own(socket: str) -> bool:
    try:
        return os.stat(socket).st_uid == os.geteuid()
    except OSError:
        return False
