# SPDX-License-Identifier: Apache-2.0
"""The user's place in a document, as numbers and a sheet's name."""

from __future__ import annotations

import time

PATIENCE = 1.0  # seconds for counting paragraphs
MOST_STEPS = 32_767  # steps of a cursor in one call
AT_ONCE = 256  # paragraphs between two looks at the clock


def of(document, kind: str) -> dict:
    """Returns the place in a document, counted from 0."""
    controller = document.CurrentController
    if kind == "text":
        return _of_text(document, controller.ViewCursor)
    if kind == "spreadsheet":
        return _of_sheet(controller)
    return {"page": controller.CurrentPage.Number - 1}


def go(document, kind: str, place: dict):
    """Goes to a place, or as close to it as the document allows."""
    controller = document.CurrentController
    if kind == "text":
        _go_in_text(document, controller.ViewCursor, place)
    elif kind == "spreadsheet":
        _go_in_sheet(document, controller, place)
    else:
        pages = document.DrawPages
        controller.setCurrentPage(pages.getByIndex(min(place["page"], pages.Count - 1)))


# --- Texts

def _of_text(document, cursor) -> dict:
    found = {"page": cursor.getPage() - 1}
    here = _in_body(document, cursor)
    # In a text with very many paragraphs, only the page counts.
    if here is not None and (paragraph := _paragraph(document.Text, here)) is not None:
        found |= {"paragraph": paragraph, "offset": _offset(document.Text, here)}
    return found


def _in_body(document, cursor):
    """Returns the place of a cursor in the document's own text. For a cursor in a table or a frame, returns the place
    of the table or the frame, or None if that has no place."""
    held = cursor.TextTable or cursor.TextFrame
    here = held.Anchor if held else cursor.Start
    try:
        return document.Text.createTextCursorByRange(here)
    except Exception:  # noqa: BLE001 (UNO's own exceptions): a header, a footnote, or a frame in a table
        return None


def _paragraph(text, here) -> int | None:
    end = time.monotonic() + PATIENCE
    cursor, count = text.createTextCursorByRange(here.Start), 0
    cursor.gotoStartOfParagraph(False)
    while cursor.gotoPreviousParagraph(False):
        count += 1
        if count % AT_ONCE == 0 and time.monotonic() > end:
            return None
    return count


def _offset(text, here) -> int:
    """Returns how many characters of its paragraph are before a place."""
    cursor = text.createTextCursorByRange(here.Start)
    cursor.gotoStartOfParagraph(True)
    return len(cursor.String)


def _go_in_text(document, view, place: dict):
    if "paragraph" not in place:
        view.jumpToPage(place["page"] + 1)
        return
    end = time.monotonic() + PATIENCE
    cursor = document.Text.createTextCursor()
    cursor.gotoStart(False)
    for number in range(place["paragraph"]):
        if not cursor.gotoNextParagraph(False):
            break
        if number % AT_ONCE == 0 and time.monotonic() > end:
            view.jumpToPage(place["page"] + 1)
            return
    _advance(document.Text, cursor, place["offset"])
    view.gotoRange(cursor.Start, False)


def _advance(text, cursor, offset: int):
    """Moves a cursor by `offset` characters from the beginning of its paragraph."""
    end = text.createTextCursorByRange(cursor)
    end.gotoEndOfParagraph(True)
    cursor.goRight(min(offset, len(end.String), MOST_STEPS), False)
    # Some versions of LibreOffice may count in other units than characters.
    if (surplus := _offset(text, cursor) - offset) > 0:
        cursor.goLeft(min(surplus, MOST_STEPS), False)


# --- Sheets

def _of_sheet(controller) -> dict:
    sheet = controller.ActiveSheet
    found = {"sheet": sheet.RangeAddress.Sheet, "sheetName": sheet.Name,
             "firstRow": controller.FirstVisibleRow, "firstColumn": controller.FirstVisibleColumn}
    if (cells := _cells(controller.Selection)) is not None:
        found |= {"row": cells.StartRow, "column": cells.StartColumn, "endRow": cells.EndRow, "endColumn": cells.EndColumn}
    return found


def _cells(selection):
    """Returns the selected cells, the first of several ranges, or None if something else is selected, such as a
    picture."""
    if hasattr(selection, "RangeAddress"):
        return selection.RangeAddress
    ranges = getattr(selection, "RangeAddresses", None)
    return ranges[0] if ranges else None


def _go_in_sheet(document, controller, place: dict):
    sheets = document.Sheets
    if sheets.hasByName(place["sheetName"]):
        sheet = sheets.getByName(place["sheetName"])
    else:
        sheet = sheets.getByIndex(min(place["sheet"], sheets.Count - 1))
    controller.setActiveSheet(sheet)
    last = sheet.RangeAddress
    if "row" in place:
        columns, rows = ([min(place[key], most) for key in keys] for keys, most in (
            (("column", "endColumn"), last.EndColumn), (("row", "endRow"), last.EndRow)))
        controller.select(sheet.getCellRangeByPosition(columns[0], rows[0], max(columns), max(rows)))
    controller.setFirstVisibleRow(min(place["firstRow"], last.EndRow))
    controller.setFirstVisibleColumn(min(place["firstColumn"], last.EndColumn))
