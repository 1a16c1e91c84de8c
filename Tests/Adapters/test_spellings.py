# SPDX-License-Identifier: Apache-2.0
"""Tests how players spell the files and pages that they play."""

import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

from apps import EXTENSION
from library import introspected

introspected()
sys.path.insert(0, str(EXTENSION))

import addresses  # noqa: E402
import contents  # noqa: E402
import machine  # noqa: E402
import media  # noqa: E402
from ladder import origin  # noqa: E402
from player import Player  # noqa: E402
from spellings import canonical, same  # noqa: E402


class Files(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def song(self, name: str) -> pathlib.Path:
        path = self.directory / name
        path.touch()
        return path

    def assert_is(self, path: pathlib.Path, *spellings: str):
        for spelling in spellings:
            self.assertEqual(media.path_of(canonical(spelling)), str(path), spelling)

    def test_file_is_found_by_every_spelling_of_its_url(self):
        path = self.song("plain.mp3")
        with mock.patch.object(machine, "names", lambda: {"desk", "desk.local"}):
            self.assert_is(path, path.as_uri(), str(path), f"file:{path}", f"file://localhost{path}", f"FILE://LocalHost{path}",
                           f"file://desk{path}", f"file://Desk.local{path}", f"file://{path}?a=b", f"file://{path}#t=10")

    def test_file_is_found_by_an_unencoded_name(self):
        for name in ("Song #1.mp3", "Who?.mp3", "100%.mp3", "50%25.mp3", "My Song.mp3", "Müsli & ⅓ 100% #1?.mp3", "a+b;c.mp3", "a\nb.mp3", "caf\udce9.mp3"):
            path = self.song(name)
            self.assert_is(path, path.as_uri(), str(path), *([] if "\udce9" in name else [f"file://{path}", f"file:{path}"]))

    def test_decoded_name_comes_before_the_literal_one(self):
        encoded, written = self.song("a b.mp3"), self.song("a%20b.mp3")
        self.assert_is(encoded, f"file://{self.directory}/a%20b.mp3")
        self.assert_is(written, written.as_uri(), str(written))

    def test_whole_name_comes_before_the_part_before_a_fragment(self):
        cut, whole = self.song("Song "), self.song("Song #1.mp3")
        self.assert_is(whole, f"file://{whole}")
        self.assert_is(cut, f"file://{cut}#t=10")

    def test_file_url_of_another_computer_is_ignored(self):
        path = self.song("plain.mp3")
        for spelling in (f"file://nas{path}", f"file://192.168.1.7{path}", f"smb://nas{path}", "file:plain.mp3", "plain.mp3", "file:", ""):
            self.assertIsNone(media.path_of(canonical(spelling)), spelling)

    def test_missing_file_is_not_offered(self):
        """For example, the player plays a file of another computer."""
        self.assertFalse(media.can_go(*2 * [str(self.directory / "gone.mp3")]))

    def test_renamed_file_keeps_its_former_address(self):
        path = self.song("Song #1.mp3")
        player = Player(None, "org.mpris.MediaPlayer2.mock", ":1.7")
        player.values = {"Metadata": {"xesam:url": f"file://{path}"}}
        self.assertEqual(player.address, path.as_uri())
        path.rename(path.with_name("other.mp3"))
        self.assertEqual(player.address, path.as_uri())


class Pages(unittest.TestCase):
    SPOKEN = {
        "http://example.org/M\u00fcsli.mp3": "http://example.org/M%C3%BCsli.mp3",
        "https://example.org/My Song.mp3?a=b c#d e": "https://example.org/My%20Song.mp3?a=b%20c#d%20e",
        "https://b\u00fccher.example:8443/\u00fc": "https://xn--bcher-kva.example:8443/%C3%BC",
        "https://B\u00dcCHER.example/": "https://xn--bcher-kva.example/",
        "https://example.org/100% \u266b|a": "https://example.org/100%25%20%E2%99%AB%7Ca",
        "https://example.org/M%C3%BCsli.mp3": "https://example.org/M%C3%BCsli.mp3",
    }

    def test_address_with_umlauts_and_spaces_is_handed_over_encoded(self):
        for spoken, encoded in self.SPOKEN.items():
            self.assertEqual(contents.web_address(canonical(spoken)), encoded, spoken)
            self.assertEqual(canonical(encoded), encoded)
            self.assertTrue(media.can_go(canonical(spoken), None), spoken)

    def test_origin_page_of_a_file_is_encoded(self):
        with mock.patch.object(os, "getxattr", return_value="https://ada:pw@example.org/Müsli 1.pdf#page=3".encode()):
            self.assertEqual(origin.of_file(7), "https://example.org/M%C3%BCsli%201.pdf")

    def test_ambiguous_address_is_refused(self):
        for address in ("http://\uff4cocalhost/", "http://example\u3002org/", "http://b\u00fc cher.example/", "http://a\u200db.example/",
                        f"http://{70 * 'a'}\u00fc.example/", "http://..\u00fc/", "http://\u00fc@example.org/", "http://\u00fc.example/a\nb",
                        f"http://example.org/{8192 * chr(252)}"):
            self.assertIsNotNone(addresses.refusal(canonical(address)), address)

    def test_address_that_arrives_unencoded_is_refused(self):
        for address in self.SPOKEN:
            if address != self.SPOKEN[address] and not address.isascii():
                self.assertIsNone(contents.web_address(address, arrives=True), address)

    def test_addresses_that_differ_only_in_encoding_are_the_same_song(self):
        self.assertTrue(same("https://example.org/m%c3%bcsli%7e", "https://example.org/m%C3%BCsli~"))
        for one, other in (("https://example.org/a", "https://example.org/b"), ("file:///caf%E9", "file:///caf%E8")):
            self.assertFalse(same(one, other))
