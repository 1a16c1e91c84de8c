# SPDX-License-Identifier: Apache-2.0
"""Checks which files may leave this laptop. All adapters use this check, also for the plugins of editors
(Documentation/Files.md).

A file is opened once. The file's path, kind and digest are determined from the descriptor, and the same descriptor is
sent. So it does not matter if the path leads to another file meanwhile."""

from __future__ import annotations

import os
import stat
from typing import Callable, NamedTuple

from ladder import digest, hidden, kinds, names, never, reasons, told
from wording import Told

TRIES = 5  # attempts, in case the file is replaced during each of them
READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class Stays(Told):
    """Why a file is not handed over, by a code of `reasons`."""

    is_told = False  # whether the user of this laptop is told about the file; set by `why_it_stays`

    def __init__(self, code: str, detail: str = ""):
        super().__init__(reasons.sentence(code), detail)
        self.code = code


class Use(NamedTuple):
    """The rules for an app's files."""

    takes_hidden: bool  # hidden files and files of programs
    # Decides by the beginning of the contents and the name. The value None accepts any kind.
    takes: Callable[[bytes, str], bool] | None


EDITING = Use(True, None)
PLAYING = Use(False, kinds.is_media)
READING = Use(False, kinds.is_document)
WRITING = Use(False, kinds.is_office)


class OpenFile:
    """A regular file that may leave this laptop. `path` is the kernel's path, without symbolic links. `name` is the
    app's name of the file."""

    def __init__(self, descriptor: int, path: str, name: str):
        self.descriptor, self.path, self.name = descriptor, path, name

    def is_small(self) -> bool:
        """Returns whether the file is small enough to be sent."""
        return os.fstat(self.descriptor).st_size <= digest.LARGEST

    def __enter__(self) -> OpenFile:
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self.descriptor)

    def measure(self) -> digest.Measure:
        """Measures the file. Raises Stays if the file cannot be read."""
        try:
            return digest.measure_open(self.descriptor)
        except OSError as error:
            raise Stays(reasons.UNREADABLE, str(error.strerror)) from None


def may_leave(path: str, use: Use) -> bool:
    """Returns whether a file may be offered. For an editor the file need not exist yet."""
    return why_it_stays(path, use) is None


def why_it_stays(path: str, use: Use) -> Stays | None:
    """Returns why a file is not offered, before another laptop asks for it, or None if it is."""
    try:
        with open_file(path, use):
            return None
    except FileNotFoundError:
        return None if use is EDITING else not_there()
    except Stays as reason:
        reason.is_told = told.may_be_told(path, use is EDITING)
        return reason


def not_there() -> Stays:
    return Stays(reasons.GONE)


def open_file(path: str, use: Use) -> OpenFile:
    """Opens a file that may leave this laptop and can be named on another one. Raises Stays. Raises FileNotFoundError
    if the file does not exist but one at its path might leave."""
    if reason := names.refusal(path):
        raise Stays(reason)
    name = os.path.basename(path)
    try:
        found = _open_where_it_is(path, name)
    except FileNotFoundError:
        _judge(path, os.path.realpath(path), None, use)
        raise
    except OSError as error:
        raise Stays(reasons.UNREADABLE, str(error.strerror)) from None
    try:
        _judge(path, found.path, os.fstat(found.descriptor), use)
        if use.takes and not use.takes(kinds.head_of(found.descriptor), name):
            raise Stays(reasons.KIND)
    except OSError as error:
        found.close()
        raise Stays(reasons.UNREADABLE, str(error.strerror)) from None
    except Stays:
        found.close()
        raise
    return found


def open_own(path: str) -> OpenFile:
    """Opens a file of the adapters, in a directory that belongs to the user alone. Raises Stays."""
    try:
        descriptor = os.open(path, READ | os.O_NOFOLLOW)
    except OSError as error:
        raise Stays(reasons.UNREADABLE, str(error.strerror)) from None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return OpenFile(descriptor, path, os.path.basename(path))
    os.close(descriptor)
    raise Stays(reasons.IRREGULAR)


def _open_where_it_is(path: str, name: str) -> OpenFile:
    """Opens a file without reading it until it is known to be a regular file. Opening a pipe would block, and a device
    may start to do something."""
    for _ in range(TRIES):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            status = os.fstat(place)
            if not stat.S_ISREG(status.st_mode):
                raise Stays(reasons.IRREGULAR)
            here = f"/proc/self/fd/{place}"
            real = os.readlink(here)
            if _is_at(real, status):
                return OpenFile(os.open(here, READ), real, name)
        finally:
            os.close(place)
    raise Stays(reasons.REPLACED)


def _is_at(path: str, status: os.stat_result) -> bool:
    """Returns whether a file is still at a path. The kernel gives a deleted file a path that leads nowhere."""
    try:
        return os.path.samestat(os.stat(path, follow_symlinks=False), status)
    except OSError:
        return False


def _judge(named: str, real: str, status: os.stat_result | None, use: Use):
    if reason := never.why(named, real, status):
        raise Stays(reason)
    if not use.takes_hidden and hidden.holds(named, real):
        raise Stays(reasons.HIDDEN)
