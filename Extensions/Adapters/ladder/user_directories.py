# SPDX-License-Identifier: Apache-2.0
"""The user's directories for music, videos and so on, whose names differ in each language (user-dirs.dirs(5)). GLib
reads them only once, when a program starts."""

import os
import re
from typing import NamedTuple

from ladder import layout, names

# By their names in user-dirs.dirs: the directories' usual names, for entries that are missing there.
USUAL = {"DESKTOP": "Desktop", "DOCUMENTS": "Documents", "DOWNLOAD": "Downloads", "MUSIC": "Music", "PICTURES": "Pictures",
         "PUBLICSHARE": "Public", "TEMPLATES": "Templates", "VIDEOS": "Videos"}
FILE = "user-dirs.dirs"
LARGEST = 65_536  # bytes that are read
LINE = re.compile(r'\s*XDG_([A-Z]+)_DIR\s*=\s*"((?:[^"\\]|\\.)*)"\s*')


class Place(NamedTuple):
    """A file's place in one of these directories."""

    directory: str  # a key of USUAL
    path: str  # path below it


def of_file(path: str) -> Place | None:
    """Returns the place of the file at a path without symbolic links, or None outside of these directories."""
    found = [Place(kind, within) for kind, directory in _all()
             if (within := layout.below(path, os.path.realpath(directory))) is not None and names.is_relative(within)]
    return min(found, key=lambda place: len(place.path), default=None)


def of_usual(path: str) -> Place | None:
    """Returns the place of a path below home, by the usual names that another laptop may have."""
    first, _, within = path.partition("/")
    return next((Place(kind, within) for kind, name in USUAL.items() if name == first and within), None)


def directories(kind: str) -> list:
    """Returns the directories of this kind on this laptop."""
    return [directory for found, directory in _all() if found == kind]


def _all() -> list:
    """Returns the kinds with their directories, those of $XDG_CONFIG_HOME first. An entry that names home itself is
    disabled."""
    of = layout.current()
    told = [entry for configuration in reversed(of.configurations) for entry in _read(os.path.join(configuration, FILE))]
    usual = [(kind, os.path.join(layout.home(), name)) for kind, name in USUAL.items() if kind not in dict(told)]
    return [(kind, path) for kind, path in dict.fromkeys((*told, *usual)) if path not in of.homes]


def _read(path: str) -> list:
    """Returns the kinds and paths in the user's configuration. Invalid lines are skipped."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read(LARGEST).split("\n")
    except OSError:
        return []
    found = [(match[1], _path(match[2])) for line in lines if (match := LINE.fullmatch(line))]
    return [(kind, os.path.normpath(path)) for kind, path in found if path.startswith("/")]


def _path(text: str) -> str:
    """Decodes a path of the configuration, which is absolute or below `$HOME`."""
    path = re.sub(r"\\(.)", r"\1", text)
    return layout.home() + path.removeprefix("$HOME") if path == "$HOME" or path.startswith("$HOME/") else path
