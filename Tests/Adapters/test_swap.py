# SPDX-License-Identifier: Apache-2.0
"""Tests what the adapter takes from Kate's swap files, without Kate."""

import os
import pathlib
import random
import struct
import sys
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

import library  # noqa: E402

library.introspected()
sys.path.insert(0, str(library.ROOT / "Extensions" / "Adapters"))

from editors import kate, swap  # noqa: E402

FILE = "first é\nsecond 😀 here\n".encode()


def text(value: bytes) -> bytes:
    return struct.pack(">I", len(value)) + value


def begin(file: bytes = FILE) -> bytes:
    return text(swap.BEGINNING) + text(swap.checksum(file))


def inserted(line: int, column: int, what: str) -> bytes:
    return b"S" + b"I" + struct.pack(">II", line, column) + text(what.encode()) + b"E"


def removed(line: int, first: int, last: int) -> bytes:
    return b"S" + b"R" + struct.pack(">III", line, first, last) + b"E"


def wrapped(line: int, column: int) -> bytes:
    return b"S" + b"W" + struct.pack(">II", line, column) + b"E"


def unwrapped(line: int) -> bytes:
    return b"S" + b"U" + struct.pack(">I", line) + b"E"


def replayed(*changes: bytes, file: bytes = FILE) -> tuple:
    return swap.replay(begin(file) + b"".join(changes), file, file.decode())


class Swaps(unittest.TestCase):
    def test_each_kind_of_change_is_applied(self):
        self.assertEqual(replayed(), (FILE.decode(), 1, 1))
        self.assertEqual(replayed(inserted(1, 6, " XY")), ("first é\nsecond XY 😀 here\n", 2, 10))
        self.assertEqual(replayed(removed(0, 0, 6)), ("é\nsecond 😀 here\n", 1, 1))
        self.assertEqual(replayed(wrapped(0, 5)), ("first\n é\nsecond 😀 here\n", 2, 1))
        self.assertEqual(replayed(unwrapped(1)), ("first ésecond 😀 here\n", 1, 8))

    def test_columns_count_utf_16_code_units(self):
        self.assertEqual(replayed(inserted(1, 9, "!")), ("first é\nsecond 😀! here\n", 2, 10))
        self.assertEqual(swap.column_of("second 😀 here", 8), 9)

    def test_random_changes_give_the_same_text_as_in_a_string(self):
        """Applies random changes, and the same ones to a string for comparison."""
        chance = random.Random(1)
        for _ in range(50):
            whole, changes = FILE.decode().replace("😀", "x"), []
            before = whole.encode()
            for _ in range(200):
                place = chance.randrange(len(whole) + 1)
                line, column = whole[:place].count("\n"), place - (whole.rfind("\n", 0, place) + 1)
                match chance.randrange(3):
                    case 0:
                        whole, change = whole[:place] + "né" + whole[place:], inserted(line, column, "né")
                    case 1:
                        whole, change = whole[:place] + "\n" + whole[place:], wrapped(line, column)
                    case _ if whole[place:place + 1] == "\n":
                        whole, change = whole[:place] + whole[place + 1:], unwrapped(line + 1)
                    case _:
                        last = column + (place < len(whole))
                        whole, change = whole[:place] + whole[place + 1:], removed(line, column, last)
                changes.append(change)
            self.assertEqual(replayed(*changes, file=before)[0], whole)

    def test_swap_file_of_another_file_is_ignored(self):
        with self.assertRaisesRegex(swap.Unusable, "another file"):
            swap.replay(begin(b"other") + inserted(0, 0, "X"), FILE, FILE.decode())

    def test_damaged_swap_file_is_ignored(self):
        whole = begin() + inserted(0, 0, "X") + removed(0, 0, 1)
        wrong = (b"", os.urandom(200), whole[:-2], whole + b"Q", whole + b"I", begin() + inserted(9, 0, "X"), begin() + inserted(0, 99, "X"),
                 begin() + inserted(1, 8, "X"), begin() + removed(0, 3, 99), begin() + unwrapped(0), begin() + unwrapped(3), begin() + inserted(0, 0, "a\nb"),
                 begin() + b"I" + struct.pack(">ii", -1, 0) + text(b"X"), begin() + b"I" + struct.pack(">II", 0, 0) + struct.pack(">I", 0xFFFFFFFF),
                 begin() + b"I" + struct.pack(">II", 0, 0) + text(b"\xff"))
        for each in wrong:
            with self.assertRaises(swap.Unusable, msg=each):
                swap.replay(each, FILE, FILE.decode())

    def test_swap_file_that_takes_too_long_is_ignored(self):
        changes = inserted(0, 0, "X") * 100_000
        with mock.patch.object(swap, "LONGEST", 0.001), self.assertRaisesRegex(swap.Unusable, "too many"):
            replayed(changes)

    def test_unsaved_text_of_a_kate_that_writes_late_is_marked_as_behind(self):
        for version, is_unsaved, is_behind in ((22, True, None), (24, True, True), (25, True, True), (25, False, None)):
            program = kate.Kate.__new__(kate.Kate)
            with mock.patch.object(kate.Editor, "save", return_value={"isUnsaved": is_unsaved}), \
                    mock.patch.object(kate.Kate, "_version", return_value=version):
                self.assertEqual(program.save().get("isBehind"), is_behind, version)


class KateQuestions(unittest.TestCase):
    def setUp(self):
        self.kate = kate.Kate.__new__(kate.Kate)
        self.kate.adapter, self.kate.owner, self.kate.name = mock.Mock(), ":1.1", "kate"
        self.kate.window, self.kate.timer, self.kate.unanswered, self.kate.is_in_front = None, 0, 0, False
        self.kate.heard = mock.Mock()
        self.later = self.enterContext(mock.patch.object(kate.GLib, "timeout_add", return_value=7))

    def test_kate_that_does_not_answer_keeps_its_offer_and_is_asked_again_a_few_times(self):
        with mock.patch.object(kate.bus, "ask", return_value=None):
            for _ in range(2 * kate.MOST_REPETITIONS):
                self.kate.look()
                self.kate.timer = 0
        self.assertFalse(self.kate.heard.called)
        self.assertEqual(self.later.call_count, kate.MOST_REPETITIONS)

    def test_busy_kate_is_asked_about_only_one_window(self):
        asked = []

        def answer(bus, owner, path, interface, method, *_):
            asked.append(method)
            return ("<node>" + "".join(f'<node name="MainWindow_{number}"/>' for number in range(1, 6)) + "</node>",) if method == "Introspect" else None
        with mock.patch.object(kate.bus, "ask", answer):
            self.assertRaises(kate.Busy, self.kate._state)
        self.assertEqual(asked, ["Introspect", "GetAll"])

    def test_kate_without_a_window_offers_nothing(self):
        with mock.patch.object(kate.bus, "ask", return_value=("<node/>",)):
            self.kate.look()
        self.kate.heard.assert_called_once_with({"state": None})
        self.assertFalse(self.later.called)

    def test_kate_behind_another_program_does_not_become_current(self):
        self.kate.activity = mock.Mock()
        self.kate.activity.props.is_current = False
        self.kate.heard = kate.Kate.heard.__get__(self.kate)
        window = {"isActiveWindow": False, "windowFilePath": str(pathlib.Path(__file__).resolve()), "windowModified": False}
        for is_in_front, is_active, becomes_current in ((False, False, False), (True, False, True), (False, True, True)):
            window["isActiveWindow"] = is_active
            with mock.patch.object(kate.bus, "ask", return_value=('<node><node name="MainWindow_1"/></node>',)), \
                    mock.patch.object(kate.bus, "properties", return_value=window):
                self.kate.look(is_in_front)
            self.assertEqual(self.kate.activity.become_current.called, becomes_current, (is_in_front, is_active))
            self.kate.activity.become_current.reset_mock()
