# SPDX-License-Identifier: Apache-2.0
"""Whether a file is one of some places by another name: by a bind mount, by capitals on a file system
that takes no notice of them, or by a link."""

import os

MOST = 100_000  # files that are looked at


def leads_through(path: str, places: list) -> bool:
    """Whether the file itself, or a directory on the way to it, is one of the places."""
    found = {identity for place in places if (identity := _identity(place))}
    while path not in ("/", ""):
        if _identity(path) in found:
            return True
        path = os.path.dirname(path)
    return False


def is_linked_from(path: str, places: list) -> bool:
    """Whether one of the places has a symbolic link to the file itself, as tools for dotfiles make
    them."""
    identity = _identity(path)
    return identity is not None and any(_identity(link) == identity for place in places for link in _links(place))


def is_linked(status: os.stat_result, places: list) -> bool:
    """Whether a file that has several hard links has one in the places. Where these are too many to
    tell, it counts as one that has."""
    if status.st_nlink < 2:
        return False
    waiting, left = list(places), MOST
    while waiting:
        place = waiting.pop()
        try:
            if os.stat(place).st_dev != status.st_dev:
                continue  # a file has its names on one file system
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
