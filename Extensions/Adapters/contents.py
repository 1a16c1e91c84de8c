# SPDX-License-Identifier: Apache-2.0
"""Writes the values of an activity with D-Bus types, and reads them from laptops that may send anything."""

import math
import unicodedata

from gi.repository import Gio, GLib

import addresses

MAXIMUM_TEXT = 1024  # bytes of a title
TYPES = {str: "s", int: "x", float: "d", bool: "b"}


def variant(values: dict) -> GLib.Variant:
    """Makes a userInfo of texts, numbers, booleans and variants. A value of None is left out."""
    def of(value):
        return value if isinstance(value, GLib.Variant) else GLib.Variant(TYPES[type(value)], value)
    return GLib.Variant("a{sv}", {key: of(value) for key, value in values.items() if value is not None})


def read(continuation) -> dict:
    """Returns the userInfo of a continuation, or an empty dictionary if its keys are not names."""
    found = continuation.props.user_info.unpack() if continuation.props.user_info else {}
    return found if isinstance(found, dict) else {}


def application(continuation) -> str | None:
    """Returns the id of the app that the daemon chose and that the user is shown, or None."""
    return text(continuation.props.properties.unpack() if continuation.props.properties else {}, "application")


def mime_type(path: str) -> str | None:
    """Returns a file's MIME type according to its name."""
    kind, is_uncertain = Gio.content_type_guess(path, None)
    return None if is_uncertain else Gio.content_type_get_mime_type(kind)


def number(values: dict, key: str, least: float = 0, most: float = 2**53):
    """Returns a number within limits, or None."""
    value = values.get(key)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return value if is_number and least <= value <= most else None


def text(values: dict, key: str, limit: int = MAXIMUM_TEXT):
    """Returns a text of at most `limit` bytes, or None."""
    value = values.get(key)
    return value if isinstance(value, str) and 0 < len(value.encode(errors="replace")) <= limit else None


def web_address(value, arrives: bool = False):
    """Returns an address that may go from laptop to laptop, in the characters of RFC 3986, or
    None."""
    if not isinstance(value, str) or addresses.refusal(value, arrives):
        return None
    return addresses.encoded(value)


def title(value: str) -> str:
    """Returns a title that Baton accepts: one line, cut to the longest length."""
    return plain(value).encode(errors="replace")[:MAXIMUM_TEXT].decode(errors="ignore")


def plain(value: str) -> str:
    """Returns one line without control characters."""
    return "".join(each if unicodedata.category(each)[0] != "C" else " " for each in value[:4 * MAXIMUM_TEXT])
