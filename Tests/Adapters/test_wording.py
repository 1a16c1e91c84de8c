# SPDX-License-Identifier: Apache-2.0
"""Tests that the adapters' texts for people are in the session's language. The journal and other laptops get English."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from apps import EXTENSION, LIMIT, ROOT
from library import introspected

introspected()
sys.path.insert(0, str(EXTENSION))

import ladder  # noqa: E402
import notice  # noqa: E402
import wording  # noqa: E402
from ladder import git, reasons  # noqa: E402
from ladder.find import _rest  # noqa: E402


class Spoken(unittest.TestCase):
    def speak(self, language: str, kind: str):
        """Sets the adapters' language to one of `Scripts/catalogues compile` or `pseudo`."""
        directory = self.enterContext(tempfile.TemporaryDirectory(prefix="baton-wording-"))
        subprocess.run([ROOT / "Scripts" / "catalogues", kind, directory], check=True, timeout=LIMIT)
        self.speak_of(language, directory)

    def speak_of(self, language: str, directory: str):
        with mock.patch.dict(os.environ, LANGUAGE=language):
            patch = mock.patch.object(wording, "TRANSLATIONS", wording.translations(directory))
        self.enterContext(patch)

    def missing(self) -> wording.Sentence:
        reference = mock.Mock(is_copied=lambda: False, size=68_200_000, origin="https://example.org/")
        reference.name = "report.pdf"
        return _rest(reference, "desk").note

    def test_german_sentences_keep_their_english_text(self):
        self.speak("de", "compile")
        stays = ladder.Stays(reasons.TEMPORARY)
        self.assertEqual(str(stays), "Temporäre Dateien verlassen ihren Laptop nie. Speichere die Datei in einem anderen Ordner.")
        self.assertEqual(wording.english(stays.sentence), "Temporary files never leave their laptop. Save it in another folder.")
        self.assertRegex(self.missing(), "^„report.pdf“ gibt es auf diesem Laptop nicht. .*„desk“.* Das ist die Seite, von der die Datei stammt.$")
        self.assertRegex(wording.english(self.missing()), '^"report.pdf" is not on this laptop. .* This is the page that it came from.$')

    def test_japanese_sentences_have_no_space_between_them(self):
        self.speak("ja", "compile")
        self.assertEqual(wording.joined(("一。", "", "二。", "三。")), "一。二。三。")
        self.assertEqual(wording.english(wording.joined((wording.tr("This is the page that it came from."), "Two."))),
                         "This is the page that it came from. Two.")

    def test_numbers_have_the_right_plural(self):
        self.speak("de", "compile")
        for counts, shown in (("2\t0", "Dieser Klon liegt 2 Commits zurück."),
                              ("1\t1", "Dieser Klon liegt 1 Commit zurück. Dieser Klon ist 1 Commit voraus.")):
            with mock.patch.multiple(git, head=mock.Mock(return_value="b" * 40), run=mock.Mock(return_value=counts)):
                self.assertEqual(git.distance("/clone", "a" * 40), shown)

    def test_every_reason_is_marked_as_right_to_left(self):
        self.speak("he", "pseudo")
        for code in reasons.SENTENCES:
            found = ladder.sentence(code)
            self.assertRegex(found, "^\u202b.* ~\u202c$")
            self.assertGreaterEqual(len(found), 1.5 * len(wording.english(found)))

    def test_value_with_braces_is_not_taken_for_a_placeholder(self):
        self.speak("de", "compile")
        self.assertEqual(wording.tr('"{laptop}" does not hand it over. {reason}', laptop="{reason}", reason="{0}"),
                         "„{reason}“ gibt das nicht weiter. {0}")

    def test_name_written_from_right_to_left_is_isolated_on_the_screen_only(self):
        self.speak("de", "compile")
        copy = wording.tr('This is a copy from "{laptop}". Changes stay on this laptop.', laptop="דנה\u2069")
        self.assertEqual(copy, "Das ist eine Kopie von „דנה\u2069“. Änderungen bleiben auf diesem Laptop.")
        shown = "Das ist eine Kopie von „\u2068דנה \u2069“. Änderungen bleiben auf diesem Laptop."
        self.assertEqual(notice.plain(copy), shown)
        self.assertEqual(notice.plain(wording.joined((copy, copy))), f"{shown} {shown}")
        self.assertEqual(notice.plain(wording.tr('"{laptop}" does not hand it over. {reason}', laptop="desk", reason=copy)),
                         f"„desk“ gibt das nicht weiter. {shown}")
        # Baton adds no isolates to a text that is not one of its own sentences.
        self.assertEqual(notice.plain("a\u2069b\n"), "a b ")

    def test_every_name_is_isolated_in_a_language_written_from_right_to_left(self):
        self.speak("he", "pseudo")
        self.assertIn("\u2068desk\u2069", notice.plain(wording.tr('This is a copy from "{laptop}". Changes stay on this laptop.', laptop="desk")))

    def test_text_whose_translation_is_missing_or_wrong_is_in_english(self):
        with tempfile.TemporaryDirectory() as directory:
            catalogue = pathlib.Path(directory, "de", "LC_MESSAGES", "baton.mo")
            catalogue.parent.mkdir(parents=True)
            source = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\nmsgid "at {time}"\nmsgstr "um {zeit}"\n'
            subprocess.run(["msgfmt", "--output-file", catalogue, "-"], input=source, text=True, check=True, timeout=LIMIT)
            self.speak_of("de", directory)
            self.assertEqual((wording.tr("at {time}", time="1:23"), wording.tr("missing")), ("at 1:23", "missing"))
            catalogue.write_bytes(b"no catalogue")
            self.speak_of("de", directory)
            self.assertEqual(wording.tr("missing"), "missing")

    def test_every_reason_has_its_own_code_and_unknown_codes_have_no_sentence(self):
        codes = [value for name, value in vars(reasons).items() if name.isupper() and isinstance(value, str)]
        self.assertEqual(sorted(codes), sorted(reasons.SENTENCES))
        for code in ("of-a-later-version", None):
            self.assertIsNone(ladder.sentence(code))
