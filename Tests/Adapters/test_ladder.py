# SPDX-License-Identifier: Apache-2.0
"""Tests the ladder for missing files, with real files, real git, and two real daemons."""

import atexit
import collections
import contextlib
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time
import unicodedata
import unittest
from unittest import mock

# GLib reads each of these variables only once, so set them before it is loaded.
PLACES = pathlib.Path(tempfile.mkdtemp(prefix="baton-ladder-"))
os.environ |= {"XDG_CONFIG_HOME": str(PLACES / "config"), "XDG_DATA_HOME": str(PLACES / "data")}
atexit.register(shutil.rmtree, PLACES)

from apps import EXTENSION, LIMIT, WORK, sys  # noqa: E402
from laptops import TwoLaptops  # noqa: E402
from library import introspected  # noqa: E402

Baton = introspected()
sys.path.insert(0, str(EXTENSION))

from gi.repository import Gio, GLib  # noqa: E402

from ladder import EDITING, KEY, PLAYING, Copy, File, Missing, Page, Reference, Stays, find, offer  # noqa: E402
from ladder import digest, git, hidden, names, origin, places, user_directories  # noqa: E402
from ladder.leaving import open_file, open_own  # noqa: E402
from ladder.find import search  # noqa: E402

ENGINE = "https://example.org/ada/engine.git"


class Homes(unittest.TestCase):
    """The home directories of two laptops. The test uses one of them at a time as its own. The directories are not
    below /tmp, because nothing is handed over from there."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="ladder-", dir=WORK))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.desk, self.sofa = self.root / "desk", self.root / "sofa"
        for home in (self.desk, self.sofa):
            home.mkdir()

    def at(self, home: pathlib.Path):
        return mock.patch.dict(os.environ, {"HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run")})

    def write(self, path: pathlib.Path, text: str = "Dear Ada,\n") -> pathlib.Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def reference(self, path: pathlib.Path) -> Reference:
        """Returns the other laptop's reference to a file of the desk."""
        with self.at(self.desk):
            return self.read({KEY: self.described(path).variant()})

    def described(self, path: pathlib.Path) -> Reference:
        """Returns the reference that is sent for a file of this laptop."""
        with open_file(str(path), EDITING) as file:
            return Reference.of(file)

    def read(self, user_info: dict) -> Reference | None:
        return Reference.read(GLib.Variant("a{sv}", user_info))

    def file(self, **entries) -> Reference | None:
        return self.read({KEY: GLib.Variant("a{sv}", {"name": GLib.Variant("s", "a.txt"), **entries})})

    def found(self, reference: Reference, url: str = "", patience: float = 0) -> File | None:
        with self.at(self.sofa):
            return search(url, reference, "desk", patience)

    def git(self, directory: pathlib.Path, *words: str) -> str:
        settings = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always")
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.root), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(["git", *settings, *words], cwd=directory, env=environment, check=True, timeout=LIMIT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.strip()

    def repository(self, directory: pathlib.Path, url: str = ENGINE, text: str = "one\n") -> pathlib.Path:
        directory.mkdir(parents=True)
        self.git(directory, "init", "--quiet")
        self.git(directory, "remote", "add", "origin", url)
        self.commit(directory, text)
        return directory

    def commit(self, directory: pathlib.Path, text: str):
        self.write(directory / "src" / "engine.c", text)
        self.git(directory, "add", "--all")
        self.git(directory, "commit", "--quiet", "--message", text)

    def clone(self, source: pathlib.Path, directory: pathlib.Path, url: str = ENGINE) -> pathlib.Path:
        directory.parent.mkdir(parents=True, exist_ok=True)
        self.git(self.root, "clone", "--quiet", str(source), str(directory))
        self.git(directory, "remote", "set-url", "origin", url)
        return directory


class BelowHome(Homes):
    def test_file_with_the_same_path_and_contents_is_found(self):
        reference = self.reference(self.write(self.desk / "Letters" / "Dear Ada é.txt"))
        there = self.write(self.sofa / "Letters" / "Dear Ada é.txt")
        self.assertEqual(self.found(reference), File(str(there), True, ""))

    def test_file_with_the_same_path_and_other_contents_is_not_found(self):
        reference = self.reference(self.write(self.desk / "letter.txt"))
        self.write(self.sofa / "letter.txt", "Dear Bob,\n")
        self.assertIsNone(self.found(reference))
        (self.sofa / "letter.txt").unlink()
        self.assertIsNone(self.found(reference))

    def test_file_outside_of_home_has_no_path_below_home(self):
        self.assertIsNone(self.reference(self.write(self.root / "elsewhere.txt")).home)

    def test_path_out_of_home_is_refused(self):
        secret = self.write(self.root / "secret", "secret")
        measured = digest.measure(str(secret))
        entries = {"size": GLib.Variant("x", measured.size), "sha256": GLib.Variant("ay", measured.digest)}
        for path in ("../secret", "a/../../secret", str(secret), "/", "", ".", "a//b", "a/\0", "a\nb", "a/" * 3000 + "b"):
            if "\0" not in path:
                self.assertIsNone(self.file(**entries, home=GLib.Variant("s", path)).home, path)
        self.assertFalse(names.is_relative("a/\0"))

    def test_path_in_bytes_out_of_home_is_refused(self):
        secret = self.write(self.root / "secret", "secret")
        measured = digest.measure(str(secret))
        entries = {"size": GLib.Variant("x", measured.size), "sha256": GLib.Variant("ay", measured.digest)}
        for path in (b"../secret", b"a/../../secret", os.fsencode(secret), b"/", b"", b".", b"..", b"a//b", b"a/\0", b"\0", 256 * b"\xff", b"a/" * 3000 + b"b"):
            self.assertIsNone(self.file(**entries, homeBytes=GLib.Variant("ay", path)).home, path)
        for path in (b"caf\xe9", b"d\xe9/caf\xe9.txt", b"a\nb", b"\x1b[2J", b"a", b"...", b"-rf"):
            self.assertEqual(os.fsencode(self.file(**entries, homeBytes=GLib.Variant("ay", path)).home), path)

    def test_file_whose_path_is_not_utf_8_or_has_control_characters_is_found(self):
        for name in (b"caf\xe9.txt", b"d\xe9/caf\xe9 \xe9.txt", b"a\nb.txt", b"\x1b[2J.txt", b"a\x7f"):
            name = os.fsdecode(name)
            reference = self.reference(self.write(self.desk / name))
            there = self.write(self.sofa / name)
            self.assertEqual(self.found(reference), File(str(there), True, ""))

    def test_hidden_link_to_a_visible_file_is_not_found(self):
        reference = self.reference(self.write(self.desk / ".bashrc"))
        (self.sofa / ".bashrc").symlink_to(self.write(self.sofa / "dotfiles" / "bashrc"))
        self.assertIsNone(self.found(reference))

    def test_path_is_found_in_another_unicode_normal_form(self):
        for here, there in (("NFC", "NFD"), ("NFD", "NFC")):
            name = "Vidéos/Café Zoë/Ünïté.txt"
            reference = self.reference(self.write(self.desk / unicodedata.normalize(here, name)))
            path = self.write(self.sofa / unicodedata.normalize(there, name))
            self.assertEqual(self.found(reference), File(str(path), True, ""))
            shutil.rmtree(self.sofa / unicodedata.normalize(there, "Vidéos"))

    def test_exact_path_comes_before_another_normal_form(self):
        name = "Café.txt"
        reference = self.reference(self.write(self.desk / unicodedata.normalize("NFD", name)))
        for form in ("NFC", "NFD"):
            self.write(self.sofa / unicodedata.normalize(form, name))
        self.assertEqual(self.found(reference).path, str(self.sofa / unicodedata.normalize("NFD", name)))
        # Now the file with that name has other contents.
        self.write(self.sofa / unicodedata.normalize("NFD", name), "Dear Bob,\n")
        self.assertEqual(self.found(reference).path, str(self.sofa / unicodedata.normalize("NFC", name)))

    def test_path_in_another_normal_form_does_not_lead_out_of_home(self):
        reference = self.reference(self.write(self.desk / unicodedata.normalize("NFC", "Café.txt")))
        link = self.sofa / unicodedata.normalize("NFD", "Café.txt")
        for elsewhere in (self.root / "elsewhere", self.sofa / "snap" / "browser" / "letter.txt"):
            link.symlink_to(self.write(elsewhere))
            with mock.patch.object(hidden, "is_hidden", return_value=False):  # the tests themselves are in a hidden directory
                self.assertIsNone(self.found(reference))
            link.unlink()

    def test_directory_with_very_many_files_is_not_searched(self):
        reference = self.reference(self.write(self.desk / unicodedata.normalize("NFC", "Café.txt")))
        self.write(self.sofa / unicodedata.normalize("NFD", "Café.txt"))
        with mock.patch.object(places, "MOST_ENTRIES", 0):
            self.assertIsNone(self.found(reference))
        self.assertIsNotNone(self.found(reference))

    def test_symbolic_link_out_of_home_is_not_followed(self):
        reference = self.reference(self.write(self.desk / "letter.txt"))
        (self.sofa / "letter.txt").symlink_to(self.write(self.root / "elsewhere"))
        self.assertIsNone(self.found(reference))
        (self.sofa / "letter.txt").unlink()
        (self.sofa / "letter.txt").symlink_to(self.write(self.sofa / "Mail" / "letter.txt"))
        self.assertEqual(self.found(reference).path, str(self.sofa / "Mail" / "letter.txt"))

    def test_key_is_not_found_by_its_path(self):
        sent = self.reference(self.write(self.desk / "id_ed25519"))
        for place in (".ssh/id_ed25519", "snap/browser/common/id_ed25519"):
            self.write(self.sofa / place)
            self.assertIsNone(self.found(sent._replace(home=place)), place)

    def test_hidden_file_is_not_found_by_its_path(self):
        for place in (".bashrc", ".config/nvim/init.vim", "Notes/.hidden/letter.txt"):
            reference = self.reference(self.write(self.desk / place))
            self.assertEqual(reference.home, place)
            self.write(self.sofa / place)
            self.assertIsNone(self.found(reference), place)

    def test_link_to_a_hidden_file_is_not_followed(self):
        reference = self.reference(self.write(self.desk / "letter.txt"))
        (self.sofa / "letter.txt").symlink_to(self.write(self.sofa / ".bashrc"))
        self.assertIsNone(self.found(reference))

    def test_pipe_and_directory_are_not_found(self):
        reference = self.reference(self.write(self.desk / "letter.txt"))
        os.mkfifo(self.sofa / "letter.txt")
        self.assertIsNone(self.found(reference))
        (self.sofa / "letter.txt").unlink()
        (self.sofa / "letter.txt").mkdir()
        self.assertIsNone(self.found(reference))

    def test_file_of_5_gb_is_recognised_by_its_beginning_and_end(self):
        """The files are sparse and need no space."""
        for home in (self.desk, self.sofa):
            path = self.write(home / "film.mkv", "begin")
            os.truncate(path, 5 << 30)
        reference = self.reference(self.desk / "film.mkv")
        self.assertEqual(reference.size, 5 << 30)
        self.assertFalse(reference.is_copied())
        self.assertIsNotNone(self.found(reference))
        with (self.sofa / "film.mkv").open("r+b") as film:
            film.seek((5 << 30) - 1)
            film.write(b"x")
        self.assertIsNone(self.found(reference))


class InUserDirectories(Homes):
    """Directories whose names differ in each language."""

    def configure(self, home: pathlib.Path, *lines: str):
        self.write(home / ".config" / "user-dirs.dirs", "\n".join(lines) + "\n")

    def both(self, here: str, there: str) -> tuple:
        """Writes the same film to `here` on the desk and to `there` on the sofa. Returns the reference and the other
        laptop's path."""
        reference = self.reference(self.write(self.desk / here))
        return reference, self.write(self.sofa / there)

    def assert_found(self, here: str, there: str):
        reference, film = self.both(here, there)
        self.assertEqual(self.found(reference), File(str(film), True, ""))
        film.unlink()

    def test_film_is_found_in_the_directory_for_films(self):
        self.configure(self.desk, 'XDG_VIDEOS_DIR="$HOME/Vidéos"')
        self.configure(self.sofa, 'XDG_VIDEOS_DIR="$HOME/Filme/Meine Videos"')
        self.assert_found("Vidéos/2025/film.mkv", "Filme/Meine Videos/2025/film.mkv")

    def test_user_directory_without_a_setting_has_its_usual_name(self):
        self.configure(self.sofa, 'XDG_VIDEOS_DIR="$HOME/Vidéos"')
        self.assert_found("Videos/film.mkv", "Vidéos/film.mkv")
        self.configure(self.desk, 'XDG_MUSIC_DIR="$HOME/Musik"')
        self.assert_found("Musik/song.wav", "Music/song.wav")

    def test_usual_directory_name_is_recognised_if_the_other_laptop_names_no_user_directory(self):
        self.configure(self.sofa, 'XDG_VIDEOS_DIR="$HOME/Vidéos"')
        reference, film = self.both("Videos/film.mkv", "Vidéos/film.mkv")
        self.assertEqual(self.found(reference._replace(directory=None)).path, str(film))

    def test_user_directory_outside_of_home_is_recognised(self):
        self.configure(self.desk, f'XDG_VIDEOS_DIR="{self.root}/disk"')
        self.configure(self.sofa, 'XDG_VIDEOS_DIR="$HOME/Videos"')
        self.assert_found("../disk/film.mkv", "Videos/film.mkv")

    def test_invalid_line_of_user_directories_does_not_affect_other_lines(self):
        path = self.sofa / ".config" / "user-dirs.dirs"
        self.configure(self.sofa, "nonsense", 'XDG_VIDEOS_DIR=$HOME/x', 'XDG_VIDEOS_DIR="relative"', "XDG_MUSIC_DIR=\"a", "# a comment")
        path.write_bytes(path.read_bytes() + b'XDG_MUSIC_DIR="$HOME/Caf\xe9"\r\nXDG_PICTURES_DIR="$HOME/caf\\\\\\"\xe9"\nXDG_VIDEOS_DIR="$HOME/Vid\xc3\xa9os"\n')
        self.assert_found("Videos/film.mkv", "Vidéos/film.mkv")
        self.assert_found("Pictures/a.png", os.fsdecode(b'caf\\"\xe9/a.png'))
        self.assert_found("Music/a.wav", os.fsdecode(b"Caf\xe9/a.wav"))

    def test_home_itself_is_no_user_directory(self):
        self.configure(self.sofa, 'XDG_VIDEOS_DIR="$HOME/"')
        reference, film = self.both("Videos/film.mkv", "film.mkv")
        self.assertTrue(film.exists())
        self.assertIsNone(self.found(reference))

    def test_other_contents_and_hidden_files_are_not_found_in_user_directories(self):
        self.configure(self.sofa, 'XDG_VIDEOS_DIR="$HOME/Vidéos"', 'XDG_MUSIC_DIR="$HOME/.config"')
        reference, film = self.both("Videos/film.mkv", "Vidéos/film.mkv")
        film.write_text("another film")
        self.assertIsNone(self.found(reference))
        reference, _ = self.both("Music/app/settings", ".config/app/settings")
        self.assertIsNone(self.found(reference))

    def test_path_out_of_a_user_directory_is_refused(self):
        self.configure(self.sofa, 'XDG_VIDEOS_DIR="$HOME/Videos"')
        self.write(self.sofa / "letter.txt")
        for path in ("../letter.txt", "", "/etc/passwd", "a/../../letter.txt"):
            place = {"directory": GLib.Variant("s", "VIDEOS"), "path": GLib.Variant("s", path)}
            self.assertIsNone(self.file(userDirectory=GLib.Variant("a{sv}", place)).directory, path)
        for place in ({"directory": GLib.Variant("s", "HOME"), "path": GLib.Variant("s", "a")}, {"path": GLib.Variant("s", "a")}, {}):
            self.assertIsNone(self.file(userDirectory=GLib.Variant("a{sv}", place)).directory, place)
        self.assertIsNone(self.file(userDirectory=GLib.Variant("s", "VIDEOS")).directory)


class InFolder(Homes):
    URL = "baton-folder:/notes/letter.txt"

    def setUp(self):
        super().setUp()
        folders = self.write(PLACES / "config" / "baton" / "folders", f"notes = {self.sofa}/Notes\n")
        self.addCleanup(folders.unlink)
        self.sent = self.reference(self.write(self.desk / "Sync" / "letter.txt"))

    def test_file_is_found_in_this_laptops_own_shared_folder(self):
        there = self.write(self.sofa / "Notes" / "letter.txt")
        self.assertEqual(self.found(self.sent, self.URL), File(str(there), True, ""))

    def test_line_with_a_mistake_does_not_affect_other_folders(self):
        self.write(PLACES / "config" / "baton" / "folders", f"nonsense\nnotes = {self.sofa}/Notes\n")
        there = self.write(self.sofa / "Notes" / "letter.txt")
        self.assertEqual(self.found(self.sent, self.URL), File(str(there), True, ""))

    def test_file_that_is_being_synchronised_is_waited_for(self):
        """The file arrives in two steps while it is searched, and is incomplete at first."""
        there, looked = self.sofa / "Notes" / "letter.txt", threading.Semaphore(0)
        ask = Baton.folders_find_file

        def asked(url):
            looked.release()
            return ask(url)

        def synchronise():
            looked.acquire()
            self.write(there, "Dear")
            for _ in range(3):
                looked.acquire()
            self.write(there)
        other = threading.Thread(target=synchronise)
        other.start()
        with mock.patch.object(Baton, "folders_find_file", asked):
            self.assertEqual(self.found(self.sent, self.URL, LIMIT), File(str(there), True, ""))
        other.join()

    def test_file_that_stays_different_is_opened_with_a_note(self):
        there = self.write(self.sofa / "Notes" / "letter.txt", "Dear Bob,\n")
        found = self.found(self.sent, self.URL)
        self.assertEqual((found.path, found.is_same), (str(there), False))
        self.assertIn('The file on "desk" differs.', found.note)

    def test_hidden_file_that_stays_different_is_not_opened(self):
        """If a hidden file were opened, a member of the circle could then fetch it."""
        for path in (".env", ".cache/page", "a/.b/c"):
            self.write(self.sofa / "Notes" / path, "secret\n")
            self.assertIsNone(self.found(self.sent, f"baton-folder:/notes/{path}"), path)
            there = self.write(self.sofa / "Notes" / path)
            self.assertEqual(self.found(self.sent, f"baton-folder:/notes/{path}"), File(str(there), True, ""))

    def test_folder_may_be_hidden_itself(self):
        self.write(PLACES / "config" / "baton" / "folders", f"notes = {self.sofa}/.notes\n")
        there = self.write(self.sofa / ".notes" / "letter.txt", "Dear Bob,\n")
        self.assertEqual(self.found(self.sent, self.URL).path, str(there))

    def test_file_without_a_digest_counts_as_different_without_a_wait(self):
        """If the file counted as the same, unsaved text from a member would replace its text without a question."""
        there = self.write(self.sofa / "Notes" / "letter.txt")
        found = self.found(self.sent._replace(size=None, digest=None), self.URL, 10 * LIMIT)
        self.assertEqual((found.path, found.is_same), (str(there), False))

    def test_unknown_shared_folder_causes_no_wait(self):
        there = self.write(self.sofa / "Sync" / "letter.txt")
        self.assertEqual(self.found(self.sent, "baton-folder:/other/letter.txt", 10 * LIMIT).path, str(there))

    def test_file_whose_name_is_not_utf_8_is_found(self):
        there = self.write(self.sofa / "Notes" / os.fsdecode(b"caf\xe9.txt"))
        for url in ("baton-folder:/notes/caf%EF%BF%BD.txt?bytes=/notes/caf%E9.txt",):
            self.assertEqual(self.found(self.sent, url), File(str(there), True, ""))
        for url in ("baton-folder:/notes/caf%EF%BF%BD.txt", "baton-folder:/notes/caf%E9.txt", "baton-folder:/notes/x?bytes=/notes/../caf%E9.txt"):
            self.assertIsNone(self.found(self.sent, url), url)

    def test_path_out_of_a_shared_folder_is_refused(self):
        self.write(self.sofa / "letter.txt")
        for url in ("baton-folder:/notes/../letter.txt", "baton-folder:/notes/%2E%2E/letter.txt", "baton-folder:/../letter.txt",
                    "file:///etc/hostname", "baton-document:/letter.txt"):
            self.assertIsNone(self.found(self.sent, url, 10 * LIMIT), url)

    def test_symbolic_link_out_of_a_shared_folder_is_not_followed(self):
        (self.sofa / "Notes").mkdir()
        (self.sofa / "Notes" / "letter.txt").symlink_to(self.write(self.root / "elsewhere"))
        self.assertIsNone(self.found(self.sent, self.URL, 10 * LIMIT))


class InClone(Homes):
    def setUp(self):
        super().setUp()
        self.here = self.repository(self.desk / "src" / "engine")
        self.path = self.here / "src" / "engine.c"

    def test_file_at_the_same_commit_is_found_in_a_clone(self):
        clone = self.clone(self.here, self.sofa / "Projects" / "my-engine", "git@example.org:ada/engine")
        self.assertEqual(self.found(self.reference(self.path)), File(str(clone / "src" / "engine.c"), True, ""))

    def test_clone_at_the_same_path_is_found_at_any_depth(self):
        here = self.clone(self.here, self.desk / "go" / "src" / "example.org" / "engine")
        there = self.clone(self.here, self.sofa / "go" / "src" / "example.org" / "engine")
        self.write(there / "src" / "engine.c", "changed here\n")
        found = self.found(self.reference(here / "src" / "engine.c"))
        self.assertEqual((found.path, found.is_same, found.note), (str(there / "src" / "engine.c"), False, 'The file on "desk" differs.'))

    def test_note_says_how_many_commits_the_clone_differs(self):
        clone = self.clone(self.here, self.sofa / "engine")
        for text in ("two\n", "three\n"):
            self.commit(self.here, text)
        reference = self.reference(self.path)
        self.assertEqual(self.found(reference).note, 'The file on "desk" differs. This clone is at another commit.')
        self.git(clone, "fetch", "--quiet", str(self.here))
        self.assertEqual(self.found(reference).note, 'The file on "desk" differs. This clone is 2 commits behind.')
        self.commit(clone, "another\n")
        self.assertEqual(self.found(reference).note, 'The file on "desk" differs. This clone is 2 commits behind. This clone is 1 commit ahead.')

    def test_clone_with_the_identical_file_comes_first(self):
        old, same = self.clone(self.here, self.sofa / "a"), self.clone(self.here, self.sofa / "b")
        self.commit(self.here, "two\n")
        self.git(same, "pull", "--quiet", str(self.here), "main")
        self.assertEqual(self.found(self.reference(self.path)), File(str(same / "src" / "engine.c"), True, ""))
        self.assertTrue(old.exists())

    def test_other_remote_is_another_repository(self):
        self.clone(self.here, self.sofa / "engine", "https://example.org/bob/engine.git")
        self.commit(self.here, "two\n")
        self.assertIsNone(self.found(self.reference(self.path)))

    def test_path_out_of_a_clone_is_refused(self):
        clone = self.clone(self.here, self.sofa / "engine")
        self.write(self.sofa / "letter.txt")
        (clone / "link").symlink_to("../letter.txt")

        def at(path: str) -> Reference:
            return self.file(git=GLib.Variant("a{sv}", {"remotes": GLib.Variant("as", ["example.org/ada/engine"]), "path": GLib.Variant("s", path),
                                                       "commit": GLib.Variant("s", "")}))
        self.assertIsNone(at("../letter.txt").git)
        self.assertIsNone(at("/etc/hostname").git)
        self.assertIsNone(self.found(at("link")))
        self.assertIsNotNone(self.found(at("src/engine.c")))

    def at_path(self, path: str, *like: pathlib.Path) -> Reference:
        """Returns the reference of a member that names any path of the clone, with the contents of another file or none."""
        measured = digest.measure(str(like[0])) if like else digest.Measure(1, bytes(32))
        return self.file(size=GLib.Variant("x", measured.size), sha256=GLib.Variant("ay", measured.digest), git=GLib.Variant("a{sv}", {
            "remotes": GLib.Variant("as", ["example.org/ada/engine"]), "path": GLib.Variant("s", path), "commit": GLib.Variant("s", "")}))

    def test_untracked_file_is_found_only_if_it_is_identical(self):
        """If such a file were found, a member could have any file of the clone opened, and then fetch it."""
        clone = self.clone(self.here, self.sofa / "engine")
        same = self.write(self.root / "same", "secret\n")
        for name in (".env", "terraform.tfstate", "src/.secret", "new.c"):
            self.write(clone / name, "secret\n")
            self.assertIsNone(self.found(self.at_path(name)), name)
            self.assertEqual(self.found(self.at_path(name, same)), None if "/." in f"/{name}" else File(str(clone / name), True, ""), name)
        self.write(clone / "src" / "engine.c", "changed here\n")
        self.assertFalse(self.found(self.at_path("src/engine.c")).is_same)

    def test_tracked_link_to_an_untracked_file_is_not_followed(self):
        (self.here / "settings").symlink_to(".env")
        self.commit(self.here, "two\n")
        clone = self.clone(self.here, self.sofa / "engine")
        self.write(clone / ".env", "secret\n")
        self.assertIsNone(self.found(self.at_path("settings")))

    def test_file_whose_changes_git_ignores_is_not_found(self):
        clone = self.clone(self.here, self.sofa / "engine")
        self.write(clone / "src" / "engine.c", "secret\n")
        for option in ("skip-worktree", "assume-unchanged"):
            self.git(clone, "update-index", f"--{option}", "src/engine.c")
            self.assertIsNone(self.found(self.at_path("src/engine.c")), option)
            self.git(clone, "update-index", f"--no-{option}", "src/engine.c")
        self.assertIsNotNone(self.found(self.at_path("src/engine.c")))

    def test_clone_in_a_hidden_directory_is_not_found_by_the_path_below_home(self):
        for home in (self.desk, self.sofa):
            self.clone(self.here, home / ".config" / "nvim")
        reference = self.reference(self.desk / ".config" / "nvim" / "src" / "engine.c")
        self.assertEqual((reference.home, reference.git.path), (".config/nvim/src/engine.c", "src/engine.c"))
        self.assertIsNone(self.found(reference))

    def test_file_and_clone_whose_paths_are_not_utf_8_are_found(self):
        here = self.clone(self.here, self.desk / os.fsdecode(b"d\xe9"))
        for name in (b"caf\xe9.c", b"a\nb.c"):
            self.write(here / os.fsdecode(name))
        self.git(here, "add", "--all")
        self.git(here, "commit", "--quiet", "--message", "more")
        there = self.clone(here, self.sofa / os.fsdecode(b"engin\xe9"))
        for name in (b"caf\xe9.c", b"a\nb.c"):
            reference = self.reference(here / os.fsdecode(name))
            self.assertEqual(os.fsencode(reference.git.path), name)
            self.assertEqual(self.found(reference), File(str(there / os.fsdecode(name)), True, ""))

    def test_remote_that_is_not_utf_8_does_not_affect_other_remotes(self):
        with (self.here / ".git" / "config").open("ab") as file:
            file.write(b'[remote "old"]\n\turl = https://example.org/\xe9/engine\n')
        self.assertEqual(self.reference(self.path).git.remotes, ["example.org/ada/engine"])

    def test_gits_own_files_are_not_found(self):
        clone = self.clone(self.here, self.sofa / "engine")

        def place(path: str):
            return self.file(git=GLib.Variant("a{sv}", {"remotes": GLib.Variant("as", ["example.org/ada/engine"]), "path": GLib.Variant("s", path)})).git
        for path in (".git/config", ".GIT/hooks/post-checkout", "deep/.git/config"):
            self.assertIsNone(place(path), path)
        self.assertTrue((clone / ".git" / "config").exists())
        self.assertEqual(place(".github/workflows/test.yml").path, ".github/workflows/test.yml")

    def test_commit_that_is_not_a_full_hash_is_ignored(self):
        for commit in ("--output=/tmp/x", "HEAD", "main", "a" * 39, "a" * 40 + "\n"):
            found = self.file(git=GLib.Variant("a{sv}", {"remotes": GLib.Variant("as", []), "path": GLib.Variant("s", "a"),
                                                        "commit": GLib.Variant("s", commit)}))
            self.assertEqual(found.git.commit, "", commit)

    def test_user_and_password_of_a_remote_are_not_sent(self):
        self.git(self.here, "remote", "set-url", "origin", "https://ada:s3cret@example.org/ada/engine.git?token=s3cret")
        self.assertEqual(self.reference(self.path).git.remotes, ["example.org/ada/engine"])
        with self.at(self.desk):
            self.assertNotIn("s3cret", self.described(self.path).variant().print_(False))

    def test_remotes_of_all_protocols_get_the_same_name(self):
        for url in ("https://example.org/ada/engine.git", "https://ada:pw@EXAMPLE.org:8443/ada/engine/", "ssh://git@example.org:22/ada/engine.git",
                    "git@example.org:ada/engine.git", "git://example.org/ada/engine"):
            self.assertEqual(origin.of_remote(url), "example.org/ada/engine", url)
        for url in ("/srv/git/engine.git", "../engine", "file:///srv/git/engine.git", "ext::sh -c true", "", "https:///engine", "https://[", "x" * 9000):
            self.assertIsNone(origin.of_remote(url), url)

    def test_repository_without_a_remote_is_not_sent(self):
        self.git(self.here, "remote", "remove", "origin")
        self.assertIsNone(self.reference(self.path).git)
        self.assertIsNone(self.reference(self.write(self.desk / "letter.txt")).git)

    def test_git_runs_no_program_that_a_repository_names(self):
        mark = self.root / "ran"
        program = self.write(self.root / "program", f"#!/bin/sh\ntouch '{mark}'\n")
        program.chmod(0o755)
        hooks = self.here / ".git" / "hooks"
        for hook in ("post-checkout", "post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-commit"):
            shutil.copy(program, hooks / hook)
        for key in ("core.fsmonitor", "core.sshCommand", "core.askPass", "core.pager", "core.editor", "diff.external", "gpg.program",
                    "core.alternateRefsCommand", "credential.helper"):
            self.git(self.here, "config", key, str(program))
        mark.unlink(missing_ok=True)  # the writer is not under test
        self.clone(self.here, self.sofa / "engine")
        shutil.copy(self.here / ".git" / "config", self.sofa / "engine" / ".git" / "config")
        shutil.copytree(hooks, self.sofa / "engine" / ".git" / "hooks", dirs_exist_ok=True)
        self.assertIsNotNone(self.found(self.reference(self.path)))
        with self.at(self.sofa):
            git.distance(str(self.sofa / "engine"), "0" * 40)
        git.run(str(self.here), "status")
        self.assertFalse(mark.exists())
        # Without the harmless settings, git runs the repository's program, which shows that the test can fail.
        with mock.patch.object(git, "HARMLESS", ()):
            git.run(str(self.here), "status")
        self.assertTrue(mark.exists())

    def test_git_variables_of_the_session_are_ignored(self):
        other = self.repository(self.root / "other", "https://example.org/other/one")
        with mock.patch.dict(os.environ, {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other), "GIT_CONFIG_COUNT": "1",
                                          "GIT_CONFIG_KEY_0": "remote.origin.url", "GIT_CONFIG_VALUE_0": "https://example.org/x/y"}):
            self.assertEqual(self.reference(self.path).git.remotes, ["example.org/ada/engine"])

    def test_git_that_hangs_or_prints_too_much_is_given_up(self):
        for script in ("exec sleep 1000", "exec yes"):
            self.write(self.root / "bin" / "git", f"#!/bin/sh\n{script}\n").chmod(0o755)
            with mock.patch.dict(git.ENVIRONMENT, {"PATH": f"{self.root}/bin:/usr/bin:/bin"}), mock.patch.object(git, "PATIENCE", 0.2):
                self.assertIsNone(git.run(str(self.here), "status"))

    def test_search_of_clones_has_limits(self):
        for number in range(20):
            (self.sofa / f"empty{number:02}").mkdir()
        self.clone(self.here, self.sofa / "engine")
        place = self.reference(self.path).git
        with self.at(self.sofa):
            self.assertEqual(git.clones(place), [str(self.sofa / "engine")])
            with mock.patch.object(git, "MOST_DIRECTORIES", 10):
                self.assertEqual(git.clones(place), [])
            with mock.patch.object(git, "PATIENCE", -1):
                self.assertEqual(git.clones(place), [])


class References(Homes):
    def test_all_known_facts_about_a_file_arrive(self):
        path = self.write(self.desk / "letter.txt")
        try:
            os.setxattr(path, origin.ATTRIBUTE, b"https://ada:pw@example.org/letter.txt#page=3")
        except OSError as error:
            self.fail(f"the file system of {path} has no extended attributes: {error}")
        self.assertEqual(self.reference(path), Reference("letter.txt", 10, hashlib.sha256(b"Dear Ada,\n").digest(), "text/plain", "letter.txt", None,
                                                         "https://example.org/letter.txt"))
        letter = self.write(self.desk / "Documents" / "letter.txt")
        self.assertEqual(self.reference(letter).directory, user_directories.Place("DOCUMENTS", "letter.txt"))

    def test_origin_with_a_secret_or_a_special_scheme_is_not_sent(self):
        for url in ("https://example.org/a?X-Amz-Signature=abc", "https://example.org/a?access_token=abc", "https://example.org/a?sig=abc",
                    "https://example.org/a?b=1&Password=", "file:///etc/passwd", "javascript:alert(1)", "ftp://example.org/a", "https://", "https://[",
                    "https://example.org/\n", "https://example.org:x/", "https://example.org/" + 3000 * "a", "https://exämple.org/", "--help", ""):
            self.assertIsNone(origin.clean(url), url)
        self.assertEqual(origin.clean("https://ada:pw@example.org:8443/a%20b?page=1#top"), "https://example.org:8443/a%20b?page=1")

    def test_invalid_facts_from_another_laptop_are_ignored(self):
        whole = {"size": GLib.Variant("x", 3), "sha256": GLib.Variant("ay", bytes(32)), "home": GLib.Variant("s", "a"),
                 "origin": GLib.Variant("s", "https://example.org/"),
                 "git": GLib.Variant("a{sv}", {"remotes": GLib.Variant("as", ["x"]), "path": GLib.Variant("s", "a"), "commit": GLib.Variant("s", "a" * 40)})}
        self.assertEqual(self.file(**whole), Reference("a.txt", 3, bytes(32), "", "a", git.Place(["x"], "a", "a" * 40), "https://example.org/"))
        for key in whole:
            for wrong in (GLib.Variant("s", "../x"), GLib.Variant("i", -1), GLib.Variant("ay", b"short"), GLib.Variant("av", []), GLib.Variant("b", True),
                          GLib.Variant("a{sv}", {}), GLib.Variant("d", 1.5), GLib.Variant("(sv)", ("url", GLib.Variant("s", "x")))):
                found = self.file(**{**whole, key: wrong})
                self.assertIsNone(getattr(found, {"sha256": "digest"}.get(key, key)), f"{key}: {wrong}")
        many = GLib.Variant("a{sv}", {"remotes": GLib.Variant("as", 100 * ["x"]), "path": GLib.Variant("s", "a")})
        self.assertEqual(len(self.file(git=many).git.remotes), git.MOST_REMOTES)

    def test_name_with_slashes_or_control_characters_is_refused(self):
        for name in ("", ".", "..", "a/b", "/etc/passwd", "a\x1b[2J", "a\nb", "\x9b", 256 * "a"):
            self.assertIsNone(self.file(name=GLib.Variant("s", name)), repr(name))
        for name in ("--help", "+q", "a b", "é", "-"):
            self.assertEqual(self.file(name=GLib.Variant("s", name)).name, name)
        self.assertIsNone(self.read({}))
        self.assertIsNone(self.read({KEY: GLib.Variant("s", "a.txt")}))

    def test_file_that_does_not_exist_yet_has_a_name(self):
        with self.at(self.desk):
            self.assertEqual(Reference.of_path(str(self.desk / "new.txt")), Reference("new.txt", type="text/plain", home="new.txt"))

    def test_undisplayable_name_is_sent_as_bytes_beside_a_displayable_name(self):
        for name, shown in ((b"caf\xe9.txt", "caf\ufffd.txt"), (b"a\nb.txt", "a\ufffdb.txt"), (b"\x1b[2J.txt", "\ufffd[2J.txt"), (b"\xe2\x82", "\ufffd\ufffd"),
                            (251 * b"\xe9" + b".txt", 251 * "_" + ".txt")):
            sent = self.described_at(self.desk, self.write(self.desk / os.fsdecode(name)))
            values = sent.variant().unpack()
            self.assertEqual((values["name"], bytes(values["nameBytes"]), bytes(values["homeBytes"])), (shown, name, name))
            self.assertNotIn("home", values)
            self.assertTrue(names.is_plain(shown) and names.is_name(shown))  # for laptops that do not know the keys
            self.assertEqual(self.read({KEY: sent.variant()}), sent)

    def test_plain_names_are_sent_without_bytes(self):
        values = self.described_at(self.desk, self.write(self.desk / "Letters" / "Dear Ada é.txt")).variant().unpack()
        self.assertEqual((values["name"], values["home"]), ("Dear Ada é.txt", "Letters/Dear Ada é.txt"))
        self.assertEqual([key for key in values if key.endswith("Bytes")], [])

    def test_undisplayable_directory_is_sent_as_bytes(self):
        values = self.described_at(self.desk, self.write(self.desk / os.fsdecode(b"d\xe9") / "a.txt")).variant().unpack()
        self.assertEqual((values["name"], bytes(values["homeBytes"])), ("a.txt", b"d\xe9/a.txt"))
        self.assertNotIn("nameBytes", values)

    def test_bytes_that_are_not_a_name_are_ignored(self):
        for wrong in (b"a/b", b"", b".", b"..", b"a\0", 256 * b"a"):
            self.assertIsNone(self.file(nameBytes=GLib.Variant("ay", wrong)).name_bytes, wrong)
        for wrong in (GLib.Variant("s", "a"), GLib.Variant("ai", [1, 256]), GLib.Variant("av", []), GLib.Variant("x", 3)):
            found = self.file(nameBytes=wrong, homeBytes=wrong)
            self.assertEqual((found.name, found.name_bytes, found.home), ("a.txt", None, None), wrong)

    def described_at(self, home: pathlib.Path, path: pathlib.Path) -> Reference:
        with self.at(home):
            return self.described(path)

    def test_missing_file_of_a_player_is_not_handed_over(self):
        with self.at(self.desk), self.assertRaisesRegex(Stays, "not there"):
            offer(mock.Mock(), str(self.desk / "song.wav"), PLAYING)

    def test_pipe_or_device_is_not_read(self):
        os.mkfifo(self.desk / "pipe")
        with self.assertRaises(OSError):
            digest.measure(str(self.desk / "pipe"))
        with self.assertRaises(OSError):
            digest.measure("/dev/zero")


class KeptDigests(Homes):
    """A file is hashed once, until it changes."""

    def setUp(self):
        super().setUp()
        self.hashed = mock.patch.object(digest.hashlib, "sha256", wraps=hashlib.sha256).start()
        self.clock = mock.patch.object(digest.time, "time_ns", wraps=time.time_ns).start()
        self.clock.return_value = time.time_ns() + 1000 * digest.SETTLED
        mock.patch.object(digest, "_kept", collections.OrderedDict()).start()
        self.addCleanup(mock.patch.stopall)
        self.film = self.write(self.desk / "film.mkv", "the first cut")

    def measures(self, text: str) -> int:
        """Returns how often the film, with this text, was hashed."""
        before = self.hashed.call_count
        expected = hashlib.new("sha256", text.encode()).digest()
        self.assertEqual(digest.measure(str(self.film)), (len(text), expected))
        return self.hashed.call_count - before

    def test_unchanged_file_is_hashed_once(self):
        self.assertEqual([self.measures("the first cut") for _ in range(3)], [1, 0, 0])
        os.symlink(self.film, self.desk / "same.mkv")
        before = self.hashed.call_count
        self.assertEqual(digest.measure(str(self.desk / "same.mkv")), digest.measure(str(self.film)))
        self.assertEqual(self.hashed.call_count, before)

    def test_changed_file_is_hashed_again(self):
        self.assertEqual(self.measures("the first cut"), 1)
        self.film.write_text("the other cut, which is longer")
        self.assertEqual(self.measures("the other cut, which is longer"), 1)
        other = self.write(self.desk / "other.mkv", "the other cut, which is LONGER")
        other.replace(self.film)
        self.assertEqual(self.measures("the other cut, which is LONGER"), 1)

    def test_changed_file_with_restored_times_is_hashed_again(self):
        self.assertEqual(self.measures("the first cut"), 1)
        before = self.film.stat()
        self.until_the_clock_of_files_goes_on(before.st_ctime_ns)
        self.film.write_text("the worst cut")
        os.utime(self.film, ns=(before.st_atime_ns, before.st_mtime_ns))
        now = self.film.stat()
        self.assertEqual((now.st_ino, now.st_size, now.st_mtime_ns), (before.st_ino, before.st_size, before.st_mtime_ns))
        self.assertEqual(self.measures("the worst cut"), 1)

    def until_the_clock_of_files_goes_on(self, moment: int):
        """Waits until the file system's clock has advanced, because writes within a few milliseconds get the same time."""
        witness = self.desk / "witness"
        while True:
            witness.write_text("")
            if witness.stat().st_ctime_ns > moment:
                return

    def test_file_that_was_just_written_is_hashed_each_time(self):
        for seconds, expected in ((0, [1, 1]), (digest.SETTLED // 2, [1, 1]), (2 * digest.SETTLED, [1, 0])):
            self.clock.return_value = self.film.stat().st_ctime_ns + seconds
            self.assertEqual([self.measures("the first cut") for _ in range(2)], expected)

    def test_number_of_kept_digests_is_limited_and_the_least_recently_used_goes(self):
        self.measures("the first cut")
        for number in range(digest.MOST_KEPT - 1):
            digest.measure(str(self.write(self.desk / f"{number}.mkv")))
        self.assertEqual(self.measures("the first cut"), 0)
        digest.measure(str(self.write(self.desk / "one more.mkv")))
        self.assertEqual(len(digest._kept), digest.MOST_KEPT)
        self.assertEqual(self.measures("the first cut"), 0)
        before = self.hashed.call_count
        digest.measure(str(self.desk / "0.mkv"))
        self.assertEqual(self.hashed.call_count - before, 1)

    def test_digest_of_a_file_that_is_written_meanwhile_is_not_kept(self):
        def written(*arguments):
            self.until_the_clock_of_files_goes_on(self.film.stat().st_ctime_ns)
            with open(self.film, "a", encoding="utf-8") as file:
                file.write("!")
            return take(*arguments)
        take = digest._take
        with mock.patch.object(digest, "_take", written):
            digest.measure(str(self.film))
        self.assertEqual(len(digest._kept), 0)


class BetweenLaptops(TwoLaptops):
    """The last steps of the ladder, which need the other laptop."""

    def setUp(self):
        # Use a directory that is not for temporary files, because those are not handed over.
        with mock.patch("tempfile.tempdir", str(WORK)):
            super().setUp()
        self.context = GLib.MainContext.default()
        self.buses = [Gio.DBusConnection.new_for_address_sync(
            laptop.environment["DBUS_SESSION_BUS_ADDRESS"],
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None) for laptop in (self.desk, self.sofa)]
        for each in self.buses:
            self.addCleanup(each.close_sync, None)
        self.activity = Baton.Activity(connection=self.buses[0], activity_type="org.example.ladder")
        self.addCleanup(self.activity.invalidate)
        self.path = self.root / "letter.txt"
        self.path.write_text("Dear Ada,\n", encoding="utf-8")
        home = self.root / "nobody"
        home.mkdir()
        self.enterContext(mock.patch.dict(os.environ, {"HOME": str(home), "XDG_RUNTIME_DIR": str(home)}))

    def until(self, condition):
        limit = GLib.get_monotonic_time() + LIMIT * 1_000_000
        while not condition():
            self.assertLess(GLib.get_monotonic_time(), limit, "it did not come to be")
            self.context.iteration(False) or threading.Event().wait(0.01)

    def result(self, contents: str | None = None, copies: bool = True):
        """Returns the result for a file of the desk."""
        with contextlib.ExitStack() as stack:
            text = stack.enter_context(open_own(contents)) if contents else None
            self.activity.props.user_info = GLib.Variant("a{sv}", offer(self.activity, str(self.path), EDITING, text))
        self.activity.become_current()
        return self.come(copies)

    def come(self, copies: bool = True):
        flushed = []
        self.activity.flush_async(None, lambda source, result: flushed.append(source.flush_finish(result)))
        self.until(lambda: flushed)
        offers, came, done = Baton.Offers(connection=self.buses[1], activity_type="org.example.ladder"), [], []
        self.until(lambda: offers.get_n_items() > 0)
        offers.continue_async(offers.get_item(0), None, lambda source, result: came.append(source.continue_finish(result)))
        self.until(lambda: came)
        self.continued = came[0]
        find(came[0], done.append, copies)
        self.until(lambda: done)
        return done[0]

    def test_contents_arrive_as_a_copy_with_a_note(self):
        found = self.result()
        self.assertIsInstance(found, Copy)
        self.assertTrue(found.path.startswith(str(PLACES / "data")))
        self.assertEqual(pathlib.Path(found.path).read_text(encoding="utf-8"), "Dear Ada,\n")
        self.assertEqual(found.note, 'This is a copy from "desk". Changes stay on this laptop.')

    def test_copy_of_a_file_with_an_undisplayable_name_gets_a_displayable_one(self):
        """The receiving laptop does not understand the parameter with the name's bytes."""
        for name, shown, address in ((b"caf\xe9.txt", "caf\ufffd.txt", "baton-document:/caf%EF%BF%BD.txt?bytes=/caf%E9.txt"),
                                     (b"a\nb.txt", "a\ufffdb.txt", "baton-document:/a%EF%BF%BDb.txt?bytes=/a%0Ab.txt")):
            self.path = self.root / os.fsdecode(name)
            self.path.write_text("Dear Ada,\n", encoding="utf-8")
            found = self.result()
            self.assertEqual((pathlib.Path(found.path).name, pathlib.Path(found.path).read_text(encoding="utf-8")), (shown, "Dear Ada,\n"))
            self.assertEqual(self.continued.props.document_url, address)

    def test_copy_is_not_hidden(self):
        """Kate would run commands that a copy with the name .kateproject contains."""
        self.path = self.root / ".kateproject"
        self.path.write_text("{}", encoding="utf-8")
        found = self.result()
        self.assertEqual(pathlib.Path(found.path).name, "_kateproject")
        self.assertEqual([each.name for each in pathlib.Path(found.path).parent.iterdir()], ["_kateproject"])
        self.assertEqual(self.continued.props.document_url, "baton-document:/.kateproject")

    def test_unsaved_text_is_not_offered_as_a_copy_of_the_file(self):
        unsaved = self.root / "unsaved"
        unsaved.write_text("Dear Ada, I", encoding="utf-8")
        self.assertEqual(self.result(str(unsaved), copies=False), Missing('"letter.txt" is not on this laptop, and "desk" does not send it.'))

    def test_file_of_5_gb_is_not_copied_and_the_error_says_so(self):
        os.truncate(self.path, 5 << 30)
        found = self.result()
        self.assertRegex(found.reason, r'^"letter\.txt" is not on this laptop\. It is too large to be copied from "desk": 5\.4.GB\.$')

    def test_origin_page_is_the_last_resort(self):
        os.truncate(self.path, 5 << 30)
        with mock.patch.object(origin, "of_file", lambda _: "https://example.org/film"):
            found = self.result()
        self.assertIsInstance(found, Page)
        self.assertEqual(found.url, "https://example.org/film")
        self.assertIn("too large to be copied", found.note)

    def test_contents_are_sent_from_the_file_that_was_hashed_even_if_the_path_changes(self):
        secret = self.root / "secret"
        secret.write_text("secret", encoding="utf-8")

        def replace(*_):
            self.path.unlink()
            self.path.symlink_to(secret)
        self.activity.connect("notify::document", replace)
        found = self.result()
        self.assertEqual(pathlib.Path(found.path).read_text(encoding="utf-8"), "Dear Ada,\n")
        reference = Reference.read(self.activity.props.user_info)
        self.assertEqual(reference.digest, hashlib.sha256(b"Dear Ada,\n").digest())

    def test_missing_file_is_named_and_a_later_file_at_its_path_is_not_sent(self):
        self.path.unlink()
        secret = self.root / "secret"
        secret.write_text("secret", encoding="utf-8")
        self.activity.props.user_info = GLib.Variant("a{sv}", offer(self.activity, str(self.path), EDITING))
        self.path.symlink_to(secret)
        self.activity.become_current()
        found = self.come()
        self.assertEqual(found, Missing('"letter.txt" is not on this laptop, and "desk" does not send it.'))
