# SPDX-License-Identifier: Apache-2.0
"""The directory of the adapters' socket, if it belongs to this user. `su` and `sudo -E` keep
another user's $XDG_RUNTIME_DIR (Documentation/Editors.md)."""

from __future__ import annotations

import os
import stat

SAFELY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | SAFELY


class NotOwn(OSError):
    """A file does not belong to this user, or has another type."""


class Directory:
    """The directory of this name, opened and checked once. Files are opened relative to it later, so they are
    in the same directory."""

    def __init__(self, name: str):
        runtime = os.environ.get("XDG_RUNTIME_DIR", "")
        if not os.path.isabs(runtime):
            raise NotOwn("there is no $XDG_RUNTIME_DIR")
        runtime = os.open(os.path.realpath(runtime), DIRECTORY)
        try:
            _check(os.fstat(runtime), stat.S_IFDIR, 0o700)
            self.descriptor = os.open(f"baton/{name}", DIRECTORY, dir_fd=runtime)
        finally:
            os.close(runtime)
        try:
            _check(os.fstat(self.descriptor), stat.S_IFDIR, 0o700)
        except NotOwn:
            self.close()
            raise

    def connect(self, end):
        """Connects a socket to the adapters' socket."""
        _check(os.stat("socket", dir_fd=self.descriptor, follow_symlinks=False), stat.S_IFSOCK)
        end.connect(f"/proc/self/fd/{self.descriptor}/socket")

    def open(self, name: str, flags: int, mode: str):
        """Opens a file by the name that the adapters gave it."""
        if "/" in name:
            raise NotOwn("what came is in another directory")
        descriptor = os.open(name, flags | SAFELY, dir_fd=self.descriptor)
        try:
            _check(os.fstat(descriptor), stat.S_IFREG)
        except NotOwn:
            os.close(descriptor)
            raise
        return open(descriptor, mode)

    def close(self):
        os.close(self.descriptor)


def _check(status: os.stat_result, kind: int, mode: int | None = None):
    """Checks a file's owner, type and permissions. Root is refused, because a user's program must
    not choose what root writes."""
    is_own = status.st_uid == os.geteuid() != 0 and stat.S_IFMT(status.st_mode) == kind
    if not is_own or mode not in (None, stat.S_IMODE(status.st_mode)):
        raise NotOwn("it does not belong to this user alone")
