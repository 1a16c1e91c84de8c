# SPDX-License-Identifier: Apache-2.0
"""Laptops on which tests type the commands of a page."""

import pathlib
import re
import shutil
import subprocess
import tempfile

from laptops import BIN, LIMIT, TwoLaptops, demo

# Values for the words that the reader has to replace.
CHOSEN = {"NAME": "sofa", "DEVICE": "sofa", "ID": "org.example.Letters", "TYPE": "org.example.song", "COMMAND": "'echo {}'"}


class Laptop(demo.Laptop):
    """A laptop whose shell finds baton, and whose browser records the pages that it opens."""

    def __init__(self, name, root, running):
        super().__init__(name, root, BIN, running)
        programs = self.home / "bin"
        programs.mkdir()
        (programs / "baton").symlink_to(BIN / "baton")
        self.pages = self.home / "pages"
        browser = programs / "xdg-open"
        browser.write_text(f'#!/bin/sh\necho "$1" >>{self.pages}\n', encoding="utf-8")
        browser.chmod(0o755)
        self.environment["PATH"] = f"{programs}:{self.environment['PATH']}"

    def begin(self, command: str) -> subprocess.Popen:
        """Types a command, and returns its process with pipes for input and output."""
        words = re.sub(r"\b(" + "|".join(CHOSEN) + r")\b", lambda word: CHOSEN[word[0]], command)
        process = subprocess.Popen(["sh", "-c", f"exec {words}"], cwd=self.home, env=self.environment, text=True, bufsize=1,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.running.append(process)
        return process

    def type(self, command: str, typed: str = "") -> str:
        """Types a command and an answer to its question, and returns its output."""
        process = self.begin(command)
        said, _ = process.communicate(typed, timeout=2 * LIMIT)
        assert process.returncode == 0, f"{self.name}: {command}: {process.returncode}: {said}"
        return said

    def opened(self) -> list:
        """Returns the pages that the browser has opened."""
        return self.pages.read_text(encoding="utf-8").splitlines() if self.pages.exists() else []


class Typed(TwoLaptops):
    """Sets up the laptops `self.desk` and `self.sofa`, which are in no circle yet."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="baton-typed-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.running = []
        self.addCleanup(self.stop)
        self.walks = 0
        self.fresh()

    def fresh(self):
        """Sets up two laptops with a fresh installation. The former two stay as they are."""
        self.walks += 1
        self.before = (getattr(self, "desk", None), getattr(self, "sofa", None))
        root = self.root / str(self.walks)
        root.mkdir()
        self.desk, self.sofa = (Laptop(name, root, self.running) for name in ("desk", "sofa"))
        for laptop in (self.desk, self.sofa):
            laptop.start(root / "radio")

    def compare(self, pairing: list):
        """Checks that both laptops show the same digits, and says yes on both."""
        digits = [self.hear(process, "the digits: ", begins=True) for process in pairing]
        self.assertEqual(*digits)
        for process in pairing:
            process.stdin.write("yes\n")
            process.stdin.flush()
        for process in pairing:
            self.hear(process, "paired: ", begins=True)
            self.assertEqual(process.wait(LIMIT), 0)
