# SPDX-License-Identifier: Apache-2.0
"""LibreOffice's documents: which of them are handed over, and their unsaved contents."""

from __future__ import annotations

import os
import re
import urllib.parse
import zipfile

import unohelper
from com.sun.star.beans import PropertyValue
from com.sun.star.io import IOException, XOutputStream

# The kind of a document by its service, and the filter that saves all of the document.
KINDS = {
    "com.sun.star.text.TextDocument": ("text", "writer8"),
    "com.sun.star.sheet.SpreadsheetDocument": ("spreadsheet", "calc8"),
    "com.sun.star.presentation.PresentationDocument": ("presentation", "impress8"),
    "com.sun.star.drawing.DrawingDocument": ("drawing", "draw8"),
}
RTF = b"{\\rt"
# A link to a file in the XML of OpenDocument, other than a hyperlink for readers.
LINK = re.compile(rb'<(?!text:a\s|draw:a\s)[a-z-]+:[a-z-]+\s(?:[^<>]*?\s)?xlink:href="(?:file:|/|\.\./)')
PIECE, LONGEST_TAG = 1 << 20, 1 << 16
PASSWORDS = ("EncryptionData", "Password")


def argument(name: str, value) -> PropertyValue:
    found = PropertyValue()
    found.Name, found.Value = name, value
    return found


def kind(document) -> str | None:
    """Returns a document's kind, or None for a database, a formula and others that are not handed over."""
    return next((kind for service, (kind, _) in KINDS.items() if document.supportsService(service)), None)


def path(address: str) -> str | None:
    """Returns the path of a file's address, or None for an address of another kind."""
    return os.fsdecode(urllib.parse.unquote_to_bytes(address[len("file://"):])) if address.startswith("file:///") else None


def address(path: str) -> str:
    """Returns the address of a file."""
    return "file://" + urllib.parse.quote(os.fsencode(path))


def describe(document) -> dict | None:
    """Returns the description of a document, or None if it is not handed over."""
    found = kind(document)
    is_unsaved = document.isModified()
    # Documents on other machines, and empty new documents, are not handed over.
    if found is None or document.URL and path(document.URL) is None or not document.URL and not is_unsaved:
        return None
    return {"path": path(document.URL), "kind": found, "name": document.Title, "unsaved": is_unsaved}


def is_rtf(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(len(RTF)) == RTF


def has_password(document) -> bool:
    """Returns whether a document is encrypted. The contents of an encrypted document leave this laptop only as they are
    in the document's file."""
    return any(each.Name in PASSWORDS for each in document.Args)


def write(document, file, limit: int):
    """Writes the current state of a document to a file. Raises an exception if the document is larger than the limit.
    Writes no preview, because it would show the pictures of this computer that a document from another laptop links
    to."""
    found = next(named for service, (_, named) in KINDS.items() if document.supportsService(service))
    document.storeToURL("private:stream", (argument("OutputStream", Output(file, limit)), argument("FilterName", found), argument("NoThumbnail", True)))


def has_links(file) -> bool:
    """Returns whether a document that was written has links to files."""
    with zipfile.ZipFile(file) as archive:
        return any(_has_link(archive, name) for name in archive.namelist() if name.endswith(".xml"))


def _has_link(archive, name: str) -> bool:
    with archive.open(name) as part:
        text = b""
        while piece := part.read(PIECE):
            text = text[-LONGEST_TAG:] + piece
            if LINK.search(text):
                return True
    return False


class Output(unohelper.Base, XOutputStream):
    """A file to which LibreOffice writes at most `limit` bytes."""

    def __init__(self, file, limit: int):
        self.file, self.left = file, limit

    def writeBytes(self, data):
        self.left -= len(data.value)
        if self.left < 0:
            raise IOException("it is too large to be handed over", self)
        self.file.write(data.value)

    def flush(self):
        self.file.flush()

    def closeOutput(self):
        self.file.flush()
