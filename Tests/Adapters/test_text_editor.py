# SPDX-License-Identifier: Apache-2.0
"""Hands texts over in the real GNOME Text Editor, on two laptops with the simulated radio, a display and a window manager
each. BATON_TEXT_EDITOR names another version's program."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import time

from gi.repository import GLib

from apps import LIMIT, Display
from editing import TYPE, Edited

SERVICES = ("org.gtk.vfs.Daemon", "org.gtk.vfs.Metadata")
PROGRAM = "gnome-text-editor"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
TEXT = "".join(f"{number}: é here\n" for number in range(1, 201))


class TextEditor:
    """GNOME Text Editor on a laptop, which keys operate."""

    def __init__(self, test, laptop):
        self.test, self.laptop = test, laptop
        self.directory = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "org.gnome.TextEditor"

    def start(self, *words):
        self.process = self.laptop.spawn([PROGRAM, *map(str, words)], **QUIET)
        self.test.eventually(lambda: self.keys("search", "--onlyvisible", "--class", "text-editor"))

    def keys(self, *words: str) -> str:
        return subprocess.run(["xdotool", *words], env=self.laptop.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=LIMIT, check=False).stdout

    def page(self) -> dict | None:
        """Returns the page in front in the latest session."""
        try:
            session = GLib.Bytes.new((self.directory / "session.gvariant").read_bytes())
        except FileNotFoundError:
            return None
        windows = GLib.Variant.new_from_bytes(GLib.VariantType("a{sv}"), session, False).unpack().get("windows", [])  # none while it is being written
        return next((page for window in windows for page in window["pages"] if page.get("is-active")), None)

    def draft(self) -> str | None:
        """Returns the unsaved text in front."""
        try:
            return (self.directory / "drafts" / self.page()["draft-id"]).read_text(encoding="utf-8")
        except (FileNotFoundError, TypeError):
            return None

    def insert(self, text: str) -> str:
        """Types a text at the cursor. Returns the unsaved text."""
        self.test.eventually(lambda: self.keys("search", "--onlyvisible", "--class", "text-editor"))

        def is_there():
            self.keys("type", text)
            return self.test.within(6, lambda: text in (self.draft() or ""))
        self.test.eventually(is_there)
        # Text Editor writes its session file after the draft, so wait for the session, too.
        column = len(text)
        self.test.eventually(lambda: self.page()["selection"][0][1] >= column)
        return self.draft()


class Texts(Edited):
    def prepare(self, laptop):
        super().prepare(laptop)
        display = Display()
        self.addCleanup(display.end)
        laptop.environment |= {"DISPLAY": display.name, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory", "GSK_RENDERER": "cairo"}
        services = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "dbus-1" / "services"
        services.mkdir(parents=True, exist_ok=True)
        for service in SERVICES:
            shutil.copy(f"/usr/share/dbus-1/services/{service}.service", services)
        if other := os.environ.get("BATON_TEXT_EDITOR"):
            (laptop.home / "bin" / PROGRAM).symlink_to(other)

    def begin(self, laptop):
        laptop.spawn(["openbox"], **QUIET)
        super().begin(laptop)

    def opened(self, laptops=None) -> TextEditor:
        for laptop in laptops or (self.desk, self.sofa):
            self.write(laptop, "Letters/Dear é.txt", TEXT)
        editor = TextEditor(self, self.desk)
        editor.start(self.home(self.desk) / "Letters/Dear é.txt")
        return editor

    def open_until(self, program: str, is_shown):
        """Clicks on the offer, and waits until the app shows the text. The click ends when the app was started."""
        offer = self.eventually(lambda: self.offer(self.sofa, TYPE))
        began = time.monotonic()
        self.sofa.baton("open", offer)
        self.eventually(is_shown)
        if "BATON_TIMES" in os.environ:
            print(f"{program}: {time.monotonic() - began:.2f} s from the click to the text", flush=True)

    def carry_on_here(self) -> TextEditor:
        there = TextEditor(self, self.sofa)
        self.open_until(PROGRAM, lambda: there.keys("search", "--onlyvisible", "--class", "text-editor"))
        return there

    def line_with(self, text: str, word: str) -> int:
        """Returns the number of the only line that contains a word. On a busy laptop keys get lost, so this need not be
        the line that was typed."""
        lines = [number for number, line in enumerate(text.split("\n")) if word in line]
        self.assertEqual(len(lines), 1, text)
        return lines[0]


class InTextEditor(Texts):
    def test_unsaved_text_continues_as_a_copy_at_its_line(self):
        here = self.opened()
        here.keys("key", "--repeat", "49", "Down")
        line = self.line_with(here.insert("Unsaved"), "Unsaved")
        there = self.carry_on_here()
        self.assertEqual(self.line_with(there.insert("X"), "UnsavedX"), line)
        path = GLib.filename_from_uri(there.page()["uri"])[0]
        self.assertIn("/documents/", path)
        for laptop in (self.desk, self.sofa):
            self.assertEqual((self.home(laptop) / "Letters/Dear é.txt").read_text(encoding="utf-8"), TEXT)
        self.assertEqual(self.line_with(here.draft(), "Unsaved"), line)
        self.assertIn("It has changes that are not saved there.", self.sofa.adapters_log.read_text(encoding="utf-8"))

    def test_saved_file_continues_at_its_line(self):
        here = self.opened()
        here.keys("key", "--repeat", "49", "Down")
        line = self.line_with(here.insert("Saved"), "Saved")
        here.keys("key", "ctrl+s")
        path = self.home(self.desk) / "Letters/Dear é.txt"
        self.eventually(lambda: "Saved" in path.read_text(encoding="utf-8") and here.draft() is None)
        self.write(self.sofa, "Letters/Dear é.txt", path.read_text(encoding="utf-8"))
        there = self.carry_on_here()
        self.assertEqual(self.line_with(there.insert("X"), "SavedX"), line)
        self.assertEqual(there.page()["uri"], (self.home(self.sofa) / "Letters/Dear é.txt").as_uri())

    def test_text_without_a_file_continues(self):
        here = TextEditor(self, self.desk)
        here.start()
        here.insert("Never saved")
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        there = self.carry_on_here()
        self.assertEqual(there.insert("X").strip(), "Never savedX")

    def test_offer_ends_with_text_editor(self):
        here = self.opened()
        here.insert("Unsaved")  # from 48 on, it writes no session before the first change
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        here.process.kill()
        self.eventually(lambda: self.offer(self.sofa, TYPE) is None)

    def test_no_file_is_written_beside_the_session(self):
        here = self.opened()
        here.insert("Unsaved")
        before = sorted(path.name for path in here.directory.rglob("*"))
        self.carry_on_here()
        self.assertEqual(sorted(path.name for path in here.directory.rglob("*")), before)
