# SPDX-License-Identifier: Apache-2.0
"""Texts from other laptops in documents of gedit."""

from __future__ import annotations

import os
import re

from gi.repository import Gio, GLib, GtkSource

ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
NAMES = {GtkSource.NewlineType.LF: "lf", GtkSource.NewlineType.CR_LF: "crlf", GtkSource.NewlineType.CR: "cr"}
MARK = "\ufeff"
PIECE = 65_536  # bytes per conversion
# gedit's names. gedit does not know all encodings of the other editors.
CHARSETS = {"koi8-u": "KOI8U", "cp949": "UHC", **{f"cp{number}": f"IBM{number}" for number in (850, 852, 855, 857, 862)}}
OLD = "iso-8859-15"  # each byte is a character


def read(directory, name: str, it: dict) -> str:
    """Reads the text in a file of the adapters. If the text is not valid in the encoding that `it` names, sets
    ISO-8859-15 in `it`."""
    with directory.open(name, os.O_RDONLY, "rb") as file:
        contents = file.read()
    try:
        text = _decoded(contents, it["encoding"])
    except GLib.Error:
        text, it["encoding"] = _decoded(contents, OLD), OLD
    if "\0" in text:
        raise ValueError("it is no text")
    return text


def form(document) -> dict:
    """Returns the form in which a document is saved."""
    charset = _charset(document)
    has_mark = charset == "UTF-16" or has_mark_in_text(document)
    return {"encoding": "utf-16le" if charset == "UTF-16" else charset, "mark": has_mark,
            "ends": NAMES[document.get_file().get_newline_type()]}


def has_mark_in_text(document) -> bool:
    """Returns whether the text begins with a byte order mark. For "UTF-16" gedit keeps the mark outside of the text."""
    return _is_unicode(_charset(document)) and document.get_start_iter().get_char() == MARK


def whole(document) -> str:
    """Returns a document's text as it would be saved, without its byte order mark."""
    text = document.get_text(*document.get_bounds(), True)
    text = re.sub("\r\n?", "\n", text.removeprefix(MARK) if has_mark_in_text(document) else text)
    return text + "\n" if document.get_implicit_trailing_newline() else text


def write(document, directory, message: dict) -> dict:
    """Writes a text to a file of the adapters, unless it is too large. Returns the entries for the answer."""
    text, found = whole(document), {"sent": True}
    try:
        contents = _encoded(text, form(document)["encoding"])
    except GLib.Error:  # gedit would ask for another encoding when it saves
        message = {**message, "encoding": "utf-8"}
    if "encoding" in message:
        contents, found = text.encode(), found | {"encoding": "utf-8", "isRecoded": True}
    if len(contents) > message["limit"]:
        return {}
    try:
        with directory.open(message["text"], os.O_WRONLY, "wb") as file:
            file.write(contents)
    except OSError:
        return {}
    return found


def put(document, text: str, it: dict):
    """Replaces a document's text with one change that can be undone. The document keeps its own encoding and line
    ends."""
    if it["mark"] and _is_unicode(_charset(document)) and _charset(document) != "UTF-16":
        text = MARK + text
    _keep_end(document, it)
    document.begin_user_action()
    document.delete(*document.get_bounds())
    document.insert(document.get_start_iter(), _without_end(document, text))
    document.end_user_action()
    document.set_modified(True)


def begin(document, text: str, it: dict, ended):
    """Fills a new document with a text. Saving the document asks for a name, and keeps the form that came with the
    text. `ended(error)` is called once, with None if the text is there."""
    # Load the text, because gedit sets the form of a document only when it loads it.
    stream = Gio.MemoryInputStream.new_from_bytes(GLib.Bytes.new(_as_saved(text, it)))
    loader = GtkSource.FileLoader.new_from_stream(document, document.get_file(), stream)
    loader.set_candidate_encodings([encoding(it) or GtkSource.Encoding.get_utf8()])
    _keep_end(document, it)

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


def encoding(it: dict):
    """Returns the named encoding, or None if gedit does not know it."""
    return GtkSource.Encoding.get_from_charset(CHARSETS.get(it["encoding"], it["encoding"].upper()))


def _as_saved(text: str, it: dict) -> bytes:
    """Returns the bytes from which gedit loads a text. If the encoding names the byte order, the byte order mark is in
    the text."""
    text = (MARK if it["mark"] else "") + text.replace("\n", ENDS[it["ends"]])
    charset = encoding(it).get_charset() if encoding(it) else "UTF-8"
    return _converted(text.encode(), "utf-8", charset)


def _encoded(text: str, encoding: str) -> bytes:
    return text.encode() if _is_unicode(encoding) else _converted(text.encode(), "utf-8", encoding)


def _decoded(contents: bytes, encoding: str) -> str:
    text = contents if _is_unicode(encoding) else _converted(contents, encoding, "utf-8")
    return text.decode()


def _converted(contents: bytes, before: str, after: str) -> bytes:
    """Converts bytes with the tables that gedit uses for opening and saving."""
    stream = Gio.MemoryInputStream.new_from_bytes(GLib.Bytes.new(contents))
    stream = Gio.ConverterInputStream.new(stream, Gio.CharsetConverter.new(after, before))
    return b"".join(iter(lambda: stream.read_bytes(PIECE).get_data(), b""))


def _is_unicode(encoding: str) -> bool:
    return encoding.lower().startswith("utf")


def _charset(document) -> str:
    found = document.get_file().get_encoding()
    return found.get_charset() if found else "UTF-8"


def keep_read_only(tab):
    """Keeps a copy read-only until it is saved as a file of its own."""
    view, document = tab.get_view(), tab.get_document()
    # gedit makes a text editable again after printing it.
    again = view.connect("notify::editable", lambda *_: view.get_editable() and view.set_editable(False))

    def saved(_):
        view.disconnect(again)
        document.disconnect(saving)
        view.set_editable(True)
    saving = document.connect("saved", saved)
    view.set_editable(False)


def _keep_end(document, it: dict):
    """Makes gedit save a text without a last line end, if it came without one."""
    if not it["hasLastEnd"]:
        document.set_implicit_trailing_newline(False)


def _without_end(document, text: str) -> str:
    """Returns the text without the last line end that gedit adds when it saves."""
    return text.removesuffix("\n") if document.get_implicit_trailing_newline() else text
