# SPDX-License-Identifier: Apache-2.0
"""Two laptops for tests of the programs that show Baton on a desktop. Their daemons do not run yet."""

import os
import pathlib
import time

from laptops import BIN, LIMIT, demo

PAUSE = 0.05  # seconds between two looks at a state whose changes nothing reports
# A locale that is always installed, in which LANGUAGE chooses the language.
LOCALE = "C.UTF-8"


def until(what: str, condition, state=lambda: ""):
    """Waits until the condition holds, and returns its value. `state()` describes the state after a timeout."""
    limit = time.monotonic() + LIMIT
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > limit:
            raise AssertionError(f"within {LIMIT} s not {what}: {state()}")
        time.sleep(PAUSE)


class Laptops:
    """Two laptops below a directory, which record the web pages that they open. Their processes are added to `running`."""

    def __init__(self, root: pathlib.Path, running: list):
        self.root = root
        self.desk, self.sofa = (demo.Laptop(name, root, BIN, running) for name in ("desk", "sofa"))
        self.opened, programs = root / "opened", root / "bin"
        programs.mkdir()
        (programs / "xdg-open").write_text(f'#!/bin/sh\necho "$1" >>"{self.opened}"\n', encoding="utf-8")
        (programs / "xdg-open").chmod(0o755)
        for laptop in (self.desk, self.sofa):
            laptop.environment.update({"LC_ALL": LOCALE, "PATH": f"{programs}:{os.environ['PATH']}"})

    def make_circle(self):
        """Makes one circle of both laptops, whose daemons run."""
        self.desk.baton("circle", "create", "--name", "desk")
        self.desk.baton("circle", "invite", self.root / "invitation")
        self.sofa.baton("circle", "join", self.root / "invitation", "--name", "sofa")

    def has_opened(self, address: str) -> bool:
        """Returns whether a web page was opened."""
        return self.opened.exists() and f"{address}\n" in self.opened.read_text(encoding="utf-8")
