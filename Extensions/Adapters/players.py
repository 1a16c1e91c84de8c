# SPDX-License-Identifier: Apache-2.0
"""The media players of the session: nothing is asked again and again, and nothing comes while
nothing happens."""

import os

from gi.repository import Gio, GLib

import bus
from judge import Judge, Verdict
from player import NAMESPACE, PATH, PLAYER, READ, Player

# What speaks for players that are there themselves, or are on another device; and browsers, whose
# pages the extension hands over. Each as it begins its name on the bus, and as its program is called.
PASSED_OVER = ("playerctld", "kdeconnect", "kdeconnectd", "gsconnect", "plasma-browser-integration", "brave", "chrome",
               "chromium", "edge", "epiphany", "firefox", "google-chrome", "librewolf", "microsoft-edge", "mozilla",
               "msedge", "opera", "valent", "vivaldi", "waterfox")
MOST = 64  # players at once: who has more names than that is no player
LONGEST_ENTRY = 255  # bytes, as of a file's name
CHANGED = "(sa{sv}as)"  # what PropertiesChanged has
PAUSE = 500  # ms between asking a player again because it has told that something changed, and not what


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
        """Asks a player which app it is, and what it plays. Whether it is that app batond knows: until
        it has said so, nothing of the player is passed on."""
        def described(found):
            if claimed := _entry(found or {}):
                self.judge.ask(player.owner, claimed, judged)
            else:
                known(found is not None)

        def judged(verdict: Verdict):
            if not self._is_there(player):
                return
            if verdict.is_admitted:
                player.application = verdict.application
                known(True)
            else:
                self._went(player.name)

        def known(is_described: bool):
            player.is_asked, player.is_described = False, is_described
            self._read(player)
        if not player.is_asked:
            player.is_asked = True
            bus.send_properties(self.connection, player.owner, PATH, NAMESPACE, ("DesktopEntry",), described)

    def _read(self, player: Player):
        """Asks a player what it plays."""
        def told(found):
            if found is not None and self._is_there(player):
                player.learn(found)
                self._pass_on(player)
        bus.send_properties(self.connection, player.owner, PATH, PLAYER, READ, told)

    def _ask_again(self, player: Player):
        """Asks a player again: at once, or after the pause if it was asked just now."""
        player.is_stale = player.pause != 0
        if player.is_stale:
            return
        player.pause = GLib.timeout_add(PAUSE, self._paused, player)
        if player.is_described:
            self._read(player)
        else:
            # Celluloid has its name before it answers.
            self._describe(player)

    def _paused(self, player: Player):
        player.pause = 0
        if player.is_stale:
            self._ask_again(player)
        return GLib.SOURCE_REMOVE

    def _pass_on(self, player: Player):
        """Some players tell ten times a second where they are. Only what they play is news."""
        if player.is_new:
            player.is_new = False
            self.changed(player)

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
        if player.pause:
            GLib.source_remove(player.pause)
            player.pause = 0

    def _told(self, connection, sender, path, interface, signal, arguments):
        player = self.by_owner.get(sender)
        if player is None or arguments.get_type_string() != CHANGED:
            return
        _, changed, invalidated = arguments.unpack()
        player.learn(changed)
        if not player.is_described or any(name in READ for name in invalidated):
            self._ask_again(player)
        else:
            self._pass_on(player)


def _entry(found: dict) -> str:
    """The desktop id that a player says it has, or empty. Some say the path of the desktop entry."""
    entry = found.get("DesktopEntry")
    entry = os.path.basename(entry).removesuffix(".desktop") if isinstance(entry, str) else ""
    return entry if len(entry.encode()) <= LONGEST_ENTRY else ""
