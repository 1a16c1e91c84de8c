# SPDX-License-Identifier: Apache-2.0
"""The directories of this laptop's user: home, and those of the XDG Base Directory Specification.

Programs may have been started with other variables than this one. So each directory also counts at its usual path, and
every path also counts without its symbolic links."""

import os
from typing import NamedTuple


class Layout(NamedTuple):
    """The user's directories as absolute paths. A directory may have several paths."""

    homes: tuple
    configurations: tuple
    data: tuple
    states: tuple
    caches: tuple


def current() -> Layout:
    return Layout(_forms(home()), _shelves("XDG_CONFIG_HOME", ".config"), _shelves("XDG_DATA_HOME", ".local/share"),
                  _shelves("XDG_STATE_HOME", ".local/state"), _shelves("XDG_CACHE_HOME", ".cache"))


def home() -> str:
    return os.path.expanduser("~")


def below(path: str, directory: str) -> str | None:
    """Returns the part of a path below a directory, or None if the path is outside."""
    inside = directory.rstrip("/") + "/"
    return path[len(inside):] if path.startswith(inside) and path != inside else None


def _shelves(variable: str, usual: str) -> tuple:
    told = os.environ.get(variable, "")
    paths = [os.path.join(home(), usual), *([told] if told.startswith("/") else [])]  # a relative path does not count
    return tuple(dict.fromkeys(form for path in paths for form in _forms(path)))


def _forms(path: str) -> tuple:
    return tuple(dict.fromkeys((os.path.normpath(path), os.path.realpath(path))))
