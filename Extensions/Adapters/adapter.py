# SPDX-License-Identifier: Apache-2.0
"""What all adapters have in common: a desktop entry, a connection to the session bus that owns the
entry's name and publishes, and what comes from other laptops."""

import os
import traceback

import gi

gi.require_version("Baton", "1")
from gi.repository import Baton, GLib  # noqa: E402

import bus  # noqa: E402
import contents  # noqa: E402
import ladder  # noqa: E402
import notice  # noqa: E402
from journal import JOURNAL  # noqa: E402
from judge import Judge  # noqa: E402
from withheld import Withheld  # noqa: E402


# Seconds that a file stays open for who has been told of it: a disk with open files is not taken out.
KEPT = 120
FAILURE = "failure"  # of userInfo: why an app's contents could not be handed over, for people


class Refused(Exception):
    """Why what came from another laptop is not continued: one line for the user."""


class Adapter:
    """Speaks to Baton for one kind of apps.

    A subclass has the `name` of its entry, overrides `begin()`, and `take()` for what comes. What
    an adapter publishes must come from the connection that owns its name: `publish()` sees to it.
    """

    name: str  # of its desktop entry, behind org.batonproject.Adapter

    def __init__(self, closed):
        """Owns its name on the bus; `closed()` is called when the bus is gone."""
        self.token = None  # what lets the next window come to the front
        self.bus = bus.connect()
        self.closed = self.bus.connect("closed", lambda *_: closed())
        self.baton = Baton.Application.new(self.identifier())
        self.baton.connect("will-continue", self._will_continue)
        self.baton.connect("continue", self._continue)
        # Before the name is owned: who starts this program calls as soon as it is.
        self.baton.serve(self.bus)
        bus.own(self.bus, self.identifier())
        self.judge = Judge(self.bus)
        self.withheld = Withheld(self.bus)

    @classmethod
    def identifier(cls) -> str:
        """The name of its desktop entry, and on the bus."""
        return f"org.batonproject.Adapter.{cls.name}"

    def begin(self):
        """Begins to look which apps there are, and what they do."""

    def take(self, continuation: Baton.Continuation, token: str | None):
        """Goes on here with what comes from another laptop: calls `continuation.accept()` when an
        app has it, or raises Refused."""
        raise NotImplementedError

    def end(self):
        """Ends all that is offered, as it goes with the connection."""
        self.judge.end()
        self.withheld.end()
        self.bus.disconnect(self.closed)
        self.bus.close(None, None)

    def publish(self, activity_type: str, application: str | None, save, continued, speaker: str | None = None,
                background=False) -> Baton.Activity:
        """An activity of the app with this desktop id, which is not current yet. None where it is
        not known which app it is: then it is the adapter's own. `speaker` is the app's unique name
        on the bus, by which batond judges it again; None for one that is not on the bus.

        `save()` says what is there now: userInfo by its keys, or None when it is over; other
        properties it sets itself. Where it raises, as ladder.Stays, both laptops are told, and nothing
        is offered any more. `continued()` is called when it goes on elsewhere. `background` is for what
        goes on by itself, and hides nothing that the user has in front.
        """
        activity = Baton.Activity(connection=self.bus, activity_type=activity_type, needs_save=True,
                                  application=application, speaker=speaker, background=background)

        timer = 0

        def wanted(_):
            nonlocal timer
            try:
                found = save()
                if found is None:
                    activity.invalidate()
                    return
                activity.props.user_info = contents.variant(found)
            except Exception as error:  # whatever goes wrong: the other laptop waits
                self._not_saved(activity, error)
            if timer:
                GLib.source_remove(timer)
            timer = GLib.timeout_add_seconds(KEPT, forget)
            # What is asked for next may be different again.
            GLib.idle_add(lambda: activity.set_needs_save(True))

        def forget():
            nonlocal timer
            timer = 0
            ladder.clear(activity)
            return GLib.SOURCE_REMOVE

        def gone_on(*_):
            activity.resign_current()
            continued()
        activity.connect("save", wanted)
        activity.connect("continued", gone_on)
        activity.connect("failed", lambda _, error: self.complain(error.message))
        activity.connect("warning", lambda _, text: self.complain(text))
        return activity

    def withhold(self, app, path: str, stays: ladder.Stays | None):
        """Tells the user why the file that an app has open is not offered. `stays` is None if it is, or if the app has
        closed it."""
        self.withheld.look_at(app, path, stays)

    def decline(self, continuation: Baton.Continuation, why: str):
        """It is not continued here, which the user is told."""
        self.complain(why)
        continuation.decline(contents.plain(why))

    def tell(self, continuation: Baton.Continuation, text: str):
        """What the user should know of what goes on here, on the screen and in the journal."""
        if text:
            self.complain(text)
            notice.show(self.bus, continuation.props.title or "Baton", text)

    def complain(self, text: str):
        """One line in the journal."""
        JOURNAL.write(f"{self.name}: {text}")

    def _will_continue(self, baton, offer, token):
        self.token = token
        return False

    def _not_saved(self, activity: Baton.Activity, error: Exception):
        """What an app has cannot be handed over, which the other laptop is told in the place of it."""
        if isinstance(error, ladder.Stays):
            reason = said = str(error)
        else:
            # An exception's words may have paths in them.
            reason = f"Baton's adapter failed ({type(error).__name__}); the journal there says more"
            place = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
        self.complain(f"{activity.props.title or activity.props.activity_type} is not handed over: {said}")
        ladder.clear(activity)
        activity.props.title = activity.props.webpage_url = None
        activity.props.user_info = contents.variant({FAILURE: reason})
        activity.resign_current()

    def _continue(self, baton, continuation):
        token, self.token = self.token, None
        try:
            if failure := contents.text(contents.read(continuation), FAILURE):
                raise Refused(f"{continuation.props.device_name} does not hand it over: {failure}")
            self.take(continuation, token)
        except Refused as error:
            self.decline(continuation, str(error))

