# SPDX-License-Identifier: Apache-2.0
"""Tests which files may leave a laptop, with real files below homes of the tests."""

import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from unittest import mock

from apps import EXTENSION, LIMIT, ROOT, WORK, sys
from library import introspected

introspected()
sys.path.insert(0, str(EXTENSION))

from ladder import EDITING, PLAYING, READING, Stays, may_leave, never, other_names, sentence, why_it_stays  # noqa: E402
from ladder.leaving import open_file  # noqa: E402

USES = {"editing": EDITING, "playing": PLAYING, "reading": READING}
PDF = b"%PDF-1.4\n"
MP3 = b"ID3\x03\0\0\0\0\0\x21" + 64 * b"\0"
FITTING = {"editing": PDF, "playing": MP3, "reading": PDF}
NEVER = (
    ".ssh/id", ".gnupg/private-keys-v1.d/a.key", ".password-store/mail.gpg", ".aws/credentials", ".azure/a", ".kube/config", ".docker/config.json",
    ".pki/nssdb/key4.db", ".netrc", ".netrc~", ".authinfo", ".authinfo.gpg", ".git-credentials", ".pgpass", ".my.cnf", ".npmrc", ".pypirc",
    ".vault-token", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".terraform.d/credentials.tfrc.json", ".s3cfg",
    ".electrum/wallets/a", ".bitcoin/wallet.dat", ".purple/accounts.xml", ".bash_history", "secrets.kdbx", ".config/hub", ".config/github-copilot/hosts.json",
    ".config/filezilla/sitemanager.xml", ".config/Signal/config.json", ".config/Bitwarden/data.json", ".config/keepassxc/keepassxc.ini",
    ".gnome2/keyrings/a", ".kde/share/apps/kwallet/a", ".kde4/share/apps/kwallet/a", ".local/share/keyrings/login.keyring",
    ".local/share/kwalletd/kdewallet.kwl", ".config/gcloud/a", ".config/gh/hosts.yml", ".config/git/credentials", ".config/containers/auth.json",
    ".config/baton/baton.conf", ".config/baton/folders", ".local/state/baton/state",
    ".mozilla/firefox/a/logins.json", ".config/mozilla/firefox/a/logins.json", ".cache/mozilla/firefox/a", ".config/chromium/Default/Cookies",
    ".config/google-chrome-beta/Default/Cookies", ".config/BraveSoftware/a", ".config/microsoft-edge-dev/a", ".config/vivaldi/a", ".config/opera/a",
    ".local/share/epiphany/a", ".librewolf/a", ".tor-browser-en/a", ".local/share/torbrowser/a", ".local/share/qutebrowser/a",
    ".thunderbird/a/prefs.js", ".cache/thunderbird/a", ".local/share/evolution/mail/a", ".config/evolution/a", ".local/share/geary/a",
    ".local/share/local-mail/a", ".config/kmail2rc", ".local/share/akonadi/a", ".muttrc", ".mutt/a", ".config/neomutt/a", ".config/aerc/a", ".msmtprc",
    ".mbsyncrc", ".config/isyncrc", ".claws-mail/a",
    ".config/rclone/rclone.conf", ".config/sops/age/keys.txt", ".config/op/config", ".local/share/gopass/a", ".local/share/password-store/a",
    ".zen/a", ".waterfox/a", ".opera/a", ".config/librewolf/a", ".config/yandex-browser/a", ".local/share/falkon/a", ".config/tor-browser/a",
    ".icedove/a", ".sylpheed-2.0/a", ".evolution/a", ".balsa/a", ".neomuttrc", ".isyncrc", ".fetchmailrc", ".offlineimaprc", ".config/mutt/muttrc",
    ".config/emailidentities", ".config/mailtransports", ".config/himalaya/config.toml", ".config/msmtp/config", ".config/offlineimap/config",
    ".var/app/org.mozilla.firefox/.mozilla/a", "snap/firefox/common/.mozilla/a",
)


class Homes(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="leaving-", dir=WORK))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.home = self.root / "ada"
        self.home.mkdir()
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "GNUPG", "KUBE", "AWS", "PASSWORD_STORE"))}
        self.set(**{**kept, "HOME": str(self.home)})

    def set(self, **variables: str):
        self.enterContext(mock.patch.dict(os.environ, variables, clear="HOME" in variables))

    def write(self, path, contents: bytes = PDF) -> pathlib.Path:
        path = self.home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
        return path

    def assert_stays(self, path, *uses: str):
        """Checks that a file does not leave for the given uses, or for any use, although its kind of contents may leave."""
        for use in uses or USES:
            if pathlib.Path(path).is_file():
                pathlib.Path(path).write_bytes(FITTING[use])
            self.assertFalse(may_leave(str(path), USES[use]), f"{use} {path}")
            with self.assertRaises((Stays, FileNotFoundError)):
                open_file(str(path), USES[use])

    def assert_goes(self, path, *uses: str):
        for use in uses or USES:
            pathlib.Path(path).write_bytes(FITTING[use])
            with open_file(str(path), USES[use]) as file:
                self.assertEqual(os.pread(file.descriptor, 1000, 0), FITTING[use])


class PrivateFiles(Homes):
    def test_keys_passwords_and_profiles_never_leave(self):
        for place in NEVER:
            with self.subTest(place=place):
                self.assert_stays(self.write(place))

    def test_private_files_that_do_not_exist_yet_never_leave(self):
        for place in NEVER:
            self.assertFalse(may_leave(str(self.home / place), EDITING), place)
        self.assertTrue(may_leave(str(self.home / "new.txt"), EDITING))
        self.assertFalse(may_leave(str(self.home / "new.pdf"), READING))

    def test_files_with_similar_names_may_leave(self):
        for place in ("letter.pdf", "ssh/a.pdf", "baton/a.pdf", "Documents/.ssh notes/a.pdf", "snapshots/a.pdf", "chromium/a.pdf", "tmp/a.pdf"):
            self.assert_goes(self.write(place), "editing")
        self.assert_goes(self.write("letter.pdf"))

    def test_symbolic_link_to_a_private_file_never_leaves(self):
        for place in NEVER:
            link = self.home / "link.pdf"
            link.symlink_to(self.write(place))
            self.assert_stays(link)
            link.unlink()
            link.symlink_to((self.home / place).parent)
            self.assert_stays(link / pathlib.Path(place).name)
            link.unlink()

    def test_private_file_that_is_a_symbolic_link_never_leaves(self):
        """The file may not leave, whether it is named by the path of the link or of the target."""
        keys = self.write("Sync/keys/id")
        (self.home / ".ssh").symlink_to(keys.parent)
        (self.home / ".netrc").symlink_to(self.write("Sync/netrc"))
        for path in (self.home / ".ssh" / "id", keys, self.home / ".netrc", self.home / "Sync" / "netrc"):
            self.assert_stays(path)

    def test_target_of_a_private_symbolic_link_never_leaves(self):
        for place in (".ssh/config", ".aws/credentials", ".config/gh/hosts.yml", ".config/baton/baton.conf"):
            (self.home / place).parent.mkdir(parents=True)
            kept = self.write(f"dotfiles/{pathlib.Path(place).name}")
            (self.home / place).symlink_to(kept)
            self.assert_stays(kept)
            (self.home / place).unlink()
            self.assert_goes(kept)

    def test_dots_in_a_path_do_not_hide_a_private_file(self):
        self.write(".ssh/deep/id")
        self.write(".ssh/id")
        (self.home / "Music").mkdir()
        (self.home / "link").symlink_to(self.home / ".ssh" / "deep")
        for path in ("Music/../.ssh/id", "./.ssh/./id", ".ssh/deep/../id", "link/../id", "link/id", ".ssh//id"):
            self.assert_stays(f"{self.home}/{path}")

    def judged_where_it_is_mounted(self, mounted: pathlib.Path, point: pathlib.Path, file: pathlib.Path) -> list:
        """Returns whether a file may leave, for editing and for reading, while a part of home is also mounted elsewhere."""
        script = (f"import sys; sys.path[:0] = {sys.path!r}\nfrom library import introspected\nintrospected()\n"
                  "from ladder import EDITING, READING, may_leave\n"
                  f"print(may_leave({str(file)!r}, EDITING), may_leave({str(file)!r}, READING))\n")
        command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", 'mount --bind "$1" "$2" && exec "$3" -c "$4"', "sh",
                   str(mounted), str(point), sys.executable, script]
        done = subprocess.run(command, check=False, timeout=LIMIT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout.split()

    def test_bind_mount_of_a_private_directory_never_leaves(self):
        secret, point = self.write(".ssh/id.pdf"), self.home / "My Keys"
        point.mkdir()
        self.assertEqual(self.judged_where_it_is_mounted(secret.parent, point, point / secret.name), ["False", "False"])

    def test_bind_mount_of_a_part_of_a_private_directory_never_leaves(self):
        secret, point, file = self.write(".ssh/work/id.pdf"), self.home / "My Keys", self.write("letter.pdf")
        point.mkdir()
        self.assertEqual(self.judged_where_it_is_mounted(secret.parent, point, point / secret.name), ["False", "False"])
        self.assertEqual(self.judged_where_it_is_mounted(secret, file, file), ["False", "False"])

    def test_bind_mount_of_another_directory_may_leave(self):
        letter, point = self.write("Letters/letter.pdf"), self.home / "Desk"
        point.mkdir()
        self.assertEqual(self.judged_where_it_is_mounted(letter.parent, point, point / letter.name), ["True", "True"])

    def test_hard_link_to_a_private_file_never_leaves(self):
        for place in NEVER:
            link = self.home / "link.pdf"
            os.link(self.write(place), link)
            self.assert_stays(link)
            link.unlink()

    def test_hard_link_never_leaves_if_there_are_too_many_private_files_to_compare(self):
        for number in range(4):
            self.write(f".ssh/{number}")
        other = self.write("letter.pdf")
        os.link(other, self.home / "another.pdf")
        self.assert_goes(other)
        with mock.patch.object(other_names, "MOST", 3):
            self.assert_stays(other)

    def test_case_of_a_private_path_makes_no_difference(self):
        for place in (".SSH/id", ".GnuPG/a", ".NETRC", ".Config/Baton/folders"):
            self.assert_stays(self.write(place), "editing")

    def test_directories_that_variables_name_are_as_private_as_the_usual_ones(self):
        places = {"XDG_CONFIG_HOME": ("Config", ".config", "baton/folders", "chromium/a", "mozilla/a"),
                  "XDG_STATE_HOME": ("State", ".local/state", "baton/state"), "XDG_DATA_HOME": ("Data", ".local/share", "keyrings/a", "geary/a"),
                  "XDG_CACHE_HOME": ("Cache", ".cache", "mozilla/a")}
        self.set(**{variable: f"{self.home}/x/../{own}/" for variable, (own, *_) in places.items()})
        for own, usual, *names in places.values():
            for name in names:
                self.assert_stays(self.write(f"{own}/{name}"))
                self.assert_stays(self.write(f"{usual}/{name}"))

    def test_variables_that_are_links_relative_or_empty_do_not_expose_files(self):
        (self.home / "Linked").symlink_to(self.home / "Real")
        self.set(XDG_CONFIG_HOME=str(self.home / "Linked"), XDG_STATE_HOME="State", XDG_DATA_HOME="")
        for place in ("Real/baton/folders", "Linked/baton/folders", ".local/state/baton/state", ".local/share/keyrings/a"):
            self.assert_stays(self.write(place))
        self.assert_goes(self.write("State/baton/letter.pdf"))

    def test_private_files_at_places_from_other_programs_variables_never_leave(self):
        self.set(GNUPGHOME=f"{self.home}/gpg", PASSWORD_STORE_DIR=f"{self.home}/Sync/pass", KUBECONFIG=f"{self.home}/one:{self.home}/two")
        for place in ("gpg/a", "Sync/pass/mail.gpg", "one", "two"):
            self.assert_stays(self.write(place))
        self.assert_goes(self.write("Sync/letter.pdf"))

    def test_temporary_files_never_leave(self):
        self.set(XDG_RUNTIME_DIR=str(self.home / "run"))
        self.assert_stays(self.write("run/notes"))
        for directory in ("/tmp", "/var/tmp", "/dev/shm"):
            with tempfile.NamedTemporaryFile(dir=directory) as file:
                self.assert_stays(file.name)
        self.assertFalse(may_leave("/proc/self/status", EDITING))
        self.assert_stays("/run/user/1000/new", "editing")


class Page(unittest.TestCase):
    """Documentation/Files.md has the adapters' lists."""

    def test_page_lists_the_files_that_never_leave(self):
        page = (ROOT / "Documentation" / "Files.md").read_text(encoding="utf-8").split("### What never leaves")[1].split("\n## ")[0]
        named = {}
        for below, names in re.findall(r"(?m)^\| (.*?) \| .*? \| (.*) \|$", page):
            named.setdefault(below, []).extend(re.findall(r"`(.*?)`", names))
        self.assertEqual(sorted(named["home"]), sorted(never.HOME))
        self.assertEqual(sorted(named["`$XDG_*_HOME`"]), sorted(never.SHELVES))
        self.assertEqual(named["`$XDG_CONFIG_HOME`, `$XDG_STATE_HOME`"], [never.BATON])
        self.assertEqual(sorted(named["a variable's value"]), sorted(never.VARIABLES))
        self.assertEqual(sorted(named["`/`"]), sorted((*never.PASSING, "$XDG_RUNTIME_DIR")))

    def test_tests_cover_each_private_path(self):
        """Every path in the adapters' lists must be in NEVER, because only the paths in NEVER are tested above."""
        home = [never.Place("/", pattern) for pattern in never.HOME]
        shelves = [never.Place(f"/{shelf}", pattern) for shelf in (".config", ".local/share", ".local/state", ".cache") for pattern in never.SHELVES]
        tried = {place.pattern for place in (*home, *shelves) if any(never._is_at(f"/{path}".casefold(), place) for path in NEVER)}
        self.assertEqual({place.pattern for place in (*home, *shelves)} - tried, set())


class Hidden(Homes):
    def test_hidden_files_leave_only_from_editors(self):
        for place in (".bashrc", ".secrets/a.pdf", "Music/.hidden/a.pdf", "Music/.a.pdf", ".local/share/other/a.pdf", ".local/share/baton/a.pdf",
                      ".local/share/baton/documents/x/.a.pdf"):
            self.assert_stays(self.write(place), "playing", "reading")
            self.assert_goes(self.write(place), "editing")

    def test_hidden_files_outside_of_home_do_not_leave_from_players_and_viewers(self):
        """The file is on a disk that contains no home directory."""
        self.set(HOME=str(self.home / "nobody"))
        with mock.patch("ladder.hidden.layout.below", lambda path, begin: path.removeprefix(f"{self.root}/") if begin == "/" else None):
            self.assert_goes(self.write("disk/a.pdf"))
            self.assert_stays(self.write("disk/.a.pdf"), "playing", "reading")
            self.assert_stays(self.write(".disk/a.pdf"), "playing", "reading")

    def test_links_to_hidden_files_and_hidden_links_do_not_leave_from_players_and_viewers(self):
        (self.home / "link.pdf").symlink_to(self.write(".secrets/a.pdf"))
        (self.home / ".link.pdf").symlink_to(self.write("letter.pdf"))
        for place in ("link.pdf", ".link.pdf"):
            self.assert_stays(self.home / place, "playing", "reading")
            self.assert_goes(self.home / place, "editing")

    def test_programs_own_files_do_not_leave_from_players_and_viewers(self):
        self.set(XDG_CONFIG_HOME=f"{self.home}/Config", XDG_STATE_HOME=f"{self.home}/State", XDG_CACHE_HOME=f"{self.home}/Cache")
        for place in (".config/app/a.pdf", ".local/state/app/a.pdf", ".cache/app/a.pdf", "Config/app/a.pdf", "State/app/a.pdf", "Cache/app/a.pdf"):
            self.assert_stays(self.write(place), "playing", "reading")
            self.assert_goes(self.write(place), "editing")

    def test_copies_from_other_laptops_may_leave(self):
        self.set(XDG_DATA_HOME=f"{self.home}/.data")
        for place in (".local/share/baton/documents/x/letter.pdf", ".data/baton/documents/x/letter.pdf"):
            self.assert_goes(self.write(place))

    def test_files_in_a_home_below_a_hidden_directory_may_leave(self):
        self.home = self.root / ".homes" / "ada"
        self.set(HOME=str(self.home))
        self.assert_goes(self.write("letter.pdf"))


class Kinds(Homes):
    MEDIA = {"song.mp3": MP3, "frames": b"\xff\xfb\x90\x64" + 400 * b"\0", "a.wav": b"RIFF\x24\0\0\0WAVEfmt ", "film.mkv": b"\x1aE\xdf\xa3\x93\x42\x82\x88matroska",
             "film.mp4": b"\0\0\0\x20ftypisom\0\0\2\0", "a.ogg": b"OggS\0\2" + 22 * b"\0", "a.wmv": bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")}
    DOCUMENTS = {"a.pdf": PDF, "no name": PDF, "a.ps": b"%!PS-Adobe-3.0\n", "a.epub": b"PK\3\4" + 26 * b"\0" + b"mimetypeapplication/epub+zip",
                 "a.cbz": b"PK\3\4" + 26 * b"\0" + b"001.jpg", "a.djvu": b"AT&TFORM\0\0\0\0DJVU", "a.dvi": b"\xf7\x02", "a.tif": b"II*\0"}
    PLAYLISTS = (b"#EXTM3U\n/etc/passwd\n", b"/home/ada/a.mp3\n", b"[playlist]\nFile1=file:///etc/passwd\n", b'<ASX version="3.0">\n', b"[Reference]\nRef1=x\n",
                 b'<?xml version="1.0"?>\n<playlist xmlns="http://xspf.org/ns/0/">', b"#EXTM3U\n\x01\n", b"#EXTM3U\n#EXT-X-VERSION:3\n")
    OTHER = (b"<!DOCTYPE html><html>", b"<html><body>", b"Dear Ada,\n", b"", 100 * b"\0", b"\x7fELF\2\1\1\0", b"[Desktop Entry]\nType=Application\n",
             b"-----BEGIN OPENSSH PRIVATE KEY-----\n", b"\x89PNG\r\n\x1a\n")

    def goes(self, name: str, contents: bytes, use: str) -> bool:
        return may_leave(str(self.write(name, contents)), USES[use])

    def test_players_hand_over_media_and_viewers_documents(self):
        for name, contents in self.MEDIA.items():
            self.assertEqual([self.goes(name, contents, use) for use in ("playing", "reading")], [True, False], name)
        for name, contents in self.DOCUMENTS.items():
            self.assertEqual([self.goes(name, contents, use) for use in ("playing", "reading")], [False, True], name)

    def test_playlist_with_the_name_of_a_song_does_not_leave(self):
        for contents in self.PLAYLISTS:
            for name in ("song.mp3", "song.m3u", "song.pls", "song.wav", "song"):
                self.assertFalse(self.goes(name, contents, "playing"), (name, contents))

    def test_playlist_whose_other_bytes_are_a_song_does_not_leave(self):
        """Players recognise a playlist by its beginning. The other bytes belong to a ScreamTracker song."""
        tag, long = b"ID3\4\0\0\0\0\2\0" + bytes(256), b"ID3\4\0\0\0\x08\0\0" + bytes(8 * 128 * 128)
        for begin in (b"[Playlist]\nFile1=http://h/\n", b"# mpv EDL v0\nhttp://h/\n", b"[Reference]\nRef1=http://h/\n", b"#EXTM3U\nhttp://h/\n", b"http://h/\n",
                      b"\xef\xbb\xbf#EXTM3U\nhttp://h/\n", b"\n \n#EXTM3U\nhttp://h/", "\ufeff#EXTM3U\n".encode("utf-16-le"), b"<asx>", b"rtsp://h/\n", b"v=0\no=-",
                      b"ffconcat version 1.0\n", b"RTSPtext\nrtsp://h", b"# a\nhttp://h/\n", b"[InternetShortcut]\nURL=http://h"):
            for contents in (begin.ljust(44, b"x") + b"SCRM\x10\0", tag + begin, tag + tag + begin, long + begin + b"\x01", 5 * tag + begin):
                self.assertFalse(self.goes("song.mp3", contents, "playing"), contents[:400])
        self.assertFalse(self.goes("song.mp3", b"[Reference]\nRef1=http://127.0.0.1:631/x\n#\x01", "playing"))
        for name in ("song.m3u", "song.M3U8", "song.vlc", "song.pls"):
            self.assertFalse(self.goes(name, MP3, "playing"), name)
        for contents in (b"My song".ljust(44, b"\0") + b"SCRM\x10\0", tag + b"\xff\xfb\x90\x64" + bytes(400), long + b"\xff\xfb\x90\x64" + bytes(400), b"#!AMR\n" + bytes(40)):
            self.assertTrue(self.goes("song", contents, "playing"), contents[:60])

    def test_files_with_misleading_extensions_do_not_leave(self):
        for contents in (*self.OTHER, *self.PLAYLISTS):
            for name in ("film.mp4", "song.mp3"):
                self.assertFalse(self.goes(name, contents, "playing"), (name, contents))
            for name in ("book.pdf", "book.ps", "book.epub", "book.cbz", "book.xps"):
                self.assertFalse(self.goes(name, contents, "reading"), (name, contents))

    def test_archive_without_the_name_of_a_document_does_not_leave(self):
        for name in ("backup.zip", "backup", "letter.docx", "backup.pdf"):
            self.assertFalse(self.goes(name, self.DOCUMENTS["a.cbz"], "reading"), name)

    def test_editors_hand_over_all_kinds(self):
        for contents in (*self.OTHER, *self.PLAYLISTS, PDF, MP3):
            self.assertTrue(self.goes("letter", contents, "editing"), contents)

    def test_names_that_are_not_utf_8_or_have_control_characters_may_leave(self):
        for name in ("a\nb.pdf", "a\x1b.pdf", os.fsdecode(b"caf\xe9.pdf"), os.fsdecode(b"d\xe9/caf\xe9.pdf"), os.fsdecode(255 * b"\xff")):
            self.assert_goes(self.write(name))

    def test_invalid_path_does_not_leave_and_has_a_reason(self):
        for path, reason in ((f"{self.home}/{256 * 'a'}", "name is too long"), (f"{self.home}/{128 * 'é'}", "name is too long"),
                             (f"{self.home}/", "path does not lead to a file"), (f"{self.home}/..", "path does not lead to a file"), ("", "path does not lead to a file"),
                             ("/a\0b", "path does not lead to a file"), ("/\ud800/a", "path does not lead to a file")):
            for use in USES.values():
                self.assertRegex(str(why_it_stays(path, use)), reason)


class Reasons(Homes):
    """Tests why a file may not leave the laptop, and whether the user is told about it. The user is told nothing about
    private files."""

    def temporary(self, name: str, contents: bytes = PDF, directory: str = "/tmp") -> str:
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="told-", dir=directory)))
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(contents)
        return str(path)

    def assert_told(self, path: str, use, reason: str):
        stays = why_it_stays(path, use)
        self.assertRegex(str(stays), reason)
        self.assertTrue(stays.is_told, path)

    def assert_not_told(self, path: str, *uses):
        for use in uses:
            self.assertFalse(may_leave(path, use), path)
            self.assertFalse(why_it_stays(path, use).is_told, path)

    def test_temporary_document_or_song_is_reported(self):
        for directory in ("/tmp", "/var/tmp", "/dev/shm"):
            self.assert_told(self.temporary("report.pdf", directory=directory), READING, f"^{sentence(never.TEMPORARY)}$")
            self.assert_told(self.temporary("song.mp3", MP3, directory), PLAYING, f"^{sentence(never.TEMPORARY)}$")
        linked = self.home / "report.pdf"
        linked.symlink_to(self.temporary("report.pdf"))
        self.assert_told(str(linked), READING, sentence(never.TEMPORARY))

    def test_file_of_an_unsupported_kind_is_reported(self):
        self.assert_told(str(self.write("script.sh", b"#!/bin/sh\n")), READING, "^Files of its kind are not handed over from this app.$")

    def test_name_that_is_too_long_is_reported_unless_its_place_is_private(self):
        for use in USES.values():
            self.assert_told(f"{self.home}/{256 * 'a'}", use, "name is too long")
            for place in (".ssh/", ".gnupg/", ".", "snap/"):
                self.assert_not_told(f"{self.home}/{place}{256 * 'a'}", use)

    def test_invalid_path_is_not_reported(self):
        for path in ("", f"{self.home}/", "/a\0b", "/\ud800/a"):
            self.assert_not_told(path, *USES.values())

    def test_temporary_text_is_not_reported(self):
        """Passwords and mails are edited in such files."""
        self.assert_not_told(self.temporary("mail.txt", b"secret"), EDITING)

    def test_private_files_are_not_reported(self):
        private = [str(self.write(place)) for place in NEVER]
        links = [self.temporary("report.pdf") for _ in range(2)]
        for link, target in zip(links, private):
            os.unlink(link)
            os.symlink(target, link)
        # A hard link to a private file, in a directory that does not reveal that the file is private.
        os.link(private[0], self.home / "report.pdf")
        hidden = [str(self.write(place)) for place in (".hidden.pdf", ".local/share/app/report.pdf", ".cache/report.pdf")]
        hidden.append(self.temporary(".hidden/report.pdf"))
        for path in (*private, *links, *hidden, str(self.home / "report.pdf")):
            self.assert_not_told(path, READING, PLAYING)
        for path in (*private, str(self.home / "report.pdf")):
            self.assert_not_told(path, EDITING)

    def test_pipe_at_a_private_place_is_not_reported(self):
        (self.home / ".ssh").mkdir()
        os.mkfifo(self.home / ".ssh" / "pipe")
        self.assert_not_told(str(self.home / ".ssh" / "pipe"), *USES.values())

    def test_files_that_may_leave_or_are_missing_are_not_reported(self):
        text = str(self.write("letter.txt", b"Dear Ada,\n"))
        self.assertIsNone(why_it_stays(str(self.write("report.pdf")), READING))
        self.assertIsNone(why_it_stays(text, EDITING))
        self.assertIsNone(why_it_stays(str(self.home / "new.txt"), EDITING))
        self.assertEqual(str(why_it_stays(str(self.home / "gone.pdf"), READING)), "It is not there any more.")
        for path in (str(self.home / "gone.pdf"), "/tmp/gone.pdf"):
            self.assert_not_told(path, READING)


class OpenedFiles(Homes):
    def test_pipe_device_socket_and_directory_are_refused_at_once(self):
        os.mkfifo(self.home / "pipe.pdf")
        (self.home / "directory.pdf").mkdir()
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(str(self.home / "socket.pdf"))
        began = time.monotonic()
        for path in ("pipe.pdf", "directory.pdf", "socket.pdf"):
            for use in USES.values():
                with self.assertRaisesRegex(Stays, "not an ordinary file"):
                    open_file(str(self.home / path), use)
        for path in ("/dev/zero", "/dev/tty", "/dev/null"):
            with self.assertRaisesRegex(Stays, "not an ordinary file"):
                open_file(path, EDITING)
        self.assertLess(time.monotonic() - began, LIMIT)

    def test_nothing_is_opened_for_reading_before_it_is_known_to_be_a_file(self):
        os.mkfifo(self.home / "pipe")
        opened = []

        def watched(path, flags, *rest, **more):
            opened.append(flags)
            return real(path, flags, *rest, **more)
        real = os.open
        with mock.patch.object(os, "open", watched), self.assertRaises(Stays):
            open_file(str(self.home / "pipe"), EDITING)
        self.assertTrue(all(flags & os.O_PATH for flags in opened), opened)

    @contextlib.contextmanager
    def swapping(self, path: pathlib.Path, *makers):
        """Lets another thread place a result of each function at a path, in turn."""
        stop, other = threading.Event(), self.home / "other"

        def swap():
            while not stop.is_set():
                for make in makers:
                    make(other)
                    os.replace(other, path)
        thread = threading.Thread(target=swap)
        makers[0](path)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def seen(self, path: pathlib.Path) -> set:
        """Opens a path repeatedly until it has been both opened and refused. Returns the opened files, with None
        for each file that may not leave."""
        seen, end = set(), time.monotonic() + LIMIT
        for number in range(100_000):
            if number > 300 and len(seen) > 1 or time.monotonic() > end:
                break
            try:
                with open_file(str(path), READING) as file:
                    seen.add(os.pread(file.descriptor, 1000, 0))
            except Stays:
                seen.add(None)
        return seen

    def test_link_that_is_swapped_meanwhile_reveals_no_secret(self):
        secret, book = self.write(".ssh/id.pdf", PDF + b"secret"), self.home / "book.pdf"
        with self.swapping(book, lambda other: other.symlink_to(secret), lambda other: other.write_bytes(PDF)):
            self.assertEqual(self.seen(book), {PDF, None})

    def swapped_at(self, number: int, path: pathlib.Path, place: pathlib.Path, first, then) -> tuple:
        """Returns what is opened at a path if one file replaces another before the call with a number, and whether
        there were that many calls."""
        called, other = 0, self.home / "other"

        def watch(frame, event, function):
            nonlocal called
            if event == "c_call" and getattr(function, "__module__", "") == "posix":
                called += 1
                if called == number:
                    sys.setprofile(None)
                    then(other)
                    os.replace(other, place)
        place.unlink(missing_ok=True)
        first(place)
        sys.setprofile(watch)
        try:
            with open_file(str(path), READING) as file:
                return os.pread(file.descriptor, 1000, 0), file.measure().digest, called >= number
        except Stays:
            return None, None, called >= number
        finally:
            sys.setprofile(None)

    def assert_leads_to_no_secret(self, path: pathlib.Path, place: pathlib.Path, secret, book):
        """Checks that a path leads to no secret, at whichever moment one file replaces the other."""
        for name, few in (("HOME", (".ssh",)), ("SHELVES", ())):  # each place costs some system calls
            self.enterContext(mock.patch.object(never, name, few))
        seen = set()
        for first, then in ((secret, book), (book, secret)):
            number, is_called = 0, True
            while is_called:
                number += 1
                found, digest, is_called = self.swapped_at(number, path, place, first, then)
                self.assertIn(found, (PDF, None), number)
                self.assertIn(digest, (hashlib.sha256(PDF).digest(), None), number)
                seen.add(found)
            self.assertGreater(number, 20)
        self.assertEqual(seen, {PDF, None})

    def test_link_that_is_swapped_at_any_moment_reveals_no_secret(self):
        secret, book = self.write(".ssh/id.pdf", PDF + b"secret"), self.home / "book.pdf"
        self.assert_leads_to_no_secret(book, book, lambda other: other.symlink_to(secret), lambda other: other.write_bytes(PDF))

    def test_directory_that_is_swapped_at_any_moment_reveals_no_secret(self):
        secret, book, link = self.write(".ssh/book.pdf", PDF + b"secret"), self.write("Books/book.pdf"), self.home / "link"
        self.assert_leads_to_no_secret(link / "book.pdf", link, lambda other: other.symlink_to(secret.parent), lambda other: other.symlink_to(book.parent))

    def test_digest_and_contents_come_from_one_file_even_if_its_path_changes(self):
        path = self.write("letter.pdf", PDF + b"one")
        with open_file(str(path), READING) as file:
            os.replace(self.write("other", PDF + b"two, and longer"), path)
            self.assertEqual(file.measure(), (len(PDF) + 3, hashlib.sha256(PDF + b"one").digest()))
            self.assertEqual(os.pread(file.descriptor, 1000, 0), PDF + b"one")

    def test_path_is_the_files_real_path_and_name_is_the_one_in_the_app(self):
        (self.home / "link.pdf").symlink_to(self.write("Books/book.pdf"))
        with open_file(str(self.home / "link.pdf"), READING) as file:
            self.assertEqual((file.path, file.name), (os.path.realpath(self.home / "Books" / "book.pdf"), "link.pdf"))

    def test_file_whose_name_looks_deleted_may_leave(self):
        """The kernel writes the same suffix after the names of deleted files."""
        self.assert_goes(self.write("letter.pdf (deleted)"), "editing", "reading")

    def test_checked_files_leave_no_descriptor_open(self):
        gone, stays, pipe = self.write("letter.pdf"), self.write(".ssh/id"), self.home / "pipe"
        os.mkfifo(pipe)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(50):
            for path in (gone, stays, pipe, self.home / "missing"):
                for use in USES.values():
                    may_leave(str(path), use)
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
