# SPDX-License-Identifier: Apache-2.0
"""A text that arrives from another laptop. This module finds the file, fetches the text that is not saved, starts an
editor, and hands the text to it."""

import os

from gi.repository import GLib

import browser
import contents
import ladder
import launch
from editors import form, paths, programs
from editors.place import Place
from extensions import arrival
from wording import joined, tr

PATIENCE = 30  # seconds that an editor may take to start


class Arrival(arrival.Arrival):
    """A text on its way to an editor."""

    def __init__(self, adapter, continuation, token: str | None, ended):
        super().__init__(adapter, continuation, token, ended)
        self.info = contents.read(continuation)
        self.found = None
        self.form = form.Form.read(self.info)  # the text's form, as the other laptop describes it
        self.is_unsaved = self.info.get("isUnsaved") is True
        ladder.find(continuation, self._found, copies=not self.is_unsaved)

    def _found(self, found):
        self.found = found
        if self.is_unsaved:
            self.continuation.load_contents_async(None, self._loaded)
        elif isinstance(found, ladder.Missing):
            self._end(found.reason)
        elif isinstance(found, ladder.Page):
            self._open_page(found)
        else:
            self._start()

    def _loaded(self, continuation, result):
        try:
            self.copy = continuation.load_contents_finish(result).get_path()
        except GLib.Error as error:
            self._end(tr('What is not saved on "{laptop}" did not come. Try again, or save it there.', laptop=self.device), error.message)
        else:
            self._start()

    def _open_page(self, page: ladder.Page):
        try:
            browser.open_page(self.adapter.bus, page.url, self.token)
        except launch.NotStarted as error:
            self._end(joined((page.note, tr("The page was not opened."), error.sentence)), error.detail)
        else:
            self.adapter.tell(self.continuation, page.note)
            self._end(None)

    def _start(self):
        try:
            editor = programs.choose(contents.text(self.info, "editor"))
            if editor in programs.PLAIN:
                self._open_plainly(editor)
                return
            programs.start(self.adapter.bus, editor, self.ticket, self.token, self._end)
        except launch.NotStarted as error:
            self._end(error.sentence, error.detail)
        else:
            self.timer = GLib.timeout_add_seconds(PATIENCE, self._late, editor)

    def _open_plainly(self, editor: str):
        """Opens the file in an editor without a plugin. A text that is not saved opens as a copy, which stays."""
        path, reference = self.copy or self.found.path, ladder.Reference.read(self.continuation.props.user_info)
        name = reference.name if reference else "untitled"
        programs.open_plainly(self.adapter.bus, editor, path, Place.read(self.info), self.token)
        notes = [tr('This is "{name}" from "{laptop}". Changes stay on this laptop.', name=name, laptop=self.device),
                 tr("It has changes that are not saved there. A file with this name on this laptop stays as it is.")]
        self.adapter.tell(self.continuation, joined([*(notes if self.copy else [self.found.note]), *self._more_notes()]))
        self.copy = None
        self._end(None)

    def _late(self, editor: str):
        self.timer = 0
        self._end(tr("{editor} was started, but did not open the text. Try again.", editor=editor) if self.has_asked else
                  tr("{editor} was started, but did not ask for the text. Check that Baton's plugin for it is installed and on.", editor=editor))
        return GLib.SOURCE_REMOVE

    def tell(self, connection):
        """Hands the text to the editor that was started for it."""
        self.has_asked = True
        try:
            connection.send({"open": self.message()})
        except OSError as error:
            self._end(tr("The text could not be given to the editor. Try again."), str(error))

    def message(self) -> dict:
        """Returns the message to the editor: a path on this laptop, the name of a file with the text, names for
        people, and numbers."""
        found, reference = self.found, ladder.Reference.read(self.continuation.props.user_info)
        is_copy, is_same = isinstance(found, ladder.Copy), isinstance(found, ladder.File) and found.is_same
        # Keep the notes short enough for one line of a terminal, because Vim waits for a key after a longer one.
        notes = [tr('This is a copy from "{laptop}". Saving it asks where.', laptop=self.device) if is_copy else getattr(found, "note", ""),
                 *self._more_notes()]
        return {
            **Place.read(self.info)._asdict(), "name": reference.name if reference else "untitled", "device": self.device,
            **paths.entries(found.path if isinstance(found, ladder.File) else None),
            "isSame": is_same, "isCopy": is_copy, "fileForm": self._form_of_file(found.path) if is_same else None,
            **self._give(found.path if is_copy else self.copy),
            "note": contents.plain(joined(notes)),
        }

    def _more_notes(self) -> list:
        return [tr('What was not saved on "{laptop}" stayed there.', laptop=self.device) if self.info.get("isCutOff") is True else "",
                tr('The last seconds of typing on "{laptop}" may be missing.', laptop=self.device) if self.info.get("isBehind") is True else "",
                tr("It is UTF-8 now. Its own encoding lacks some characters.") if self.info.get("isRecoded") is True else ""]

    def _give(self, path: str | None) -> dict:
        """Writes a text to a file for the editor, and returns its name and the form in which the text is saved."""
        self._take_back()
        if path is None:
            return {"text": None}
        with open(path, "rb") as file:
            text, found = form.read(file.read(), self.form)
        return {"text": self._put(text), **found.values()}

    def _form_of_file(self, path: str) -> dict | None:
        """Returns the form of a file that is the same here, if the file is valid in the encoding that the other
        laptop names."""
        if self.form.encoding is None or not os.path.isfile(path) or os.path.getsize(path) > ladder.LARGEST:
            return None
        with open(path, "rb") as file:
            _, found = form.read(file.read(), self.form)
        return found.values() if found.encoding == self.form.encoding else None
