# SPDX-License-Identifier: Apache-2.0
"""A running shell. All facts about the shell come from the kernel, because a shell reports only its process number."""

from __future__ import annotations

import os

from gi.repository import GLib

from ladder import names

LONGEST_ENVIRONMENT = 1 << 20  # bytes that are read


class Shell:
    """A shell of this user. `ended(shell)` is called when its process has ended."""

    def __init__(self, number: int, ended):
        """Raises OSError if there is no such process, or if it belongs to another user or sees other files, as in a
        sandbox or a container."""
        self.number, self.ended = number, ended
        # The process keeps its number as long as this descriptor reports no end.
        self.descriptor = os.pidfd_open(number)
        try:
            if os.stat(f"/proc/{number}").st_uid != os.geteuid():
                raise PermissionError("it belongs to another user")
            if not os.path.samestat(os.stat(f"/proc/{number}/ns/mnt"), os.stat("/proc/self/ns/mnt")):
                raise PermissionError("it sees other files")
        except OSError:
            os.close(self.descriptor)
            raise
        self.watch = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.descriptor, GLib.IOCondition.IN, self._over)

    def close(self):
        if self.watch:
            GLib.source_remove(self.watch)
            self.watch = 0
            os.close(self.descriptor)

    def directory(self) -> str | None:
        """Returns the shell's working directory, or None if the directory was removed."""
        here = f"/proc/{self.number}/cwd"
        try:
            path = names.of_bytes(os.readlink(here.encode()))
            return path if os.path.samestat(os.stat(path), os.stat(here)) else None
        except OSError:
            return None

    def name(self) -> str:
        """Returns the name of the shell's program, such as zsh."""
        return names.repaired(self._read("comm").decode(errors="replace").rstrip("\n"))

    def variable(self, name: str) -> str:
        """Returns an environment variable with which the shell was started, or an empty text if it has none."""
        found = [each for each in self._read("environ").split(b"\0") if each.startswith(name.encode() + b"=")]
        return names.of_bytes(found[0].partition(b"=")[2]) if found else ""

    def in_front(self) -> list:
        """Returns the words of the program that runs in the shell's terminal, or an empty list if the shell itself
        waits for a command."""
        fields = self._read("stat").rpartition(b") ")[2].split()
        if len(fields) < 6 or fields[2] == fields[5] or not fields[5].isdigit():
            return []
        return [names.of_bytes(word) for word in _read(f"/proc/{int(fields[5])}/cmdline").split(b"\0")[:-1]] or ["?"]

    def _read(self, name: str) -> bytes:
        return _read(f"/proc/{self.number}/{name}")

    def _over(self, *_):
        self.close()
        self.ended(self)
        return GLib.SOURCE_REMOVE


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(LONGEST_ENVIRONMENT)
    except OSError:
        return b""
