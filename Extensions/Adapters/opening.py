# SPDX-License-Identifier: Apache-2.0
"""Waits until a viewer here has opened a document at a page."""

import time

from gi.repository import GLib

import deadline
from wording import tr

PATIENCE = 30  # s
ASKING = 250  # ms between two checks of the viewers


class Opening:
    """A document that a viewer was started for. `views()` returns the views that may show the document.
    `ended(failure)` is called once, with None when one of these views shows it."""

    def __init__(self, file, page, views, ended):
        self.file, self.page, self.views, self.ended = file, page, views, ended
        self.limit = time.monotonic() + PATIENCE
        GLib.timeout_add(ASKING, self.look)

    @deadline.within()
    def look(self):
        began = time.monotonic()
        if view := next((view for view in self.views() if self.is_in(view)), None):
            view.opened_at(self.page)
            self.ended(None)
        elif time.monotonic() > self.limit:
            self.ended(tr("No viewer has opened the document. Try again."))
        else:
            # After viewers that answer late, the other adapters get as much time as the viewers had.
            GLib.timeout_add(max(ASKING, int(1000 * (time.monotonic() - began))), self.look)
        return GLib.SOURCE_REMOVE

    def is_in(self, view) -> bool:
        shown = view.document("")
        return shown is not None and shown[0] == self.file.get_path()
