# SPDX-License-Identifier: Apache-2.0
"""Makes one URL of each way to spell a file or page. The MPRIS specification wants a URI
(`xesam:url`), but players leave spaces, umlauts and `#` as they are, name a host, or tell a path."""

from __future__ import annotations

import os
import re
import urllib.parse

from gi.repository import Gio

import addresses
import machine

FILE = re.compile(r"file:(?://([^/]*))?(/.*)", re.I | re.S)


def canonical(text: str) -> str:
    """The URL of a file of this laptop, or of a page in the characters of RFC 3986. A text that is
    neither is returned as it is."""
    path = _path(text)
    if path:
        return Gio.File.new_for_path(path).get_uri()
    return addresses.encoded(addresses.visible(text)) if addresses.AUTHORITY.match(text) else text


def same(one: str, other: str) -> bool:
    """Whether two URLs are of the same file or page, whatever is percent-encoded in them."""
    return urllib.parse.unquote_to_bytes(one) == urllib.parse.unquote_to_bytes(other)


def _path(text: str) -> str | None:
    """The path of the file that a text names: of the ways to read the text, the first by which there
    is a file."""
    readings = [each for each in _readings(text) if "\0" not in each]
    return next(filter(os.path.lexists, readings), readings[0] if readings else None)


def _readings(text: str) -> list:
    if text.startswith("/"):
        return [text]
    found = FILE.fullmatch(text)
    if not found or (found[1] or "").lower() not in {"", "localhost", *machine.names()}:
        return []
    whole = found[2]
    # As a URL; as a name that nothing is encoded in; as a URL with a query or fragment.
    return [_decoded(whole), whole, _decoded(re.split("[?#]", whole)[0])]


def _decoded(text: str) -> str:
    return os.fsdecode(urllib.parse.unquote_to_bytes(text))
