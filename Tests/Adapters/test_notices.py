# SPDX-License-Identifier: Apache-2.0
"""Tests the messages to the user about continued activities, with a real notification server."""

import os
import pathlib
import re
import subprocess

from apps import LIMIT, MOCK, ROOT
from test_documents import ENTRIES, ORIGIN, QUIET, TYPE, Reading, book
from test_media import TYPE as MEDIA, change, song


class Told(Reading):
    """Keeps the notifications of the sofa in a file."""

    def begin(self, laptop):
        super().begin(laptop)
        if laptop is self.desk:
            return
        self.shown = laptop.home / "shown"
        self.shown.touch()
        script, settings = laptop.home / "keep", laptop.home / "dunstrc"
        script.write_text(f'#!/bin/sh\nprintf "%s: %s|%s\\n" "$DUNST_APP_NAME" "$DUNST_SUMMARY" "$DUNST_BODY" >>"{self.shown}"\n', encoding="utf-8")
        script.chmod(0o755)
        settings.write_text(f"[global]\n markup = full\n[all]\n script = {script}\n", encoding="utf-8")
        laptop.spawn(["dunst", "-conf", settings], **QUIET)
        subprocess.run(["gdbus", "wait", "--session", "--timeout", str(LIMIT), "org.freedesktop.Notifications"],
                       env=laptop.environment, check=True, timeout=2 * LIMIT)

    def assert_told(self, text: str):
        try:
            self.eventually(lambda: f"Baton: {text}\n" in self.shown.read_text(encoding="utf-8"))
        except AssertionError:
            self.fail(f"not '{text}': {self.shown.read_text(encoding='utf-8')}")

    def install_player(self, *options):
        """Installs the player that plays songs on the sofa."""
        data = pathlib.Path(self.sofa.environment["XDG_DATA_HOME"]) / "applications"
        data.mkdir(exist_ok=True)
        (data / "mpv.desktop").write_text(f"[Desktop Entry]\nType=Application\nName=Mock\nIcon=a-player\nExec={MOCK} {' '.join(options)} %U\n"
                                          "MimeType=audio/x-wav;\n", encoding="utf-8")
        (pathlib.Path(self.sofa.environment["XDG_CONFIG_HOME"]) / "mimeapps.list").write_text("[Default Applications]\naudio/x-wav=mpv.desktop\n",
                                                                                             encoding="utf-8")
        self.wait_for_apps(self.sofa)


class Notices(Told):
    def test_notification_says_that_the_document_is_a_copy(self):
        self.prefer(self.sofa, "zathura")
        self.desk.spawn(["zathura", "--page=37", self.write("A book & more.pdf")], **QUIET)
        self.open(self.sofa, TYPE)
        self.assert_told("A book & more.pdf|This is a copy from \"desk\". Changes stay on this laptop.")

    def test_notification_says_that_the_document_differs(self):
        self.prefer(self.sofa, "zathura")
        for laptop, pages in ((self.desk, book()), (self.sofa, book(more=7))):
            (laptop.home / "Books").mkdir()
            (laptop.home / "Books" / "book.pdf").write_bytes(pages)
            folders = pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "baton" / "folders"
            folders.parent.mkdir(exist_ok=True)
            folders.write_text(f"Books = {laptop.home / 'Books'}\n", encoding="utf-8")
        self.desk.spawn(["zathura", "--page=37", self.desk.home / "Books" / "book.pdf"], **QUIET)
        self.open(self.sofa, TYPE)
        self.assert_told('book.pdf|The file on "desk" differs. It may not be synchronised yet.')
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 36)

    def test_notification_says_that_a_page_replaces_the_document(self):
        """The document's name must not be read as markup."""
        self.install_browser(self.sofa)
        path = self.desk.home / "large & <u>.pdf"
        path.write_bytes(book(more=65 << 20))
        os.setxattr(path, ORIGIN, b"https://example.org/large.pdf")
        self.desk.spawn(["zathura", "--page=37", path], **QUIET)
        self.open(self.sofa, TYPE)
        self.assert_told('large & <u>.pdf|"large &amp; &lt;u&gt;.pdf" is not on this laptop. It is too large to be copied from "desk": 68.2\u00a0MB. '
                         "This is the page that it came from.")

    def test_notification_says_that_the_song_is_a_copy(self):
        self.install_player()
        song(self.desk.home / "song.wav")
        self.desk.spawn([MOCK, "--position", "83", "--title", "A song", self.desk.home / "song.wav"])
        self.open(self.sofa, MEDIA)
        self.assert_told("A song|This is a copy from \"desk\". Changes stay on this laptop.")

    def test_notification_has_the_songs_title_even_if_the_player_reports_none(self):
        self.install_player()
        for name in ("first.wav", "second.wav"):
            song(self.desk.home / name)
        self.desk.spawn([MOCK, "--position", "83", "--title", "First song", self.desk.home / "first.wav"])
        self.eventually(lambda: self.offer(self.sofa, MEDIA))
        change(self, self.desk, "org.mpris.MediaPlayer2.mock", self.desk.home / "second.wav", "Second song")
        self.open(self.sofa, MEDIA)
        self.assert_told("Second song|This is a copy from \"desk\". Changes stay on this laptop.")

    def test_notification_says_that_the_place_was_lost(self):
        self.install_player("--ignore", "SetPosition", "--ignore", "Seek")
        self.desk.spawn([MOCK, "--position", "83", "--title", "A song", "https://music.example/song"])
        self.open(self.sofa, MEDIA)
        self.assert_told('A song|The player did not go to 1:23, the place on "desk". Go there yourself.')

    def shown_by(self, calls: pathlib.Path) -> list:
        """Returns icon, summary and desktop id of each Baton notification with actions: offers, and activities under way."""
        return re.findall(r'member=Notify\n   string "Baton"\n   uint32 \d+\n   string "(.*)"\n   string "(.*)"\n   string ".*"\n   array \[\n      string "'
                          r'[\s\S]*?string "desktop-entry"\n +variant +string "(.*)"', calls.read_text(encoding="utf-8"))

    def assert_kind_then_app(self, activity_type: str, kind: tuple, app: tuple):
        """Checks that an offer is shown with the name of its kind, and the arrived activity with the app's name and
        icon."""
        offers = self.ask(self.sofa, "org.batonproject.Baton", "/org/batonproject/Baton", "org.batonproject.Baton1.Offers", "List")[0]
        self.assertEqual([(offer["type"], offer["application"]) for offer in offers], [(activity_type, kind[2])])
        self.eventually(lambda: self.shown_by(self.calls))
        icon, name, identifier = kind
        self.assertEqual(self.shown_by(self.calls), [(icon, f"{name} from \"desk\"", identifier)])
        self.open(self.sofa, activity_type)
        self.eventually(lambda: len(self.shown_by(self.calls)) > 2)
        self.assertEqual(self.shown_by(self.calls)[1:], [kind, app])

    def test_offer_of_a_document_shows_its_kind_and_then_the_viewer(self):
        self.prefer(self.sofa, "okular")
        self.calls = self.monitor(self.sofa, "member=Notify")
        self.desk.spawn(["evince", "--page-index=37", self.write("book.pdf")], **QUIET)
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        self.assert_kind_then_app(TYPE, ("org.batonproject.Baton.Document", "Document", "org.batonproject.Adapter.Documents"), ("okular", "Okular", ENTRIES["okular"]))

    def test_offer_of_a_song_shows_its_kind_and_then_the_player(self):
        self.install_player()
        self.calls = self.monitor(self.sofa, "member=Notify")
        song(self.desk.home / "song.wav")
        self.desk.spawn([MOCK, "--position", "83", self.desk.home / "song.wav"])
        self.eventually(lambda: self.offer(self.sofa, MEDIA))
        self.assert_kind_then_app(MEDIA, ("org.batonproject.Baton.Media", "Music or video", "org.batonproject.Adapter.Media"), ("a-player", "Mock", "mpv"))


class InGerman(Told):
    def prepare(self, laptop):
        super().prepare(laptop)
        catalogues = laptop.home / "locale"
        subprocess.run([ROOT / "Scripts" / "catalogues", "compile", catalogues], check=True, timeout=LIMIT)
        laptop.environment.update(LANGUAGE="de", TEXTDOMAINDIR=str(catalogues))

    def test_notification_is_in_the_sessions_language_and_the_journal_in_english(self):
        self.install_player()
        song(self.desk.home / "song.wav")
        self.desk.spawn([MOCK, "--position", "83", "--title", "A song", self.desk.home / "song.wav"])
        self.open(self.sofa, MEDIA)
        self.assert_told("A song|Das ist eine Kopie von „desk“. Änderungen bleiben auf diesem Laptop.")
        self.assertIn('This is a copy from "desk".', self.sofa.adapters_log.read_text(encoding="utf-8"))
