# SPDX-License-Identifier: Apache-2.0
"""The files through which this service and the editors exchange texts. The files are in the directory of the socket."""

import contextlib
import os
import secrets
import stat

SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class NotOwn(OSError):
    """A file does not belong to this user alone, or has another type."""


class Exchange:
    """A directory that only this user can enter. This service chooses the names of its files, which contain no path."""

    def __init__(self, directory: str):
        os.makedirs(directory, mode=0o700, exist_ok=True)
        self.descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | SAFELY)
        try:
            _check(self.descriptor, stat.S_IFDIR, 0o700)
        except NotOwn:
            self.end()
            raise

    def make(self) -> str:
        """Creates an empty file that only this user can open, and returns its name."""
        name = secrets.token_hex(16)
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | SAFELY, 0o600, dir_fd=self.descriptor))
        return name

    def put(self, contents: bytes) -> str:
        """Creates a file with contents for an editor, and returns its name."""
        name = self.make()
        with self._open(name, os.O_WRONLY, "wb") as file:
            file.write(contents)
        return name

    def take(self, name: str, most: int) -> bytes | None:
        """Returns the contents that an editor has written to a file of `make`. Returns None if the file is larger than
        the limit, or if the editor has replaced the file."""
        try:
            with self._open(name, os.O_RDONLY, "rb") as file:
                contents = file.read(most + 1)
        except OSError:
            return None
        return contents if len(contents) <= most else None

    def remove(self, name: str):
        """Removes a file, if it exists."""
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self.descriptor)

    def end(self):
        os.close(self.descriptor)

    def _open(self, name: str, flags: int, mode: str):
        descriptor = os.open(name, flags | SAFELY, dir_fd=self.descriptor)
        try:
            _check(descriptor, stat.S_IFREG)
        except NotOwn:
            os.close(descriptor)
            raise
        return open(descriptor, mode)


def _check(descriptor: int, kind: int, mode: int | None = None):
    status = os.fstat(descriptor)
    is_own = status.st_uid == os.geteuid() and stat.S_IFMT(status.st_mode) == kind
    if not is_own or mode not in (None, stat.S_IMODE(status.st_mode)):
        raise NotOwn("a file of the editors' does not belong to this user alone")
