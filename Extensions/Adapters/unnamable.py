# SPDX-License-Identifier: Apache-2.0
"""Files whose names are not UTF-8, which a program cannot send over the bus."""

import urllib.parse

from ladder import names


def asked_of(process: int) -> str | None:
    """Returns the path of such a file from a process's arguments, which contain it as a path or a URL. The path may be
    relative. The kernel does not tell which files Zathura has open or where it was started, because Zathura forbids
    it."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return None
    said = (urllib.parse.unquote_to_bytes(word.removeprefix(b"file://")) if word.startswith(b"file:///") else word for word in words)
    return next((path for each in said if not names.is_utf8(path := names.of_bytes(each))), None)
