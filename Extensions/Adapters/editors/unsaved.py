# SPDX-License-Identifier: Apache-2.0
"""Texts that are not saved, on their way to other laptops: files in a directory of the session."""

import os
import shutil
import uuid

from ladder.leaving import OpenFile, open_own

NAMELESS = "untitled.txt"  # of a text that has never been saved


class Unsaved:
    """Room for the text of one editor. It is gone with `clear`, and with the session."""

    def __init__(self, directory: str):
        self.directory = os.path.join(directory, uuid.uuid4().hex)

    def write(self, contents: bytes):
        """Keeps a text in a file that only this user can open."""
        self.clear()  # who is reading the one before goes on with it
        os.makedirs(self.directory, mode=0o700)
        path = os.path.join(self.directory, NAMELESS)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(contents)

    def open(self) -> OpenFile:
        """The text, as it is now. Raises ladder.Stays where there is none."""
        return open_own(os.path.join(self.directory, NAMELESS))

    def clear(self):
        shutil.rmtree(self.directory, ignore_errors=True)
