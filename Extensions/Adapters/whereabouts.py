# SPDX-License-Identifier: Apache-2.0
"""Where a file is that an app has open: its user may rename it meanwhile, which few apps notice."""

import os

MOST = 10_000  # files of a directory that are looked at


class Whereabouts:
    """Follows one file at a time, by what it is and not by its name. Nothing is watched."""

    def __init__(self):
        self.path, self.identity = "", None

    def note(self, path: str):
        """The app has this file open, now."""
        if path != self.path:
            self.path, self.identity = path, identity(path)

    def now(self, path: str) -> str:
        """The path of the file that the app has by this name: another one in the same directory,
        where it was renamed."""
        self.note(path)
        if self.identity is None or os.path.lexists(path):
            return path
        directory = os.path.dirname(path)
        try:
            with os.scandir(directory) as entries:
                for _, entry in zip(range(MOST), entries):
                    if entry.inode() == self.identity[1] and identity(entry.path) == self.identity:
                        return entry.path
        except OSError:
            pass
        return path


def identity(path: str):
    """What a file is on this laptop, whatever its name; None when there is none."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return status.st_dev, status.st_ino
