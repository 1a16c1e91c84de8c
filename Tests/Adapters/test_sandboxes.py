# SPDX-License-Identifier: Apache-2.0
"""Tests that the adapters do not speak for programs in real sandboxes, or for programs that claim to be another."""

import json
import os
import pathlib
import shutil
import sys

from apps import LIMIT, MOCK
from sandboxes import behind_proxy, boxed
from test_documents import QUIET, TYPE as READ, Reading, book
from test_media import NAMESPACE, TYPE as PLAY, Players

VIEWER = MOCK.with_name("mock-viewer")
EDIT = "org.batonproject.document.edit"
# Connects to the socket of the editors' adapter, and acts as a plugin.
PLUGIN = """
import socket, sys
end = socket.socket(socket.AF_UNIX)
end.connect(sys.argv[1])
end.sendall(b'{"version": 2, "editor": "vim"}\\n{"state": {"file": "%s", "line": 7, "column": 1, "top": 1, "unsaved": false}}\\n' % sys.argv[2].encode())
try:
    while end.recv(4096):
        pass
except ConnectionResetError:
    pass
print("refused", flush=True)
"""


class Sandboxed(Reading, Players):
    """Counts the publications on desk."""

    def begin(self, laptop):
        super().begin(laptop)
        if laptop is self.desk:
            self.calls = self.monitor(laptop, "member=Publish")

    def seen_by_adapters(self):
        """Hides the display, so that nothing reports the window in front."""
        return {"DISPLAY": ""}

    def document(self, name: str) -> pathlib.Path:
        path = self.desk.home / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(book())
        return path

    def start(self, *words):
        """Starts a program, and waits until it has printed a line."""
        self.assertTrue(self.line(self.desk.spawn(words, stdout=-1, text=True)))

    def assert_only_this_is_published(self, activity_type: str, name: str):
        """Checks that only one activity is published, after the adapters have handled all earlier events."""
        self.eventually(lambda: self.offer(self.sofa, activity_type))
        self.assertEqual(self.called(self.calls), ["Publish"])
        info = json.loads(self.sofa.baton("continue", "--type", activity_type, "--json")[0])["userInfo"]
        self.assertEqual(info["file"]["name"], name)
        return info


class SandboxedPlayers(Sandboxed):
    def start_player(self, *words, name: str):
        """Starts a player, and waits until it owns its name."""
        self.desk.spawn([*words, "--name", name, "--position", "7", self.song(self.desk, "private.wav")], **QUIET)
        return self.player(self.desk, name)

    def assert_only_the_song_is_offered(self):
        self.mock(self.desk, "--position", "83", self.song(self.desk, "song.wav"))
        return self.assert_only_this_is_published(PLAY, "song.wav")

    def test_player_in_a_flatpak_is_not_offered_whatever_it_reports(self):
        """The player names no desktop entry, another app's, a missing one, or its own. It cannot read the file that it
        claims to play."""
        inside = boxed(self.desk, "com.example.Player")
        self.assertNotEqual(self.desk.spawn([*inside, "cat", self.song(self.desk, "private.wav")], **QUIET).wait(LIMIT), 0)
        for number, entry in enumerate(("", "vlc", "nothing", "com.example.Player", "org.videolan.VLC")):
            self.start_player(*inside, MOCK, "--entry", entry, name=f"boxed{number}")
        self.assert_only_the_song_is_offered()

    def test_player_behind_a_proxy_is_not_offered(self):
        """The proxy's root directory does not show that the player is in a sandbox."""
        self.start_player(*behind_proxy(self, self.desk, f"--own={NAMESPACE}.*"), MOCK, name="filtered")
        self.assert_only_the_song_is_offered()

    def test_programs_that_repeat_other_players_are_recognised_by_their_executables(self):
        """The programs are recognised by their executables, not by their names on the bus."""
        for number, program in enumerate(("playerctld", "kdeconnectd", "plasma-browser-integration-host", "firefox-esr")):
            copy = shutil.copy(os.path.realpath(sys.executable), self.desk.home / program)
            self.start_player(copy, MOCK, name=f"innocent{number}")
        self.assert_only_the_song_is_offered()

    def test_player_that_started_without_a_daemon_is_offered_when_the_daemon_is_back(self):
        self.desk.daemon.kill()
        self.desk.daemon.wait(LIMIT)
        self.mock(self.desk, self.song(self.desk, "song.wav"))
        self.desk.start_daemon(self.root / "radio")
        self.eventually(lambda: self.offer(self.sofa, PLAY))

    def test_desktop_entry_of_another_app_is_not_sent(self):
        self.mock(self.desk, "--entry", "vlc", self.song(self.desk, "song.wav"))
        self.assertNotIn("application", self.assert_only_this_is_published(PLAY, "song.wav"))

    def test_media_at_this_computers_own_addresses_are_not_offered(self):
        for number, host in enumerate(("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "ip6-localhost")):
            self.mock(self.desk, f"http://{host}:11470/song", name=f"local{number}")
        self.assert_only_the_song_is_offered()


class SandboxedViewers(Sandboxed):
    def assert_only_the_book_is_offered(self):
        self.start(VIEWER, self.document("book.pdf"))
        self.assert_only_this_is_published(READ, "book.pdf")

    def test_signal_of_a_program_behind_a_proxy_is_ignored(self):
        """The program has no well-known name, and may talk only to Baton."""
        self.start(*behind_proxy(self, self.desk, "--talk=org.batonproject.Baton"), VIEWER, self.document("private.pdf"))
        self.assert_only_the_book_is_offered()

    def test_signal_of_a_flatpak_is_ignored(self):
        self.start(*boxed(self.desk, "org.gnome.Evince", VIEWER), self.document("private.pdf"))
        self.assert_only_the_book_is_offered()

    def test_viewers_bus_name_that_a_flatpak_owns_is_ignored(self):
        self.start(*boxed(self.desk, "org.pwmt.zathura", VIEWER), "--name", "PID-7", self.document("private.pdf"))
        self.assert_only_the_book_is_offered()

    def test_evince_in_a_flatpak_is_not_offered_beside_the_native_evince(self):
        """Evince in the Flatpak and the native Evince have the same desktop id."""
        private = self.document("inside/private.pdf")
        inside = boxed(self.desk, "org.gnome.Evince", "evince", private, sees=(private.parent, "/usr/share", "/sys", "/var"))
        self.desk.spawn(inside, **QUIET)
        self.eventually(lambda: self.windows("private.pdf"))
        self.desk.spawn(["evince", self.document("book.pdf")], **QUIET)
        self.assert_only_this_is_published(READ, "book.pdf")


    def test_zathura_in_a_flatpak_is_not_offered_beside_the_native_zathura(self):
        """Zathura lets no other program inspect its process, inside and outside of a sandbox."""
        private = self.document("inside/private.pdf")
        self.desk.spawn(boxed(self.desk, "org.pwmt.zathura", "zathura", private, sees=(private.parent, "/sys", "/var")), **QUIET)
        self.eventually(lambda: self.windows("private.pdf"))
        self.desk.spawn(["zathura", self.document("book.pdf")], **QUIET)
        self.assert_only_this_is_published(READ, "book.pdf")


class SandboxedEditors(Sandboxed):
    def speak(self, *words):
        """Makes a program report at the editors' socket that a text is in front."""
        end = pathlib.Path(self.desk.environment["XDG_RUNTIME_DIR"]) / "baton" / "editors" / "socket"
        self.eventually(end.exists)
        return self.desk.spawn([*words, sys.executable, "-c", PLUGIN, end, self.document("letter.txt")], stdout=-1, text=True)

    def test_program_in_a_flatpak_is_refused_at_the_editors_socket(self):
        inside = boxed(self.desk, "org.vim.Vim", sees=(self.desk.environment["XDG_RUNTIME_DIR"],))
        self.assertEqual(self.ended(self.speak(*inside)), (0, "refused\n"))
        self.speak()
        self.assert_only_this_is_published(EDIT, "letter.txt")
