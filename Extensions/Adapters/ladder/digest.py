# SPDX-License-Identifier: Apache-2.0
"""Whether two files are the same: their size, and a SHA-256 that is computed while an app is asked,
which has 5 s."""

import hashlib
import os
import stat
from typing import NamedTuple

LARGEST = 64 << 20  # bytes that are hashed, and that are copied


class Measure(NamedTuple):
    """A file's size in bytes, and the SHA-256 of all of it; of one that is larger than `LARGEST` that
    of its first and last 32 MiB."""

    size: int
    digest: bytes


def measure(path: str) -> Measure:
    """Measures a regular file. Raises OSError for what is none, or cannot be read."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        return measure_open(descriptor)
    finally:
        os.close(descriptor)


def measure_open(descriptor: int) -> Measure:
    """Measures a regular file that is open, wherever its offset is."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is not a regular file")
    found = hashlib.sha256()
    if status.st_size <= LARGEST:
        _take(descriptor, 0, LARGEST, found)
    else:
        _take(descriptor, 0, LARGEST // 2, found)
        _take(descriptor, status.st_size - LARGEST // 2, LARGEST // 2, found)
    return Measure(status.st_size, found.digest())


def _take(descriptor: int, offset: int, count: int, found):
    """At most so many bytes: a file may grow meanwhile."""
    while count > 0 and (piece := os.pread(descriptor, min(count, 1 << 20), offset)):
        found.update(piece)
        offset, count = offset + len(piece), count - len(piece)
