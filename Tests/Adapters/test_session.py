# SPDX-License-Identifier: Apache-2.0
"""Tests what the adapter takes from GNOME Text Editor's session, without Text Editor."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

import library  # noqa: E402

library.introspected()
sys.path.insert(0, str(library.ROOT / "Extensions" / "Adapters"))

from gi.repository import GLib  # noqa: E402

from editors import session  # noqa: E402

PAGE = {"uri": GLib.Variant("s", "file:///home/ada/letter.txt"), "is-active": GLib.Variant("b", True),
        "draft-id": GLib.Variant("s", "3ab1816f-c7ae-45ff-8e00-534e5b89a435"), "selection": GLib.Variant("a(uu)", [(4, 2), (4, 2)])}


def made(windows: list, version: int = 1) -> bytes:
    found = GLib.Variant("a{sv}", {"version": GLib.Variant("u", version), "windows": GLib.Variant("aa{sv}", windows)})
    return found.get_data_as_bytes().get_data()


def window(*pages: dict, is_active: bool = True) -> dict:
    return {"is-active": GLib.Variant("b", is_active), "pages": GLib.Variant("aa{sv}", list(pages))}


class Sessions(unittest.TestCase):
    def test_page_in_front_is_the_active_one_of_the_active_window(self):
        other = {**PAGE, "uri": GLib.Variant("s", "file:///other"), "is-active": GLib.Variant("b", False)}
        found = session.front(made([window(other, is_active=False), window(other, PAGE)]))
        self.assertEqual(found["uri"], "file:///home/ada/letter.txt")

    def test_damaged_session_has_no_page(self):
        whole = made([window(PAGE)])
        self.assertTrue(session.front(whole))
        for damaged in (None, b"", whole[:-3], b"\xff" * 64, made([]), made([window()]), os.urandom(500)):
            self.assertEqual(session.front(damaged), {}, damaged)

    def test_session_of_another_version_is_ignored(self):
        self.assertEqual(session.front(made([window(PAGE)], version=2)), {})

    def test_place_of_another_type_is_ignored(self):
        self.assertEqual(session.place([(4, 2), (4, 9)]), (5, 3))
        for wrong in (None, 7, [], [(1,), (2,)], [("a", 1), (1, 1)], "[(1,2),(3,4)]", [[1, 2], [3, 4]], ((1, 2), (3, 4))):
            self.assertEqual(session.place(wrong), (1, 1), wrong)

    def test_only_an_ordinary_file_of_this_user_is_read(self):
        with tempfile.TemporaryDirectory() as directory:
            file, link, pipe = (pathlib.Path(directory, name) for name in ("file", "link", "pipe"))
            file.write_bytes(b"text")
            link.symlink_to(file)
            os.mkfifo(pipe)
            self.assertEqual(session.read(str(file), 4), b"text")
            for path, most in ((file, 3), (link, 4), (pipe, 4), (file.parent, 4), (file.parent / "gone", 4), (None, 4)):
                self.assertIsNone(session.read(path and str(path), most), path)

    def test_draft_name_that_is_a_path_is_refused(self):
        for name in ("../session.gvariant", "/etc/passwd", "", "3ab1816f-c7ae-45ff-8e00-534e5b89a435/..", 7):
            self.assertFalse(isinstance(name, str) and session.DRAFT.fullmatch(name), name)
