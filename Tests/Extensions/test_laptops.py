# SPDX-License-Identifier: Apache-2.0
"""Tests baton-panel with the real daemon: one laptop's offer is in the other's panel, and a click continues it.

    BATON_BIN=DIRECTORY /usr/bin/python3 -m unittest discover -s Tests/Extensions

BATON_BIN is the directory of batond and baton. The default is the debug build.
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

from desk import LIMIT, NAME, ROOT, Panel, Program, until  # noqa: E402

BIN = pathlib.Path(os.environ.get("BATON_BIN") or ROOT / ".build" / "debug").resolve()


def load(name: str):
    """Loads a script without a suffix as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "Scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


demo = load("demo")


class Laptops(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="baton-panel-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.running = []
        self.addCleanup(self.stop)
        self.desk, self.sofa = (demo.Laptop(name, self.root, BIN, self.running) for name in ("desk", "sofa"))
        # The program that opens web pages on sofa.
        self.opened, programs = self.root / "opened", self.root / "bin"
        programs.mkdir()
        (programs / "xdg-open").write_text(f'#!/bin/sh\necho "$1" >"{self.opened}"\n', encoding="utf-8")
        (programs / "xdg-open").chmod(0o755)
        for laptop in (self.desk, self.sofa):
            laptop.environment.update({"LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "PATH": f"{programs}:{os.environ['PATH']}"})

    def stop(self):
        for process in reversed(self.running):
            if process.poll() is None:
                process.terminate()
                process.wait(LIMIT)

    def test_offer_of_another_laptop_is_in_the_panel_and_a_click_continues_it(self):
        self.sofa.start_bus()
        panel = Panel(self.sofa.environment["DBUS_SESSION_BUS_ADDRESS"])
        program = Program(self.sofa.environment)
        self.addCleanup(program.stop)
        panel.until_entry("Baton is not running.", enabled=False)

        self.sofa.start_daemon(self.root / "radio")
        until("told how to begin", lambda: "Open Baton" in panel.tip()[1], panel.tip)
        self.desk.start(self.root / "radio")
        self.desk.baton("circle", "create", "--name", "desk")
        self.desk.baton("circle", "invite", self.root / "invitation")
        self.sofa.baton("circle", "join", self.root / "invitation", "--name", "sofa")
        panel.until_entry("There is nothing to continue.", enabled=False)

        publisher, _ = self.desk.follow("publish", "--type", "org.example.page", "--webpage", "https://example.org/7", "--once")
        panel.until(Status="Active", Title='A web page from "desk"', IconName=f"{NAME}.WebPage")
        panel.click(panel.until_entry("Pause"))
        panel.until_entry("Baton is paused.", enabled=False)
        panel.until(Status="Active", Title="Baton", IconName=NAME)
        panel.click(panel.until_entry("Resume"))
        panel.until(Status="Active", Title='A web page from "desk"')
        panel.do("Activate", 0, 0)
        panel.until(Status="Passive", IconName=NAME)
        self.assertEqual(publisher.wait(LIMIT), 0)
        self.assertEqual(self.opened.read_text(encoding="utf-8"), "https://example.org/7\n")

        self.sofa.daemon.terminate()
        panel.until_entry("Baton is not running.", enabled=False)
        program.process.terminate()
        self.assertEqual(program.end(), (0, ""))


if __name__ == "__main__":
    unittest.main()
