# SPDX-License-Identifier: Apache-2.0
"""Finds out the identity of other programs. Only batond judges a program. batond judges the program's process, not the
program's own words (Documentation/Decisions/0025-who-is-calling.md)."""

from __future__ import annotations

import socket
from typing import NamedTuple

from gi.repository import Gio, GLib

import bus
from rate import Rate

BATON, BATON_PATH, INTERFACE = "org.batonproject.Baton", "/org/batonproject/Baton", "org.batonproject.Baton1.Adapters"
# The most questions at once, and the most per second after that. Further questions wait. Programs that are not
# admitted may come and go at any rate.
AT_ONCE, PER_SECOND = 32, 4
MOST_WAITING = 64  # questions without an answer
MOST_ASKING = 64  # callers that wait for the same answer
MOST_KEPT = 256  # verdicts, those that were used last
# ms until a waiting question is asked again. A batond that has just started answers nobody yet. So an unanswered
# question is repeated after a pause that doubles each time.
SOON, LATE = 250, 64_000


class Verdict(NamedTuple):
    """batond's answer about a program."""

    is_admitted: bool = False  # whether an adapter may speak for the program
    application: str = ""  # the program's desktop id, or an empty text if there is none
    program: str = ""  # the file name of the program's executable


REFUSED = Verdict()


class Judge:
    """Asks batond about each program once, on an adapter's own connection."""

    def __init__(self, connection):
        self.connection, self.owner = connection, None  # the owner of batond's name
        self.kept = {}  # verdicts by question, which is a program and the id that it claims
        self.asking = {}  # the callbacks for the answer, by question
        self.waiting = []  # questions that have not been sent yet
        self.rate = Rate(AT_ONCE, PER_SECOND)
        self.timer, self.pause = 0, SOON
        self.watch = Gio.bus_watch_name_on_connection(
            connection, BATON, Gio.BusNameWatcherFlags.NONE, self._appeared, self._vanished)

    def end(self):
        """Stops all answers."""
        Gio.bus_unwatch_name(self.watch)
        self.owner = None
        self._wait_no_more()
        self.asking, self.waiting = {}, []

    def ask(self, name: str, application: str, answered):
        """Calls `answered(verdict)` about the program that has this unique name on the bus.

        `application` is the desktop id that the program claims, or an empty text. The program is refused if too many
        questions wait. A question waits until batond runs and answers."""
        question = name, application
        if question in self.kept:
            self.kept[question] = verdict = self.kept.pop(question)
            answered(verdict)
            return
        if question not in self.asking:
            if len(self.asking) == MOST_WAITING:
                answered(REFUSED)
                return
            self.asking[question] = []
            self.waiting.append(question)
        if len(self.asking[question]) == MOST_ASKING:
            answered(REFUSED)
            return
        self.asking[question].append(answered)
        self._send()

    def ask_end(self, end: socket.socket, answered):
        """Calls `answered(verdict)` about the program at the other end of a connected UNIX socket. The program is
        refused if batond does not run or if there are too many questions."""
        if self.owner is None or not self.rate.allows():
            answered(REFUSED)
            return
        descriptors = Gio.UnixFDList()
        index = descriptors.append(end.fileno())

        def finish(source, result):
            try:
                answer = source.call_with_unix_fd_list_finish(result)[0].unpack()
            except GLib.Error:
                answer = None
            answered(_read(answer) or REFUSED)
        self.connection.call_with_unix_fd_list(
            self.owner, BATON_PATH, INTERFACE, "JudgeEnd", GLib.Variant("(hs)", (index, "")), None,
            Gio.DBusCallFlags.NO_AUTO_START, bus.PATIENCE, descriptors, None, finish)

    def _appeared(self, connection, name, owner):
        self.owner, self.pause = owner, SOON
        self._wait_no_more()
        self._send()

    def _vanished(self, connection, name):
        self.owner = None

    def _send(self):
        while self.waiting and self.owner and not self.timer:
            if self.rate.allows():
                self._call(self.waiting.pop(0), self.owner)
            else:
                self._wait(SOON)

    def _wait(self, pause: int):
        if not self.timer:
            self.timer = GLib.timeout_add(pause, self._again)

    def _wait_no_more(self):
        if self.timer:
            GLib.source_remove(self.timer)
            self.timer = 0

    def _again(self):
        self.timer = 0
        self._send()
        return GLib.SOURCE_REMOVE

    def _call(self, question: tuple, owner: str):
        def answered(answer):
            verdict = _read(answer)
            if verdict:
                self.pause = SOON
                self._answer(question, verdict)
            elif question in self.asking:
                self.waiting.append(question)
                if self.owner == owner and not self.timer:
                    self._wait(self.pause)
                    self.pause = min(2 * self.pause, LATE)
                self._send()
        bus.send(self.connection, owner, BATON_PATH, INTERFACE, "Judge", GLib.Variant("(ss)", question), answered, starts=True)

    def _answer(self, question: tuple, verdict: Verdict):
        self.kept[question] = verdict
        if len(self.kept) > MOST_KEPT:
            del self.kept[next(iter(self.kept))]
        for each in self.asking.pop(question, []):
            each(verdict)


def _read(answer) -> Verdict | None:
    """Returns the verdict in an answer, or None if there is none."""
    if not answer or not isinstance(answer[0], dict):
        return None
    found = answer[0]
    texts = (found.get(key) for key in ("application", "program"))
    return Verdict(found.get("admitted") is True, *(each if isinstance(each, str) else "" for each in texts))
