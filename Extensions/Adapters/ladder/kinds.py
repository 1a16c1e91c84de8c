# SPDX-License-Identifier: Apache-2.0
"""Finds the kind of a file by its contents, because a name proves nothing."""

import os
import re
import stat

from gi.repository import Gio

HEAD = 65_536  # bytes that the kind is determined from
MEDIA = ("audio/", "video/", "application/ogg", "application/x-matroska", "application/vnd.ms-asf",
         "application/vnd.rn-realmedia")
# Playlists lead to other files and to addresses.
PLAYLISTS = ("audio/x-mpegurl", "audio/mpegurl", "audio/x-scpls", "audio/x-ms-asx", "audio/x-pn-realaudio-plugin",
             "video/vnd.mpegurl")
# Players also obey a playlist whose other bytes look like music, if it begins like one: an address, a comment, a section,
# an element of XML, and so on. A byte order mark stands for one in UTF-16.
LISTS = re.compile(rb"""\s*(?:\xff\xfe|\xfe\xff|<|\#(?!!(?:amr|silk))|\[(?:playlist|reference|internetshortcut)\]|ffconcat|rtsptext|smil|v=0
                       |sgi\ *name|stream=|id3|[a-z][a-z0-9+.-]*://)""", re.IGNORECASE | re.VERBOSE)
# Names with which players take a file for a playlist, whatever is in it.
LIST_NAMES = (".m3u", ".m3u8", ".vlc", ".pls", ".b4s", ".xspf", ".asx", ".wax", ".wvx", ".wmx", ".qtl", ".gvp", ".ifo", ".ram", ".smil", ".smi",
              ".wpl", ".zpl", ".cue", ".sdp", ".url", ".desktop", ".edl", ".strm")
MARK = b"\xef\xbb\xbf"  # the byte order mark of UTF-8
# A tag before a song, which players skip. The last four bytes of its header are its length, with seven bits each.
TAG, TAG_HEADER, HAS_FOOTER, MOST_TAGS = b"ID3", 10, 0x10, 4
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
# Some documents are archives. Only their names show that they are documents.
ARCHIVES = ("application/zip", "application/vnd.rar", "application/x-7z-compressed", "application/x-tar")
OFFICE_ARCHIVES = ("application/zip", "application/x-ole-storage", "application/xml")
CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\f\r\x1b")


def head(path: str) -> bytes:
    """Returns the beginning of a file. Raises OSError if the file is not a regular one or cannot be read."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("it is not a regular file")
        return head_of(descriptor)
    finally:
        os.close(descriptor)


def head_of(descriptor: int) -> bytes:
    """Returns the beginning of an open regular file. Only three bytes stand for tags before a song, which may have any
    length."""
    at, found = 0, os.pread(descriptor, HEAD, 0)
    for _ in range(MOST_TAGS):
        if not found.startswith(TAG) or len(found) < TAG_HEADER:
            break
        at += _tag_length(found)
        found = os.pread(descriptor, HEAD, at)
    return TAG + found if at else found


def _tag_length(tag: bytes) -> int:
    length = 0
    for byte in tag[TAG_HEADER - 4:TAG_HEADER]:
        length = length << 7 | byte & 127
    return length + (2 * TAG_HEADER if tag[5] & HAS_FOOTER else TAG_HEADER)


def of(begin: bytes) -> str:
    """Returns the MIME type for the beginning of a file."""
    return Gio.content_type_get_mime_type(Gio.content_type_guess(None, begin)[0]) or "application/octet-stream"


def is_media(begin: bytes, name: str) -> bool:
    """Returns whether a file is music or a video. Playlists count as neither music nor video."""
    kind, rest = of(begin), begin.removeprefix(TAG).removeprefix(MARK)
    is_list = kind in PLAYLISTS or LISTS.match(rest) or name.casefold().endswith(LIST_NAMES)
    return kind.startswith(MEDIA) and not is_list and rest.translate(None, CONTROLS) != rest


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
