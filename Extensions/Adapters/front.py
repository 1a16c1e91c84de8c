# SPDX-License-Identifier: Apache-2.0
"""Which window is in front, where the desktop tells. Documentation/Adapters.md has who does."""

import os

import bus
import kwin
import sway
from accessibility import Accessibility
from x11 import X11


def watch_front(connection, came):
    """What tells when another process's window comes to the front, `came(process)`, and has its
    `process` and its `title`: 0 and empty as long as nothing is known."""
    # An X server of a Wayland session knows nothing of most windows.
    if not os.environ.get("WAYLAND_DISPLAY"):
        return X11(came)
    if compositor := sway.connect():
        return sway.Sway(compositor, came)
    if bus.ask_bus(connection, "GetNameOwner", kwin.NAME):
        return kwin.KWin(connection, came)
    return Accessibility(connection, came)
