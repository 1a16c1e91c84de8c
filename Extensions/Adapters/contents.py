# SPDX-License-Identifier: Apache-2.0
"""The contents of an activity: written with types, and read from laptops that may send anything."""

import math
import unicodedata

from gi.repository import Gio, GLib

import addresses

MAXIMUM_TEXT = 1024  # bytes of a title
TYPES = {str: "s", int: "x", float: "d", bool: "b"}


def variant(values: dict) -> GLib.Variant:
    """userInfo of texts, numbers, booleans, and variants as they are. None stands for nothing."""
    def of(value):
        return value if isinstance(value, GLib.Variant) else GLib.Variant(TYPES[type(value)], value)
    return GLib.Variant("a{sv}", {key: of(value) for key, value in values.items() if value is not None})


def read(continuation) -> dict:
    """The userInfo of what came; empty when it is none that has names for its entries."""
    found = continuation.props.user_info.unpack() if continuation.props.user_info else {}
    return found if isinstance(found, dict) else {}


def application(continuation) -> str | None:
    """The id of the app that the user is shown, as the daemon chose it by what came, or None."""
    return text(continuation.props.properties.unpack() if continuation.props.properties else {}, "application")


def mime_type(path: str) -> str | None:
    """The MIME type that a file has by its name."""
    kind, is_uncertain = Gio.content_type_guess(path, None)
    return None if is_uncertain else Gio.content_type_get_mime_type(kind)


def number(values: dict, key: str, least: float = 0, most: float = 2**53):
    """A number within bounds, or None."""
    value = values.get(key)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return value if is_number and least <= value <= most else None


def text(values: dict, key: str, limit: int = MAXIMUM_TEXT):
    """A text of at most so many bytes, or None."""
    value = values.get(key)
    return value if isinstance(value, str) and 0 < len(value.encode(errors="replace")) <= limit else None


def web_address(value, arrives: bool = False):
    """An address that may go from laptop to laptop, in the characters of RFC 3986, or None."""
    if not isinstance(value, str) or addresses.refusal(value, arrives):
        return None
    return addresses.encoded(value)


def title(value: str) -> str:
    """A title that Baton takes: one line, cut to its limit."""
    return plain(value).encode(errors="replace")[:MAXIMUM_TEXT].decode(errors="ignore")


def plain(value: str) -> str:
    """One line without controls."""
    return "".join(each if unicodedata.category(each)[0] != "C" else " " for each in value[:4 * MAXIMUM_TEXT])
