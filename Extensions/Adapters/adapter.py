# SPDX-License-Identifier: Apache-2.0
"""The base class of all adapters. An adapter has a desktop entry and a connection to the session bus. The connection
owns the entry's name, publishes activities, and receives those from other laptops."""

import os
import traceback

import gi

gi.require_version("Baton", "1")
from gi.repository import Baton, GLib  # noqa: E402

import bus  # noqa: E402
import contents  # noqa: E402
import deadline  # noqa: E402
import ladder  # noqa: E402
import notice  # noqa: E402
from journal import JOURNAL  # noqa: E402
from judge import Judge  # noqa: E402
from withheld import Withheld  # noqa: E402
from wording import Told, english, tr  # noqa: E402


# Seconds for which an offered file stays open. It is closed then, because a disk with open files cannot be unmounted.
KEPT = 120
# The keys in userInfo of the reason why an app's contents could not be handed over. The reason is in English for the
# other laptop's journal, and a code of `ladder.reasons` for its user.
FAILURE, FAILURE_CODE = "failure", "failureCode"


class Refused(Told):
    """The reason why an activity from another laptop is not continued."""


class Adapter:
    """Connects apps of one kind to Baton.

    A subclass sets `name`, and overrides `begin()` and `take()`. Activities must come from the connection that owns
    the adapter's name, so publish them with `publish()`.
    """

    name: str  # the end of the desktop entry's name, after "org.batonproject.Adapter."

    def __init__(self, closed):
        """Owns the adapter's name on the bus. `closed()` is called when the bus has closed the connection."""
        self.token = None  # lets the next window come to the front
        self.bus = bus.connect()
        self.closed = self.bus.connect("closed", lambda *_: closed())
        self.baton = Baton.Application.new(self.identifier())
        self.baton.connect("will-continue", self._will_continue)
        self.baton.connect("continue", self._continue)
        # Serve before the name is owned, because a program that starts this one calls it as soon as the name has an
        # owner.
        self.baton.serve(self.bus)
        bus.own(self.bus, self.identifier())
        self.judge = Judge(self.bus)
        self.withheld = Withheld(self.bus)

    @classmethod
    def identifier(cls) -> str:
        """The name of the adapter's desktop entry, which is also its name on the bus."""
        return f"org.batonproject.Adapter.{cls.name}"

    def begin(self):
        """Starts to watch the apps."""

    def take(self, continuation: Baton.Continuation, token: str | None):
        """Continues an activity from another laptop here. Calls `continuation.accept()` when an app has the activity,
        or raises Refused."""
        raise NotImplementedError

    def end(self):
        """Ends all activities by closing the connection."""
        self.judge.end()
        self.withheld.end()
        self.bus.disconnect(self.closed)
        self.bus.close(None, None)

    def publish(self, activity_type: str, application: str | None, save, continued, speaker: str | None = None,
                background=False) -> Baton.Activity:
        """Returns a new activity of the app with this desktop id, which is not current yet. Without an id the activity
        is the adapter's own. `speaker` is the app's unique name on the bus, by which batond judges the app again.
        `speaker` is None for an app that is not on the bus.

        `save()` returns the current values: userInfo as a dictionary, or None if the activity has ended. `save()` sets
        other properties by itself. If `save()` raises an exception such as ladder.Stays, both laptops are told, and the
        activity is no longer offered. `continued()` is called after another laptop has continued the activity. A
        `background` activity does not hide the one in front of the user.
        """
        activity = Baton.Activity(connection=self.bus, activity_type=activity_type, needs_save=True,
                                  application=application, speaker=speaker, background=background)

        timer = 0

        def wanted(_):
            nonlocal timer
            try:
                with deadline.within(deadline.SAVING):
                    found = save()
                if found is None:
                    activity.invalidate()
                    return
                activity.props.user_info = contents.variant(found)
            except Exception as error:  # any exception, because the other laptop waits
                self._not_saved(activity, error)
            if timer:
                GLib.source_remove(timer)
            timer = GLib.timeout_add_seconds(KEPT, forget)
            # Ask for the values again at the next request, because they may have changed.
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
        """Tells the user why an app's open file is not offered. `stays` is None if the file is offered, or if the app
        has closed the file."""
        self.withheld.look_at(app, path, stays)

    def decline(self, continuation: Baton.Continuation, why: str, detail: str = ""):
        """Declines an activity, and tells the user why. `detail` is only for the journal."""
        self.complain(f"{english(why)} ({detail})" if detail else english(why))
        continuation.decline(contents.plain(why))

    def tell(self, continuation: Baton.Continuation, text: str):
        """Tells the user about a continued activity, on the screen and in the journal."""
        if text:
            self.complain(english(text))
            notice.show(self.bus, continuation.props.title or "Baton", text)

    def complain(self, text: str):
        """Writes one line to the journal."""
        JOURNAL.write(f"{self.name}: {text}")

    def _will_continue(self, baton, offer, token):
        self.token = token
        return False

    def _not_saved(self, activity: Baton.Activity, error: Exception):
        """Tells both laptops that the app's contents cannot be handed over."""
        if isinstance(error, ladder.Stays):
            code, detail = error.code, error.detail
        else:
            # An exception's words may have paths in them, so the other laptop is not told them.
            place = traceback.extract_tb(error.__traceback__)[-1]
            code, detail = ladder.FAILED, f"{type(error).__name__}: {error} ({os.path.basename(place.filename)}:{place.lineno})"
        reason = english(ladder.sentence(code))
        said = f"{activity.props.title or activity.props.activity_type} is not handed over. {reason}"
        self.complain(f"{said} ({detail})" if detail else said)
        ladder.clear(activity)
        activity.props.title = activity.props.webpage_url = None
        activity.props.user_info = contents.variant({FAILURE: reason, FAILURE_CODE: code})
        activity.resign_current()

    def _continue(self, baton, continuation):
        token, self.token = self.token, None
        try:
            self._refuse_failure(continuation)
            self.take(continuation, token)
        except Refused as error:
            self.decline(continuation, error.sentence, error.detail)

    def _refuse_failure(self, continuation):
        """Raises Refused if the other laptop cannot hand the activity over. The user reads this laptop's own sentence
        for the reason. The other laptop's words go only to the journal."""
        info = contents.read(continuation)
        failure = contents.text(info, FAILURE)
        if failure is None:
            return
        laptop, reason = continuation.props.device_name, ladder.sentence(contents.text(info, FAILURE_CODE))
        if reason is None:
            raise Refused(tr('"{laptop}" does not hand it over. The log there says why.', laptop=laptop), failure)
        raise Refused(tr('"{laptop}" does not hand it over. {reason}', laptop=laptop, reason=reason))

