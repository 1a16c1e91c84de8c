# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file names its licence, and that code which links libbluetooth
or runs in GNOME Shell names the right one."""

import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {".swift", ".c", ".h", ".py", ".sh", ".proto", ".service", ".js", ".map", ".modulemap", ".yml"}
PARTS = ["Benchmarks", "CModules", "Examples", "Extensions", "Fuzzing", "Libraries", "Packaging", "Scripts", "Sources", "Systemd", "Tests"]
# Code that links libbluetooth, which itself is GPL-2.0-or-later.
GPL = ["Sources/L2CAP", "Sources/BlueZTransport", "Sources/batond", "CModules/CBluetooth"]


def licence(file: Path) -> str:
    with open(file, encoding="utf-8") as opened:
        head = [next(opened, "") for _ in range(3)]
    return next((line.split("SPDX-License-Identifier:")[1].split()[0] for line in head if "SPDX-License-Identifier:" in line), "")


def sources(parts: list) -> list:
    found = [file for part in parts for file in (ROOT / part).rglob("*") if file.is_file() and ".build" not in file.parts]
    programs = [file for file in found if not file.suffix and file.read_bytes()[:2] == b"#!"]
    return [file for file in found if file.suffix in SOURCES] + programs


class Licences(unittest.TestCase):
    def test_every_source_file_begins_with_its_licence(self):
        files = [ROOT / "Package.swift", ROOT / "Makefile", *sources(PARTS)]
        self.assertGreater(len(files), 400)
        self.assertEqual([str(file.relative_to(ROOT)) for file in files if not licence(file)], [])

    def test_code_that_links_libbluetooth_is_gpl_and_code_for_apps_is_not(self):
        for file in sources(GPL):
            self.assertEqual(licence(file), "GPL-3.0-or-later", file)
        # GNOME Shell runs this code with its own modules, which are GPL-2.0-or-later.
        for file in sources(["Extensions/GnomeShell"]):
            self.assertEqual(licence(file), "GPL-2.0-or-later", file)
        for module in ("ActivityModel", "UserActivity", "Baton", "BatonBus", "BatonClient", "BatonProtocol", "BatonTransport", "DBus",
                       "Diagnosis", "HostAddresses", "TraceModel", "TransportModel"):
            for file in sources([f"Sources/{module}"]):
                self.assertEqual(licence(file), "Apache-2.0", file)
        for file in sources(["Libraries"]):
            self.assertEqual(licence(file), "Apache-2.0", file)
