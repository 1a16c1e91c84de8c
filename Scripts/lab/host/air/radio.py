# SPDX-License-Identifier: Apache-2.0
"""A controller's one radio, and the rules by which its users get it."""

from enum import Enum


class Policy(Enum):
    """The rule that decides which user gives way. The specification leaves it to the controller, and controllers differ."""

    SCANNING_WINS = "scanning"  # Zephyr's rule: a scan window and an advertising event end a connection event
    LINKS_WIN = "links"  # a connection event ends both


class Use(Enum):
    """The purposes of a radio."""

    RESERVED = "headphones"
    LINK = "a connection event"
    ADVERTISING = "an advertising event"
    SCANNING = "a scan window, or one of an initiator"


# How often in a row a link may keep the radio from another user, who gets it the next time. Without this limit, a busy
# link would silence all other users.
PATIENCE = 3


class Radio:
    """A controller's radio. It has one user at a time.

    A user has `use` and `refused`. This class counts in `refused` how often in a row the user wanted the radio and
    did not get it. `lose_radio()` is called when another user takes the radio. `radio_is_free()` is called when the
    user is among `waiting` and the radio becomes free. A scanner also has `is_continuous`.
    """

    def __init__(self, name: str, medium, random, policy: Policy = Policy.SCANNING_WINS):
        self.name, self.medium, self.random, self.policy = name, medium, random, policy
        self.timeline = medium.timeline
        self._user = None
        self._used, self._since = 0, 0
        self.waiting = []

    @property
    def user(self):
        return self._user

    @user.setter
    def user(self, user):
        self._used, self._since = self.used, self.timeline.now
        self._user = user

    @property
    def used(self) -> int:
        """Returns the total time, in microseconds, for which the radio has had a user."""
        return self._used + (self.timeline.now - self._since if self._user is not None else 0)

    def take(self, user, is_urgent: bool = False) -> bool:
        """Lets a user take the radio at the moment that the user wanted, from the previous user if there is one.
        Returns whether that worked."""
        if self.user is not None and self.user is not user:
            if not self._gives_way(self.user, user, is_urgent):
                user.refused += 1
                return False
            loser, self.user = self.user, user
            loser.lose_radio()
        self.user = user
        user.refused = 0
        return True

    def take_if_free(self, user) -> bool:
        """Lets a user take the radio if it is free, later than wanted. Returns whether that worked."""
        if self.user is None:
            self.user = user
        return self.user is user

    def give_back(self, user):
        """Releases the radio, if the user has it."""
        if self.user is user:
            self.user = None
            for other in list(self.waiting):
                if self.user is None and other in self.waiting:
                    other.radio_is_free()

    def wait(self, user):
        if user not in self.waiting:
            self.waiting.append(user)

    def stop_waiting(self, user):
        if user in self.waiting:
            self.waiting.remove(user)

    def _gives_way(self, holder, user, is_urgent: bool) -> bool:
        if Use.RESERVED in (holder.use, user.use):
            return user.use is Use.RESERVED and holder.use is not Use.RESERVED
        links_win = self.policy is Policy.LINKS_WIN
        if user.use is Use.LINK:
            if holder.use is Use.LINK:
                return False
            return links_win or is_urgent or (holder.use is Use.SCANNING and holder.is_continuous)
        if holder.use is Use.LINK:
            if user.use is Use.SCANNING and user.is_continuous:
                return False
            return not links_win or user.refused >= PATIENCE
        # Advertising takes the radio from scanning, because an advertising event is short and the scan window continues
        # after it.
        return user.use is Use.ADVERTISING and holder.use is Use.SCANNING


class Reservation:
    """A use, such as headphones, that has the radio for a part of each period, regardless of others."""

    use = Use.RESERVED

    def __init__(self, radio: Radio, period: int, duration: int):
        self.radio, self.period, self.duration = radio, period, duration
        self.refused, self._event = 0, None

    def start(self):
        self._event = self.radio.timeline.after(0, self._begin)

    def stop(self):
        self.radio.timeline.cancel(self._event)
        self.radio.give_back(self)

    def _begin(self):
        self._event = self.radio.timeline.after(self.period, self._begin)
        if self.radio.take(self):
            self.radio.timeline.after(self.duration, lambda: self.radio.give_back(self))

    def lose_radio(self):
        """Does nothing, because no other user can take the radio during a reservation."""
