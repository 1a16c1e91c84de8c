# SPDX-License-Identifier: Apache-2.0
"""The adapter for media players: what they play, the position in it, and how fast."""

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
from wording import tr

TYPE = "org.batonproject.media.play"
LINGERING = 600  # s for which a paused or stopped medium is still offered
# Desktop ids of the players that may be chosen because the other laptop used them.
KNOWN = ("mpv", "vlc", "io.github.celluloid_player.Celluloid", "org.gnome.Rhythmbox3", "org.gnome.Totem",
         "org.gnome.Showtime")
FASTEST = 8.0
MOST_ARRIVING = 8


class Media(Adapter):
    name = "Media"

    def begin(self):
        self.offered = {}  # the offers, by player
        self.looked_at = {}  # each player's report, and whether it may be offered
        self.arriving = []  # media that were opened here and have not reached their position yet
        self.players = Players(self.bus, self.judge, self.changed, self.gone)

    def end(self):
        for player in list(self.offered):
            self.gone(player)
        super().end()

    # --- Offers to other laptops

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
        """Returns whether a player's medium may be offered. Players report often, and the check may read many files. So
        the check is made only when a player starts, pauses, or plays something else."""
        told = player.address, player.is_playing
        if self.looked_at.get(player, ((), False))[0] != told:
            path = offered.path() if offered else path_of(player.address)
            goes = can_go(player.address, path)
            self.looked_at[player] = told, goes
            is_withheld = path and player.is_playing and not goes
            self.withhold(player, path or "", ladder.why_it_stays(path, ladder.PLAYING) if is_withheld else None)
        return self.looked_at[player][1]

    def look_again(self, player: Player):
        """Makes the next report of a player be checked again, because its medium could not be handed over
        now."""
        self.looked_at.pop(player, None)
        player.is_new = True

    def gone(self, player: Player):
        self.looked_at.pop(player, None)
        self.withhold(player, "", None)
        if offered := self.offered.pop(player, None):
            offered.end()

    # --- Activities from other laptops

    def take(self, continuation, token):
        info = contents.read(continuation)
        url = contents.text(info, "url", addresses.MAXIMUM_LENGTH) or ""
        if address := contents.web_address(url, arrives=True):
            self.play(address, info, continuation, token)
        elif addresses.refusal(url, arrives=True) == addresses.THIS_MACHINE:
            raise Refused(tr("Its address leads to the other laptop itself. It can be played only there."), addresses.THIS_MACHINE)
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
            self.decline(continuation, error.sentence, error.detail)

    def play(self, address: str, info: dict, continuation, token):
        if len(self.arriving) >= MOST_ARRIVING:
            raise Refused(tr("Too many songs and videos are being opened. Try again in a moment."))
        app = player_for(address, contents.application(continuation), contents.text(info, "application"))
        if app is None:
            raise Refused(tr("There is no media player here for it. Install one, such as mpv."))

        position = contents.number(info, "position") or 0

        def ended(playing, failure, is_there=True):
            self.arriving.remove(playing)
            if failure:
                self.decline(continuation, failure)
                return
            if not is_there:
                self.tell(continuation, tr('The player did not go to {time}, the place on "{laptop}". Go there yourself.',
                                           time=clock(position), laptop=continuation.props.device_name))
            continuation.accept()
        # If the player still has the song, it continues where it was paused.
        there = next((player for player in self.players if same(player.address, address)), None)
        identifier, earlier = app.get_id().removesuffix(".desktop"), list(self.players)

        def start():
            launch.start(self.bus, identifier, launch.command(app, address), token)
        if there is None:
            try:
                start()
            except launch.NotStarted as error:
                raise Refused(error.sentence, error.detail) from None
            if launch.is_sandboxed(app):
                # Believe nothing that a sandboxed player reports.
                if position:
                    self.tell(continuation, tr("{app} runs in a sandbox, so Baton cannot take it to {time}. Go there yourself.",
                                               app=app.get_name(), time=clock(position)))
                continuation.accept()
                return
        playing = Playing(address, position, contents.number(info, "rate", 0.1, FASTEST),
                          info.get("isPlaying") is not False, identifier, earlier, start, ended)
        self.arriving.append(playing)
        if there is not None:
            playing.told(there)


class Offered:
    """A player's medium, offered to other laptops from its start until ten minutes after it has stopped."""

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
        self.path()  # the file is followed from now on
        self.activity.become_current()

    def name(self):
        """Sets the title. Called at each reading, because some players do not report that they play something else."""
        self.activity.props.title = contents.title(self.player.title or name_of(self.player.address))

    def lingered(self):
        self.timer = 0
        self.activity.resign_current()
        return GLib.SOURCE_REMOVE

    def path(self) -> str | None:
        """Returns the current path of the file that the player plays."""
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
            self.stop_timer()
            self.activity = None
            self.adapter.look_again(player)
            return None
        self.name()
        position, length = player.position, player.length
        if length and length < (position or 0):
            length = None  # the length is wrong
        return {"position": position, "length": length, "isPlaying": player.is_playing,
                "rate": player.rate, "application": player.application or None, **source}

    def source(self) -> dict | None:
        """Returns the entries that tell another laptop where the medium is, or None if another laptop cannot have it.
        Raises ladder.Stays."""
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
    """Returns whether an address may be played on another laptop. The address is that of a page, or of a file on this
    laptop that now has this path."""
    return ladder.may_leave(path, ladder.PLAYING) if path else bool(contents.web_address(address))


def path_of(address: str) -> str | None:
    return Gio.File.new_for_uri(address).get_path() if address.startswith("file:///") else None


def name_of(address: str) -> str:
    return urllib.parse.unquote(address.rstrip("/").rpartition("/")[2])


def clock(position: float) -> str:
    """Formats a time in microseconds as players show it."""
    minutes, seconds = divmod(int(position) // 1_000_000, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if minutes >= 60 else f"{minutes}:{seconds:02}"


def player_for(address: str, shown: str | None, wanted: str | None):
    """Chooses the app: the one that the user is shown if it can play the medium, otherwise the one on the other laptop
    if this adapter knows it, otherwise the desktop's default, otherwise any known player."""
    kind = kind_of(address)
    known = [each for each in KNOWN if (app := launch.entry(each)) and not launch.is_sandboxed(app)]
    for each in (shown, wanted):
        if each in known:
            return launch.entry(each)
    # The shown app was chosen by the type that the other laptop named. The file itself decides which apps can
    # play it.
    if kind and shown in [app.get_id().removesuffix(".desktop") for app in Gio.AppInfo.get_all_for_type(kind)]:
        return launch.entry(shown)
    default = launch.default(kind, True) if kind else None
    return default or (launch.entry(known[0]) if known else None)


def kind_of(address: str) -> str:
    """Returns a file's MIME type, or an empty text if the address does not name a file. Raises Refused if the file is not a
    medium."""
    path = path_of(address)
    if not path:
        return ""
    try:
        begin = kinds.head(path)
    except OSError as error:
        raise Refused(tr("The file cannot be read. Try again."), str(error.strerror or error)) from None
    if not kinds.is_media(begin, path):
        raise Refused(tr('The file is neither music nor a video. Its type is "{type}".', type=kinds.of(begin)))
    named = contents.mime_type(path) or ""
    return named if named.startswith(kinds.MEDIA) else kinds.of(begin)
