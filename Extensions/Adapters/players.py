# SPDX-License-Identifier: Apache-2.0
"""The media players of the session. Players are not polled, so this code runs only when a player reports something."""

import os

from gi.repository import Gio, GLib

import bus
from judge import Judge, Verdict
from player import NAMESPACE, PATH, PLAYER, READ, Player

# Programs to ignore: those that speak for other players on this or another device, and browsers, whose
# pages the extension hands over. Each word is the beginning of a name on the bus, or of a program's
# name.
PASSED_OVER = ("playerctld", "kdeconnect", "kdeconnectd", "gsconnect", "plasma-browser-integration", "brave", "chrome",
               "chromium", "edge", "epiphany", "firefox", "google-chrome", "librewolf", "microsoft-edge", "mozilla",
               "msedge", "opera", "valent", "vivaldi", "waterfox")
MOST = 64  # players at once, and so the most for which a program can own names
LONGEST_ENTRY = 255  # bytes, as for a file's name
CHANGED = "(sa{sv}as)"  # the signature of PropertiesChanged
PAUSE = 500  # ms between two questions to a player that reports changes without values


def is_passed_over(word: str) -> bool:
    """Returns whether players with this bus name or program name are ignored. The entry firefox, for example, also
    matches firefox.instance1 and firefox-esr."""
    word = word.removeprefix(f"{NAMESPACE}.").lower()
    return word in PASSED_OVER or word.startswith(tuple(f"{each}{mark}" for each in PASSED_OVER for mark in ".-"))


class Players:
    """All players of the session that an adapter may speak for. `changed(player)` is called when one
    appears or reports something, and `gone(player)` when it disappears."""

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
            # Subscribe only now, so that programs that are not admitted cannot send signals to this
            # one.
            player.subscription = self.connection.signal_subscribe(
                owner, bus.PROPERTIES, "PropertiesChanged", PATH, PLAYER, Gio.DBusSignalFlags.NONE, self._told)
            self._describe(player)
        self.judge.ask(owner, "", judged)

    def _describe(self, player: Player):
        """Asks a player which app it is, and what it plays. batond checks the claimed app. Nothing of the player is
        passed on before batond has answered."""
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
        """Asks a player again, either at once or, if it was asked a moment ago, after a pause."""
        player.is_stale = player.pause != 0
        if player.is_stale:
            return
        player.pause = GLib.timeout_add(PAUSE, self._paused, player)
        if player.is_described:
            self._read(player)
        else:
            # Celluloid owns its name before it answers.
            self._describe(player)

    def _paused(self, player: Player):
        player.pause = 0
        if player.is_stale:
            self._ask_again(player)
        return GLib.SOURCE_REMOVE

    def _pass_on(self, player: Player):
        """Passes on a change of the medium or the playing state. Some players report their position
        ten times a second."""
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
    """Returns the desktop id that a player claims, or an empty text. Some players report the path of the desktop
    entry."""
    entry = found.get("DesktopEntry")
    entry = os.path.basename(entry).removesuffix(".desktop") if isinstance(entry, str) else ""
    return entry if len(entry.encode()) <= LONGEST_ENTRY else ""
