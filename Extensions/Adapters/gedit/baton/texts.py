# SPDX-License-Identifier: Apache-2.0
"""Texts from another laptop, in documents of gedit."""

from gi.repository import GtkSource


def read(path: str) -> str:
    """What a file has: in UTF-8, or else as gedit reads what is not."""
    with open(path, "rb") as file:
        contents = file.read()
    try:
        text = contents.decode()
    except UnicodeDecodeError:
        text = contents.decode("iso-8859-15")
    if "\0" in text:
        raise ValueError("it is no text")
    return text


def whole(document) -> str:
    """What a document says, as it would be saved."""
    text = document.get_text(*document.get_bounds(), True)
    return text + "\n" if document.get_implicit_trailing_newline() else text


def put(document, text: str):
    """Has a document say a text, by one change that can be undone."""
    document.begin_user_action()
    document.delete(*document.get_bounds())
    document.insert(document.get_start_iter(), _without_end(document, text))
    document.end_user_action()
    document.set_modified(True)


def begin(document, text: str, name: str, is_copy: bool):
    """Has a document that is not a file yet begin with a text; saving it asks where."""
    language = GtkSource.LanguageManager.get_default().guess_language(name, None)
    document.begin_not_undoable_action()
    document.set_text(_without_end(document, text))
    document.end_not_undoable_action()
    document.set_language(language)
    document.set_modified(not is_copy)


def keep_read_only(tab):
    """Has a copy be read only until it is saved as a file of its own."""
    view, document = tab.get_view(), tab.get_document()
    # gedit makes it editable again whenever it has printed it.
    again = view.connect("notify::editable", lambda *_: view.get_editable() and view.set_editable(False))

    def saved(_):
        view.disconnect(again)
        document.disconnect(saving)
        view.set_editable(True)
    saving = document.connect("saved", saved)
    view.set_editable(False)


def _without_end(document, text: str) -> str:
    """The end of the last line is not in gedit's buffer, which saves it."""
    return text.removesuffix("\n") if document.get_implicit_trailing_newline() else text
