# SPDX-License-Identifier: Apache-2.0
"""Tests libbaton from GJS, by introspection, with two real daemons on the simulated
radio."""

import pathlib
import subprocess

from installed import LIMIT, Laptops

HERE = pathlib.Path(__file__).resolve().parent


class FromGJS(Laptops):
    def run_well(self, program: str, **environment):
        done = subprocess.run(["gjs", "-m", str(HERE / program)], env={**self.desk.environment, **environment}, text=True, timeout=LIMIT, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((done.stdout, done.returncode), ("well\n", 0))

    def addresses(self) -> dict:
        return {f"BATON_TEST_{laptop.name.upper()}": laptop.environment["DBUS_SESSION_BUS_ADDRESS"] for laptop in (self.desk, self.sofa)}

    def test_an_activity_and_its_streams_continue(self):
        letter = self.root / "letter.txt"
        letter.write_text("Dear Ada,", encoding="utf-8")
        self.run_well("handover.js", BATON_TEST_DOCUMENT=str(letter), **self.addresses())

    def test_misuse_of_the_library_does_no_harm(self):
        self.run_well("misuse.js")

    def test_a_sender_that_fails_cuts_its_streams_off(self):
        self.run_well("cuts.js", **self.addresses())
