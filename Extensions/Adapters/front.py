# SPDX-License-Identifier: Apache-2.0
"""The window in front, if the desktop reports it. Documentation/Adapters.md lists the
desktops."""

import os

import bus
import deadline
import kwin
import sway
import toplevels
from accessibility import Accessibility
from window import Front
from x11 import X11

# Functions of adapters without a watch of their own. Plasma allows one watch for each session.
LISTENERS = []


def listen(came):
    """Calls `came(front)` whenever a watch of another adapter reports something."""
    LISTENERS.append(came)


def ignore(came):
    """Ends the calls that `listen` began."""
    LISTENERS.remove(came)


def watch_front(connection, came) -> Front:
    """Returns an object that watches the window in front. `came(is_another)` is not called before this function
    returns. This function may wait for a compositor."""
    @deadline.within()
    def told(is_another: bool):
        came(is_another)
        for each in LISTENERS:
            each(found)
    found = _front(connection, told)
    return found


def _front(connection, came) -> Front:
    # In a Wayland session the X server does not know most windows.
    if not os.environ.get("WAYLAND_DISPLAY"):
        return X11(came)
    if compositor := sway.connect():
        return sway.Sway(compositor, came)
    # Environment variables name the next two compositors, so they belong to the session. A KWin with a name on
    # the bus may run inside another compositor.
    if compositor := toplevels.connect():
        return toplevels.Toplevels(*compositor, came)
    if bus.ask_bus(connection, "GetNameOwner", kwin.NAME):
        return kwin.KWin(connection, came)
    return Accessibility(connection, came)
