# SPDX-License-Identifier: Apache-2.0
"""Media players: what is played, where in it, and how fast."""

from __future__ import annotations

import urllib.parse

from gi.repository import Gio, GLib

import addresses
import contents
import ladder
import launch
from adapter import Adapter, Refused
from ladder import kinds
from player import Player
from players import Players
from playing import Playing
from spellings import same
from whereabouts import Whereabouts

TYPE = "org.batonproject.media.play"
LINGERING = 600  # s that what has stopped is still offered
# The players that are chosen because the other laptop had them, by their desktop ids.
KNOWN = ("mpv", "vlc", "io.github.celluloid_player.Celluloid", "org.gnome.Rhythmbox3", "org.gnome.Totem",
         "org.gnome.Showtime")
FASTEST = 8.0
MOST_ARRIVING = 8


class Media(Adapter):
    name = "Media"

    def begin(self):
        self.offered = {}  # by player
        self.looked_at = {}  # by player: what it told, and whether that may be offered
        self.arriving = []  # what was opened here, and is not at its place yet
        self.players = Players(self.bus, self.judge, self.changed, self.gone)

    def end(self):
        for player in list(self.offered):
            self.gone(player)
        super().end()

    # --- What other laptops get

    def changed(self, player: Player):
        for playing in list(self.arriving):
            playing.told(player)
        offered = self.offered.get(player)
        goes = self.look_at(player, offered)
        if offered is None and player.is_playing and goes:
            offered = self.offered[player] = Offered(self, player)
        if offered is not None:
            offered.changed(goes)

    def look_at(self, player: Player, offered: Offered | None) -> bool:
        """Whether what it plays may be offered. Players tell much, and the answer may take a look
        at many files: it is looked for when they begin, pause, or play something else."""
        told = player.address, player.is_playing
        if self.looked_at.get(player, ((), False))[0] != told:
            path = offered.path() if offered else path_of(player.address)
            goes = can_go(player.address, path)
            self.looked_at[player] = told, goes
            is_withheld = path and player.is_playing and not goes
            self.withhold(player, path or "", ladder.why_it_stays(path, ladder.PLAYING) if is_withheld else None)
        return self.looked_at[player][1]

    def look_again(self, player: Player):
        """What it plays could not be handed over: whatever it tells next, it is offered again if it may be."""
        self.looked_at.pop(player, None)
        player.is_new = True

    def gone(self, player: Player):
        self.looked_at.pop(player, None)
        self.withhold(player, "", None)
        if offered := self.offered.pop(player, None):
            offered.end()

    # --- What comes from them

    def take(self, continuation, token):
        info = contents.read(continuation)
        url = contents.text(info, "url", addresses.MAXIMUM_LENGTH) or ""
        if address := contents.web_address(url, arrives=True):
            self.play(address, info, continuation, token)
        elif addresses.refusal(url, arrives=True) == addresses.THIS_MACHINE:
            raise Refused(addresses.THIS_MACHINE)
        else:
            ladder.find(continuation, lambda found: self.found(found, info, continuation, token))

    def found(self, found, info, continuation, token):
        try:
            if isinstance(found, ladder.Missing):
                raise Refused(found.reason)
            self.tell(continuation, found.note)
            address = found.url if isinstance(found, ladder.Page) else Gio.File.new_for_path(found.path).get_uri()
            self.play(address, info, continuation, token)
        except Refused as error:
            self.decline(continuation, str(error))

    def play(self, address: str, info: dict, continuation, token):
        if len(self.arriving) >= MOST_ARRIVING:
            raise Refused("too much is being opened at once")
        app = player_for(address, contents.application(continuation), contents.text(info, "application"))
        if app is None:
            raise Refused("there is no media player here for it; install one, such as mpv")

        position = contents.number(info, "position") or 0

        def ended(playing, failure, is_there=True):
            self.arriving.remove(playing)
            if failure:
                self.decline(continuation, failure)
                return
            if not is_there:
                self.tell(continuation, f'The player did not go to {clock(position)}, the place on "{continuation.props.device_name}". '
                                        "Go there yourself.")
            continuation.accept()
        # A song that comes back goes on where it was paused.
        there = next((player for player in self.players if same(player.address, address)), None)
        identifier, earlier = app.get_id().removesuffix(".desktop"), list(self.players)

        def start():
            launch.start(self.bus, identifier, launch.command(app, address), token)
        if there is None:
            try:
                start()
            except launch.NotStarted as error:
                raise Refused(str(error)) from None
            if launch.is_sandboxed(app):
                # Nothing is believed that it says.
                if position:
                    self.tell(continuation, f"{app.get_name()} runs in a sandbox, so Baton cannot take it to {clock(position)}. Go there yourself.")
                continuation.accept()
                return
        playing = Playing(address, position, contents.number(info, "rate", 0.1, FASTEST),
                          info.get("isPlaying") is not False, identifier, earlier, start, ended)
        self.arriving.append(playing)
        if there is not None:
            playing.told(there)


class Offered:
    """What a player plays, offered to other laptops from when it begins until ten minutes after it
    has stopped."""

    def __init__(self, adapter: Media, player: Player):
        self.adapter, self.player, self.activity = adapter, player, None
        self.timer, self.whereabouts = 0, Whereabouts()

    def changed(self, goes: bool):
        if not goes:
            self.end()
        elif self.player.is_playing:
            self.show()
        elif self.activity and not self.timer:
            self.timer = GLib.timeout_add_seconds(LINGERING, self.lingered)

    def show(self):
        self.stop_timer()
        if self.activity is None:
            self.activity = self.adapter.publish(
                TYPE, self.player.application or None, self.save, lambda: self.player.do("Pause"),
                speaker=self.player.owner, background=True)
        self.name()
        self.path()  # it is followed from now on
        self.activity.become_current()

    def name(self):
        """Some players do not tell that they play something else: it is looked for when it is read."""
        self.activity.props.title = contents.title(self.player.title or name_of(self.player.address))

    def lingered(self):
        self.timer = 0
        self.activity.resign_current()
        return GLib.SOURCE_REMOVE

    def path(self) -> str | None:
        """Of the file that it plays, wherever that is by now."""
        path = path_of(self.player.address)
        return self.whereabouts.now(path) if path else None

    def save(self):
        player = self.player
        try:
            source = self.source() if player.read() else None
        except ladder.Stays:
            self.adapter.look_again(player)
            raise
        if source is None:
            self.activity = None
            self.adapter.look_again(player)
            return None
        self.name()
        position, length = player.position, player.length
        if length and length < (position or 0):
            length = None  # it is wrong
        return {"position": position, "length": length, "isPlaying": player.is_playing,
                "rate": player.rate, "application": player.application or None, **source}

    def source(self) -> dict | None:
        """Where another laptop gets it from; None for nowhere. Raises ladder.Stays."""
        web = contents.web_address(self.player.address)
        self.activity.props.webpage_url = web
        if web:
            ladder.clear(self.activity)
            return {"url": web}
        path = self.path()
        return {"mimeType": contents.mime_type(path), **ladder.offer(self.activity, path, ladder.PLAYING)} if path else None

    def stop_timer(self):
        if self.timer:
            GLib.source_remove(self.timer)
            self.timer = 0

    def end(self):
        self.stop_timer()
        if self.activity:
            self.activity.invalidate()
            self.activity = None


def can_go(address: str, path: str | None) -> bool:
    """Whether what is at this address may be played elsewhere: a page, or a file of this laptop,
    which is at this path by now."""
    return ladder.may_leave(path, ladder.PLAYING) if path else bool(contents.web_address(address))


def path_of(address: str) -> str | None:
    return Gio.File.new_for_uri(address).get_path() if address.startswith("file:///") else None


def name_of(address: str) -> str:
    return urllib.parse.unquote(address.rstrip("/").rpartition("/")[2])


def clock(position: float) -> str:
    """A time in microseconds, as players show it."""
    minutes, seconds = divmod(int(position) // 1_000_000, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}"


def player_for(address: str, shown: str | None, wanted: str | None):
    """The app that plays it here: the one that the user is shown, if it plays what has come; else
    the one that the other laptop had, if this adapter knows it; else the desktop's default; else
    any that is known."""
    kind = kind_of(address)
    known = [each for each in KNOWN if (app := launch.entry(each)) and not launch.is_sandboxed(app)]
    for each in (shown, wanted):
        if each in known:
            return launch.entry(each)
    # By what the other laptop says the app was chosen that is shown; the file says what plays it.
    if kind and shown in [app.get_id().removesuffix(".desktop") for app in Gio.AppInfo.get_all_for_type(kind)]:
        return launch.entry(shown)
    default = launch.default(kind, True) if kind else None
    return default or (launch.entry(known[0]) if known else None)


def kind_of(address: str) -> str:
    """The MIME type of a file; empty for what is elsewhere. Raises Refused for what is no media."""
    path = path_of(address)
    if not path:
        return ""
    try:
        begin = kinds.head(path)
    except OSError as error:
        raise Refused(f"the file cannot be read: {error.strerror or error}") from None
    if not kinds.is_media(begin, path):
        raise Refused(f"it is no music and no video, but {kinds.of(begin)}")
    named = contents.mime_type(path) or ""
    return named if named.startswith(kinds.MEDIA) else kinds.of(begin)
