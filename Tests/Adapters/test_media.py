# SPDX-License-Identifier: Apache-2.0
"""Hands music over between real players, on two laptops with the simulated radio."""

import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import wave

from gi.repository import GLib

from apps import LIMIT, MOCK, Adapted, Display, demo

TYPE = "org.batonproject.media.play"
NAMESPACE, PATH = "org.mpris.MediaPlayer2", "/org/mpris/MediaPlayer2"
PLAYER = f"{NAMESPACE}.Player"
SECOND = 1_000_000  # µs
LENGTH = 300  # s
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def song(path: pathlib.Path):
    """Writes a song of five minutes of silence."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 1, 8000, 0, "NONE", ""))
        file.writeframes(b"\x80" * 8000 * LENGTH)


def large(path: pathlib.Path):
    """Writes a song of five gigabytes that needs no space."""
    path.write_bytes(b"RIFF\xff\xff\xff\xffWAVEfmt ")
    os.truncate(path, 5 << 30)


def give_title(path: pathlib.Path, title: bytes = b"A song\0\0"):
    """Adds a title to a song, in a LIST chunk after the format."""
    chunks = path.read_bytes()[12:]
    info = b"INFOINAM" + struct.pack("<I", len(title)) + title
    chunks = chunks[:24] + b"LIST" + struct.pack("<I", len(info)) + info + chunks[24:]
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)


def change(test: Adapted, laptop, player: str, address, title: str, *invalidated: str):
    """Makes a mock player play something else. The player reports only the given properties as changed, without their
    values."""
    arguments = GLib.Variant("(ssas)", (str(address), title, invalidated))
    test.assertIsNotNone(test.ask(laptop, player, PATH, "org.example.Mock", "Change", arguments))


class Players(Adapted):
    """A test's actions with players."""

    def prepare(self, laptop):
        super().prepare(laptop)
        configuration = pathlib.Path(laptop.environment["XDG_CONFIG_HOME"])
        (configuration / "mpv").mkdir(parents=True)
        (configuration / "mpv" / "mpv.conf").write_text("ao=null\nvo=null\nforce-window=no\n", encoding="utf-8")
        (configuration / "vlc").mkdir(parents=True)
        (configuration / "vlc" / "vlcrc").write_text("[core]\nintf=dummy\naout=adummy\nvout=vdummy\ncontrol=dbus\n[qt]\nqt-privacy-ask=0\n",
                                                     encoding="utf-8")

    def player(self, laptop, name: str) -> str:
        """Waits until a player runs. Returns its bus name."""
        return self.eventually(lambda: next(iter(self.names(laptop, f"{NAMESPACE}.{name}")), None))

    def of(self, laptop, player: str, name: str):
        return self.property(laptop, player, PATH, PLAYER, name)

    def do(self, laptop, player: str, method: str, arguments=None):
        self.assertIsNotNone(self.ask(laptop, player, PATH, PLAYER, method, arguments), method)

    def play(self, laptop, command: list, name: str, seconds: int) -> str:
        """Starts a player, and makes it play from this position."""
        laptop.spawn(command, **QUIET)
        player = self.player(laptop, name)
        self.eventually(lambda: self.of(laptop, player, "PlaybackStatus") == "Playing")
        self.place(laptop, player, seconds)
        return player

    def place(self, laptop, player: str, seconds: int):
        """Makes a player play from this position."""
        def is_there():
            position = self.of(laptop, player, "Position")
            self.do(laptop, player, "Seek", GLib.Variant("(x)", (seconds * SECOND - position,)))
            return self.of(laptop, player, "Position") >= seconds * SECOND
        self.eventually(is_there)
        # Wait until the player has reached the position. Some players report the position before they have reached it.
        self.eventually(lambda: self.of(laptop, player, "Position") > (seconds + 0.2) * SECOND)

    def song(self, laptop, name: str = "100% song #1? with space & ünicode.wav") -> pathlib.Path:
        path = laptop.home / name
        song(path)
        return path

    def assert_goes_on(self, laptop, player: str, seconds: int):
        """Checks that a player plays from this position."""
        self.eventually(lambda: self.of(laptop, player, "PlaybackStatus") == "Playing")
        position = self.of(laptop, player, "Position")
        self.assertGreaterEqual(position, (seconds - 2) * SECOND)
        self.assertLess(position, (seconds + 30) * SECOND)

    def assert_song_goes_on(self, program: str, name: str, default: str | None = None):
        """Checks that a song continues in the same player, also if another one is the default."""
        if default:
            self.prefer(self.sofa, default)
        here = self.play(self.desk, [program, self.song(self.desk)], name, 83)
        self.open(self.sofa, TYPE)
        self.assert_goes_on(self.sofa, self.player(self.sofa, name), 83)
        self.eventually(lambda: self.of(self.desk, here, "PlaybackStatus") == "Paused")

    def mock(self, laptop, *options, name: str = "mock") -> str:
        """Starts a mock player."""
        laptop.spawn([MOCK, "--name", name, *options])
        return self.player(laptop, name)

    def prefer(self, laptop, application: str):
        """Makes an app the default for songs on a laptop that has no other default."""
        (pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "mimeapps.list").write_text(f"[Default Applications]\naudio/x-wav={application}.desktop\n",
                                                                                          encoding="utf-8")
        self.wait_for_apps(laptop)


class Media(Players):
    def test_song_in_mpv_continues_in_mpv_at_its_place_and_pauses_here(self):
        self.assert_song_goes_on("mpv", "mpv")

    def test_song_in_vlc_continues_in_vlc_at_its_place_and_pauses_here(self):
        self.assert_song_goes_on("vlc", "vlc")

    def test_song_whose_name_is_not_utf_8_or_has_a_line_end_continues(self):
        self.prefer(self.sofa, "mpv")
        for name, shown in ((b"caf\xe9.wav", "caf\ufffd.wav"), (b"a\nb.wav", "a\ufffdb.wav")):
            with self.subTest(name=name):
                self.mock(self.desk, "--position", "83", self.song(self.desk, os.fsdecode(name)), name=f"mock{len(shown)}")
                self.open(self.sofa, TYPE)
                there = self.player(self.sofa, "mpv")
                self.assert_goes_on(self.sofa, there, 83)
                self.assertEqual([path.name for path in self.sofa.home.rglob(f"documents/*/{shown}")], [shown])

    def test_song_that_was_deleted_before_the_request_is_reported_on_both_laptops(self):
        path = self.song(self.desk)
        self.mock(self.desk, path)
        offer = self.eventually(lambda: self.offer(self.sofa, TYPE))
        path.unlink()
        with self.assertRaisesRegex(demo.Failure, '"desk" does not hand it over. It is not there any more.$'):
            self.sofa.baton("open", offer)
        self.assertIn("is not handed over. It is not there any more.", self.desk.adapters_log.read_text(encoding="utf-8"))
        self.eventually(lambda: not self.offer(self.sofa, TYPE))

    def install_mock(self, laptop, *options, entry: str = "mock"):
        """Installs the mock player as the app for songs on a laptop, with a desktop entry that names the process's
        executable, which is Python."""
        data = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "applications"
        data.mkdir(exist_ok=True)
        (data / f"{entry}.desktop").write_text(f"[Desktop Entry]\nType=Application\nName=Mock\nExec={sys.executable} {MOCK} {' '.join(options)} %U\n"
                                           "MimeType=audio/x-wav;\n", encoding="utf-8")
        self.prefer(laptop, entry)

    def test_seek_that_is_lost_is_repeated(self):
        self.install_mock(self.sofa, "--lose", "4")
        self.mock(self.desk, "--position", "83", self.song(self.desk))
        self.open(self.sofa, TYPE)
        self.assertEqual(self.of(self.sofa, self.player(self.sofa, "mock"), "Position"), 83 * SECOND)

    def test_new_player_that_does_not_report_its_song_is_moved_to_the_place(self):
        self.install_mock(self.sofa, "--silent", "--name", "started")
        earlier = self.mock(self.sofa, "--silent", "--position", "7", self.song(self.sofa))
        self.mock(self.desk, "--position", "83", self.song(self.desk))
        self.open(self.sofa, TYPE)
        self.assertEqual(self.of(self.sofa, self.player(self.sofa, "started"), "Position"), 83 * SECOND)
        self.assertEqual(self.of(self.sofa, earlier, "Position"), 7 * SECOND)

    def test_paused_song_continues_paused(self):
        self.install_mock(self.sofa)
        here = self.mock(self.desk, "--position", "83", self.song(self.desk))
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        self.do(self.desk, here, "Pause")
        self.open(self.sofa, TYPE)
        there = self.player(self.sofa, "mock")
        self.eventually(lambda: self.of(self.sofa, there, "PlaybackStatus") == "Paused")
        self.assertEqual(self.of(self.sofa, there, "Position"), 83 * SECOND)

    def test_speed_is_kept(self):
        self.install_mock(self.sofa)
        self.mock(self.desk, "--rate", "1.5", "--position", "83", self.song(self.desk))
        self.open(self.sofa, TYPE)
        self.assertEqual(self.of(self.sofa, self.player(self.sofa, "mock"), "Rate"), 1.5)

    def hand_address_over(self, address: str = "https://music.example/song", here: tuple = (), there: tuple = ()) -> str:
        """Hands a song at an address over to a paused player that has it, where it must be at its place. The players have these options. Returns the
        receiving one."""
        self.mock(self.desk, "--position", "83", *here, address)
        receiver = self.mock(self.sofa, "--status", "Paused", *there, address)
        self.open(self.sofa, TYPE)
        self.assertEqual(self.of(self.sofa, receiver, "Position"), 83 * SECOND)
        return receiver

    def test_normal_speed_replaces_another_speed_of_the_player(self):
        there = self.hand_address_over(there=("--rate", "2"))
        self.assertEqual(self.of(self.sofa, there, "Rate"), 1)

    def test_song_that_returns_continues_in_the_player_that_has_it(self):
        address = "https://music.example/song"
        self.install_mock(self.sofa)
        here = self.mock(self.desk, "--position", "83", address)
        there = self.mock(self.sofa, "--status", "Paused", "--position", "7", address)
        self.open(self.sofa, TYPE)
        self.assertEqual(self.of(self.sofa, there, "Position"), 83 * SECOND)
        self.assertEqual(self.names(self.sofa, NAMESPACE), [there])
        self.eventually(lambda: self.of(self.desk, here, "PlaybackStatus") == "Paused")

    def test_song_at_an_address_with_umlauts_and_spaces_continues(self):
        """The test's players do not percent-encode the address, as mpv does not."""
        self.hand_address_over("https://music.example/Müsli Song")

    def test_song_continues_for_every_spelling_of_its_name(self):
        self.install_mock(self.sofa)
        path = self.song(self.desk, "100% Song #1?.wav")
        self.mock(self.desk, "--position", "83", "--metadata", json.dumps({"xesam:url": ["s", f"file://localhost{path}"]}), path)
        self.open(self.sofa, TYPE)
        there = self.player(self.sofa, "mock")
        self.assertEqual(self.of(self.sofa, there, "Position"), 83 * SECOND)
        self.assertRegex(self.of(self.sofa, there, "Metadata")["xesam:url"], "/100%25%20Song%20%231%3F.wav$")

    def test_song_is_offered_if_its_player_reports_only_a_change(self):
        here = self.mock(self.desk, "--position", "83", "https://name:word@music.example/private")
        there = self.mock(self.sofa, "--status", "Paused", "https://music.example/song")
        change(self, self.desk, here, "https://music.example/song", "A song", "Metadata")
        self.open(self.sofa, TYPE)
        self.assertEqual(self.of(self.sofa, there, "Position"), 83 * SECOND)

    def test_song_continues_between_players_without_get_all(self):
        self.hand_address_over(here=("--one-by-one",), there=("--one-by-one",))

    NO_TRACK = json.dumps({"mpris:trackid": ["o", f"{PATH}/TrackList/NoTrack"]})

    def test_place_is_kept_if_set_position_does_not_work(self):
        """The player names no track, or lacks SetPosition, or ignores it."""
        for number, options in enumerate((("--metadata", self.NO_TRACK), ("--refuse", "SetPosition"), ("--ignore", "SetPosition"))):
            with self.subTest(options=options):
                address = f"https://music.example/song{number}"
                self.mock(self.desk, "--position", "83", address, name=f"here{number}")
                there = self.mock(self.sofa, "--status", "Paused", *options, address, name=f"there{number}")
                self.open(self.sofa, TYPE)
                self.assertEqual(self.of(self.sofa, there, "Position"), 83 * SECOND)
                self.eventually(lambda: not self.offer(self.sofa, TYPE))

    def test_place_is_kept_if_seek_does_not_work(self):
        self.hand_address_over(there=("--refuse", "Seek"))

    def test_place_is_kept_if_it_is_reported_as_a_fraction(self):
        self.hand_address_over(here=("--position-type", "d", "--metadata", '{"mpris:length": ["d", 3e8]}'), there=("--position-type", "t"))

    def test_wrong_length_does_not_change_the_place(self):
        """The reported length is in milliseconds, has overflowed 32 bits, or is negative."""
        for number, length in enumerate((300_000, 24 * SECOND, -269_967_296)):
            with self.subTest(length=length):
                address, metadata = f"https://music.example/song{number}", json.dumps({"mpris:length": ["x", length]})
                here = self.mock(self.desk, "--position", "83", "--metadata", metadata, address, name=f"here{number}")
                there = self.mock(self.sofa, "--status", "Paused", "--metadata", metadata, address, name=f"there{number}")
                self.open(self.sofa, TYPE)
                self.assertEqual(self.of(self.sofa, there, "Position"), 83 * SECOND)
                self.eventually(lambda here=here: self.of(self.desk, here, "PlaybackStatus") == "Paused")

    def test_milliseconds_of_showtime_48_are_understood_in_both_directions(self):
        """Showtime names no track, and has no volume."""
        address, showtime = "https://music.example/song", ("--unit", "1000", "--metadata", '{"mpris:trackid": null}')
        here = self.mock(self.desk, "--position", "83", *showtime, address, name="org.gnome.Showtime")
        there = self.mock(self.sofa, "--status", "Paused", *showtime, address, name="org.gnome.Showtime")
        self.open(self.sofa, TYPE)
        self.assertEqual(self.of(self.sofa, there, "Position"), 83_000)
        self.eventually(lambda: self.of(self.desk, here, "PlaybackStatus") == "Paused")

    def test_proxies_and_browsers_are_ignored(self):
        self.install_mock(self.sofa)
        song = self.mock(self.desk, "--title", "The song", "--position", "83", self.song(self.desk))
        for name in ("playerctld", "kdeconnect.mpris_000001", "chromium.instance7", "firefox.instance_1_2"):
            self.mock(self.desk, "--title", name, "--position", "7", "https://music.example/other", name=name)
        self.open(self.sofa, TYPE)
        there = self.player(self.sofa, "mock")
        self.assertEqual(self.of(self.sofa, there, "Position"), 83 * SECOND)
        self.eventually(lambda: self.of(self.desk, song, "PlaybackStatus") == "Paused")

    def test_song_that_is_private_is_not_offered(self):
        (self.desk.home / ".ssh").mkdir()
        self.assert_not_offered(self.song(self.desk, ".ssh/song.wav"))

    def assert_not_offered(self, *paths: pathlib.Path):
        """Plays these files and a song on the desk, and checks that only the song is handed over."""
        self.install_mock(self.sofa)
        others = [self.mock(self.desk, "--position", "7", path, name=f"other{number}") for number, path in enumerate(paths)]
        song = self.mock(self.desk, "--position", "83", self.song(self.desk))
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        for other in others:
            # If one of these media were offered, it would replace the song.
            self.do(self.desk, other, "Play")
        self.open(self.sofa, TYPE)
        self.assertEqual(self.of(self.sofa, self.player(self.sofa, "mock"), "Position"), 83 * SECOND)
        self.eventually(lambda: self.of(self.desk, song, "PlaybackStatus") == "Paused")
        # The other players keep playing, and are not offered.
        self.eventually(lambda: not self.offer(self.sofa, TYPE))

    def test_player_that_ends_when_asked_is_reported_and_the_others_still_continue(self):
        self.mock(self.desk, "--answers", "1", "--position", "7", self.song(self.desk))
        offer = self.eventually(lambda: self.offer(self.sofa, TYPE))
        with self.assertRaisesRegex(demo.Failure, 'It has been closed on "desk"'):
            self.sofa.baton("open", offer)
        self.install_mock(self.sofa)
        self.mock(self.desk, "--position", "83", self.song(self.desk, "other.wav"), name="second")
        self.open(self.sofa, TYPE)
        self.assertEqual(self.of(self.sofa, self.player(self.sofa, "mock"), "Position"), 83 * SECOND)

    def test_mpv_that_is_killed_when_asked_is_reported_and_vlc_still_continues(self):
        here = self.desk.spawn(["mpv", self.song(self.desk)])
        self.eventually(lambda: self.of(self.desk, self.player(self.desk, "mpv"), "PlaybackStatus") == "Playing")
        self.assert_ends_when_asked(here.pid, f"path={PATH},member=GetAll", TYPE)
        self.eventually(lambda: not self.offer(self.sofa, TYPE))
        self.play(self.desk, ["vlc", self.song(self.desk, "other.wav")], "vlc", 83)
        self.open(self.sofa, TYPE)
        self.assert_goes_on(self.sofa, self.player(self.sofa, "vlc"), 83)

    def test_seek_that_mpv_loses_while_it_opens_a_song_is_repeated(self):
        """While mpv opens a song on a slow disk, it reports the song and ignores a seek. A script keeps mpv in that
        state until the adapter has sought twice."""
        scripts = pathlib.Path(self.sofa.environment["XDG_CONFIG_HOME"]) / "mpv" / "scripts"
        scripts.mkdir()
        slow, may_open = self.root / "slow", self.root / "may-open"
        (scripts / "slow.lua").write_text(
            f"mp.add_hook('on_load', 1, function(hook)\n  hook:defer()\n  io.open('{slow}', 'w'):close()\n  local timer\n"
            f"  timer = mp.add_periodic_timer(0.02, function()\n    local file = io.open('{may_open}')\n"
            "    if file then file:close() timer:kill() hook:cont() end\n  end)\nend)\n", encoding="utf-8")
        self.play(self.desk, ["mpv", self.song(self.desk)], "mpv", 83)
        offer = self.eventually(lambda: self.offer(self.sofa, TYPE))
        calls = self.monitor(self.sofa, f"path={PATH},member=SetPosition")
        click = self.sofa.spawn([self.sofa.binaries / "baton", "open", offer], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.eventually(lambda: slow.exists() and len(self.called(calls)) >= 2)
        may_open.touch()
        self.assertEqual(self.ended(click)[0], 0)
        self.assert_goes_on(self.sofa, self.player(self.sofa, "mpv"), 83)

    NO_MEDIA = {"song.desktop": b"[Desktop Entry]\nType=Application\nName=Song\nExec=touch executed\n", "song.mp3": b"#EXTM3U\n/etc/passwd\n",
                "film.mp4": b"<!DOCTYPE html><html>", "song.m3u": b"/etc/passwd\n"}

    def test_files_that_are_not_media_are_not_opened(self):
        """A program, playlists and a page are not opened, although they exist here and whatever type the other laptop
        claims."""
        self.install_mock(self.sofa)
        for name, contents in self.NO_MEDIA.items():
            (self.sofa.home / name).write_bytes(contents)
            with self.subTest(name=name):
                self.assert_refused({"position": 0, "file": self.reference(name, contents)}, "neither music nor a video")
        self.assertEqual(self.names(self.sofa, NAMESPACE), [])

    def test_files_that_are_not_media_are_not_offered(self):
        for name, contents in self.NO_MEDIA.items():
            (self.desk.home / name).write_bytes(contents)
        self.assert_not_offered(*(self.desk.home / name for name in self.NO_MEDIA))

    def test_hidden_song_is_not_offered(self):
        self.assert_not_offered(self.song(self.desk, ".song.wav"))

    def test_song_at_an_address_of_this_computer_is_not_played(self):
        self.install_mock(self.sofa)
        for address in ("http://127.0.0.1:631/admin", "http://localhost.localdomain/", f"http://{socket.gethostname()}:631/"):
            with self.subTest(address=address):
                self.assert_refused({"url": address}, "leads to the other laptop itself")
        self.assertEqual(self.names(self.sofa, NAMESPACE), [])

    def assert_refused(self, info: dict, why: str):
        """Checks that a song with this description is not opened on the sofa."""
        with self.published(TYPE, info), self.assertRaisesRegex(demo.Failure, why):
            self.open(self.sofa, TYPE)

    def test_song_that_was_renamed_meanwhile_continues(self):
        path = self.song(self.desk)
        self.play(self.desk, ["mpv", path], "mpv", 83)
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        path.rename(path.with_name("renamed.wav"))
        self.open(self.sofa, TYPE)
        there = self.player(self.sofa, "mpv")
        self.assert_goes_on(self.sofa, there, 83)
        self.assertRegex(self.of(self.sofa, there, "Metadata")["xesam:url"], "/renamed.wav$")

    def test_film_of_five_gigabytes_is_not_copied_and_continues_in_a_shared_folder(self):
        self.install_mock(self.sofa)
        films = [laptop.home / f"{laptop.name}'s films" for laptop in (self.desk, self.sofa)]
        for film in films:
            film.mkdir()
            large(film / "film.wav")
        self.mock(self.desk, "--position", "83", films[0] / "film.wav")
        offer = self.eventually(lambda: self.offer(self.sofa, TYPE))
        with self.assertRaisesRegex(demo.Failure, 'too large to be copied from "desk": 5.4\u00a0GB'):
            self.sofa.baton("open", offer)
        for laptop, film in zip((self.desk, self.sofa), films):
            folders = pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "baton" / "folders"
            folders.parent.mkdir(exist_ok=True)
            folders.write_text(f"Films = {film}\n", encoding="utf-8")
        self.sofa.baton("open", offer)
        there = self.player(self.sofa, "mock")
        self.assertEqual(self.of(self.sofa, there, "Position"), 83 * SECOND)
        self.assertRegex(self.of(self.sofa, there, "Metadata")["xesam:url"], "/sofa's%20films/film.wav$")

    def test_origin_page_is_played_if_the_film_cannot_be_sent(self):
        """The address that a film came from usually leads to the film itself."""
        self.install_mock(self.sofa, "--name", "mpv", entry="mpv")
        film = self.desk.home / "film.wav"
        large(film)
        os.setxattr(film, "user.xdg.origin.url", b"https://example.org/film.wav")
        self.mock(self.desk, "--position", "83", film)
        self.open(self.sofa, TYPE)
        there = self.player(self.sofa, "mpv")
        self.assertEqual(self.of(self.sofa, there, "Position"), 83 * SECOND)
        self.assertEqual(self.of(self.sofa, there, "Metadata")["xesam:url"], "https://example.org/film.wav")

    def test_program_that_another_laptop_names_is_not_started(self):
        """The program that the other laptop names is installed here, and plays songs."""
        self.install_mock(self.sofa, "--name", "evil", entry="evil")
        self.install_mock(self.sofa)
        song(self.sofa.home / "song.wav")
        file = self.reference("song.wav", (self.sofa.home / "song.wav").read_bytes(), type="audio/x-wav")
        with self.published(TYPE, {"position": 83 * SECOND, "application": "evil", "file": file}):
            self.open(self.sofa, TYPE)
        self.assertEqual(self.of(self.sofa, self.player(self.sofa, "mock"), "Position"), 83 * SECOND)
        self.assertEqual(self.names(self.sofa, NAMESPACE), [f"{NAMESPACE}.mock"])

    def test_unsafe_addresses_are_not_opened(self):
        self.install_mock(self.sofa)
        for address in ("file:///etc/passwd", "--help", "javascript:alert(1)", "ftp://music.example/song", "https://name:word@music.example/song",
                        "https:///song", "https://music.example/song\n--help", "smb://music.example/song", 7, ["https://music.example/song"]):
            with self.subTest(address=address):
                self.assert_refused({"url": address, "position": -1, "application": "../../mock"}, "does not say which file it is")
        self.assertEqual(self.names(self.sofa, NAMESPACE), [])

    def test_invalid_place_is_ignored(self):
        """A song starts, whatever another laptop says about the position."""
        self.install_mock(self.sofa)
        there = self.mock(self.sofa, "--status", "Paused", "--position", "7", "https://music.example/song")
        for place, wanted in ((-5, 7), ("83", 7), (2**60, 7), (1e300, 7), (True, 7), (400 * SECOND, 7), (83.5 * SECOND, 83.5)):
            info = {"url": "https://music.example/song", "position": place, "rate": "fast"}
            with self.subTest(place=place), self.published(TYPE, info):
                self.open(self.sofa, TYPE)
                self.assertEqual(self.of(self.sofa, there, "Position"), wanted * SECOND)


class WithWindows(Players):
    """Players that need a display."""

    def prepare(self, laptop):
        super().prepare(laptop)
        display = Display()
        self.addCleanup(display.end)
        laptop.environment.update({"DISPLAY": display.name, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "keyfile",
                                   "GIO_USE_VFS": "local", "QT_QPA_PLATFORM": "xcb"})
        settings = pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "glib-2.0" / "settings" / "keyfile"
        settings.parent.mkdir(parents=True)
        settings.write_text("[io/github/celluloid-player/celluloid]\nmpv-options='--ao=null --vo=null'\n", encoding="utf-8")

    def begin(self, laptop):
        laptop.spawn(["openbox"], **QUIET)
        super().begin(laptop)

    def song(self, laptop, name: str = "100% song #1? with space & ünicode.wav") -> pathlib.Path:
        path = super().song(laptop, name)
        give_title(path)
        return path

    def test_song_in_celluloid_continues_in_celluloid_at_its_place_and_pauses_here(self):
        self.assert_song_goes_on("celluloid", "io.github.celluloid_player.Celluloid", default="mpv")

    def test_song_in_rhythmbox_continues_in_rhythmbox_at_its_place_and_pauses_here(self):
        """Rhythmbox loses a song that it gets while it starts."""
        self.prefer(self.sofa, "mpv")
        self.desk.spawn(["rhythmbox"], **QUIET)
        here, song = self.player(self.desk, "rhythmbox"), self.song(self.desk)

        def begins():
            """Gives the player the song, and time to play it. A second start meanwhile would begin the song again."""
            subprocess.run(["rhythmbox", song.as_uri()], env=self.desk.environment, check=False, timeout=LIMIT, **QUIET)
            return self.within(10, lambda: self.of(self.desk, here, "PlaybackStatus") == "Playing")
        self.eventually(begins)
        self.place(self.desk, here, 83)
        self.open(self.sofa, TYPE)
        self.assert_goes_on(self.sofa, self.player(self.sofa, "rhythmbox"), 83)
        self.eventually(lambda: self.of(self.desk, here, "PlaybackStatus") == "Paused")

    def test_song_in_dragon_player_continues_in_the_default_player(self):
        """Dragon Player is the default on the other laptop, too. It reports what it plays, and the adapter has no code
        for it."""
        self.assert_song_goes_on("dragon", "dragonplayer", default="org.kde.dragonplayer")

    def test_song_continues_in_totem_at_its_place(self):
        """Totem does not report what it plays."""
        self.prefer(self.sofa, "org.gnome.Totem")
        self.mock(self.desk, "--position", "83", self.song(self.desk))
        self.open(self.sofa, TYPE)
        self.assert_goes_on(self.sofa, self.player(self.sofa, "totem"), 83)

    def test_song_without_a_title_continues_in_celluloid_at_its_place(self):
        """Celluloid does not report a file without any tags."""
        self.prefer(self.sofa, "io.github.celluloid_player.Celluloid")
        self.mock(self.desk, "--position", "83", super().song(self.desk))
        self.open(self.sofa, TYPE)
        self.assert_goes_on(self.sofa, self.player(self.sofa, "io.github.celluloid_player.Celluloid"), 83)
