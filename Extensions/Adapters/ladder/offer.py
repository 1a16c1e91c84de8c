# SPDX-License-Identifier: Apache-2.0
"""Has an activity offer a file."""

from gi.repository import Gio

from ladder.leaving import EDITING, OpenFile, Use, not_there, open_file
from ladder.reference import KEY, Reference


def offer(activity, path: str, use: Use, text: OpenFile | None = None) -> dict:
    """Has an activity be about a file of this laptop. Returns what to add to its userInfo. Raises
    Stays for one that may not leave.

    `text` is what is not saved yet. Without it what was saved is sent to who asks for it, unless it
    is too large. Reads the file, as long as an app that has 5 s may.
    """
    try:
        with open_file(path, use) as file:
            return _tell(activity, path, Reference.of(file), text or file)
    except FileNotFoundError:
        if use is not EDITING:
            raise not_there() from None
        return _tell(activity, path, Reference.of_path(path), text)


def offer_new(activity, text: OpenFile) -> dict:
    """Has an activity be about a text that has never been saved."""
    return _tell(activity, text.path, Reference.of_text(text), text)


def clear(activity):
    """Has an activity be about no file any more."""
    activity.props.document = None
    activity.set_contents_fd(-1)


def _tell(activity, path: str, reference: Reference, sent: OpenFile | None) -> dict:
    """The path gives the document its name. It is never opened again: without an open file there is
    no document, of which libbaton would send what is at its path by then."""
    if sent is None:
        clear(activity)
    else:
        # PyGObject warns of objects that nothing but the call refers to.
        document = Gio.File.new_for_path(path)
        activity.set_contents_fd(sent.descriptor)
        activity.props.document = document
    return {KEY: reference.variant()}
