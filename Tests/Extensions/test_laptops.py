# SPDX-License-Identifier: Apache-2.0
"""Tests baton-panel with the real daemon: one laptop's offer is in the other's panel, and a click continues it.

BATON_BIN is the directory of batond and baton. The default is the debug build.
"""

import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

from desk import LIMIT, NAME, Panel, Program, until  # noqa: E402
from desktops import Laptops  # noqa: E402
from laptops import end  # noqa: E402


class PanelOfLaptops(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="baton-panel-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.running = []
        self.addCleanup(end, self.running)
        self.laptops = Laptops(self.root, self.running)
        self.desk, self.sofa = self.laptops.desk, self.laptops.sofa
        for laptop in (self.desk, self.sofa):
            laptop.environment["PYTHONDONTWRITEBYTECODE"] = "1"

    def test_panel_shows_another_laptops_offer_and_a_click_continues_it(self):
        self.sofa.start_bus()
        panel = Panel(self.sofa.environment["DBUS_SESSION_BUS_ADDRESS"])
        program = Program(self.sofa.environment)
        self.addCleanup(program.stop)
        panel.until_entry("Baton is not running.", enabled=False)

        self.sofa.start_daemon(self.root / "radio")
        until("told how to begin", lambda: "not paired with another one" in panel.tip()[1], panel.tip)
        self.desk.start(self.root / "radio")
        self.laptops.make_circle()
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
        self.assertTrue(self.laptops.has_opened("https://example.org/7"))

        self.sofa.daemon.terminate()
        panel.until_entry("Baton is not running.", enabled=False)
        program.process.terminate()
        self.assertEqual(program.end(), (0, ""))
