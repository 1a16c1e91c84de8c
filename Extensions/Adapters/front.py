# SPDX-License-Identifier: Apache-2.0
"""Which window is in front, where the desktop tells. Documentation/Adapters.md has who does."""

import os

import bus
import kwin
import sway
import toplevels
from accessibility import Accessibility
from window import Front
from x11 import X11


def watch_front(connection, came) -> Front:
    """What tells which window is in front. `came(is_another)` is not called before this has
    returned; a compositor may be waited for."""
    # An X server of a Wayland session knows nothing of most windows.
    if not os.environ.get("WAYLAND_DISPLAY"):
        return X11(came)
    if compositor := sway.connect():
        return sway.Sway(compositor, came)
    # These two are the session's own by its environment. A name on the bus may be that of a KWin
    # which runs inside of another compositor.
    if compositor := toplevels.connect():
        return toplevels.Toplevels(*compositor, came)
    if bus.ask_bus(connection, "GetNameOwner", kwin.NAME):
        return kwin.KWin(connection, came)
    return Accessibility(connection, came)
