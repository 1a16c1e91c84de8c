# SPDX-License-Identifier: Apache-2.0
"""The shells of the session, by the prompts that they show. A shell writes an empty file whose name is its process
number. The shell starts no program for this and cannot block, and this module polls nothing."""

from __future__ import annotations

import contextlib
import os

from gi.repository import Gio

from rate import Rate
from terminals.shell import Shell

MOST = 64  # shells; the one whose prompt is the oldest is forgotten
MOST_AT_ONCE, MOST_PER_SECOND = 100, 10  # prompts of all shells together
LONGEST_NUMBER = 10  # digits


class Shells:
    """Follows the shells that write to a directory. `prompted()` is called after each prompt, and `ended()` after the
    end of a shell. `removed(name)` is called for each other file that was removed."""

    def __init__(self, directory: str, prompted, ended, removed):
        self.directory, self.prompted, self.ended, self.removed = directory, prompted, ended, removed
        self.by_number = {}  # the latest prompt last
        self.rate = Rate(MOST_AT_ONCE, MOST_PER_SECOND)
        self.monitor = Gio.File.new_for_path(directory).monitor_directory(Gio.FileMonitorFlags.NONE, None)
        self.monitor.set_rate_limit(0)  # ms
        self.monitor.connect("changed", self._changed)

    @property
    def front(self) -> Shell | None:
        """The shell that showed its prompt last."""
        return next(reversed(self.by_number.values()), None)

    def end(self):
        self.monitor.cancel()
        for shell in self.by_number.values():
            shell.close()
        self.by_number = {}

    def show(self, number: int) -> bool:
        """Puts a shell to the front. Returns whether the process is a shell that may be offered."""
        shell = self.by_number.pop(number, None)
        try:
            shell = shell or Shell(number, self._over)
        except (OSError, OverflowError):
            return False
        self.by_number[number] = shell
        if len(self.by_number) > MOST:
            self._forget(next(iter(self.by_number.values())))
        self.prompted()
        return True

    def question(self, shell: Shell) -> str:
        """Returns the path of the pipe by which a shell can be asked for its line."""
        return os.path.join(self.directory, f"{shell.number}.ask")

    def _changed(self, monitor, file, other, event):
        name = file.get_basename()
        is_number = name.isascii() and name.isdigit() and len(name) <= LONGEST_NUMBER
        if event == Gio.FileMonitorEvent.CHANGES_DONE_HINT and is_number and self.rate.allows():
            self.show(int(name))
        elif event == Gio.FileMonitorEvent.DELETED and not is_number:
            self.removed(name)

    def _over(self, shell: Shell):
        self._forget(shell)
        self.ended()

    def _forget(self, shell: Shell):
        shell.close()
        self.by_number.pop(shell.number, None)
        for path in (os.path.join(self.directory, str(shell.number)), self.question(shell)):
            with contextlib.suppress(OSError):
                os.unlink(path)
