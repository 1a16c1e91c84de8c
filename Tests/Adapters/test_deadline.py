# SPDX-License-Identifier: Apache-2.0
"""Tests how long an event of the adapters waits for other programs, with programs that take almost all the time they
may."""

import math
import pathlib
import select
import socket
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

import library  # noqa: E402

library.introspected()
sys.path.insert(0, str(library.ROOT / "Extensions" / "Adapters"))

from gi.repository import GLib  # noqa: E402

import bus  # noqa: E402
import deadline  # noqa: E402
import front  # noqa: E402
import launch  # noqa: E402
from adapter import Adapter  # noqa: E402
from documents import Documents  # noqa: E402
from editors import kate, programs  # noqa: E402
from extensions.lines import Connection  # noqa: E402
from ladder import git  # noqa: E402
from opening import Opening  # noqa: E402
from player import Player  # noqa: E402
from terminals import adapter as terminals, line, tmux  # noqa: E402
from viewers import OkularView  # noqa: E402

SLOW = 1.9  # seconds that a program takes to answer
MANY = 30  # windows and tabs
NODES = "<node>" + "".join(f'<node name="MainWindow_{number}"/><node name="okular{number}"/>' for number in range(1, MANY)) + "</node>"


class Clock:
    """A clock that advances only while something waits."""

    def __init__(self):
        self.now, self.waits = 0.0, 0

    def wait(self, seconds: float, most: float) -> bool:
        """Waits for an event that comes after this many seconds. Returns whether it came in time."""
        self.waits += 1
        self.now += min(seconds, most)
        return seconds <= most


class Bus:
    """A bus on which all programs are slow."""

    def __init__(self, clock: Clock):
        self.clock = clock

    def call_sync(self, destination, path, interface, method, arguments, kind, flags, patience, cancellable):
        if not self.clock.wait(SLOW, patience / 1000):
            raise GLib.Error("timeout")
        if method == "GetAll" and path == "/org/mpris/MediaPlayer2":
            raise GLib.Error("it has no such method")
        values = {"Introspect": NODES, "GetAll": {"isActiveWindow": False}, "currentPage": 1, "NameHasOwner": True}
        return mock.Mock(unpack=lambda: (values.get(method, "/a.pdf"),))


class Events(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        self.bus = Bus(self.clock)
        self.enterContext(mock.patch.object(time, "monotonic", lambda: self.clock.now))

    def assert_bounded(self, event, seconds: float = deadline.LONGEST):
        """Checks that an event waits no longer than allowed, although it has more questions."""
        before, waits = self.clock.now, self.clock.waits
        event()
        self.assertGreater(self.clock.waits, waits + 1)
        self.assertLessEqual(self.clock.now - before, seconds)

    def test_look_at_a_kate_window_has_a_time_limit(self):
        program = kate.Kate.__new__(kate.Kate)
        program.adapter, program.owner, program.name = mock.Mock(bus=self.bus), ":1.1", "kate"
        program.window, program.timer, program.unanswered = None, 7, 0
        program.heard = mock.Mock()
        self.assert_bounded(program.look)
        self.assertFalse(program.heard.called)  # it keeps its offer

    def test_check_of_viewers_has_a_time_limit(self):
        views = [OkularView(self.bus, ":1.1", 1, "") for _ in range(MANY)]
        with mock.patch.object(GLib, "timeout_add") as later:
            opening = Opening(mock.Mock(), None, lambda: views, mock.Mock())
            self.assert_bounded(opening.look)
        self.assertAlmostEqual(later.call_args.args[0], 1000 * self.clock.now, delta=1)  # the other adapters' turn

    def test_report_of_the_window_in_front_has_a_time_limit(self):
        okular, other = (OkularView(self.bus, owner, 1, "") for owner in (":1.1", ":1.2"))
        front.listen(lambda _: other.document(""))
        self.addCleanup(front.LISTENERS.clear)
        with mock.patch.object(front, "_front") as found:
            front.watch_front(self.bus, lambda _: okular.document(""))
        self.assert_bounded(lambda: found.call_args.args[1](True))

    def test_handling_of_a_new_viewer_has_a_time_limit(self):
        documents, okular = Documents.__new__(Documents), OkularView(self.bus, ":1.1", 1, "")
        documents.offered, documents.front = {}, mock.Mock(may_be=lambda view, views: okular.is_titled(""))
        self.assert_bounded(lambda: documents.came(okular))

    def test_handling_of_a_shell_prompt_has_a_time_limit(self):
        shells, okular = terminals.Terminals.__new__(terminals.Terminals), OkularView(self.bus, ":1.1", 1, "")
        shells.shells, shells.shown, shells.activity, shells.is_offered = mock.Mock(), None, mock.Mock(), False
        shells.shells.front.directory.return_value = "/a"
        with mock.patch.object(terminals, "why_it_stays", lambda path: okular.document("")):
            self.assert_bounded(shells._prompted)
            self.assert_bounded(lambda: shells.here(1))

    def test_question_to_a_player_has_a_time_limit(self):
        player = Player(self.bus, "org.mpris.MediaPlayer2.slow", ":1.1")
        self.assert_bounded(player.read)

    def test_start_of_an_app_has_a_time_limit(self):
        with mock.patch.object(launch, "_start_unit", lambda *_: bus.ask(self.bus, "", "/", "", "StartTransientUnit")):
            self.assert_bounded(lambda: launch.start(self.bus, "true", ["true"], None))

    def test_start_of_an_editor_with_its_version_question_has_a_time_limit(self):
        def run(*_, timeout, **more):
            if not self.clock.wait(SLOW, timeout):
                raise subprocess.TimeoutExpired("it", timeout)
            return mock.Mock(stdout=b"Text Editor 48")
        with mock.patch.object(launch, "entry"), mock.patch.object(launch, "command", return_value=["true"]), mock.patch.object(programs.Gio, "File"), \
                mock.patch.object(launch, "_start_unit"), mock.patch.object(subprocess, "run", run):
            self.assert_bounded(lambda: programs.open_plainly(self.bus, "gnome-text-editor", "/a", mock.Mock(line=1, column=1), None))

    def test_reading_values_for_another_laptop_has_a_time_limit(self):
        """batond waits 5 s for an activity's contents."""
        adapter = Adapter.__new__(Adapter)
        adapter.bus = self.bus
        okular = OkularView(self.bus, ":1.1", 1, "")
        with mock.patch("adapter.Baton") as baton, mock.patch("adapter.GLib"):
            adapter.publish("org.example", None, lambda: okular.document("") and None, mock.Mock())
        saves = [call.args[1] for call in baton.Activity.return_value.connect.call_args_list if call.args[0] == "save"]
        self.assert_bounded(lambda: saves[0](None), deadline.SAVING)

    def test_inner_event_keeps_the_outer_time_limit(self):
        with deadline.within(1):
            with deadline.within(10):
                self.assertEqual(deadline.left(5), 1)
            self.clock.now += 2
            self.assertEqual(deadline.left(5), 0)
        self.assertEqual(deadline.left(5), 5)

    def test_own_thread_has_no_time_limit(self):
        found = []
        with deadline.within(1):
            thread = threading.Thread(target=lambda: found.append(deadline.left(math.inf)))
            thread.start()
            thread.join()
        self.assertEqual(found, [math.inf])

    def test_event_whose_time_is_over_asks_nothing_more(self):
        ours, theirs = socket.socketpair()
        self.addCleanup(theirs.close)
        connection = Connection(ours, mock.Mock())
        self.addCleanup(connection.close)
        with deadline.within(0), mock.patch.object(subprocess, "Popen") as started, mock.patch.object(select, "select", return_value=([], [], [])) as waited:
            self.assertIsNone(bus.ask(self.bus, ":1.1", "/", "org.example", "Get"))
            self.assertIsNone(git.run("/", "status"))
            self.assertIsNone(connection.ask({"ask": 1}, lambda message: True, 3))
            self.assertEqual(line._read(0), b"")
        self.assertEqual((self.clock.waits, started.called, waited.called), (0, False, False))

    def test_question_to_tmux_ends_with_the_event(self):
        with deadline.within(0.5), mock.patch.object(tmux, "_is_own", return_value=True), \
                mock.patch.object(subprocess, "run", side_effect=subprocess.TimeoutExpired("tmux", 0.5)) as run:
            self.assertEqual(tmux.windows("/socket,1,0", "%1"), [])
        self.assertEqual(run.call_args.kwargs["timeout"], 0.5)
