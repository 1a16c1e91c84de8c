# SPDX-License-Identifier: Apache-2.0
"""Other names of files in private places: through a bind mount, through upper case on a file system
that ignores case, or through a link."""

import os

MOST = 100_000  # files that are checked


def leads_through(path: str, places: list) -> bool:
    """Returns whether the file itself, or a directory on the way to it, is one of the places."""
    found = {identity for place in places if (identity := _identity(place))}
    while path not in ("/", ""):
        if _identity(path) in found:
            return True
        path = os.path.dirname(path)
    return False


def is_linked_from(path: str, places: list) -> bool:
    """Returns whether one of the places has a symbolic link to the file, as tools for dotfiles create
    them."""
    identity = _identity(path)
    return identity is not None and any(_identity(link) == identity for place in places for link in _links(place))


def is_linked(status: os.stat_result, places: list) -> bool:
    """Returns whether a file with several hard links has one in the places. If there are too many files to check, the
    file counts as having a link there."""
    if status.st_nlink < 2:
        return False
    waiting, left = list(places), MOST
    while waiting:
        place = waiting.pop()
        try:
            if os.stat(place).st_dev != status.st_dev:
                continue  # all hard links of a file are on one file system
            with os.scandir(place) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0 or entry.inode() == status.st_ino:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue
    return False


def _links(place: str) -> list:
    try:
        with os.scandir(place) as entries:
            return [entry.path for entry in entries if entry.is_symlink()]
    except OSError:
        return []


def _identity(path: str) -> tuple | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
