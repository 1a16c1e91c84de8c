# SPDX-License-Identifier: Apache-2.0
"""Waits until a player here has opened a medium and reached its position.

Players lose a seek that comes right after they were given a medium. So this module waits until a player reports the
medium. Then it seeks, checks the position, and seeks again if necessary."""

from gi.repository import GLib

from player import Player
from spellings import same
from wording import tr

PATIENCE = 30  # s until a player has the medium
# Players that lose a medium if they get it before they have read their library. They get the medium again after this
# many seconds.
LOSING = ("org.gnome.Rhythmbox3",)
LOST = 3
LOOKING = 300  # ms between a seek and the check of the position
TRIES = 20  # seeks until the position stays
SETS = 6  # seeks with SetPosition, before SetPosition and Seek take turns
SEEN = 1  # further checks that must succeed, because some players report the wanted position at once
TOLERANCE = 2_000_000  # µs
END = 1_000_000  # µs before the end of a song: the last position to seek to


class Playing:
    """A medium that a player was started for. `ended(playing, failure, is_there)` is called once: with a failure, or
    with None when a player has the medium. In that case `is_there` says whether the player has reached the position.
    `start()` starts the app with the desktop id `application`. `earlier` are the players that existed before."""

    def __init__(self, address: str, position: float | None, rate: float | None, is_playing: bool, application: str, earlier, start, ended):
        self.address, self.position, self.rate, self.is_playing = address, int(position or 0), rate, is_playing
        self.application, self.earlier, self.start = application, set(earlier), start
        self.is_again = False  # the app has been started a second time
        self.ended, self.player = ended, None
        self.tries = self.seen = 0
        self.timer = GLib.timeout_add_seconds(PATIENCE, self.gave_up)

    def told(self, player: Player):
        """Handles a player's report."""
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
        """Returns whether a player has the medium. Some players, such as Totem, do not name their medium. In that case
        the player must be one of the app's that has appeared since the app was started."""
        if player.address:
            return same(player.address, self.address)
        return player.is_playing and player.application == self.application and player not in self.earlier

    def seek(self):
        """Seeks to the position, from the player's last known position."""
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
        """Returns whether to try `Seek` now, because `SetPosition` had no effect. From then on, the two calls
        alternate, because the earlier ones may only have come too early."""
        return self.tries > SETS and self.tries % 2 == 1

    def may_be_sought(self) -> bool:
        """Returns whether `Seek` can reach the position. A seek behind the end would go to the next track."""
        return self.player.position is not None and self.wanted() <= (self.player.length or self.wanted())

    def wanted(self) -> int:
        """Returns the position, moved before the end if necessary, because players ignore one behind it. A
        length that is below the position is wrong."""
        length = self.player.length
        is_known = length and self.position <= length + TOLERANCE
        return max(0, min(self.position, length - END)) if is_known else self.position

    def look(self):
        """Checks the current position. A player's first statements are not believed. VLC, for example,
        says that it cannot seek until it has read the beginning."""
        if not self.player.read():
            self.ended(self, tr("The player was closed. Try again."))
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
        # Call it only if necessary, because Celluloid's Play pauses a playing medium.
        if self.player.is_playing != self.is_playing:
            self.player.do("Play" if self.is_playing else "Pause")
        self.ended(self, None, is_there)

    def gave_up(self):
        self.timer = 0
        self.ended(self, tr("No player has opened it. Try again."))
        return GLib.SOURCE_REMOVE
