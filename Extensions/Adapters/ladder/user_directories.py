# SPDX-License-Identifier: Apache-2.0
"""The user's directories for music, videos and the like, which are called otherwise in each language
(user-dirs.dirs(5)). GLib reads where they are once, when a program begins."""

import os
import re
from typing import NamedTuple

from ladder import layout, names

# By their names in user-dirs.dirs: what they are called where that has no word on them.
USUAL = {"DESKTOP": "Desktop", "DOCUMENTS": "Documents", "DOWNLOAD": "Downloads", "MUSIC": "Music", "PICTURES": "Pictures",
         "PUBLICSHARE": "Public", "TEMPLATES": "Templates", "VIDEOS": "Videos"}
FILE = "user-dirs.dirs"
LARGEST = 65_536  # bytes that are read
LINE = re.compile(r'\s*XDG_([A-Z]+)_DIR\s*=\s*"((?:[^"\\]|\\.)*)"\s*')


class Place(NamedTuple):
    """Where a file is in one of these directories."""

    directory: str  # a key of USUAL
    path: str  # below it


def of_file(path: str) -> Place | None:
    """Where the file at a path without symbolic links is; None outside of these directories."""
    found = [Place(kind, within) for kind, directory in _all()
             if (within := layout.below(path, os.path.realpath(directory))) is not None and names.is_relative(within)]
    return min(found, key=lambda place: len(place.path), default=None)


def of_usual(path: str) -> Place | None:
    """Where a path below home is by the usual names, which another laptop may have."""
    first, _, within = path.partition("/")
    return next((Place(kind, within) for kind, name in USUAL.items() if name == first and within), None)


def directories(kind: str) -> list:
    """Where a directory of this kind is on this laptop."""
    return [directory for found, directory in _all() if found == kind]


def _all() -> list:
    """The kinds with their directories, by the configuration of $XDG_CONFIG_HOME first. Home itself stands for none."""
    of = layout.current()
    told = [entry for configuration in reversed(of.configurations) for entry in _read(os.path.join(configuration, FILE))]
    usual = [(kind, os.path.join(layout.home(), name)) for kind, name in USUAL.items() if kind not in dict(told)]
    return [(kind, path) for kind, path in dict.fromkeys((*told, *usual)) if path not in of.homes]


def _read(path: str) -> list:
    """The kinds and paths that the user's configuration has. A line that is none is passed over."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read(LARGEST).split("\n")
    except OSError:
        return []
    found = [(match[1], _path(match[2])) for line in lines if (match := LINE.fullmatch(line))]
    return [(kind, os.path.normpath(path)) for kind, path in found if path.startswith("/")]


def _path(text: str) -> str:
    """A path as the file has it: absolute, or below `$HOME`."""
    path = re.sub(r"\\(.)", r"\1", text)
    return layout.home() + path.removeprefix("$HOME") if path == "$HOME" or path.startswith("$HOME/") else path
