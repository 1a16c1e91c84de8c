# SPDX-License-Identifier: Apache-2.0
"""The media players of the session: nothing is asked again and again, and nothing comes while
nothing happens."""

from gi.repository import Gio, GLib

import bus
from judge import Judge, Verdict
from player import NAMESPACE, PATH, PLAYER, Player

# What speaks for players that are there themselves, or are on another device; and browsers, whose
# pages the extension hands over. Each as it begins its name on the bus, and as its program is called.
PASSED_OVER = ("playerctld", "kdeconnect", "kdeconnectd", "gsconnect", "plasma-browser-integration", "brave", "chrome",
               "chromium", "edge", "epiphany", "firefox", "google-chrome", "librewolf", "microsoft-edge", "mozilla",
               "msedge", "opera", "vivaldi", "waterfox")
MOST = 64  # players at once: who has more names than that is no player
LONGEST_ENTRY = 255  # bytes, as of a file's name


def is_passed_over(word: str) -> bool:
    """Whether a player is passed over by its name on the bus, or by its program: the word itself,
    or what it begins with, as in firefox.instance1 and firefox-esr."""
    word = word.removeprefix(f"{NAMESPACE}.").lower()
    return word in PASSED_OVER or word.startswith(tuple(f"{each}{mark}" for each in PASSED_OVER for mark in ".-"))


class Players:
    """All players of the session that may be spoken for. `changed(player)` when one comes or tells
    something; `gone(player)`."""

    def __init__(self, connection, judge: Judge, changed, gone):
        self.connection, self.judge, self.changed, self.gone = connection, judge, changed, gone
        self.by_owner = {}
        bus.watch_names(connection, NAMESPACE, self._came, self._went)

    def __iter__(self):
        return iter(list(self.by_owner.values()))

    def _came(self, name: str, owner: str):
        if is_passed_over(name) or owner in self.by_owner or len(self.by_owner) >= MOST:
            return
        player = self.by_owner[owner] = Player(self.connection, name, owner)

        def judged(verdict: Verdict):
            if not self._is_there(player):
                return
            if not verdict.is_admitted or is_passed_over(verdict.program):
                self._forget(player)
                return
            player.application = verdict.application
            # Of no other programs: news of those that are not admitted do not even come.
            player.subscription = self.connection.signal_subscribe(
                owner, bus.PROPERTIES, "PropertiesChanged", PATH, PLAYER, Gio.DBusSignalFlags.NONE, self._told)
            self._describe(player)
        self.judge.ask(owner, "", judged)

    def _describe(self, player: Player):
        """Asks a player which app it is, and what it plays. Whether it is that app batond knows."""
        def described(answer):
            player.is_asked, player.is_described = False, answer is not None
            if claimed := _entry(answer):
                self.judge.ask(player.owner, claimed, judged)
            else:
                self._get_all(player, PLAYER, told)

        def judged(verdict: Verdict):
            if not self._is_there(player):
                return
            if verdict.is_admitted:
                player.application = verdict.application
                self._get_all(player, PLAYER, told)
            else:
                self._went(player.name)

        def told(answer):
            if answer and self._is_there(player):
                player.values.update(answer[0])
                self.changed(player)
        if not player.is_asked:
            player.is_asked = True
            self._get_all(player, NAMESPACE, described)

    def _get_all(self, player: Player, interface: str, answered):
        bus.send(self.connection, player.owner, PATH, bus.PROPERTIES, "GetAll", GLib.Variant("(s)", (interface,)), answered)

    def _is_there(self, player: Player) -> bool:
        return self.by_owner.get(player.owner) is player

    def _went(self, name: str):
        for player in self:
            if player.name == name:
                self._forget(player)
                self.gone(player)

    def _forget(self, player: Player):
        del self.by_owner[player.owner]
        if player.subscription:
            self.connection.signal_unsubscribe(player.subscription)

    def _told(self, connection, sender, path, interface, signal, arguments):
        player = self.by_owner.get(sender)
        if player is None:
            return
        player.values.update(arguments.unpack()[1])
        if player.is_described:
            self.changed(player)
        else:
            # Celluloid has its name before it answers.
            self._describe(player)


def _entry(answer) -> str:
    """The desktop id that a player says it has, or empty."""
    entry = answer[0].get("DesktopEntry") if answer and isinstance(answer[0], dict) else None
    return entry.removesuffix(".desktop") if isinstance(entry, str) and len(entry.encode()) <= LONGEST_ENTRY else ""
