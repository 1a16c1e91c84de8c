# SPDX-License-Identifier: Apache-2.0
"""Tests libbaton from Lua, by introspection, with two real daemons on the simulated
radio."""

import pathlib
import subprocess

from installed import LIMIT, Laptops

HERE = pathlib.Path(__file__).resolve().parent
LUA = "lua5.3"  # the newest for which Debian 12 has lua-lgi


class FromLua(Laptops):
    def test_an_activity_its_streams_and_its_document_continue(self):
        letter = self.root / "letter.txt"
        letter.write_text("Dear Ada,", encoding="utf-8")
        addresses = {f"BATON_TEST_{laptop.name.upper()}": laptop.environment["DBUS_SESSION_BUS_ADDRESS"] for laptop in (self.desk, self.sofa)}
        done = subprocess.run([LUA, str(HERE / "handover.lua")], env={**self.desk.environment, **addresses, "BATON_TEST_DOCUMENT": str(letter)},
                              text=True, timeout=LIMIT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual((done.stdout, done.returncode), ("well\n", 0))
