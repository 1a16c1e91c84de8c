# SPDX-License-Identifier: Apache-2.0
"""Offers a file as part of an activity."""

from gi.repository import Gio

from ladder.leaving import EDITING, OpenFile, Use, not_there, open_file
from ladder.reference import KEY, Reference


def offer(activity, path: str, use: Use, text: OpenFile | None = None) -> dict:
    """Sets an activity's document to a file on this laptop. Returns the entries to add to the activity's userInfo.
    Raises Stays if the file may not leave.

    `text` is the unsaved text. Without unsaved text the saved file is sent to a laptop that asks for it, unless the
    file is too large. Reading the file may take as long as an app may take to answer, which is 5 s.
    """
    try:
        with open_file(path, use) as file:
            return _tell(activity, path, Reference.of(file), text or file)
    except FileNotFoundError:
        if use is not EDITING:
            raise not_there() from None
        return _tell(activity, path, Reference.of_path(path), text)


def offer_new(activity, text: OpenFile) -> dict:
    """Sets an activity's document to a text that has never been saved."""
    return _tell(activity, text.path, Reference.of_text(text), text)


def clear(activity):
    """Removes the document from an activity."""
    activity.props.document = None
    activity.set_contents_fd(-1)


def _tell(activity, path: str, reference: Reference, sent: OpenFile | None) -> dict:
    """Sets the document's name and contents. The document's name comes from the path, which is never opened again.
    Without an open file no document is set, because libbaton would send whatever file is at the path later."""
    if sent is None:
        clear(activity)
    else:
        # Keep a variable, because PyGObject warns of objects that only the call refers to.
        document = Gio.File.new_for_path(path)
        activity.set_contents_fd(sent.descriptor)
        activity.props.document = document
    return {KEY: reference.variant()}
