# SPDX-License-Identifier: Apache-2.0
"""Unsaved texts that other laptops may fetch. The texts are files in a directory of the session."""

import os
import shutil
import uuid

from ladder.leaving import OpenFile, open_own

NAMELESS = "untitled.txt"  # name of a text that has never been saved


class Unsaved:
    """The file for the unsaved text of one editor. The file is removed by `clear`, and at the end of the session."""

    def __init__(self, directory: str, name: str = NAMELESS):
        self.name = name  # the file's name
        self.directory = os.path.join(directory, uuid.uuid4().hex)

    def write(self, contents: bytes):
        """Writes a text to a file that only this user can open."""
        self.clear()  # a reader of the previous file keeps it open
        os.makedirs(self.directory, mode=0o700)
        path = os.path.join(self.directory, self.name)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(contents)

    def open(self) -> OpenFile:
        """Opens the present text. Raises ladder.Stays if there is no text."""
        return open_own(os.path.join(self.directory, self.name))

    def clear(self):
        shutil.rmtree(self.directory, ignore_errors=True)
