# SPDX-License-Identifier: Apache-2.0
"""Tests the questions to batond about other programs, and how much is kept about those that are
not admitted."""

import sys
import unittest
from unittest import mock

from apps import EXTENSION
from library import introspected

introspected()
sys.path.insert(0, str(EXTENSION))

from gi.repository import GLib  # noqa: E402

import accessibility  # noqa: E402
import bus  # noqa: E402
import judge  # noqa: E402
import players  # noqa: E402
import rate  # noqa: E402
import viewers  # noqa: E402
from judge import REFUSED, Verdict  # noqa: E402

ADMITTED = {"admitted": True, "application": "org.gnome.Evince", "program": "evince"}
BATON = ":1.2"


class Asking(unittest.TestCase):
    """A judge, and a bus on which only the test speaks."""

    def setUp(self):
        self.sent, self.now, self.answers = [], 0, []
        for patch in (mock.patch.object(judge.Gio, "bus_watch_name_on_connection"), mock.patch.object(judge.Gio, "bus_unwatch_name"),
                      mock.patch.object(bus, "send", self.send), mock.patch.object(rate.time, "monotonic", lambda: self.now),
                      mock.patch.object(judge.GLib, "timeout_add", self.later), mock.patch.object(judge.GLib, "source_remove")):
            self.enterContext(patch)
        self.timers = []
        self.judge = judge.Judge(mock.Mock())
        self.judge._appeared(None, judge.BATON, BATON)

    def send(self, connection, destination, path, interface, method, arguments=None, answered=None, starts=False):
        self.sent.append((destination, method, arguments.unpack(), answered))

    def later(self, wait, then):
        self.timers.append((wait, then))
        return len(self.timers)

    def ask(self, name: str, application: str = ""):
        self.judge.ask(name, application, self.answers.append)

    def answer(self, verdict):
        self.sent.pop(0)[3](({**verdict},) if verdict is not None else None)


class Questions(Asking):
    def test_batond_is_asked_once_about_a_program(self):
        for _ in range(3):
            self.ask(":1.7", "org.gnome.Evince")
        self.assertEqual([sent[:3] for sent in self.sent], [(BATON, "Judge", (":1.7", "org.gnome.Evince"))])
        self.answer(ADMITTED)
        self.ask(":1.7", "org.gnome.Evince")
        self.assertEqual((self.answers, self.sent), (4 * [Verdict(True, "org.gnome.Evince", "evince")], []))

    def test_batond_is_asked_about_each_new_program(self):
        self.ask(":1.7")
        self.answer(ADMITTED)
        self.ask(":1.8")
        self.assertEqual(self.sent[0][2], (":1.8", ""))

    def test_invalid_verdict_admits_no_program(self):
        for wrong in ({}, {"admitted": False}, {"admitted": "yes"}, {"admitted": 1}, {"admitted": False, "reason": "sandboxed", "application": 7}):
            self.ask(f":1.{len(self.answers)}")
            self.answer(wrong)
            self.assertFalse(self.answers[-1].is_admitted, wrong)

    def test_question_without_an_answer_is_asked_again_after_pauses_that_double(self):
        self.ask(":1.7")
        for pause in (250, 500, 1_000):
            self.answer(None)
            self.assertEqual(self.sent, [])
            (wait, then), self.timers = self.timers[-1], []
            self.assertEqual(wait, pause)
            then()
            self.assertEqual([sent[:3] for sent in self.sent], [(BATON, "Judge", (":1.7", ""))])
        self.answer(ADMITTED)
        self.assertEqual(len(self.answers), 1)

    def test_question_without_an_answer_goes_to_the_next_daemon_at_once(self):
        self.ask(":1.7")
        self.judge._vanished(None, judge.BATON)
        self.answer(None)
        self.ask(":1.8")
        self.assertEqual((self.sent, self.answers, self.timers), ([], [], []))
        self.judge._appeared(None, judge.BATON, ":1.9")
        self.assertEqual([sent[:3] for sent in self.sent], [(":1.9", "Judge", (":1.7", "")), (":1.9", "Judge", (":1.8", ""))])

    def test_question_during_a_restart_of_the_daemon_is_asked_again(self):
        self.ask(":1.7")
        self.judge._appeared(None, judge.BATON, ":1.9")
        self.answer(None)
        self.assertEqual([sent[:3] for sent in self.sent], [(":1.9", "Judge", (":1.7", ""))])

    def test_rate_of_questions_is_limited(self):
        for number in range(judge.AT_ONCE + 2):
            self.ask(f":1.{number}")
        self.assertEqual((len(self.sent), len(self.timers)), (judge.AT_ONCE, 1))
        self.now = 1 / judge.PER_SECOND
        self.timers.pop()[1]()
        self.assertEqual((len(self.sent), len(self.timers)), (judge.AT_ONCE + 1, 1))

    def test_number_of_remembered_programs_is_limited(self):
        """Asks about five thousand programs, each under two names, with and without answers."""
        for number in range(5_000):
            self.now += 0.1
            self.ask(f":1.{number}")
            self.ask(f":1.{number}")
            if number % 2 and self.sent:
                self.answer({"admitted": False, "reason": "gone"})
            timers, self.timers = self.timers, []
            for _, then in timers:
                then()
        self.assertLessEqual(len(self.judge.asking), judge.MOST_WAITING)
        self.assertLessEqual(len(self.judge.waiting), judge.MOST_WAITING)
        self.assertLessEqual(len(self.judge.kept), judge.MOST_KEPT)
        self.assertIn(REFUSED, self.answers)

    def test_callers_that_wait_for_one_question_are_limited(self):
        for _ in range(10_000):
            self.ask(":1.7")
        self.assertEqual(len(self.judge.asking[":1.7", ""]), judge.MOST_ASKING)

    def test_callers_get_no_answer_after_the_end(self):
        self.ask(":1.7")
        self.judge.end()
        self.answer(ADMITTED)
        self.assertEqual(self.answers, [])


class Strangers(Asking):
    """Programs that act as viewers and players, and are not admitted."""

    def evince(self):
        connection = mock.Mock()
        found = viewers.Evince(connection, self.judge, self.answers.append, self.answers.append)
        return lambda sender, name: found.loaded(connection, sender, "/window", None, None, GLib.Variant("(s)", (f"file:///{name}",))), found

    def test_endless_signals_of_a_program_cause_one_question(self):
        load, evince = self.evince()
        for number in range(5_000):
            load(":1.7", number)
            if number == 10:
                self.answer({"admitted": False, "reason": "sandboxed"})
        self.assertEqual((self.sent, self.answers, evince.coming, evince.views), ([], [], {}, {}))

    def test_signals_of_ever_new_programs_stay_within_the_limits(self):
        load, evince = self.evince()
        for number in range(5_000):
            load(f":1.{number}", "a.pdf")
        self.assertLessEqual(len(evince.coming), viewers.MOST)
        self.assertLessEqual(len(self.sent), judge.AT_ONCE)

    def test_rate_of_documents_of_an_admitted_program_is_limited(self):
        """A document is not offered if its program reports new documents too often."""
        load, evince = self.evince()
        with mock.patch.object(bus, "send_bus", lambda connection, method, name, answered: answered((7,))):
            load(":1.7", "0.pdf")
            self.answer(ADMITTED)
            for number in range(1, 1_000):
                load(":1.7", f"{number}.pdf")
        self.assertEqual(len(self.answers), 2 * viewers.AT_ONCE)  # each came and went
        self.assertEqual((evince.coming, evince.views), ({}, {}))

    def test_windows_of_an_admitted_program_are_limited(self):
        _, evince = self.evince()
        with mock.patch.object(bus, "send_bus", lambda connection, method, name, answered: answered((7,))):
            for number in range(1_000):
                self.now += 1
                evince.loaded(mock.Mock(), ":1.7", f"/window/{number}", None, None, GLib.Variant("(s)", ("file:///a.pdf",)))
                if not number:
                    self.answer(ADMITTED)
        self.assertEqual((len(evince.views), evince.coming), (viewers.MOST, {}))

    def test_document_that_was_closed_before_the_verdict_is_not_offered(self):
        load, evince = self.evince()
        load(":1.7", "a.pdf")
        evince.closed(None, ":1.7", "/window", None, None, None)
        with mock.patch.object(bus, "send_bus", lambda connection, method, name, answered: answered((7,))):
            self.answer(ADMITTED)
        self.assertEqual((self.answers, evince.coming), ([], {}))

    def test_viewer_gets_only_an_app_id_of_its_own(self):
        """A program that was started in a terminal may run in the terminal's systemd unit."""
        load, _ = self.evince()
        with mock.patch.object(bus, "send_bus", lambda connection, method, name, answered: answered((7,))):
            for number, (application, own) in enumerate((("org.gnome.Evince", "org.gnome.Evince"), ("org.kde.konsole", ""), ("", ""))):
                load(f":1.{number}", "a.pdf")
                self.answer({**ADMITTED, "application": application})
                self.assertEqual(self.answers[-1].application, own)

    def test_process_of_a_viewer_comes_from_the_bus_and_not_from_its_name(self):
        with mock.patch.object(bus, "watch_names"), mock.patch.object(bus, "send_bus", lambda connection, method, name, answered: answered((7,))):
            okular = viewers.Okular(mock.Mock(), self.judge, self.answers.append, None)
            okular.appeared("org.kde.okular-4711", ":1.7")
            self.answer({"admitted": True, "application": "org.kde.okular", "program": "okular"})
        self.assertEqual([(view.process, view.application) for view in self.answers], [(7, "org.kde.okular")])

    def test_nothing_is_asked_of_a_player_before_it_is_admitted(self):
        connection = mock.Mock()
        with mock.patch.object(bus, "watch_names"):
            found = players.Players(connection, self.judge, self.answers.append, self.answers.append)
        for number in range(1_000):
            found._came(f"org.mpris.MediaPlayer2.a{number}", ":1.7")
        self.assertEqual([sent[1] for sent in self.sent], ["Judge"])
        connection.signal_subscribe.assert_not_called()
        self.answer({"admitted": False, "reason": "unknown"})
        self.assertEqual((self.sent, self.answers, found.by_owner), ([], [], {}))

    def test_batond_is_asked_again_about_a_player_with_a_new_owner(self):
        with mock.patch.object(bus, "watch_names"):
            found = players.Players(mock.Mock(), self.judge, self.answers.append, self.answers.append)
        for owner in (":1.7", ":1.8"):
            found._came("org.mpris.MediaPlayer2.a", owner)
            self.assertEqual(self.sent[0][1:3], ("Judge", (owner, "")))
            self.answer(ADMITTED)
            self.assertEqual(self.sent.pop()[1], "GetAll")
            found._went("org.mpris.MediaPlayer2.a")
        self.assertEqual(found.by_owner, {})


class Windows(unittest.TestCase):
    """Programs that report over AT-SPI that their window is in front."""

    def setUp(self):
        self.came, self.asked = [], []
        self.enterContext(mock.patch.object(bus, "send_bus", lambda connection, method, name, answered: self.asked.append((name, answered))))
        self.front = accessibility.Accessibility(mock.Mock(), self.came.append)

    def tell(self, sender: str, title=GLib.Variant("s", "letter")):
        self.front.activated(None, sender, None, None, None, GLib.Variant("(siiva{sv})", ("", 0, 0, title, {})))

    def test_last_report_counts_and_only_one_question_is_open(self):
        for number in range(5_000):
            self.tell(f":1.{number}")
        self.assertEqual([name for name, _ in self.asked], [":1.0"])
        self.asked.pop()[1]((7,))
        self.assertEqual((self.front.process, self.front.title), (7, "letter"))
        self.assertEqual([name for name, _ in self.asked], [":1.4999"])
        self.asked.pop()[1](None)
        self.assertEqual((self.came, self.asked), ([True], []))

    def test_title_must_be_a_string_and_is_cut(self):
        for title in (GLib.Variant("i", 7), GLib.Variant("as", ["a"]), GLib.Variant("v", GLib.Variant("s", "a"))):
            self.tell(":1.7", title)
            self.asked.pop()[1]((7,))
            self.assertEqual(self.front.title, "")
        self.tell(":1.7", GLib.Variant("s", 5_000 * "a"))
        self.asked.pop()[1]((7,))
        self.assertEqual(len(self.front.title), accessibility.LONGEST)

    def test_view_is_in_front_only_after_its_program_has_reported_so(self):
        view = mock.Mock(process=7)
        self.assertFalse(self.front.may_be(view, [view]))
        for process, is_in_front in ((8, False), (7, True)):
            self.tell(":1.7")
            self.asked.pop()[1]((process,))
            self.assertEqual(self.front.may_be(view, [view]), is_in_front)
