# SPDX-License-Identifier: Apache-2.0
"""Has an activity offer a file."""

from gi.repository import Gio

from ladder.reference import KEY, Reference


def offer(activity, path: str, contents: str | None = None) -> dict:
    """Has an activity be about a file of this laptop. Returns what to add to its userInfo.

    `contents` is the path of a file with what is not saved yet. Without it what was saved is sent
    to who asks for it, unless it is too large. Reads the file, as long as an app that has 5 s may.
    """
    reference = Reference.of(path)
    sent = contents or (path if reference.is_copied() else None)
    # PyGObject warns of objects that nothing but the call refers to.
    document, sent = Gio.File.new_for_path(path), Gio.File.new_for_path(sent) if sent else None
    activity.props.document = document
    activity.props.contents = sent
    return {KEY: reference.variant()}


def clear(activity):
    """Has an activity be about no file any more."""
    activity.props.document = activity.props.contents = None
