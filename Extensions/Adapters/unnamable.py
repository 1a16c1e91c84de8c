# SPDX-License-Identifier: Apache-2.0
"""Files whose names are not UTF-8, which a program cannot say on the bus."""

import urllib.parse

from ladder import names


def asked_of(process: int) -> str | None:
    """The path of such a file with which a process was started, or with its URL; it may be relative. Which files Zathura
    has open, and where it was started, the kernel tells nobody: Zathura wants it so."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return None
    said = (urllib.parse.unquote_to_bytes(word.removeprefix(b"file://")) if word.startswith(b"file:///") else word for word in words)
    return next((path for each in said if not names.is_utf8(path := names.of_bytes(each))), None)
