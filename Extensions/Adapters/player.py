# SPDX-License-Identifier: Apache-2.0
"""One media player, as it tells of itself by MPRIS (specifications.freedesktop.org/mpris-spec)."""

from __future__ import annotations

from gi.repository import GLib

import bus
import contents
import spellings

NAMESPACE, PATH = "org.mpris.MediaPlayer2", "/org/mpris/MediaPlayer2"
PLAYER = f"{NAMESPACE}.Player"
READ = ("PlaybackStatus", "Metadata", "Position", "Rate")  # the properties that are needed
NO_TRACK = f"{PATH}/TrackList/NoTrack"
SHOWTIME = f"{NAMESPACE}.org.gnome.Showtime"


class Player:
    """A player that runs. `application` is its desktop id, as batond judges it, or empty. Nothing
    of a player is read before it is admitted."""

    def __init__(self, connection, name: str, owner: str):
        self.connection, self.name, self.owner = connection, name, owner
        self.application, self.values = "", {}
        self.spelling = self.url = ""  # of what it plays: as it says, and as it was read
        self.is_described = False  # it has said which app it is, or that it does not
        self.is_asked = False  # it is asked just now
        self.is_new = True  # it has told something that was not passed on yet
        self.subscription = 0
        self.pause = 0  # a timer, until it may be asked again
        self.is_stale = False  # it is to be asked again after the pause

    # --- What it has told

    @property
    def is_playing(self) -> bool:
        return self.values.get("PlaybackStatus") == "Playing"

    @property
    def address(self) -> str:
        """What it plays, as a canonical URL; empty when it does not say."""
        spelling = self._of_track("xesam:url")
        if spelling != self.spelling:
            # Read once: a file that is renamed later is still the same.
            self.spelling, self.url = spelling, spellings.canonical(spelling)
        return self.url

    @property
    def title(self) -> str:
        return self._of_track("xesam:title")

    @property
    def length(self) -> int | None:
        """In microseconds, as the player says it. Some players say it wrong."""
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

    # --- What it is asked

    def read(self) -> bool:
        """Reads all of it anew, the position among it; false when it does not answer."""
        found = bus.properties(self.connection, self.owner, PATH, PLAYER, READ)
        self.learn(found)
        return bool(found)

    def learn(self, values: dict):
        """Notes what it has told."""
        before = self.is_playing, self.address, self.title
        self.values.update(values)
        self.is_new |= before != (self.is_playing, self.address, self.title)

    @property
    def position(self) -> int | None:
        """In microseconds, as it was read last."""
        return self._time(self.values, "Position")

    def _time(self, values: dict, key: str) -> int | None:
        """In microseconds. Players tell numbers of any type."""
        value = contents.number(values, key)
        return None if value is None else int(value * self._unit)

    @property
    def _unit(self) -> int:
        """The unit of the times that it tells and takes, in microseconds. Showtime 48 has
        milliseconds; Showtime 49 has microseconds, and a volume."""
        return 1000 if self.name == SHOWTIME and "Volume" not in self.values else 1

    def do(self, method: str, arguments=None):
        bus.send(self.connection, self.owner, PATH, PLAYER, method, arguments)

    def set_position(self, position: int):
        """Goes to a place in its track. It has no effect on another track than the one at the last
        news."""
        self.do("SetPosition", GLib.Variant("(ox)", (self.track, position // self._unit)))

    def seek(self, offset: int):
        """Goes so far on, or back, from where it is."""
        self.do("Seek", GLib.Variant("(x)", (offset // self._unit,)))

    def set_rate(self, rate: float):
        arguments = GLib.Variant("(ssv)", (PLAYER, "Rate", GLib.Variant("d", rate)))
        bus.send(self.connection, self.owner, PATH, bus.PROPERTIES, "Set", arguments)

    @property
    def track(self) -> str | None:
        """What `SetPosition` wants to be told; None where the player names no track."""
        track = self.metadata.get("mpris:trackid")
        is_track = isinstance(track, str) and GLib.Variant.is_object_path(track) and track != NO_TRACK
        return track if is_track else None
