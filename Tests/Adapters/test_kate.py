# SPDX-License-Identifier: Apache-2.0
"""Hands texts over in the real Kate and KWrite, on two laptops with the simulated radio, a display and a window manager
each."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess

from apps import LIMIT
from editing import TYPE
from test_text_editor import QUIET, Texts

TEXT = "".join(f"{number}: 😀é here\n" for number in range(1, 201))
NAME = "Letters/Dear é.txt"
WIDGET = "org.qtproject.Qt.QWidget"


class Kate:
    """Kate or KWrite on a laptop, which keys operate."""

    def __init__(self, test, laptop, program: str):
        self.test, self.laptop, self.program = test, laptop, program

    def start(self, *words):
        self.laptop.spawn([self.program, *map(str, words)], **QUIET)
        self.test.eventually(lambda: self.windows())

    def windows(self) -> list:
        return self.keys("search", "--onlyvisible", "--class", self.program).split()

    def keys(self, *words: str) -> str:
        return subprocess.run(["xdotool", *words], env=self.laptop.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=LIMIT, check=False).stdout

    def file(self, window: int = 1) -> pathlib.Path:
        """Returns the file that the editor shows."""
        for name in self.test.names(self.laptop, f"org.kde.{self.program}-"):
            if path := self.test.property(self.laptop, name, f"/{self.program}/MainWindow_{window}", WIDGET, "windowFilePath"):
                return pathlib.Path(path)
        return None

    def is_modified(self) -> bool:
        return any(self.test.property(self.laptop, name, f"/{self.program}/MainWindow_1", WIDGET, "windowModified")
                   for name in self.test.names(self.laptop, f"org.kde.{self.program}-"))

    def insert(self, text: str):
        """Types a text at the cursor. If a busy editor shows it late, the text is typed more than once."""
        self.test.eventually(self.file)
        self.keys("windowactivate", "--sync", self.windows()[-1])

        def is_there():
            self.keys("type", text)
            return self.test.within(6, self.is_modified)
        self.test.eventually(is_there)

    def save(self) -> str:
        """Saves the text. Returns the file's contents."""
        self.keys("key", "ctrl+s")
        self.test.eventually(lambda: not self.is_modified())
        return self.file().read_text(encoding="utf-8")


class KateTests(Texts):
    def write_letters(self):
        for laptop in (self.desk, self.sofa):
            self.write(laptop, NAME, TEXT)

    def opened(self, program: str) -> Kate:
        self.write_letters()
        kate = Kate(self, self.desk, program)
        kate.start(self.home(self.desk) / NAME)
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        return kate

    def carry_on_in(self, program: str) -> Kate:
        kate = Kate(self, self.sofa, program)
        self.open_until(program, lambda: kate.windows() and kate.file())
        return kate


class InKate(KateTests):
    def unsaved_text_goes_on(self, program: str):
        here = self.opened(program)
        here.keys("key", "--repeat", "49", "Down")
        here.keys("key", "End")
        here.insert("Unsaved")
        swap = (self.home(self.desk) / NAME).with_name(".Dear é.txt.kate-swp")

        def is_written() -> bool:
            """Returns whether the swap file has each letter, of each time that the text was typed."""
            count = swap.read_bytes().count(b"SI") if swap.exists() else 0
            return count > 0 and count % len("Unsaved") == 0
        self.eventually(is_written)  # from 24 on, Kate takes 15 s
        there = self.carry_on_in(program)
        there.insert("X")
        copy = there.save()
        self.assertRegex(copy.split("\n")[self.line_with(copy, "Unsaved")], "^[0-9]+: 😀é here(Unsaved)+X+$")
        self.assertIn("/documents/", str(there.file()))
        for laptop in (self.desk, self.sofa):
            self.assertEqual((self.home(laptop) / NAME).read_text(encoding="utf-8"), TEXT)
        self.assertTrue(here.is_modified())
        self.assertIn("It has changes that are not saved there.", self.sofa.adapters_log.read_text(encoding="utf-8"))

    def test_unsaved_text_continues_in_kate_as_a_copy_at_its_line(self):
        self.unsaved_text_goes_on("kate")

    def test_unsaved_text_continues_in_kwrite_as_a_copy_at_its_line(self):
        self.unsaved_text_goes_on("kwrite")

    def test_saved_file_continues_in_kate_with_another_file_open(self):
        there = Kate(self, self.sofa, "kate")
        there.start(self.write(self.sofa, "other.txt", "Other\n"))
        self.eventually(there.file)
        self.opened("kate")
        self.carry_on_in("kate")
        self.eventually(lambda: there.file() == self.home(self.sofa) / NAME)

    def test_window_in_front_decides_which_text_is_offered(self):
        kate = self.opened("kate")
        other = Kate(self, self.desk, "kwrite")
        other.start(self.write(self.desk, "other.txt", "Other\n"))
        self.write(self.sofa, "other.txt", "Other\n")
        self.eventually(other.file)
        for front, name in ((kate, NAME), (other, "other.txt"), (kate, NAME)):
            front.keys("windowactivate", "--sync", front.windows()[-1])
            there = Kate(self, self.sofa, front.program)
            self.click_until(self.sofa, TYPE, lambda: there.file() == self.home(self.sofa) / name)
            for window in there.windows():
                there.keys("windowclose", window)
            self.eventually(lambda: not there.windows())

    def test_changes_without_a_swap_file_are_not_sent_and_the_user_is_told(self):
        here = self.opened("kate")
        here.insert("Unsaved")
        (self.home(self.desk) / NAME).with_name(".Dear é.txt.kate-swp").unlink()
        there = self.carry_on_in("kate")
        self.eventually(lambda: there.file() == self.home(self.sofa) / NAME)
        self.assertRegex(self.sofa.adapters_log.read_text(encoding="utf-8"), 'What was not saved on "desk" stayed there')

    def test_offer_ends_with_kate(self):
        self.opened("kate")
        # From version 25 on, Kate continues in another process than the one that was started.
        os.kill(int(self.names(self.desk, "org.kde.kate-")[0].rpartition("-")[2]), signal.SIGKILL)
        self.eventually(lambda: self.offer(self.sofa, TYPE) is None)
