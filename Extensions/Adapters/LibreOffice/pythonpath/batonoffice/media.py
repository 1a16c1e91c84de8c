# SPDX-License-Identifier: Apache-2.0
"""Finds out whether an address leads to a sound or a video on this computer. A playlist counts as neither a sound nor a
video, because players load what it lists, also from the network."""

from __future__ import annotations

import os
import stat
import urllib.parse

# The first bytes of music and video files. No playlist begins with one of these.
BEGINNINGS = (b"RIFF", b"OggS", b"fLaC", b"\x1aE\xdf\xa3", b"\0\0\x01\xba", b"\0\0\x01\xb3", b"FLV\x01", b"MThd", b"FORM", b".snd",
              b"\xff\xfb", b"\xff\xfa", b"\xff\xf3", b"\xff\xf2", b"\xff\xf1", b"\xff\xf9")
BOX, AT = b"ftyp", 4  # the mark of MP4 and QuickTime, and its place
HEAD = 16  # bytes
# A tag before a song, which players skip. The last four bytes of its header are its length, with seven bits each.
TAG, TAG_HEADER, HAS_FOOTER = b"ID3", 10, 0x10


def is_file_with_media(address: str) -> bool:
    """Returns whether an address leads to a music or video file on this computer."""
    if not address.startswith("file:///"):
        return False
    try:
        begin = _head(urllib.parse.unquote_to_bytes(address.removeprefix("file://")))
    except (OSError, ValueError):
        return False
    return begin.startswith(BEGINNINGS) or begin.startswith(BOX, AT)


def _head(path: bytes) -> bytes:
    """Returns the first bytes of a file, without a tag before them."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        found = os.pread(descriptor, HEAD, 0)
        return os.pread(descriptor, HEAD, _length(found)) if found.startswith(TAG) and len(found) == HEAD else found
    finally:
        os.close(descriptor)


def _length(tag: bytes) -> int:
    length = 0
    for byte in tag[TAG_HEADER - 4:TAG_HEADER]:
        length = length << 7 | byte & 127
    return length + (2 * TAG_HEADER if tag[5] & HAS_FOOTER else TAG_HEADER)
