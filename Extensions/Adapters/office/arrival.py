# SPDX-License-Identifier: Apache-2.0
"""An office document that arrives from another laptop, until LibreOffice shows it."""

import os

from gi.repository import GLib

import contents
import ladder
import launch
from editors import arrival, paths
from ladder import kinds
from office import lock, place
from wording import joined, tr


class Arrival(arrival.Arrival):
    """A document on its way to LibreOffice. Unsaved changes from the other laptop open as a copy, and the file on this
    laptop stays as it is."""

    is_ready = False  # this arrival waits for LibreOffice

    def _late(self, _):
        self.timer = 0
        self._end(tr("LibreOffice was started, but did not open the document. Try again.") if self.has_asked else
                  tr("LibreOffice was started, but did not ask for the document. Check that Baton's extension for it is installed and on."))
        return GLib.SOURCE_REMOVE

    def _start(self):
        try:
            self._check()
            self.is_ready = True
            self.timer = GLib.timeout_add_seconds(arrival.PATIENCE, self._late, None)
            self.adapter.give(self)
        except launch.NotStarted as error:
            self._end(error.sentence, error.detail)

    def _check(self):
        """Raises launch.NotStarted unless the file is a document that LibreOffice only shows."""
        path = self._path()
        try:
            begin = kinds.head(path)
        except OSError as error:
            raise launch.NotStarted(tr("The document cannot be read. Try again."), str(error.strerror or error)) from None
        if not kinds.is_office(begin, os.path.basename(path)):
            raise launch.NotStarted(tr('The file is not a document. Its type is "{type}".', type=kinds.of(begin)))

    def _path(self) -> str:
        return self.copy if self.copy is not None else self.found.path

    def message(self) -> dict:
        """Returns the message to the extension: a path on this laptop, names for people, and numbers."""
        is_copy = self.is_unsaved or isinstance(self.found, ladder.Copy)
        reference = ladder.Reference.read(self.continuation.props.user_info)
        name = reference.name if reference else "untitled"
        holder = None if is_copy else lock.holder(self._path())
        notes = [tr('This is "{name}" from "{laptop}". Saving it asks where.', name=name, laptop=self.device) if is_copy else "",
                 tr("It has changes that are not saved there. A file with this name on this laptop stays as it is.") if self.is_unsaved else "",
                 "" if is_copy else self.found.note,
                 tr('It is open elsewhere ("{holder}"), so it is read-only here. Close it there, then edit it here.', holder=holder) if holder else "",
                 tr('What was not saved on "{laptop}" stayed there.', laptop=self.device) if self.info.get("isCutOff") is True else ""]
        return {**paths.entries(self._path()), "isCopy": is_copy, "isReadOnly": holder is not None, "isUnsaved": self.is_unsaved, "name": contents.plain(name),
                "place": place.read(self.info, contents.text(self.info, "kind")), "note": contents.plain(joined(notes))}

    def tell(self, connection):
        self.has_asked = True
        connection.send({"open": self.ticket, **self.message()})
