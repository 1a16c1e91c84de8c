# SPDX-License-Identifier: Apache-2.0
"""Which window is in front, where the desktop tells. Documentation/Adapters.md has who does."""

import os

from accessibility import Accessibility
from x11 import X11


def watch_front(connection, came):
    """What tells when another process's window comes to the front, `came(process)`, and has its
    `process` and its `title`: 0 and empty as long as nothing is known."""
    # An X server of a Wayland session knows nothing of most windows.
    return Accessibility(connection, came) if os.environ.get("WAYLAND_DISPLAY") else X11(came)
