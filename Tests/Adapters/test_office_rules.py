# SPDX-License-Identifier: Apache-2.0
"""The rules of the adapter for office apps, without LibreOffice."""

import io
import os
import pathlib
import sys
import tempfile
import unittest
import urllib.parse
import zipfile
from unittest import mock

import uno  # noqa: F401: makes com.sun.star importable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

import library  # noqa: E402

library.introspected()
sys.path.insert(0, str(library.ROOT / "Extensions" / "Adapters"))

sys.path.insert(0, str(library.ROOT / "Extensions" / "Adapters" / "LibreOffice" / "pythonpath"))

from batonoffice import documents, gates, media, office, opening  # noqa: E402
from ladder import kinds  # noqa: E402
from office import lock, place  # noqa: E402
from office.program import State  # noqa: E402
from test_office import document, letter  # noqa: E402

TEXT = {"page": 3, "paragraph": 20, "offset": 4}
SHEET = {"sheet": 1, "sheetName": "Sums", "firstRow": 0, "firstColumn": 2, "row": 9, "column": 8, "endRow": 10, "endColumn": 8}


class Places(unittest.TestCase):
    def test_place_is_read(self):
        self.assertEqual(place.read(TEXT, "text"), TEXT)
        self.assertEqual(place.read(SHEET, "spreadsheet"), SHEET)
        self.assertEqual(place.read({"page": 2.0}, "presentation"), {"page": 2})

    def test_number_out_of_bounds_is_no_place(self):
        for wrong in (-1, 2**31, 10.0**300, float("nan"), "1", True, None, [1]):
            self.assertEqual(place.read({**TEXT, "page": wrong}, "text"), {}, wrong)
            self.assertEqual(place.read({**TEXT, "offset": wrong}, "text"), {"page": 3}, wrong)
            self.assertNotIn("row", place.read({**SHEET, "endRow": wrong}, "spreadsheet"))

    def test_long_name_of_a_sheet_is_left_out(self):
        self.assertEqual(place.read({**SHEET, "sheetName": "x" * 2000}, "spreadsheet")["sheetName"], "")

    def test_other_keys_are_left_out(self):
        self.assertEqual(place.read({**TEXT, "macro": "x"}, "text"), TEXT)

    def test_unknown_kind_has_no_place(self):
        for kind in ("database", "", None):
            self.assertEqual(place.read(TEXT, kind), {})


class States(unittest.TestCase):
    def test_state_is_read(self):
        found = State.read({"state": {"file": "/home/ada/letter.odt", "kind": "text", "name": "letter.odt", "unsaved": True, "place": TEXT}})
        self.assertEqual((found.file, found.kind, found.is_unsaved, found.place), ("/home/ada/letter.odt", "text", True, TEXT))

    def test_path_that_is_not_absolute_is_refused(self):
        for file in ("letter.odt", "", 7, "/" + 5000 * "x", ["/x"]):
            self.assertIsNone(State.read({"state": {"file": file, "kind": "text", "unsaved": True}}), file)

    def test_document_without_a_file_is_handed_over_only_with_contents(self):
        self.assertIsNone(State.read({"state": {"file": None, "kind": "text", "unsaved": False}}))
        self.assertIsNotNone(State.read({"state": {"file": None, "kind": "text", "unsaved": True}}))

    def test_unknown_kind_is_refused(self):
        for kind in ("database", ["text"], None):
            self.assertIsNone(State.read({"state": {"file": "/a.odb", "kind": kind, "unsaved": False}}))


class Locks(unittest.TestCase):
    def holder(self, contents: bytes | None) -> str | None:
        with tempfile.TemporaryDirectory() as directory:
            if contents is not None:
                pathlib.Path(directory, ".~lock.letter é.odt#").write_bytes(contents)
            return lock.holder(f"{directory}/letter é.odt")

    def test_lock_of_another_computer_names_it(self):
        self.assertEqual(self.holder("Ada é,ada,desk.example.org,29.11.2026 12:00,file:///home/ada/x;".encode()), "desk.example.org")
        self.assertEqual(self.holder(rb"Lovelace\, Ada,ada,a\,b,29.11.2026 12:00,;"), "a,b")

    def test_lock_of_this_computer_is_ignored(self):
        for name in (os.uname().nodename, os.uname().nodename.upper() + ".example.org"):
            self.assertIsNone(self.holder(f"Ada,ada,{name},29.11.2026 12:00,;".encode()))
        self.assertIsNone(self.holder(None))

    def test_unreadable_lock_counts_as_held(self):
        for contents in (b"", b",,", b"\xff" * 100, b"a" * 5000, b"Ada,ada,,x,;"):
            self.assertEqual(self.holder(contents), "?", contents)

    def test_name_in_a_lock_is_cleaned_and_cut(self):
        found = self.holder("Ada,ada,de\nsk\u202e{},x,;".format("x" * 500).encode())
        self.assertEqual(found, "de sk " + "x" * 58)

    def test_link_is_not_followed(self):
        with tempfile.TemporaryDirectory() as directory:
            secret = pathlib.Path(directory, "secret")
            secret.write_text("a,b,secret,", encoding="utf-8")
            pathlib.Path(directory, ".~lock.a.odt#").symlink_to(secret)
            self.assertEqual(lock.holder(f"{directory}/a.odt"), "?")


class Provider:
    def __init__(self, scheme: str):
        self.Scheme, self.ContentProvider, self.gate = scheme, self, None

    def queryContent(self, identifier):
        return identifier


class Services:
    """LibreOffice's services, with a broker of address schemes and players."""

    PLAYERS = ("com.sun.star.comp.avmedia.Manager_GStreamer", "com.sun.star.comp.avmedia.Manager_Gtk")

    def __init__(self, *schemes: str):
        self.ServiceManager, self.AvailableServiceNames = self, ("com.sun.star.frame.Desktop", *self.PLAYERS)
        self.providers, self.factories, self.made = {scheme: Provider(scheme) for scheme in schemes}, dict.fromkeys(self.PLAYERS), []

    def createInstanceWithContext(self, service, context):
        self.made.append(service)
        return self

    def queryContentProviders(self):
        return tuple(self.providers.values())

    def registerContentProvider(self, gate, scheme, replaces):
        self.providers[scheme].gate = gate

    def createContentEnumeration(self, service):
        left = [mock.Mock(ImplementationName=service)]
        return mock.Mock(hasMoreElements=lambda: bool(left), nextElement=left.pop)

    def remove(self, name):
        del self.factories[name]

    def insert(self, factory):
        self.factories[factory.getImplementationName()] = factory

    def createPlayer(self, address):
        return address


class Gates(unittest.TestCase):
    def test_every_scheme_that_is_not_local_has_a_gate(self):
        """The scheme ".*" stands for the GIO provider in libreoffice-gnome, which mounts network shares."""
        services, arrived = Services("file", "http", "vnd.sun.star.pkg", "webdav", ".*", "smb", "new"), []
        gates.close(services, arrived)
        for scheme, provider in services.providers.items():
            self.assertEqual(provider.gate is None, scheme in ("file", "vnd.sun.star.pkg"), scheme)
        gate = services.providers[".*"].gate
        self.assertEqual(gate.queryContent("smb://example.org/share"), "smb://example.org/share")
        arrived.append("a document")
        with self.assertRaises(gates.IllegalIdentifierException):
            gate.queryContent("smb://example.org/share")

    def test_players_play_only_files_with_media_while_a_document_is_open(self):
        services, arrived = Services(), []
        gates.close(services, arrived)
        player = services.factories[Services.PLAYERS[0]].createInstanceWithContext(None)
        self.assertEqual(player.createPlayer("http://example.org/a.mp4"), "http://example.org/a.mp4")
        arrived.append("a document")
        for address in ("http://example.org/a.mp4", "rtsp://example.org/a", "smb://example.org/a.mp4", "file://example.org/a.mp4", "", "file:///nowhere"):
            self.assertIsNone(player.createPlayer(address), address)
        self.assertNotIn(Services.PLAYERS[1], services.made)  # GTK 4 must not be loaded beside GTK 3

    def test_playlist_behind_a_tag_does_not_count_as_media(self):
        tag = b"ID3\4\0\0\0\0\2\0" + bytes(256)
        for contents, is_media in ((b"#EXTM3U\nhttp://example.org/a", False), (tag + b"#EXTM3U\n", False), (tag + tag, False), (b"<MPD/>", False), (b"", False),
                                   (b"RIFF\0\0\0\0WAVE", True), (b"\0\0\0\x18ftypmp42", True), (tag + b"\xff\xfb\x90\0", True), (b"OggS\0", True)):
            with tempfile.NamedTemporaryFile(prefix="é ") as file:
                file.write(contents)
                file.flush()
                address = "file://" + urllib.parse.quote(file.name)
                self.assertEqual(media.is_file_with_media(address), is_media, contents)
                self.assertFalse(media.is_file_with_media(address.removeprefix("file://")))
        self.assertFalse(media.is_file_with_media("file:///dev/zero"))


class Contents(unittest.TestCase):
    def test_preview_is_not_handed_over(self):
        talk = mock.Mock(supportsService=lambda name: name == "com.sun.star.presentation.PresentationDocument")
        documents.write(talk, None, 0)
        self.assertTrue({each.Name: each.Value for each in talk.storeToURL.call_args[0][1]}["NoThumbnail"])

    def opened(self, contents: bytes) -> tuple:
        """Opens a document that arrives. Returns the opener, and the document."""
        shown, desktop = mock.Mock(), mock.Mock()
        desktop.loadComponentFromURL.return_value = shown
        services = Services()
        services.createInstanceWithContext = lambda service, context: services if "Handler" not in service else None
        opener = opening.Opener(services, desktop)
        with tempfile.NamedTemporaryFile() as file:
            file.write(contents)
            file.flush()
            opener._load(file.name, {"isCopy": True, "isUnsaved": True, "name": "letter"})
        return opener, shown

    def test_links_to_files_are_found(self):
        picture = '<text:p><draw:image draw:z="1" xlink:href="%s" xlink:type="simple"/></text:p>'
        for body, has_links in ((picture % "file:///home/ada/id.jpg", True), (picture % "../id.jpg", True), (picture % "/home/ada/id.jpg", True),
                                ("x" * (documents.PIECE - 40) + picture % "file:///home/ada/id.jpg", True), (picture % "Pictures/id.jpg", False),
                                (picture % "http://example.org/id.jpg", False), ('<text:a xlink:href="file:///home/ada/letter.odt">', False),
                                ('<text:p text:x="1">xlink:href="file:///x"</text:p>', False)):
            for name in ("content.xml", "styles.xml", "Object 1/content.xml"):
                file = io.BytesIO()
                with zipfile.ZipFile(file, "w") as archive:
                    archive.writestr(name, body)
                self.assertEqual(documents.has_links(file), has_links, body[-100:])

    def test_received_unsaved_contents_with_links_to_files_are_not_handed_over(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory, "contents")
            here = office.Office.__new__(office.Office)
            here.front, here.opener = mock.Mock(URL=""), mock.Mock(arrived=[])
            here.line = mock.Mock(open=lambda name, flags, mode: open(os.open(path, flags), mode))
            linked = document("text", '<office:body><office:text><draw:image xlink:href="file:///home/ada/id.svg"/></office:text></office:body>')
            for arrived, contents, goes in (([], linked, True), ([here.front], linked, False), ([here.front], letter(3), True)):
                here.opener.arrived = arrived
                path.write_bytes(b"")
                with mock.patch.object(documents, "write", lambda _, file, limit, contents=contents: file.write(contents)):
                    self.assertEqual(here._write({"text": "contents", "limit": 0}), goes)
                self.assertEqual(path.read_bytes(), contents if goes else b"")

    def test_received_unsaved_rtf_text_is_not_handed_over(self):
        """The text may name pictures on this computer. LibreOffice would copy them into the file that it hands over."""
        for contents, stays in ((rb"{\rtf1 {\field{\*\fldinst INCLUDEPICTURE \"/home/ada/id.jpg\" \\d}}}", True), (letter(3), False)):
            opener, shown = self.opened(contents)
            here = office.Office.__new__(office.Office)
            here.opener, here.front, here._state, here._write = opener, shown, lambda: {"unsaved": True, "kind": "text"}, lambda message: True
            shown.Args = ()
            self.assertEqual("sent" in here._answer({}), not stays)
            opener.closed(shown)
            self.assertEqual((opener.arrived, opener.staying), ([], []))


class Kinds(unittest.TestCase):
    def test_documents_are_recognised_by_their_contents(self):
        self.assertTrue(kinds.is_office(letter(1), "letter"))
        self.assertTrue(kinds.is_office(b"{\\rtf1\\ansi Hello}", "letter.rtf"))

    def test_other_files_are_not_documents_whatever_their_names(self):
        for contents in (b"<html><body>x</body></html>", b"#!/bin/sh\n", b"a,b\n1,2\n", b"%PDF-1.4\n", b"", b"\x7fELF"):
            self.assertFalse(kinds.is_office(contents, "letter.odt"), contents)

    def test_database_is_no_document(self):
        database = letter(1).replace(b"opendocument.text", b"opendocument.base")
        self.assertFalse(kinds.is_office(database, "addresses.odb"))
