# SPDX-License-Identifier: Apache-2.0
"""The user's place in a text. The protocol counts from 1, and GTK from 0. Columns are Unicode scalars."""

from gi.repository import GLib

from . import texts

STEADY = 10  # frames for which a line must be the first one
MOST_FRAMES = 60  # frames in which it is scrolled to; lines near the end cannot be the first one


def where(view) -> dict:
    """Returns line, column and first visible line."""
    document = view.get_buffer()
    here = document.get_iter_at_mark(document.get_insert())
    top, _ = view.get_line_at_y(view.get_visible_rect().y)
    column = here.get_line_offset() + 1 - _before_text(here)
    return {"line": here.get_line() + 1, "column": max(column, 1), "top": top.get_line() + 1}


def go(view, place: dict):
    """Goes to a place, or to the nearest one before the end."""
    document = view.get_buffer()
    here = _line(document, place["line"])
    end = here.copy()
    if not end.ends_line():
        end.forward_to_line_end()
    here.forward_chars(min(place["column"] - 1 + _before_text(here), end.get_line_offset()))
    document.place_cursor(here)
    _Scroll(view, place["top"])


class _Scroll:
    """Keeps a line the first visible one for a while. gedit scrolls to the cursor some time after it has loaded
    a file, and a new window has no lines yet."""

    def __init__(self, view, line: int):
        self.document = view.get_buffer()
        self.mark = self.document.create_mark(None, _line(self.document, line), True)
        self.line, self.frames, self.steady = min(line, self.document.get_line_count()), 0, 0
        view.baton_scroll = self  # the latest one replaces those before it
        view.add_tick_callback(self._tick)

    def _tick(self, view, _):
        self.frames += 1
        is_there = where(view)["top"] == self.line
        self.steady = self.steady + 1 if is_there else 0
        if self.steady == STEADY or self.frames == MOST_FRAMES or view.baton_scroll is not self:
            self.document.delete_mark(self.mark)
            return GLib.SOURCE_REMOVE
        if not is_there:
            view.scroll_to_mark(self.mark, 0, True, 0, 0)
        return GLib.SOURCE_CONTINUE


def _before_text(here) -> int:
    """Returns how many characters of a line come before its text: a byte order mark, which other editors do not
    count."""
    return int(here.get_line() == 0 and texts.has_mark_in_text(here.get_buffer()))


def _line(document, number: int):
    return document.get_iter_at_line(min(number, document.get_line_count()) - 1)
