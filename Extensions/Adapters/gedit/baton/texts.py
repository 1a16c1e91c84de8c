# SPDX-License-Identifier: Apache-2.0
"""Texts from another laptop, in documents of gedit."""

from __future__ import annotations

import os
import re

from gi.repository import Gio, GLib, GtkSource

ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
NAMES = {GtkSource.NewlineType.LF: "lf", GtkSource.NewlineType.CR_LF: "crlf", GtkSource.NewlineType.CR: "cr"}


def read(directory, name: str) -> str:
    """The text in a file of the adapters'."""
    with directory.open(name, os.O_RDONLY, "rb") as file:
        text = file.read().decode()
    if "\0" in text:
        raise ValueError("it is no text")
    return text


def form(document) -> dict:
    """How a document is saved. gedit has the byte order mark of UTF-8 in the text."""
    file = document.get_file()
    charset = file.get_encoding().get_charset() if file.get_encoding() else "UTF-8"
    has_mark = charset == "UTF-16"
    return {"encoding": "utf-16le" if has_mark else charset, "mark": has_mark, "ends": NAMES[file.get_newline_type()]}


def whole(document) -> str:
    """What a document says, as it would be saved."""
    text = document.get_text(*document.get_bounds(), True)
    text = re.sub("\r\n?", "\n", text)
    return text + "\n" if document.get_implicit_trailing_newline() else text


def put(document, text: str):
    """Has a document say a text, by one change that can be undone. It is saved in the document's own form."""
    _keep_end(document, text)
    document.begin_user_action()
    document.delete(*document.get_bounds())
    document.insert(document.get_start_iter(), _without_end(document, text))
    document.end_user_action()
    document.set_modified(True)


def begin(document, text: str, it: dict, ended):
    """Has a document that is not a file yet begin with a text; saving it asks where, and keeps the form that came.
    `ended(error)` is called once, with None when the text is there."""
    encoding, contents = _as_saved(text, it)
    # gedit sets the form of a document only by loading it.
    stream = Gio.MemoryInputStream.new_from_bytes(GLib.Bytes.new(contents))
    loader = GtkSource.FileLoader.new_from_stream(document, document.get_file(), stream)
    loader.set_candidate_encodings([encoding])
    _keep_end(document, text)

    def loaded(_, result):
        try:
            loader.load_finish(result)
        except GLib.Error as error:
            ended(error.message)
            return
        document.set_language(GtkSource.LanguageManager.get_default().guess_language(it["name"], None))
        document.set_modified(not it["isCopy"])
        ended(None)
    loader.load_async(GLib.PRIORITY_DEFAULT, None, None, None, loaded)


def _as_saved(text: str, it: dict) -> tuple:
    """The encoding of a text, and the bytes from which gedit loads it."""
    name = it["encoding"]
    if it["mark"]:
        name, text = ("utf-16", text) if name.startswith("utf-16") else (name, "\ufeff" + text)
    encoding = GtkSource.Encoding.get_from_charset(name.upper()) or GtkSource.Encoding.get_utf8()
    return encoding, text.replace("\n", ENDS[it["ends"]]).encode(encoding.get_charset())


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


def _keep_end(document, text: str):
    """A text whose last line has no end is saved without one."""
    if text and not text.endswith("\n"):
        document.set_implicit_trailing_newline(False)


def _without_end(document, text: str) -> str:
    """The end of the last line is not in gedit's buffer, which saves it."""
    return text.removesuffix("\n") if document.get_implicit_trailing_newline() else text
