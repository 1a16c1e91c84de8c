# SPDX-License-Identifier: Apache-2.0
"""Finds the kind of a file by its contents, because a name proves nothing."""

import os
import stat

from gi.repository import Gio

HEAD = 65_536  # bytes that the kind is determined from
MEDIA = ("audio/", "video/", "application/ogg", "application/x-matroska", "application/vnd.ms-asf",
         "application/vnd.rn-realmedia")
# Playlists lead to other files and to addresses.
PLAYLISTS = ("audio/x-mpegurl", "audio/mpegurl", "audio/x-scpls", "audio/x-ms-asx", "audio/x-pn-realaudio-plugin",
             "video/vnd.mpegurl")
# Documents that apps only display. An app that opens another kind might run it.
DOCUMENTS = ("application/pdf", "application/postscript", "application/epub+zip", "application/vnd.comicbook",
             "application/x-cb", "application/oxps", "application/vnd.ms-xpsdocument", "application/x-dvi",
             "application/x-fictionbook", "application/x-mobipocket", "image/vnd.djvu", "image/tiff", "image/x-eps")
# Documents of office apps. Databases are not among them, because they connect to servers.
OFFICE = (*(f"application/vnd.oasis.opendocument.{kind}{form}" for kind in ("text", "spreadsheet", "presentation", "graphics")
            for form in ("", "-template", "-flat-xml")),
          "application/msword", "application/vnd.ms-word.document.macroenabled.12",
          "application/vnd.ms-excel", "application/vnd.ms-excel.sheet.macroenabled.12",
          "application/vnd.ms-powerpoint", "application/vnd.ms-powerpoint.presentation.macroenabled.12",
          *(f"application/vnd.openxmlformats-officedocument.{kind}" for kind in (
              "wordprocessingml.document", "wordprocessingml.template", "spreadsheetml.sheet", "spreadsheetml.template",
              "presentationml.presentation", "presentationml.template", "presentationml.slideshow")),
          "application/rtf", "text/rtf")
# Some documents are archives. Only their names tell which.
ARCHIVES = ("application/zip", "application/vnd.rar", "application/x-7z-compressed", "application/x-tar")
OFFICE_ARCHIVES = ("application/zip", "application/x-ole-storage", "application/xml")
CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\f\r\x1b")


def head(path: str) -> bytes:
    """Returns the beginning of a regular file. Raises OSError if it is not one or cannot be
    read."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("it is not a regular file")
        return os.pread(descriptor, HEAD, 0)
    finally:
        os.close(descriptor)


def of(begin: bytes) -> str:
    """Returns the MIME type for the beginning of a file."""
    return Gio.content_type_get_mime_type(Gio.content_type_guess(None, begin)[0]) or "application/octet-stream"


def is_media(begin: bytes, name: str) -> bool:
    """Returns whether a file is music or a video. Playlists are neither."""
    kind = of(begin)
    return kind.startswith(MEDIA) and kind not in PLAYLISTS and begin.translate(None, CONTROLS) != begin


def is_document(begin: bytes, name: str) -> bool:
    """Returns whether a file is a document that viewers show."""
    kind = of(begin)
    return kind.startswith(DOCUMENTS) or kind in ARCHIVES and _is_named_as(name, kind, DOCUMENTS)


def is_office(begin: bytes, name: str) -> bool:
    """Returns whether a file is a text, a spreadsheet, a presentation or a drawing of an office app."""
    kind = of(begin)
    return kind in OFFICE or kind in OFFICE_ARCHIVES and _is_named_as(name, kind, OFFICE)


def _is_named_as(name: str, archive: str, wanted: tuple) -> bool:
    named = Gio.content_type_guess(name, None)[0]
    return (Gio.content_type_get_mime_type(named) or "").startswith(wanted) and Gio.content_type_is_a(named, archive)
