# SPDX-License-Identifier: Apache-2.0
"""What was opened in a player here, until it is at its place.

Players lose a seek that comes right after they were given something to play. So this waits until
one says that it has it, seeks, looks, and seeks again."""

from gi.repository import GLib

from player import Player
from spellings import same

PATIENCE = 30  # s until a player has it
# Players that lose what they are given before they have read their library; and after how many
# seconds they are given it again.
LOSING = ("org.gnome.Rhythmbox3",)
LOST = 3
LOOKING = 300  # ms between a seek and looking where it is
TRIES = 20  # to go to the place, until it stays there
SETS = 6  # of these by SetPosition, before it and Seek take turns
SEEN = 1  # times more that it is to be there: some players say at once where they will be
TOLERANCE = 2_000_000  # µs
END = 1_000_000  # µs before the end of a song: the last place to go to


class Playing:
    """`ended(playing, failure, is_there)` is called once: with a failure, or with None when a player
    has it; then `is_there` says whether it is at its place. `application` is the desktop id of the
    app that is started for it by `start()`, and `earlier` are the players that were there before."""

    def __init__(self, address: str, position: float | None, rate: float | None, is_playing: bool, application: str, earlier, start, ended):
        self.address, self.position, self.rate, self.is_playing = address, int(position or 0), rate, is_playing
        self.application, self.earlier, self.start = application, set(earlier), start
        self.is_again = False  # it is started a second time
        self.ended, self.player = ended, None
        self.tries = self.seen = 0
        self.timer = GLib.timeout_add_seconds(PATIENCE, self.gave_up)

    def told(self, player: Player):
        """A player has told something."""
        if self.player is None and self.is_it(player):
            self.player = player
            GLib.source_remove(self.timer)
            if self.rate and self.rate != (player.rate or 1):
                player.set_rate(float(self.rate))
            self.player.read()
            self.seek()
        elif player.application == self.application and player.application in LOSING and not self.is_again:
            self.is_again = True
            GLib.timeout_add_seconds(LOST, self.start_again)

    def start_again(self):
        if self.player is None and self.timer:
            self.start()
        return GLib.SOURCE_REMOVE

    def is_it(self, player: Player) -> bool:
        """Whether a player has it. Some do not say what they play, as Totem: one that has come since
        the app was started, and is of that app, plays it."""
        if player.address:
            return same(player.address, self.address)
        return player.is_playing and player.application == self.application and player not in self.earlier

    def seek(self):
        """Tries to go to the place, from where the player was at the last reading."""
        if not self.position:
            self.finish(True)
            return
        self.tries += 1
        if self.player.track and not self.is_turn_of_other_way():
            self.player.set_position(self.wanted())
        elif self.may_be_sought():
            self.player.seek(self.wanted() - self.player.position)
        self.timer = GLib.timeout_add(LOOKING, self.look)

    def is_turn_of_other_way(self) -> bool:
        """Whether `Seek` is tried, because `SetPosition` had no effect: it may only have been too early."""
        return self.tries > SETS and self.tries % 2 == 1

    def may_be_sought(self) -> bool:
        """Whether `Seek` can lead to the place. Behind the end it would lead to the next track."""
        return self.player.position is not None and self.wanted() <= (self.player.length or self.wanted())

    def wanted(self) -> int:
        """The place, before the end: players do nothing about one that is behind it. A length
        below the place is wrong."""
        length = self.player.length
        is_known = length and self.position <= length + TOLERANCE
        return max(0, min(self.position, length - END)) if is_known else self.position

    def look(self):
        """Where it is now. What the player said of itself at first, such as that nothing can be
        sought, is not believed: VLC says so until it has read the beginning."""
        if not self.player.read():
            self.ended(self, "the player has ended")
        elif self.player.address and not same(self.player.address, self.address):
            self.ended(self, None, False)  # the user has chosen something else
        elif self.is_there() and self.seen < SEEN:
            self.seen += 1
            return GLib.SOURCE_CONTINUE
        elif self.is_there() or self.tries == TRIES:
            self.finish(self.is_there())
        else:
            self.seen = 0
            self.seek()
        return GLib.SOURCE_REMOVE

    def is_there(self) -> bool:
        played = (self.player.position or 0) - self.wanted()
        return -TOLERANCE <= played <= TOLERANCE + TRIES * LOOKING * 1_000

    def finish(self, is_there: bool):
        # Celluloid's Play pauses what plays.
        if self.player.is_playing != self.is_playing:
            self.player.do("Play" if self.is_playing else "Pause")
        self.ended(self, None, is_there)

    def gave_up(self):
        self.timer = 0
        self.ended(self, "no player has opened it")
        return GLib.SOURCE_REMOVE
