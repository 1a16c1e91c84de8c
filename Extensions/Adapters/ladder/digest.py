# SPDX-License-Identifier: Apache-2.0
"""The comparison of files by size and SHA-256. The hash is computed while an app is asked, which may take 5 s. The
result is kept until the file changes, so that repeated questions do not read the file again."""

import collections
import hashlib
import os
import stat
import threading
import time
from typing import NamedTuple

LARGEST = 64 << 20  # bytes that are hashed, and that are copied
MOST_KEPT = 64  # measures; the least recently used one is dropped
# Nanoseconds that a file must be unchanged before its measure is kept. A file may be written twice
# within one step of its file system's clock. The longest step is 2 s (FAT).
SETTLED = 2_000_000_000


class Measure(NamedTuple):
    """A file's size in bytes and its SHA-256. For a file larger than `LARGEST` the hash covers the first and the last
    32 MiB."""

    size: int
    digest: bytes


def measure(path: str) -> Measure:
    """Measures a file. Raises OSError if the file is not a regular one or cannot be read."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        return measure_open(descriptor)
    finally:
        os.close(descriptor)


_kept: collections.OrderedDict[tuple, Measure] = collections.OrderedDict()
_lock = threading.Lock()


def measure_open(descriptor: int) -> Measure:
    """Measures an open regular file, regardless of its offset."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise OSError("it is not a regular file")
    state = _state(status)
    with _lock:
        if state in _kept:
            _kept.move_to_end(state)
            return _kept[state]
    is_settled = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) > SETTLED
    found = _hash(descriptor, status.st_size)
    if is_settled and _state(os.fstat(descriptor)) == state:
        with _lock:
            _kept[state] = found
            while len(_kept) > MOST_KEPT:
                _kept.popitem(last=False)
    return found


def _state(status: os.stat_result) -> tuple:
    """Returns values that change when a file is written. No program can set the time of its last
    change (ctime) back."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _hash(descriptor: int, size: int) -> Measure:
    found = hashlib.sha256()
    if size <= LARGEST:
        _take(descriptor, 0, LARGEST, found)
    else:
        _take(descriptor, 0, LARGEST // 2, found)
        _take(descriptor, size - LARGEST // 2, LARGEST // 2, found)
    return Measure(size, found.digest())


def _take(descriptor: int, offset: int, count: int, found):
    """Hashes at most `count` bytes, because the file may grow meanwhile."""
    while count > 0 and (piece := os.pread(descriptor, min(count, 1 << 20), offset)):
        found.update(piece)
        offset, count = offset + len(piece), count - len(piece)
