# SPDX-License-Identifier: Apache-2.0
"""Rules of the adapters that can be tested without an app."""

import io
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

from apps import EXTENSION
from library import introspected

introspected()
sys.path.insert(0, str(EXTENSION))

from gi.repository import GLib  # noqa: E402

import bus  # noqa: E402
import adapter  # noqa: E402
import contents  # noqa: E402
import documents  # noqa: E402
import ladder  # noqa: E402
import launch  # noqa: E402
import media  # noqa: E402
from adapter import Refused  # noqa: E402
from journal import Journal  # noqa: E402
import playing  # noqa: E402
import withheld  # noqa: E402
import unnamable  # noqa: E402
import viewers  # noqa: E402
from judge import Verdict  # noqa: E402
from editors import programs  # noqa: E402
from editors.editor import Editor  # noqa: E402
import players  # noqa: E402
from player import NAMESPACE, PLAYER, READ, Player  # noqa: E402
from players import Players, is_passed_over  # noqa: E402
from rate import Rate  # noqa: E402


class Activity:
    """An activity that records the calls of its methods."""

    def __init__(self):
        self.props, self.calls = types.SimpleNamespace(), []

    def __getattr__(self, name):
        return lambda: self.calls.append(name)


class AppCommands(unittest.TestCase):
    def test_no_adapter_passes_a_command_to_an_app(self):
        """Zathura's ExecuteCommand, Emacs's --eval, Vim's +cmd and --cmd must not be used, because a value from another
        laptop could become part of a command."""
        files = [path for path in EXTENSION.rglob("*") if path.suffix in (".py", ".js", ".desktop") or path.name == "baton-adapters"]
        self.assertGreater(len(files), 30)
        for path in files:
            self.assertNotRegex(path.read_text(encoding="utf-8"), r"ExecuteCommand|--eval|--execute|--cmd|--remote|[\"'][+:]\w*\{|os\.system|shell=True", path)

    def test_editors_get_only_a_ticket_as_argument(self):
        ticket = 32 * "a"
        for editor, words in programs.PROGRAMS.items():
            for word in words:
                self.assertRegex(word.format(ticket=ticket), "^(vim|nvim|emacs|-c|BatonContinue a{32}|--no-window-system|--funcall|baton-continue|a{32})$", editor)


class PlayerOffers(unittest.TestCase):
    def test_stopped_player_is_offered_for_ten_minutes(self):
        activity = Activity()
        player = Player(None, "org.mpris.MediaPlayer2.mock", ":1.7")
        offered = media.Offered(types.SimpleNamespace(publish=lambda *_, **__: activity), player)
        player.values = {"PlaybackStatus": "Playing", "Metadata": {"xesam:url": "https://music.example/song"}}
        with mock.patch.object(media.GLib, "timeout_add_seconds", return_value=7) as timer, mock.patch.object(media.GLib, "source_remove") as stop:
            offered.changed(True)
            self.assertEqual(activity.calls, ["become_current"])
            timer.assert_not_called()
            player.values["PlaybackStatus"] = "Paused"
            offered.changed(True)
            offered.changed(True)
            timer.assert_called_once_with(600, offered.lingered)
            # When the player plays again, the time starts again.
            player.values["PlaybackStatus"] = "Playing"
            offered.changed(True)
            stop.assert_called_once_with(7)
            player.values["PlaybackStatus"] = "Stopped"
            offered.changed(True)
            self.assertEqual(timer.call_count, 2)
            self.assertEqual(offered.lingered(), GLib.SOURCE_REMOVE)
        self.assertEqual(activity.calls, ["become_current", "become_current", "resign_current"])

    def test_player_that_does_not_answer_is_no_longer_offered(self):
        player = Player(None, "org.mpris.MediaPlayer2.mock", ":1.7")
        offered = media.Offered(mock.Mock(), player)
        player.values, player.read = {"PlaybackStatus": "Playing", "Metadata": {"xesam:url": "https://music.example/song"}}, lambda: False
        offered.changed(True)
        player.values["PlaybackStatus"] = "Paused"
        with mock.patch.object(media.GLib, "timeout_add_seconds", return_value=7), mock.patch.object(media.GLib, "source_remove") as stop:
            offered.changed(True)
            self.assertIsNone(offered.save())
            stop.assert_called_once_with(7)

    def test_more_than_eight_songs_at_once_are_refused(self):
        adapter = types.SimpleNamespace(arriving=[None] * media.MOST_ARRIVING)
        with self.assertRaisesRegex(Refused, "Too many songs and videos are being opened"):
            media.Media.play(adapter, "https://music.example/song", {}, None, None)

    def test_player_in_a_sandbox_gets_the_song_and_its_reports_are_ignored(self):
        """The user is told the position, to go there by hand."""
        told = "Mock runs in a sandbox, so Baton cannot take it to 1:23. Go there yourself."
        for is_sandboxed, position, texts in ((True, 83_000_000, [told]), (True, 0, []), (False, 83_000_000, [])):
            adapter, continuation = mock.Mock(arriving=[], players=[]), mock.Mock()
            app = mock.Mock(get_name=lambda: "Mock")
            with mock.patch.multiple(media, player_for=lambda *_, app=app: app, Playing=mock.Mock()), mock.patch.object(launch, "start") as start, \
                    mock.patch.object(launch, "command"), mock.patch.object(launch, "is_sandboxed", return_value=is_sandboxed):
                media.Media.play(adapter, "https://music.example/song", {"position": position}, continuation, None)
            start.assert_called_once()
            self.assertEqual(continuation.accept.call_count, 1 if is_sandboxed else 0)
            self.assertEqual([call.args[1] for call in adapter.tell.call_args_list], texts)
            self.assertEqual(len(adapter.arriving), 0 if is_sandboxed else 1)

    def test_position_is_shown_as_players_show_it(self):
        for seconds, shown in ((0, "0:00"), (83.9, "1:23"), (3599, "59:59"), (3683, "1:01:23")):
            self.assertEqual(media.clock(seconds * 1_000_000), shown)


class FileChecks(unittest.TestCase):
    def test_file_is_checked_when_its_player_starts_pauses_or_changes_the_song_and_not_otherwise(self):
        adapter = media.Media.__new__(media.Media)
        adapter.looked_at, player = {}, Player(None, "org.mpris.MediaPlayer2.mock", ":1.7")
        adapter.withheld = mock.Mock()
        with mock.patch.object(ladder, "may_leave", side_effect=[True, False, True]) as may_leave:
            for status, name, answer in (("Playing", "a", True), ("Playing", "a", True), ("Paused", "a", False), ("Paused", "a", False), ("Paused", "b", True)):
                player.values = {"PlaybackStatus": status, "Metadata": {"xesam:url": f"file:///{name}"}}
                self.assertEqual(adapter.look_at(player, None), answer)
            self.assertEqual([call.args[0] for call in may_leave.call_args_list], ["/a", "/a", "/b"])
            adapter.offered = {}
            adapter.gone(player)
        self.assertEqual(adapter.looked_at, {})

    def test_file_that_could_not_be_handed_over_is_checked_again_at_the_next_report(self):
        adapter = media.Media.__new__(media.Media)
        adapter.looked_at, player = {}, Player(None, "org.mpris.MediaPlayer2.mock", ":1.7")
        player.values = {"PlaybackStatus": "Playing", "Metadata": {"xesam:url": "file:///a"}}
        player.is_new = False
        adapter.withheld = mock.Mock()
        with mock.patch.multiple(ladder, may_leave=mock.Mock(side_effect=[True, False]), why_it_stays=mock.Mock(return_value=None)):
            self.assertTrue(adapter.look_at(player, None))
            adapter.look_again(player)
            self.assertTrue(player.is_new)
            self.assertFalse(adapter.look_at(player, None))

    def test_song_that_may_not_leave_is_reported_while_it_plays(self):
        adapter = media.Media.__new__(media.Media)
        adapter.looked_at, adapter.offered, player = {}, {}, Player(None, "org.mpris.MediaPlayer2.mock", ":1.7")
        stays = ladder.Stays("temporary")
        for status, why, told in (("Playing", stays, stays), ("Paused", stays, None), ("Playing", None, None)):
            adapter.withheld = mock.Mock()
            player.values = {"PlaybackStatus": status, "Metadata": {"xesam:url": "file:///a"}}
            with mock.patch.multiple(ladder, why_it_stays=mock.Mock(return_value=why), may_leave=mock.Mock(return_value=why is None)):
                adapter.look_at(player, None)
            adapter.withheld.look_at.assert_called_once_with(player, "/a", told)
        adapter.withheld = mock.Mock()
        adapter.gone(player)
        adapter.withheld.look_at.assert_called_once_with(player, "", None)


class IncompletePlayers(unittest.TestCase):
    """Players that report little, or late."""

    def player(self, application: str = "totem", status: str = "Playing", **metadata) -> Player:
        player = Player(None, "org.mpris.MediaPlayer2.mock", ":1.7")
        player.application, player.values = application, {"PlaybackStatus": status, "Metadata": metadata}
        return player

    def test_new_player_that_does_not_report_its_song_counts_as_playing_the_continued_one(self):
        earlier = self.player()
        with mock.patch.object(playing.GLib, "timeout_add_seconds", return_value=7):
            waiting = playing.Playing("https://music.example/song", 0, None, True, "totem", [earlier], None, None)
        self.assertTrue(waiting.is_it(self.player()))
        self.assertTrue(waiting.is_it(self.player("other", "Paused", **{"xesam:url": "https://music.example/song"})))
        for other in (earlier, self.player("other"), self.player(status="Stopped"), self.player(**{"xesam:url": "https://music.example/other"})):
            self.assertFalse(waiting.is_it(other))

    def test_rhythmbox_that_does_not_play_gets_the_song_once_more(self):
        for application, times in (("org.gnome.Rhythmbox3", 1), ("vlc", 0)):
            with mock.patch.object(playing.GLib, "timeout_add_seconds", return_value=7) as timer:
                started = mock.Mock()
                waiting = playing.Playing("https://music.example/song", 0, None, True, application, [], started, None)
                for _ in range(3):
                    waiting.told(self.player(application, "Stopped"))
                again = [call for call in timer.call_args_list if call.args[0] == playing.LOST]
                self.assertEqual(len(again), times)
                if again:
                    again[0].args[1]()
                self.assertEqual(started.call_count, times)

    def tried(self, position: int, **metadata) -> list:
        """Returns the calls to a player that ignores them, and whether the adapter still keeps the position at the
        end."""
        player, done = self.player(**metadata), []
        player.values["Position"] = position
        player.read, player.do = lambda: True, lambda method, arguments=None: done.append((method, *(arguments.unpack() if arguments else ())))
        with mock.patch.object(playing.GLib, "timeout_add_seconds", return_value=7), mock.patch.object(playing.GLib, "timeout_add", return_value=7), \
                mock.patch.object(playing.GLib, "source_remove"):
            waiting = playing.Playing("https://music.example/song", 83_000_000, None, True, "totem", [], None,
                                      lambda _, failure, is_there: done.append((failure, is_there)))
            waiting.told(player)
            for _ in range(playing.TRIES):
                waiting.look()
        return done

    def test_player_without_a_track_name_is_moved_by_seek(self):
        for track in ({}, {"mpris:trackid": "/org/mpris/MediaPlayer2/TrackList/NoTrack"}, {"mpris:trackid": "spotify:track:1"}, {"mpris:trackid": ""}):
            done = self.tried(3_000_000, **track)
            self.assertEqual(done, playing.TRIES * [("Seek", 80_000_000)] + [(None, False)], track)

    def test_set_position_and_seek_are_both_tried_before_a_place_is_given_up(self):
        done = self.tried(3_000_000, **{"mpris:trackid": "/track/1"})
        self.assertEqual(len(done), playing.TRIES + 1)
        self.assertEqual(done[:playing.SETS], playing.SETS * [("SetPosition", "/track/1", 83_000_000)])
        self.assertEqual(done[playing.SETS:playing.SETS + 2], [("Seek", 80_000_000), ("SetPosition", "/track/1", 83_000_000)])
        self.assertEqual(done[-1], (None, False))

    def test_player_is_not_moved_beyond_the_end_or_from_an_unknown_position(self):
        """Seeking behind the end would start the next track, and seeking from an unknown position could lead anywhere."""
        self.assertEqual(self.tried(3_000_000, **{"mpris:length": 24_000_000}), [(None, False)])
        self.assertEqual(self.tried(None), [(None, False)])

    def test_player_that_plays_another_song_is_not_moved(self):
        """The user has chosen another song meanwhile."""
        player, ended = self.player("totem", **{"xesam:url": "https://music.example/song"}), mock.Mock()
        player.read, player.do = mock.Mock(return_value=True), mock.Mock()
        with mock.patch.object(playing.GLib, "timeout_add_seconds", return_value=7), mock.patch.object(playing.GLib, "timeout_add", return_value=7), \
                mock.patch.object(playing.GLib, "source_remove"):
            waiting = playing.Playing("https://music.example/song", 83_000_000, None, True, "totem", [], None, ended)
            waiting.told(player)
            player.do.reset_mock()
            player.values = {"PlaybackStatus": "Paused", "Metadata": {"xesam:url": "https://music.example/other"}}
            self.assertEqual(waiting.look(), GLib.SOURCE_REMOVE)
        ended.assert_called_once_with(waiting, None, False)
        player.do.assert_not_called()


class PlayerReports(unittest.TestCase):
    """Players' reports, and the questions that follow."""

    def setUp(self):
        self.player, self.asked, self.passed_on = Player(None, "org.mpris.MediaPlayer2.mock", ":1.7"), [], []
        self.players = Players.__new__(Players)
        self.players.connection, self.players.changed, self.players.by_owner = None, self.passed_on.append, {":1.7": self.player}
        self.players.judge = mock.Mock(ask=lambda owner, claimed, answered: answered(Verdict(True, claimed)))
        self.timer = self.replace(GLib, "timeout_add", return_value=7)
        self.replace(bus, "send", side_effect=self.send)

    def replace(self, owner, name: str, **how):
        return self.enterContext(mock.patch.object(owner, name, **how))

    def send(self, _, destination, path, interface, method, arguments, answered):
        self.asked.append((answered, method, *arguments.unpack()))

    def answer(self, answer):
        """Answers the oldest question."""
        self.asked.pop(0)[0](answer and (answer,))

    def questions(self) -> list:
        return [question[1:] for question in self.asked]

    def tell(self, invalidated=(), **changed):
        changed = {name: value if isinstance(value, GLib.Variant) else GLib.Variant("s", value) for name, value in changed.items()}
        self.players._told(None, ":1.7", None, None, None, GLib.Variant("(sa{sv}as)", (PLAYER, changed, invalidated)))

    def end_pause(self):
        self.assertEqual(self.players._paused(self.player), GLib.SOURCE_REMOVE)

    def test_player_that_did_not_name_its_app_is_asked_again(self):
        """The player is asked again after a pause, not at each of its reports."""
        self.tell()
        self.tell()
        self.assertEqual(self.questions(), [("GetAll", NAMESPACE)])
        for answer in 4 * [None]:
            self.answer(answer)
        self.assertEqual((self.questions(), self.player.application), ([], ""))
        self.end_pause()
        self.answer({"DesktopEntry": "org.example.Late"})
        self.answer({"PlaybackStatus": "Playing"})
        self.assertEqual((self.player.application, self.passed_on), ("org.example.Late", [self.player]))
        self.end_pause()
        self.tell()
        self.assertEqual(self.questions(), [])

    def test_player_is_reported_only_after_batond_has_named_its_app(self):
        """Totem, for example, is recognised only by batond's answer."""
        asked = []
        self.players.judge = mock.Mock(ask=lambda *question: asked.append(question))
        self.players.changed = lambda player: self.passed_on.append((player.application, player.is_playing))
        self.players._describe(self.player)
        self.answer({"DesktopEntry": "totem"})
        self.tell(PlaybackStatus="Playing")
        self.assertEqual((self.passed_on, self.questions()), ([], []))
        asked[0][-1](Verdict(True, "totem"))
        self.answer({"PlaybackStatus": "Playing"})
        self.assertEqual(self.passed_on, [("totem", True)])

    def test_player_is_asked_for_a_value_that_it_reported_as_changed(self):
        self.player.is_described, self.player.is_new = True, False
        for name in READ:
            self.tell([name])
            self.assertEqual(self.questions(), [("GetAll", PLAYER)], name)
            self.answer({"PlaybackStatus": "Playing", "Metadata": {"xesam:title": name}})
            self.assertEqual((self.passed_on.pop(), self.player.title), (self.player, name))
            self.end_pause()
        self.tell(["Volume"])
        self.assertEqual((self.questions(), self.passed_on), ([], []))

    def test_player_that_keeps_reporting_changes_is_asked_once_in_each_pause(self):
        self.player.is_described, self.player.is_new = True, False
        for _ in range(3):
            for _ in range(100):
                self.tell(["Metadata"])
            self.assertEqual(self.questions(), [("GetAll", PLAYER)])
            self.timer.assert_called_once_with(players.PAUSE, self.players._paused, self.player)
            self.answer({"PlaybackStatus": "Playing"})
            self.timer.reset_mock()
            self.end_pause()
        self.assertEqual(self.passed_on, [self.player])

    def test_position_and_volume_of_a_player_are_no_reason_for_a_report(self):
        """Some players report their position ten times a second."""
        self.player.is_described = True
        self.tell(PlaybackStatus="Playing")
        for position in range(100):
            self.tell(Position=GLib.Variant("x", position), PlaybackStatus="Playing", Volume=GLib.Variant("d", position))
        self.assertEqual((self.passed_on, self.player.position), ([self.player], 99))
        self.tell(Metadata=GLib.Variant("a{sv}", {"xesam:title": GLib.Variant("s", "A song")}))
        self.tell(PlaybackStatus="Paused")
        self.assertEqual(self.passed_on, 3 * [self.player])

    def test_reports_of_another_type_are_ignored(self):
        self.player.is_described = True
        for news in (GLib.Variant("(s)", ("",)), GLib.Variant("(sa{ss}as)", ("", {}, []))):
            self.players._told(None, ":1.7", None, None, None, news)
        self.assertEqual((self.questions(), self.passed_on), ([], []))

    def test_player_without_get_all_is_asked_for_each_property(self):
        self.players._read(self.player)
        self.answer(None)
        for name in READ:
            self.assertEqual(self.questions(), [("Get", PLAYER, name)])
            self.answer(name)
        self.assertEqual((self.passed_on, self.player.values), ([self.player], {name: name for name in READ}))

    def test_player_that_does_not_answer_is_asked_for_only_one_property(self):
        """A question has the time limit of an app that is asked for its current values."""
        with mock.patch.object(bus, "ask", return_value=None) as ask:
            self.assertFalse(self.player.read())
        self.assertEqual([call.args[4] for call in ask.call_args_list], ["GetAll", "Get"])

    def test_desktop_entry_may_be_given_as_a_path(self):
        for entry, identifier in (("mpv", "mpv"), ("mpv.desktop", "mpv"), ("/usr/share/applications/mpv.desktop", "mpv"), (7, ""), (256 * "a", "")):
            self.assertEqual(players._entry({"DesktopEntry": entry}), identifier)


class PlayerTimes(unittest.TestCase):
    """Tests how the times in players' reports are read."""

    def player(self, name: str = "org.mpris.MediaPlayer2.mock", **values) -> Player:
        player = Player(None, name, ":1.7")
        player.values = values
        return player

    def test_times_may_be_numbers_of_any_type(self):
        for value, time in ((83, 83), (83.9, 83), (0, 0), (-1, None), (float("nan"), None), (float("inf"), None), ("83", None), (True, None), (None, None), (2**63, None)):
            self.assertEqual(self.player(Position=value).position, time, value)
            self.assertEqual(self.player(Metadata={"mpris:length": value}).length, time or None, value)
        for value, rate in ((2, 2.0), (1.5, 1.5), ("2", None), (float("inf"), None)):
            self.assertEqual(self.player(Rate=value).rate, rate, value)

    def test_showtime_without_a_volume_reports_milliseconds(self):
        name = "org.mpris.MediaPlayer2.org.gnome.Showtime"
        self.assertEqual(self.player(name, Position=6458).position, 6_458_000)
        self.assertEqual(self.player(name, Position=6458, Volume=1.0).position, 6458)
        self.assertEqual(self.player(f"{name}X", Position=6458).position, 6458)

    def test_length_shorter_than_the_position_is_not_sent(self):
        for length, told in ((300_000_000, 300_000_000), (24_000_000, None), (0, None)):
            player = self.player(Position=83_000_000, Metadata={"mpris:length": length, "xesam:url": "https://music.example/song"})
            player.read = lambda: True
            offered = media.Offered(mock.Mock(), player)
            offered.activity = mock.Mock()
            self.assertEqual(offered.save()["length"], told)

    def test_position_at_the_end_is_moved_before_the_end(self):
        for place, length, wanted in ((83, 300, 83), (300, 300, 299), (301, 300, 299), (303, 300, 303), (83, 24, 83), (1, None, 1), (0.5, 0.7, 0)):
            with mock.patch.object(playing.GLib, "timeout_add_seconds", return_value=7):
                waiting = playing.Playing("https://music.example/song", place * 1_000_000, None, True, "mock", [], None, None)
            waiting.player = self.player(Metadata={"mpris:length": length and length * 1_000_000})
            self.assertEqual(waiting.wanted(), wanted * 1_000_000, (place, length))


class Publishing(unittest.TestCase):
    def test_handed_over_file_stays_open_for_two_minutes(self):
        """A disk with open files cannot be unmounted."""
        handlers, activity = {}, mock.Mock()
        activity.connect = lambda signal, handler: handlers.update({signal: handler})
        with mock.patch.object(adapter.Baton, "Activity", return_value=activity), mock.patch.object(adapter.GLib, "idle_add"), \
                mock.patch.object(adapter.GLib, "timeout_add_seconds", return_value=7) as timer, mock.patch.object(adapter.GLib, "source_remove") as stop:
            adapter.Adapter.publish(mock.Mock(), "org.example", None, lambda: {"page": 1}, None)
            timer.assert_not_called()
            handlers["save"](activity)
            timer.assert_called_once_with(120, mock.ANY)
            stop.assert_not_called()
            handlers["save"](activity)  # the file is offered again
            stop.assert_called_once_with(7)
            self.assertEqual(timer.call_args.args[1](), GLib.SOURCE_REMOVE)
            activity.set_contents_fd.assert_called_once_with(-1)
            self.assertIsNone(activity.props.document)
            handlers["save"](activity)
            stop.assert_called_once_with(7)


class JournalLines(unittest.TestCase):
    def test_lines_that_other_programs_cause_do_not_fill_the_journal(self):
        out, rate = io.StringIO(), Rate(3, 0)
        journal = Journal(out, rate)
        for number in range(1000):
            journal.write(f"{number}\n" + 5000 * "x")
        lines = out.getvalue().splitlines()
        self.assertEqual([line[:17] for line in lines], [f"baton-adapters: {number}" for number in range(3)])
        self.assertLess(max(map(len, lines)), 1100)
        rate.left = 1
        journal.write("the next")
        self.assertEqual(out.getvalue().splitlines()[3:], ["baton-adapters: the next (left out 997 lines before this one)"])


class Published(adapter.Adapter):
    """An adapter without a bus. `save()` saves its activity."""

    name = "Test"

    def __init__(self):
        self.handlers, self.activity, self.said, self.token, self.bus = {}, mock.Mock(), [], None, None
        self.activity.connect = lambda signal, handler: self.handlers.update({signal: handler})
        self.activity.props.title = "A title"

    def complain(self, text):
        self.said.append(text)

    def offered(self, save) -> dict:
        """Returns what the other laptop gets from an app."""
        with mock.patch.object(adapter.Baton, "Activity", return_value=self.activity), mock.patch.object(adapter.GLib, "idle_add"), \
                mock.patch.object(adapter.GLib, "timeout_add_seconds", return_value=7):
            self.publish("org.example", None, save, None)
            self.handlers["save"](self.activity)
        return self.activity.props.user_info.unpack()


class SaveFailures(unittest.TestCase):
    """Both laptops are told if an app's values cannot be read."""

    def setUp(self):
        self.adapter = Published()

    def assert_told(self, save, code: str, said: str):
        self.assertEqual(self.adapter.offered(save), {adapter.FAILURE: str(ladder.sentence(code)), adapter.FAILURE_CODE: code})
        self.assertRegex(self.adapter.said[0], said)
        activity = self.adapter.activity
        activity.resign_current.assert_called_once_with()
        activity.invalidate.assert_not_called()
        activity.set_contents_fd.assert_called_once_with(-1)
        self.assertEqual((activity.props.document, activity.props.title, activity.props.webpage_url), (None, None, None))

    def test_file_that_may_not_leave_is_reported_with_the_reason(self):
        self.assert_told(mock.Mock(side_effect=ladder.Stays("gone")), "gone", "^A title is not handed over. It is not there any more.$")

    def test_failure_of_the_adapter_reveals_no_paths_to_the_other_laptop(self):
        self.assert_told(mock.Mock(side_effect=OSError("/home/ada/secret")), "failed",
                         r"OSError: /home/ada/secret \(\w+\.py:\d+\)\)$")

    def test_values_that_cannot_be_sent_are_reported_as_a_failure(self):
        self.assert_told(lambda: {"name": "caf\udce9"}, "failed", "UnicodeEncodeError")

    def test_ended_activity_is_not_reported_as_a_failure(self):
        with mock.patch.object(adapter.Baton, "Activity", return_value=self.adapter.activity):
            self.adapter.publish("org.example", None, lambda: None, None)
            self.adapter.handlers["save"](self.adapter.activity)
        self.adapter.activity.invalidate.assert_called_once_with()
        self.assertEqual(self.adapter.said, [])

    def test_receiving_laptop_words_the_reason_itself(self):
        """The reason in the words of the laptop that the activity comes from is only written to the journal."""
        for code, shown, said in (("gone", "It is not there any more.", ""), ("of-a-later-version", "The log there says why.", " (its words)"),
                                  (None, "The log there says why.", " (its words)")):
            continuation, self.adapter.said = mock.Mock(), []
            info = {adapter.FAILURE: "its words", **({adapter.FAILURE_CODE: code} if code else {})}
            continuation.props.user_info = GLib.Variant("a{sv}", {key: GLib.Variant("s", value) for key, value in info.items()})
            continuation.props.device_name = "desk"
            self.adapter.take = mock.Mock()
            self.adapter._continue(None, continuation)
            shown = f'"desk" does not hand it over. {shown}'
            continuation.decline.assert_called_once_with(shown)
            self.assertEqual(self.adapter.said, [shown + said])
            self.adapter.take.assert_not_called()


class WithheldFiles(unittest.TestCase):
    """batond is told about the latest file that is not offered, once for each change."""

    def setUp(self):
        self.watch = self.enterContext(mock.patch.object(withheld.Gio, "bus_watch_name_on_connection", return_value=7))
        self.enterContext(mock.patch.object(bus, "send", side_effect=lambda *words: self.told.append(words[-1].unpack())))
        self.told, self.adapter = [], Published()
        self.adapter.withheld = withheld.Withheld(mock.Mock())

    def withhold(self, shown: str, path: str, reason: str, is_told: bool = True):
        stays = ladder.Stays("gone")
        stays.sentence = reason
        stays.is_told = is_told
        self.adapter.withhold(shown, path, stays)

    def test_latest_file_that_is_not_offered_is_reported_until_it_is_closed(self):
        self.withhold("view 1", "/tmp/one.pdf", "it is temporary")
        self.withhold("view 1", "/tmp/one.pdf", "it is temporary")
        self.withhold("view 2", "/tmp/two.pdf", "it is temporary")
        self.withhold("view 1", "/tmp/three.pdf", "it is temporary")
        for view in ("view 1", "view 1", "view 3"):
            self.adapter.withhold(view, "", None)
        # A file that must not be reported replaces the reported one, so nothing is reported.
        self.withhold("view 2", "/home/ada/.ssh/key.pdf", "it is private", is_told=False)
        names = ["one.pdf", "two.pdf", "three.pdf", "two.pdf"]
        self.assertEqual(self.told, [*((name, "it is temporary") for name in names), ("", "")])

    def test_restarted_daemon_gets_the_reports_again(self):
        came = self.watch.call_args.args[3]
        came(None, withheld.NAME, ":1.1")
        self.assertEqual(self.told, [])
        self.withhold("view", "/tmp/one.pdf", "why")
        came(None, withheld.NAME, ":1.2")
        self.assertEqual(self.told, 2 * [("one.pdf", "why")])

    def test_reported_name_is_one_line_within_the_limit_of_the_bus(self):
        self.withhold("view", "/tmp/" + "a\n\u202e" + 5000 * "ä", "why")
        name = self.told[0][0]
        self.assertRegex(name, "^a. ä")
        self.assertNotIn("\n", name)
        self.assertLessEqual(len(name.encode()), 1024)

    def test_name_that_is_not_utf_8_is_reported_with_replacement_characters(self):
        self.withhold("view", "/home/ada/caf\udce9\n.pdf", "why")
        self.assertEqual(self.told, [("caf\ufffd\ufffd.pdf", "why")])


class FilesThatMayNotLeave(unittest.TestCase):
    """If a file may no longer leave the laptop when it is requested, it is not handed over."""

    def setUp(self):
        self.adapter, self.activity = mock.Mock(), mock.Mock()
        self.stays = ladder.Stays("temporary")
        for name, more in (("offer", {"side_effect": self.stays}), ("why_it_stays", {"return_value": self.stays})):
            self.enterContext(mock.patch.object(ladder, name, **more))

    def test_song_that_may_no_longer_leave_is_not_handed_over(self):
        player = Player(None, "org.mpris.MediaPlayer2.mock", ":1.7")
        player.read, player.values = lambda: True, {"Metadata": {"xesam:url": "file:///tmp/song.wav"}}
        offered = media.Offered(self.adapter, player)
        offered.activity = self.activity
        with self.assertRaises(ladder.Stays):
            offered.save()
        self.adapter.look_again.assert_called_once_with(player)
        player.read = lambda: False
        self.assertIsNone(offered.save())
        self.assertEqual(self.adapter.look_again.call_count, 2)

    def document(self, path: str) -> documents.Offered:
        offered = documents.Offered(self.adapter, mock.Mock(document=lambda title: (path, 3, 60)))
        offered.activity = self.activity
        return offered

    def test_document_that_may_no_longer_leave_is_not_handed_over(self):
        offered = self.document("/tmp/caf\udce9.pdf")
        with self.assertRaises(ladder.Stays):
            offered.save()
        self.assertEqual(self.activity.props.title, "caf\ufffd.pdf")
        self.adapter.withhold.assert_called_once_with(offered.view, "/tmp/caf\udce9.pdf", self.stays)

    def test_document_in_front_that_may_no_longer_leave_is_withdrawn(self):
        offered = self.document("/tmp/book.pdf")
        offered.show()
        self.activity.invalidate.assert_called_once_with()
        self.adapter.publish.assert_not_called()
        self.adapter.withhold.assert_called_once_with(offered.view, "/tmp/book.pdf", self.stays)
        offered.end()
        self.adapter.withhold.assert_called_with(offered.view, "", None)

    def text(self, directory: str) -> Editor:
        connection = mock.Mock(ask=lambda *_: {"state": {"file": "/tmp/new.txt", "line": 7, "unsaved": True, "sent": True}})
        self.adapter.publish.return_value, self.adapter.directory = self.activity, directory
        return Editor(self.adapter, connection, "vim")

    def test_text_that_may_no_longer_leave_is_not_read(self):
        with tempfile.TemporaryDirectory() as directory, self.assertRaises(ladder.Stays):
            self.text(directory).save()
        self.adapter.exchange.take.assert_not_called()

    def test_text_in_front_that_may_no_longer_leave_is_withdrawn(self):
        with tempfile.TemporaryDirectory() as directory:
            text = self.text(directory)
            text.heard({"state": {"file": "/tmp/new.txt"}})
            self.activity.resign_current.assert_called_once_with()
            self.adapter.withhold.assert_called_with(text, "/tmp/new.txt", self.stays)
            text.end()
        self.adapter.withhold.assert_called_with(text, "", None)

    def test_editor_that_shows_no_text_gives_that_as_the_reason(self):
        with tempfile.TemporaryDirectory() as directory:
            text = self.text(directory)
            text.connection.ask = lambda *_: {"state": None}
            with self.assertRaisesRegex(ladder.Stays, "shows nothing"):
                text.save()


class NamesOutsideUTF8(unittest.TestCase):
    def test_file_whose_name_is_not_utf_8_is_found_in_the_command_line_of_its_program(self):
        """Zathura does not report such a name correctly, so the command line that started it is read."""
        for word, found in ((b"/home/ada/caf\xe9.pdf", b"/home/ada/caf\xe9.pdf"), (b"file:///home/ada/caf%E9%20.pdf", b"/home/ada/caf\xe9 .pdf"),
                            (b"caf\xe9.pdf", b"caf\xe9.pdf"), ("/home/ada/café %E9.pdf".encode(), None), (b"file:///home/ada/caf%C3%A9.pdf", None)):
            with subprocess.Popen(["sh", "-c", "echo; read line", word], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                process.stdout.readline()  # it runs
                self.assertEqual(unnamable.asked_of(process.pid), found and os.fsdecode(found))
                process.communicate()
        self.assertIsNone(unnamable.asked_of(process.pid))

    def test_zathura_is_asked_for_all_properties_and_never_for_the_name_alone(self):
        with mock.patch.object(viewers.bus, "ask", return_value=({"pagenumber": 3},)) as ask:
            viewers.ZathuraView(None, ":1.7", 7, "").document("")
            ask.return_value = None
            viewers.ZathuraView(None, ":1.7", 7, "").document("")
        self.assertEqual({call.args[4] for call in ask.call_args_list}, {"GetAll"})

    def test_zathuras_command_line_names_its_document_only_if_zathura_reports_none(self):
        named = {"filename": "/a.pdf", "pagenumber": 3, "numberofpages": 60}
        unnamed = {"pagenumber": 3, "numberofpages": 60}
        started = "/home/caf\udce9.pdf"
        for told, asked, title, shown in (
                (named, None, "", ("/a.pdf", 3, 60)), (named, started, "", ("/a.pdf", 3, 60)),
                (unnamed, started, "", (started, 3, 60)), (unnamed, started, "/home/caf\ufffd.pdf", (started, 3, 60)),
                (unnamed, started, "/home/caf\ufffd.pdf.old", None),  # opened later by its name
                (unnamed, "caf\udce9.pdf", "", None), (unnamed, None, "", None), ({}, started, "", None)):
            with self.subTest(told=told, asked=asked, title=title), mock.patch.object(viewers.bus, "properties", return_value=told), \
                    mock.patch.object(unnamable, "asked_of", return_value=asked):
                self.assertEqual(viewers.ZathuraView(None, ":1.7", 7, "").document(title), shown)


class Opening(unittest.TestCase):
    def test_title_with_replacement_characters_names_the_document(self):
        for title in ("caf\ufffd.pdf (invalid encoding)", "caf\ufffd.pdf", "/home/ada/caf\ufffd.pdf"):
            self.assertTrue(viewers.names(title, "/home/ada/caf\udce9.pdf"), title)
        self.assertFalse(viewers.names("caf.pdf", "/home/ada/caf\udce9.pdf"))

    def test_file_whose_name_is_not_utf_8_opens_in_a_viewer_that_supports_it(self):
        """Okular cannot open a file with such a name, and Zathura crashes when a program asks for only the property
        with it."""
        def app(name):
            return mock.Mock(get_id=lambda: f"{name}.desktop")
        zathura, okular, evince = (app(name) for name in ("org.pwmt.zathura", "org.kde.okular", "org.gnome.Evince"))
        for recommended, name, expected in (([okular, evince], "book.pdf", zathura), ([okular, evince], "caf\udce9.pdf", evince), ([okular], "caf\udce9.pdf", None)):
            file = mock.Mock(get_path=lambda: f"/home/ada/{name}")
            with mock.patch.object(documents, "kind_of", return_value="application/pdf"), mock.patch.object(launch, "is_sandboxed", return_value=False), \
                    mock.patch.object(launch, "is_app", return_value=True), mock.patch.object(documents.Gio, "AppInfo") as apps:
                apps.get_default_for_type.return_value, apps.get_recommended_for_type.return_value = zathura, recommended
                if expected:
                    self.assertIs(documents.viewer_for(file, None)[1], expected)
                else:
                    with self.assertRaisesRegex(Refused, "No viewer here can open a file with this name. Rename"):
                        documents.viewer_for(file, None)


class Commands(unittest.TestCase):
    def command(self, line: str, *options, address="file:///a%20song") -> list:
        return launch.command(self.app(f"Name=Play it\nIcon=play\nExec={line}\n"), address, options)

    def app(self, lines: str, name="org.example.Player"):
        """Returns an installed app, as GIO knows it."""
        with tempfile.TemporaryDirectory() as root:
            file = pathlib.Path(root, f"{name}.desktop")
            file.write_text(f"[Desktop Entry]\nType=Application\n{lines}", "utf-8")
            return launch.DesktopAppInfo.new_from_filename(str(file))

    def test_address_replaces_the_field_code(self):
        self.assertEqual(self.command("env --gui -- %U"), ["env", "--gui", "--", "file:///a%20song"])
        self.assertEqual(self.command("env run --command=x org.x @@u %u @@"), ["env", "run", "--command=x", "org.x", "@@u", "file:///a%20song", "@@"])
        self.assertEqual(self.command("env --open=%u"), ["env", "--open=file:///a%20song"])

    def test_address_is_the_last_argument_if_the_entry_has_no_field_code(self):
        self.assertEqual(self.command("env"), ["env", "file:///a%20song"])

    def test_file_is_passed_as_a_path_if_the_entry_asks_for_a_path(self):
        self.assertEqual(self.command("env %f"), ["env", "/a song"])
        for address in ("https://example.org/a%20song", "file:///a%20book#page=3"):
            self.assertEqual(self.command("env %F", address=address), ["env", address])

    def test_field_codes_are_replaced_as_gio_replaces_them(self):
        self.assertEqual(self.command('env %i --title=%c "--at=50%%" %w%m %U'),
                         ["env", "--icon", "play", "--title=Play it", "--at=50%", "file:///a%20song"])
        self.assertEqual(self.command("sh -c 'exec env \"$@\"' x %u"), ["sh", "-c", 'exec env "$@"', "x", "file:///a%20song"])

    def test_command_that_field_codes_make_too_long_is_refused(self):
        lines = f"Name={'n' * 10_000}\nExec=env {'%c' * 100}"
        self.assertEqual(len(launch.command(self.app(lines), "file:///a%20song")[1]), 1_000_000)
        with self.assertRaisesRegex(launch.NotStarted, "is damaged"):
            launch.command(self.app(lines + "%c" * 100), "file:///a%20song")

    def test_app_without_an_exec_line_is_not_started(self):
        with self.assertRaisesRegex(launch.NotStarted, "has no Exec line"):
            launch.command(self.app("Name=Play it\n"), "file:///a%20song")

    def test_app_needs_a_way_to_be_started_and_must_not_be_deleted(self):
        for lines, is_app in (("Exec=env", True), ("DBusActivatable=true", True), ("", False), ("Exec=env\nHidden=true", False)):
            self.assertIs(launch.is_app(self.app(lines)), is_app, lines)

    def test_app_whose_name_is_not_a_bus_name_is_not_started_by_the_bus(self):
        for name in ("player", "org.example.2048"):
            self.assertFalse(launch.is_app(self.app("DBusActivatable=true", name)), name)

    def test_methods_are_called_through_the_class_as_glib_2_84_needs(self):
        real, entry = launch.DesktopAppInfo, self.app("Exec=env\nName=Play it\nIcon=play\n")

        class AppInfo:  # the methods that objects have there
            get_name, get_commandline = entry.get_name, entry.get_commandline

        class Functions:
            def __getattr__(self, name):
                return lambda app, *arguments: getattr(real, name)(entry, *arguments)
        with mock.patch.object(launch, "DesktopAppInfo", Functions()):
            self.assertTrue(launch.is_app(AppInfo()))
            self.assertEqual(launch.command(AppInfo(), "file:///a"), ["env", "file:///a"])

    def test_sandbox_key_counts_anywhere_in_an_entry(self):
        self.assertFalse(self.sandboxed("Name=X-Flatpak\n"))
        for lines in ("X-Flatpak=org.x.Y", "X-Flatpak=", "X-SnapInstanceName=x", "X-SnapAppName[de]=x", "[Desktop Action a]\nX-Flatpak=x"):
            self.assertTrue(self.sandboxed(lines), lines)

    def test_entry_in_a_directory_of_a_sandbox_needs_no_sandbox_key(self):
        for place in ("exports/share/applications", "snapd/desktop/applications", "xdg-desktop-portal/applications"):
            self.assertTrue(self.sandboxed("", place), place)

    def sandboxed(self, lines: str, place: str = "applications") -> bool:
        with tempfile.TemporaryDirectory() as root:
            file = pathlib.Path(root, place, "org.example.App.desktop")
            file.parent.mkdir(parents=True)
            file.write_text(f"[Desktop Entry]\nType=Application\nExec=env\n{lines}\n", encoding="utf-8")
            return launch.is_sandboxed(launch.DesktopAppInfo.new_from_filename(str(file)))

    def test_options_come_before_the_address(self):
        self.assertEqual(self.command("env %U", "--page-index=3"), ["env", "--page-index=3", "file:///a%20song"])

    def test_name_of_a_unit_is_escaped_as_systemd_does(self):
        self.assertEqual(launch.escaped("org.example.A-b é/.."), "org.example.A\\x2db\\x20\\xc3\\xa9\\x2f..")


class Contents(unittest.TestCase):
    def test_web_address_must_be_a_string(self):
        for address in ("", None, 7, ["https://x/"], "-https://x/", "\ud800https://x/", "https://x/\ud800"):
            self.assertIsNone(contents.web_address(address), address)

    def test_songs_that_may_leave_are_offered(self):
        self.assertTrue(media.can_go("https://music.example/a", None))
        with mock.patch.object(ladder, "may_leave") as may_leave:
            for answer in (True, False):
                may_leave.return_value = answer
                self.assertEqual(media.can_go("file:///a.wav", "/renamed.wav"), answer)
            may_leave.assert_called_with("/renamed.wav", ladder.PLAYING)
        for address in ("https://ada:pw@music.example/a", "smb://music.example/a", "a.wav", ""):
            self.assertFalse(media.can_go(address, None), address)

    def test_number_must_be_within_its_bounds(self):
        for value in (0, 7, 7.5, 2**53):
            self.assertEqual(contents.number({"n": value}, "n"), value)
        for value in (-1, 2**53 + 2, float("nan"), float("inf"), True, "7", None, [7]):
            self.assertIsNone(contents.number({"n": value}, "n"), value)

    def test_title_is_one_line_of_at_most_1024_bytes(self):
        self.assertEqual(contents.title("a\nb\x1b[0m\u202e"), "a b [0m ")
        self.assertEqual(len(contents.title("é" * 2000).encode()), 1024)

    def test_proxies_and_browsers_are_recognised_by_names_and_programs(self):
        for name in ("playerctld", "kdeconnect.mpris_1", "chromium.instance1", "firefox.instance_1_7", "Firefox", "GSConnect.PhoneMusic", "Valent.Player0"):
            self.assertTrue(is_passed_over(f"org.mpris.MediaPlayer2.{name}"), name)
        for program in ("playerctld", "kdeconnectd", "plasma-browser-integration-host", "firefox-esr", "vivaldi-bin"):
            self.assertTrue(is_passed_over(program), program)
        for name in ("mpv", "vlc.instance7", "chromiumlike"):
            self.assertFalse(is_passed_over(f"org.mpris.MediaPlayer2.{name}"), name)
            self.assertFalse(is_passed_over(name), name)
