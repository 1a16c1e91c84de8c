# SPDX-License-Identifier: Apache-2.0
"""Messages to the user on the screen, as the desktop's notifications
(specifications.freedesktop.org/notification-spec)."""

import html

from gi.repository import GLib

import bus
import contents
import wording

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
APP, ENTRY = "Baton", "org.batonproject.Baton"
LONGEST = 200  # characters of a line; names and titles come from other laptops
ISOLATES = "\u2068\u2069"  # around names, in sentences
USUAL = -1  # the server decides how long a notification stays


def plain(text: str) -> str:
    """Returns one line without control characters. A sentence keeps the isolates around its names."""
    if not isinstance(text, wording.Sentence):
        return contents.plain(text)
    return "".join(each if each in ISOLATES else contents.plain(each) for each in text.isolated[:4 * LONGEST])


def show(connection, summary: str, text: str):
    """Shows two lines. Does nothing if the desktop has no notifications."""
    summary, text = (plain(each)[:LONGEST] for each in (summary, text))

    def able(answer):
        if not answer:
            return
        body = html.escape(text, quote=False) if "body-markup" in answer[0] else text
        hints = {"desktop-entry": GLib.Variant("s", ENTRY), "category": GLib.Variant("s", "device"), "urgency": GLib.Variant("y", 1)}
        bus.send(connection, NAME, PATH, NAME, "Notify",
                 GLib.Variant("(susssasa{sv}i)", (APP, 0, ENTRY, summary, body, [], hints, USUAL)))
    bus.send(connection, NAME, PATH, NAME, "GetCapabilities", None, able, starts=True)
