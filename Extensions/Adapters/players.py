# SPDX-License-Identifier: Apache-2.0
"""Media players, as they tell of themselves by MPRIS (specifications.freedesktop.org/mpris-spec):
nothing is asked again and again, and nothing comes while nothing happens."""

import math

from gi.repository import Gio, GLib

import bus

NAMESPACE, PATH = "org.mpris.MediaPlayer2", "/org/mpris/MediaPlayer2"
PLAYER = f"{NAMESPACE}.Player"
# What speaks for players that are there themselves, or are on another device; and browsers, whose
# pages the extension hands over.
PASSED_OVER = ("playerctld", "kdeconnect", "plasma-browser-integration", "brave", "chrome", "chromium", "edge",
               "epiphany", "firefox", "google-chrome", "librewolf", "microsoft-edge", "mozilla", "msedge", "opera",
               "vivaldi", "waterfox")
MOST = 64  # players at once: who has more names than that is no player


def is_passed_over(name: str) -> bool:
    return name.removeprefix(f"{NAMESPACE}.").partition(".")[0].lower() in PASSED_OVER


class Player:
    """A player that runs. `application` is its desktop id, as it says, or empty."""

    def __init__(self, connection, name: str, owner: str):
        self.connection, self.name, self.owner = connection, name, owner
        self.application, self.values = "", {}
        self.is_described = False  # it has said which app it is, or that it does not

    # --- What it has told

    @property
    def is_playing(self) -> bool:
        return self.values.get("PlaybackStatus") == "Playing"

    @property
    def address(self) -> str:
        """What it plays, as a URL; empty when it does not say."""
        return self._of_track("xesam:url")

    @property
    def title(self) -> str:
        return self._of_track("xesam:title")

    @property
    def length(self) -> int | None:
        """In microseconds."""
        length = self.metadata.get("mpris:length")
        return length if isinstance(length, int) and length > 0 else None

    @property
    def rate(self) -> float | None:
        rate = self.values.get("Rate")
        return rate if isinstance(rate, float) and math.isfinite(rate) else None

    @property
    def metadata(self) -> dict:
        found = self.values.get("Metadata")
        return found if isinstance(found, dict) else {}

    def _of_track(self, key: str) -> str:
        value = self.metadata.get(key)
        return value if isinstance(value, str) else ""

    # --- What it is asked

    def read(self) -> bool:
        """Reads all of it anew, the position among it; false when it does not answer."""
        found = bus.properties(self.connection, self.owner, PATH, PLAYER)
        self.values.update(found)
        return bool(found)

    @property
    def position(self):
        """In microseconds, as it was read last."""
        value = self.values.get("Position")
        return value if isinstance(value, int) and value >= 0 else None

    def do(self, method: str, arguments=None):
        bus.send(self.connection, self.owner, PATH, PLAYER, method, arguments)

    def set_position(self, position: int):
        """Has no effect on another track than the one that it had at the last news; unless it names
        none, as Totem, and Celluloid at times."""
        if track := self._track():
            self.do("SetPosition", GLib.Variant("(ox)", (track, position)))
        elif self.read():
            self.do("Seek", GLib.Variant("(x)", (position - (self.position or 0),)))

    def set_rate(self, rate: float):
        arguments = GLib.Variant("(ssv)", (PLAYER, "Rate", GLib.Variant("d", rate)))
        bus.send(self.connection, self.owner, PATH, bus.PROPERTIES, "Set", arguments)

    def _track(self) -> str | None:
        track = self.metadata.get("mpris:trackid")
        is_path = isinstance(track, str) and GLib.Variant.is_object_path(track)
        return track if is_path else None


class Players:
    """All players of the session. `changed(player)` when one comes or tells something; `gone(player)`."""

    def __init__(self, connection, changed, gone):
        self.connection, self.changed, self.gone = connection, changed, gone
        self.by_owner = {}
        connection.signal_subscribe(None, bus.PROPERTIES, "PropertiesChanged", PATH, PLAYER,
                                    Gio.DBusSignalFlags.NONE, self._told)
        bus.watch_names(connection, NAMESPACE, self._came, self._went)

    def __iter__(self):
        return iter(list(self.by_owner.values()))

    def _came(self, name: str, owner: str):
        if is_passed_over(name) or owner in self.by_owner or len(self.by_owner) >= MOST:
            return
        self.by_owner[owner] = Player(self.connection, name, owner)
        self._describe(self.by_owner[owner])

    def _describe(self, player: Player):
        """Asks a player which app it is, and what it plays."""
        def described(answer):
            entry = answer[0].get("DesktopEntry") if answer else None
            player.is_described = answer is not None
            player.application = entry.removesuffix(".desktop") if isinstance(entry, str) else ""
            bus.send(self.connection, player.owner, PATH, bus.PROPERTIES, "GetAll", GLib.Variant("(s)", (PLAYER,)), told)

        def told(answer):
            if answer and self.by_owner.get(player.owner) is player:
                player.values.update(answer[0])
                self.changed(player)
        bus.send(self.connection, player.owner, PATH, bus.PROPERTIES, "GetAll", GLib.Variant("(s)", (NAMESPACE,)), described)

    def _went(self, name: str):
        for player in self:
            if player.name == name:
                del self.by_owner[player.owner]
                self.gone(player)

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
