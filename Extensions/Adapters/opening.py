# SPDX-License-Identifier: Apache-2.0
"""A document that was opened at a page in a viewer here, until the viewer has it."""

import time

from gi.repository import GLib

PATIENCE = 30  # s
ASKING = 250  # ms between looking whether a viewer has it


class Opening:
    """`views()` are those that may have it. `ended(failure)` is called once, with None when one
    has."""

    def __init__(self, file, page, views, ended):
        self.file, self.page, self.views, self.ended = file, page, views, ended
        self.limit = time.monotonic() + PATIENCE
        GLib.timeout_add(ASKING, self.look)

    def look(self):
        if view := next((view for view in self.views() if self.is_in(view)), None):
            view.opened_at(self.page)
            self.ended(None)
        elif time.monotonic() > self.limit:
            self.ended("no viewer has opened the document")
        else:
            return GLib.SOURCE_CONTINUE
        return GLib.SOURCE_REMOVE

    def is_in(self, view) -> bool:
        shown = view.document("")
        return shown is not None and shown[0] == self.file.get_path()
