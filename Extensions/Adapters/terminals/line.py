# SPDX-License-Identifier: Apache-2.0
"""The line that a user has half typed. zsh reports the line when it is asked. The line is only text. No program runs
it, and a line that could do more in a terminal than show itself is refused."""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import stat
import time
import unicodedata

import deadline

LONGEST = 4096  # bytes
PATIENCE = 0.5  # seconds that a shell may take to answer
OPEN = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
REFUSED = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # Unicode's categories


def plain(line) -> str | None:
    """Returns a line that may be put into a shell's edit buffer, or None if it has control characters, or is empty, too
    long or no text."""
    if not isinstance(line, str) or not line.strip() or any(unicodedata.category(each) in REFUSED for each in line):
        return None
    return line if len(line.encode()) <= LONGEST else None


def ask(directory: str, question: str) -> str | None:
    """Returns the line of the shell that reads from the pipe `question`. The shell answers through a new pipe in
    `directory`, which belongs to this user alone."""
    name = secrets.token_hex(16)
    path = os.path.join(directory, name)
    os.mkfifo(path, 0o600)
    try:
        answer = os.open(path, os.O_RDONLY | OPEN)
        try:
            return plain(_read(answer).decode()) if _write(question, f"{name}\n".encode()) else None
        except UnicodeDecodeError:
            return None
        finally:
            os.close(answer)
    finally:
        os.unlink(path)


def _write(path: str, text: bytes) -> bool:
    """Writes to the pipe that a shell reads from. Returns False if no shell reads from it."""
    try:
        descriptor = os.open(path, os.O_WRONLY | OPEN)
    except OSError:
        return False
    try:
        status = os.fstat(descriptor)
        return stat.S_ISFIFO(status.st_mode) and status.st_uid == os.geteuid() and os.write(descriptor, text) == len(text)
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> bytes:
    """Reads until the shell has closed the pipe, or until it takes too long."""
    found, end = b"", time.monotonic() + deadline.left(PATIENCE)
    while len(found) <= LONGEST and (left := end - time.monotonic()) > 0 and select.select([descriptor], [], [], left)[0]:
        with contextlib.suppress(BlockingIOError):
            piece = os.read(descriptor, LONGEST + 1)
            if not piece:
                return found
            found += piece
    return b""
