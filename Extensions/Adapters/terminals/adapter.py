# SPDX-License-Identifier: Apache-2.0
"""The adapter for terminals. The adapter offers the directory of the shell in front, and opens a terminal in the
directory that another laptop offers."""

import os
import shutil
import threading

from gi.repository import GLib

import contents
import deadline
import ladder
import launch
from adapter import Adapter, Refused
from extensions.exchange import Exchange
from ladder import directories, reasons
from ladder.directories import Directory
from terminals import line, remote, tmux
from terminals.arrival import Arrival, find
from terminals.requests import Requests
from terminals.shells import Shells
from terminals.state import State, Window
from wording import joined, tr

TYPE = "org.batonproject.terminal.work"
MOST_ARRIVALS = 8


class Terminals(Adapter):
    name = "Terminals"

    def begin(self):
        self.directory = os.path.join(GLib.get_user_runtime_dir(), "baton", "shells")
        shutil.rmtree(self.directory, ignore_errors=True)  # left by a service that was killed
        self.arrivals = {}  # the arrivals, by the names of their plans
        self.searches = 0  # searches for the directories of arrivals, each in a thread of its own
        self.taking = None  # the shell's request to take the next activity
        self.shown = None  # the directory in front
        self.activity = self.publish(TYPE, None, self.save, lambda: None)
        try:
            self.exchange = Exchange(self.directory)
            self.shells = Shells(self.directory, self._prompted, self._prompted, self._removed)
            self.requests = Requests(self, os.path.join(self.directory, "socket"))
        except (OSError, GLib.Error) as error:
            self.shells = None
            self.complain(f"shells cannot connect: {error}")

    def end(self):
        if self.shells:
            self.requests.end()
            self.shells.end()
            self.exchange.end()
            shutil.rmtree(self.directory, ignore_errors=True)
        super().end()

    @deadline.within()
    def _prompted(self):
        """Called when a shell has shown its prompt or has ended. The shell with the latest prompt is in front."""
        path = self.shells.front.directory() if self.shells.front else None
        if path != self.shown:
            self.shown = path
            stays = why_it_stays(path)
            self.is_offered = stays is None
            if stays is None:
                self.activity.props.title = contents.title(ladder.repaired(os.path.basename(path)))
        if path is None or not self.is_offered:
            self.activity.resign_current()
        elif not self.activity.props.is_current:
            self.activity.become_current()

    @deadline.within()
    def here(self, number: int) -> ladder.Stays | None:
        """Offers the directory of a process. Returns why the directory is not offered, or None if it is."""
        if not self.shells.show(number):
            return ladder.Stays(reasons.NO_SHELL)
        return why_it_stays(self.shown)

    def save(self) -> dict:
        shell = self.shells.front
        path = shell.directory() if shell else None
        if stays := why_it_stays(path):
            raise stays
        state = State(Directory.of(path), windows=tuple(_window(each) for each in tmux.windows(shell.variable("TMUX"), shell.variable("TMUX_PANE"))))
        if words := shell.in_front():
            state = state._replace(host=remote.host(words))
        elif not state.windows:
            state = state._replace(line=line.ask(self.directory, self.shells.question(shell)))
        return state.values()

    def take(self, continuation, token):
        state = State.read(contents.read(continuation))
        if self.shells is None:
            raise Refused(tr("Terminals cannot connect to Baton here. The log of this laptop says why."))
        if state is None:
            raise Refused(tr("The other laptop does not say which folder it is."))
        if len(self.arrivals) + self.searches >= MOST_ARRIVALS:
            raise Refused(tr("Too many terminals are being opened. Try again in a moment."))

        def work():
            found = None
            try:
                found = find(state)
            finally:
                GLib.idle_add(self._found, continuation, token, state, found)
        self.searches += 1
        threading.Thread(target=work, daemon=True).start()

    def _found(self, continuation, token, state, found):
        self.searches -= 1
        laptop = continuation.props.device_name
        if found is None or found.path is None:
            self.decline(continuation, directories.why_missing(state.directory, contents.plain(laptop)))
        elif self.taking:
            taking, self.taking = self.taking, None
            taking.give(found)
            self._accept(continuation, found)
        else:
            self._open(continuation, token, found)
        return GLib.SOURCE_REMOVE

    def _open(self, continuation, token, found):
        def ended(arrival, failure):
            self.arrivals.pop(arrival.name, None)
            if failure:
                self.decline(continuation, failure)
            else:
                self._accept(continuation, found)
        arrival = Arrival(self.exchange, found, ended)
        self.arrivals[arrival.name] = arrival
        try:
            arrival.start(self.bus, token)
        except launch.NotStarted as error:
            arrival.end(error.sentence)

    def _accept(self, continuation, found):
        continuation.accept()
        self.tell(continuation, joined((found.note,)))

    def _removed(self, name: str):
        """Called when a terminal has read its plan and removed it."""
        if arrival := self.arrivals.get(name):
            arrival.end(None)


def why_it_stays(path: str | None) -> ladder.Stays | None:
    """Returns why a shell's directory is not offered. A directory that was removed is not offered either."""
    return directories.why_it_stays(path) if path else ladder.Stays(reasons.GONE)


def _window(window: tmux.Window) -> Window:
    panes = [Directory.of(path) if why_it_stays(path) is None else None for path in window.panes]
    return Window(window.layout, window.is_active, panes, window.active)
