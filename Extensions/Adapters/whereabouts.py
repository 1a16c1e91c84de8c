# SPDX-License-Identifier: Apache-2.0
"""The current path of a file that an app has open. The user may rename the file, and few apps notice that."""

import os

MOST = 10_000  # files of a directory that are checked


class Whereabouts:
    """Follows one file at a time by its identity and not by its name. Does not watch the file system."""

    def __init__(self):
        self.path, self.identity = "", None

    def note(self, path: str):
        """Records that the app has this file open now."""
        if path != self.path:
            self.path, self.identity = path, identity(path)

    def now(self, path: str) -> str:
        """Returns the current path of the file that the app has under this name. If the file was renamed, the result is
        another path in the same directory."""
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
    """Returns a file's identity on this laptop, whatever its name, or None if there is no such
    file."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return status.st_dev, status.st_ino
