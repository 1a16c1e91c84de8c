# SPDX-License-Identifier: Apache-2.0
"""Converts the spellings of a file's or page's address to one URL. The MPRIS specification requires
a URI (`xesam:url`). But players leave spaces, umlauts and `#` unencoded, add a host, or report a
path."""

from __future__ import annotations

import os
import re
import urllib.parse

from gi.repository import Gio

import addresses
import machine

FILE = re.compile(r"file:(?://([^/]*))?(/.*)", re.I | re.S)


def canonical(text: str) -> str:
    """Returns the URL of a file on this laptop, or of a page in the characters of RFC 3986. Any
    other text is returned unchanged."""
    path = _path(text)
    if path:
        return Gio.File.new_for_path(path).get_uri()
    return addresses.encoded(addresses.visible(text)) if addresses.AUTHORITY.match(text) else text


def same(one: str, other: str) -> bool:
    """Returns whether two URLs lead to the same file or page, whatever is percent-encoded in
    them."""
    return urllib.parse.unquote_to_bytes(one) == urllib.parse.unquote_to_bytes(other)


def _path(text: str) -> str | None:
    """Returns the path of the file that a text names. A text can be read in several ways, of which the first
    one with an existing file counts."""
    readings = [each for each in _readings(text) if "\0" not in each]
    return next(filter(os.path.lexists, readings), readings[0] if readings else None)


def _readings(text: str) -> list:
    if text.startswith("/"):
        return [text]
    found = FILE.fullmatch(text)
    if not found or (found[1] or "").lower() not in {"", "localhost", *machine.names()}:
        return []
    whole = found[2]
    # As a URL; as an unencoded name; as a URL with a query or fragment.
    return [_decoded(whole), whole, _decoded(re.split("[?#]", whole)[0])]


def _decoded(text: str) -> str:
    return os.fsdecode(urllib.parse.unquote_to_bytes(text))
