# SPDX-License-Identifier: Apache-2.0
"""One media player, as it describes itself over MPRIS
(specifications.freedesktop.org/mpris-spec)."""

from __future__ import annotations

from gi.repository import GLib

import bus
import contents
import deadline
import spellings

NAMESPACE, PATH = "org.mpris.MediaPlayer2", "/org/mpris/MediaPlayer2"
PLAYER = f"{NAMESPACE}.Player"
READ = ("PlaybackStatus", "Metadata", "Position", "Rate")  # the properties that are needed
NO_TRACK = f"{PATH}/TrackList/NoTrack"
SHOWTIME = f"{NAMESPACE}.org.gnome.Showtime"


class Player:
    """A running player. `application` is the player's desktop id according to batond, or an empty text. Nothing is read
    from a player before it is admitted."""

    def __init__(self, connection, name: str, owner: str):
        self.connection, self.name, self.owner = connection, name, owner
        self.application, self.values = "", {}
        self.spelling = self.url = ""  # the medium's address, as the player spells it and in canonical form
        self.is_described = False  # the player has said which app it is, or has no entry for this
        self.is_asked = False  # a question to the player has no answer yet
        self.is_new = True  # the player has reported something that was not passed on yet
        self.subscription = 0
        self.pause = 0  # a timer, until the player may be asked again
        self.is_stale = False  # the player must be asked again after the pause

    # --- State

    @property
    def is_playing(self) -> bool:
        return self.values.get("PlaybackStatus") == "Playing"

    @property
    def address(self) -> str:
        """The player's medium as a canonical URL, or an empty text if the player names none."""
        spelling = self._of_track("xesam:url")
        if spelling != self.spelling:
            # Convert it once, because a file that is renamed later is still the same.
            self.spelling, self.url = spelling, spellings.canonical(spelling)
        return self.url

    @property
    def title(self) -> str:
        return self._of_track("xesam:title")

    @property
    def length(self) -> int | None:
        """The length in microseconds, as the player reports it. Some players report a wrong length."""
        return self._time(self.metadata, "mpris:length") or None

    @property
    def rate(self) -> float | None:
        rate = contents.number(self.values, "Rate")
        return None if rate is None else float(rate)

    @property
    def metadata(self) -> dict:
        found = self.values.get("Metadata")
        return found if isinstance(found, dict) else {}

    def _of_track(self, key: str) -> str:
        value = self.metadata.get(key)
        return value if isinstance(value, str) else ""

    # --- Calls to the player

    @deadline.within()
    def read(self) -> bool:
        """Reads all properties again, including the position. Returns false if the player does not
        answer."""
        found = bus.properties(self.connection, self.owner, PATH, PLAYER, READ)
        self.learn(found)
        return bool(found)

    def learn(self, values: dict):
        """Records reported values."""
        before = self.is_playing, self.address, self.title
        self.values.update(values)
        self.is_new |= before != (self.is_playing, self.address, self.title)

    @property
    def position(self) -> int | None:
        """The position in microseconds, as last read."""
        return self._time(self.values, "Position")

    def _time(self, values: dict, key: str) -> int | None:
        """Returns a time in microseconds. Players report numbers of any type."""
        value = contents.number(values, key)
        return None if value is None else int(value * self._unit)

    @property
    def _unit(self) -> int:
        """The unit of the player's times, in microseconds. Showtime 48 uses milliseconds. Showtime
        49 uses microseconds, and is recognised by its volume."""
        return 1000 if self.name == SHOWTIME and "Volume" not in self.values else 1

    def do(self, method: str, arguments=None):
        bus.send(self.connection, self.owner, PATH, PLAYER, method, arguments)

    def set_position(self, position: int):
        """Goes to a position in the track. The call has no effect if the player has changed the track since its last
        report."""
        self.do("SetPosition", GLib.Variant("(ox)", (self.track, position // self._unit)))

    def seek(self, offset: int):
        """Moves forward or back by an offset."""
        self.do("Seek", GLib.Variant("(x)", (offset // self._unit,)))

    def set_rate(self, rate: float):
        arguments = GLib.Variant("(ssv)", (PLAYER, "Rate", GLib.Variant("d", rate)))
        bus.send(self.connection, self.owner, PATH, bus.PROPERTIES, "Set", arguments)

    @property
    def track(self) -> str | None:
        """The track id for `SetPosition`, or None if the player names no track."""
        track = self.metadata.get("mpris:trackid")
        is_track = isinstance(track, str) and GLib.Variant.is_object_path(track) and track != NO_TRACK
        return track if is_track else None
