# SPDX-License-Identifier: Apache-2.0
"""A text that arrives from another laptop, until the user sees it."""

from gi.repository import Gedit, Gio, GLib

from . import lines, note, paths, place, texts
from .wording import joined, tr


class Arrival:
    """Asks for the text with this ticket, and opens it in a window."""

    def __init__(self, window, ticket: str, ended):
        self.window, self.ended = window, ended
        self.it = None
        self.tab, self.handlers = None, []
        self.connection = lines.connect({"ticket": ticket}, self._heard, self._end)
        if self.connection is None:
            GLib.idle_add(self._end)

    def _heard(self, message: dict):
        if "open" in message:
            self.it = message["open"]
            # Open it later, because this line may be the last one before the connection closes.
            GLib.idle_add(self._open)
        elif "gone" in message:
            self._end()

    def _open(self):
        path = paths.heard(self.it)
        if path is None:
            self._begin(self.window.create_tab(True))
        else:
            self._load(Gio.File.new_for_path(path))
        return GLib.SOURCE_REMOVE

    # --- A file on this laptop

    def _load(self, location):
        self.window = next((window for window in Gedit.App.get_default().get_main_windows() if window.get_tab_from_location(location)), self.window)
        form = self.it["fileForm"]
        Gedit.commands_load_location(self.window, location, texts.encoding(form) if form else None, 0, 0)
        self.tab = self.window.get_tab_from_location(location)
        if self.tab is None:
            self._fail("gedit did not open it")
        elif self.tab.get_state() == Gedit.TabState.STATE_LOADING:
            self.handlers = [(each, each.connect(signal, called)) for each, signal, called in (
                (self.tab.get_document(), "loaded", lambda _: self._loaded()), (self.tab, "notify::state", self._changed))]
        else:
            self._loaded()

    def _changed(self, tab, _):
        if tab.get_state() == Gedit.TabState.STATE_LOADING_ERROR:
            self._fail("gedit could not open it")

    def _loaded(self):
        document = self.tab.get_document()
        text = self._text()
        if self.connection is None:
            return
        if text is None:
            self._show()
        elif self.it["isSame"] and not document.get_modified():
            texts.put(document, text, self.it)
            self._show()
        else:
            self._ask(self.tab, text)

    def _ask(self, tab, text: str):
        """Opens the unsaved text as a new document, because the file on this laptop differs from the one that was
        edited on the other. The text goes into the file's document only if the user says so."""
        said = tr('"{name}" differs here from the file on "{laptop}". This is the text that is not saved there.', **self._places())
        self.tab = self.window.create_tab(True)
        self._fill(text, lambda: self._show(said, tr("_Put It into the Document of the File"), lambda: self._put(tab)))

    def _put(self, tab):
        if tab.get_parent():  # the tab has not been closed meanwhile
            texts.put(tab.get_document(), texts.whole(self.tab.get_document()), self.it)
            self.window.close_tab(self.tab)
            self.window.set_active_tab(tab)
            place.go(tab.get_view(), self.it)

    # --- A text without a file on this laptop

    def _begin(self, tab):
        self.tab = tab
        text = self._text()
        if self.connection is None:
            self.window.close_tab(tab)
            return
        self._fill(text, self._begun)

    def _begun(self):
        if self.it["isCopy"]:
            texts.keep_read_only(self.tab)
        self._show(tr('This is "{name}" from "{laptop}".', **self._places()))

    def _fill(self, text: str, filled):
        """Fills a new document with a text. The document's tab may be closed before the text is there."""
        def ended(error):
            if error:
                note.show(self.tab, tr('gedit could not open "{name}": {error}', **self._places(), error=error))
            if error or not self.tab.get_parent():
                self._end()
            else:
                filled()
        if texts.encoding(self.it) is None:
            encoding = tr('gedit does not know the encoding "{encoding}" and saves the text as UTF-8.', encoding=self.it["encoding"])
            self.it["note"] = joined((self.it["note"], encoding))
        texts.begin(self.tab.get_document(), text, self.it, ended)

    def _text(self):
        """Returns the text, or None if there is none. Reads the text before the adapters remove its file."""
        name = self.it["text"]
        try:
            text = texts.read(self.connection.directory, name, self.it) if name is not None else None
        except (OSError, ValueError) as error:
            self._fail(str(error))
            return None
        self.connection.send({"opened": True})
        return text

    def _show(self, said: str = "", button: str = "", pressed=None):
        said = joined((said, self.it["note"]))
        self.window.set_active_tab(self.tab)
        place.go(self.tab.get_view(), self.it)
        if said:
            note.show(self.tab, said, button, pressed)
        self._end()

    def _places(self) -> dict:
        return {"name": self.it["name"], "laptop": self.it["device"]}

    def _fail(self, why: str):
        """Reports a failure. `why` is for the adapters' journal, in English."""
        self.connection.send({"failed": why})
        self._end()

    def _end(self):
        for each, handler in self.handlers:
            each.disconnect(handler)
        self.handlers = []
        if self.connection:
            self.connection.close()
            self.connection = None
        if self.ended:
            ended, self.ended = self.ended, None
            ended(self)
        return GLib.SOURCE_REMOVE
