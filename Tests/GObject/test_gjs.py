# SPDX-License-Identifier: Apache-2.0
"""libbaton from GJS, by introspection, with two real daemons on the simulated radio."""

import pathlib
import subprocess
import unittest

from installed import LIMIT, Laptops

PROGRAM = pathlib.Path(__file__).resolve().with_name("handover.js")


class FromGJS(Laptops):
    def test_an_activity_and_its_streams_go_on(self):
        addresses = {f"BATON_TEST_{laptop.name.upper()}": laptop.environment["DBUS_SESSION_BUS_ADDRESS"] for laptop in (self.desk, self.sofa)}
        letter = self.root / "letter.txt"
        letter.write_text("Dear Ada,", encoding="utf-8")
        addresses["BATON_TEST_DOCUMENT"] = str(letter)
        done = subprocess.run(["gjs", "-m", str(PROGRAM)], env={**self.desk.environment, **addresses}, text=True, timeout=LIMIT, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((done.stdout, done.returncode), ("well\n", 0))


if __name__ == "__main__":
    unittest.main()
