# SPDX-License-Identifier: Apache-2.0
"""Paths: which of them stay on this laptop, and which of another laptop's are safe."""

import os
import unicodedata

LONGEST_PATH = 4096  # bytes
LONGEST_NAME = 255
SECRET = (".ssh", ".gnupg")  # below home
PASSING = ("/tmp", "/var/tmp", "/run/user", "/proc", "/sys", "/dev")


def home() -> str:
    return os.path.expanduser("~")


def below(path: str, directory: str) -> str | None:
    """What of a path is below a directory; None outside of it."""
    inside = directory.rstrip("/") + "/"
    return path[len(inside):] if path.startswith(inside) and path != inside else None


def is_private(path: str) -> bool:
    """Whether a file is never handed over: keys, and what is temporary, as passwords are that
    somebody edits.

    The path counts as it is written, and as it is without its symbolic links.
    """
    directories = [*PASSING, *(os.path.join(home(), name) for name in SECRET)]
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        directories.append(runtime)
    directories += [os.path.realpath(directory) for directory in directories]
    return any(below(form, directory) is not None for form in (os.path.normpath(path), os.path.realpath(path)) for directory in directories)


def is_name(name: str) -> bool:
    """Whether this can be a file's name: no path, and nothing that a terminal would obey."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return False
    return 0 < size <= LONGEST_NAME and name not in (".", "..") and "/" not in name and not any(unicodedata.category(each) == "Cc" for each in name)


def is_relative(path: str) -> bool:
    """Whether a path of another laptop leads to a place below the one that it is joined to."""
    return len(path) <= LONGEST_PATH and all(is_name(part) for part in path.split("/"))


def inside(directory: str, path: str) -> str | None:
    """The regular file at a path below a directory, unless a symbolic link leads out of it, or it is
    private."""
    found = os.path.realpath(os.path.join(directory, path))
    if below(found, os.path.realpath(directory)) is None or is_private(found) or not os.path.isfile(found):
        return None
    return found
