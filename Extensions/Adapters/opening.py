# SPDX-License-Identifier: Apache-2.0
"""A document that was opened in a viewer here, until the viewer has it."""

import time

from gi.repository import GLib

PATIENCE = 30  # s
ASKING = 250  # ms between looking whether a viewer has it


class Opening:
    """`views()` are those that may have it. `ended(failure)` is called once, with None when one
    has."""

    def __init__(self, file, views, ended):
        self.file, self.views, self.ended = file, views, ended
        self.limit = time.monotonic() + PATIENCE
        GLib.timeout_add(ASKING, self.look)

    def look(self):
        if any((shown := view.document("")) and shown[0] == self.file.get_path() for view in self.views()):
            self.ended(None)
        elif time.monotonic() > self.limit:
            self.ended("no viewer has opened the document")
        else:
            return GLib.SOURCE_CONTINUE
        return GLib.SOURCE_REMOVE
