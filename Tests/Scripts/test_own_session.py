# SPDX-License-Identifier: Apache-2.0
"""Tests that the demo, the tests and the benchmarks run in sessions of their own. They start no installed service, and touch no keys of the user."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

import own_session  # noqa: E402

SERVICE = "[D-BUS Service]\nName={name}\nExec=/bin/sh -c '/usr/bin/touch {mark}; exit 1'\n"
NAME = "org.example.Installed"


class OwnSession(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-own-")))
        self.mark = self.root / "started"

    def offer(self, data: pathlib.Path):
        """Writes a service file to a data directory, for a bus to start."""
        services = data / "dbus-1" / "services"
        services.mkdir(parents=True, exist_ok=True)
        (services / f"{NAME}.service").write_text(SERVICE.format(name=NAME, mark=self.mark), encoding="utf-8")

    def ask_for_it(self, environment: dict) -> str:
        """Asks a bus for the service. Returns the bus's answer."""
        bus, address = own_session.start_bus(environment)
        try:
            return subprocess.run(
                ["gdbus", "call", "--address", address, "--dest", NAME, "--object-path", "/", "--method", "org.freedesktop.DBus.Peer.Ping"],
                env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60).stdout
        finally:
            bus.terminate()
            bus.communicate()

    def test_an_installed_service_is_not_started(self):
        installed, own = self.root / "installed", self.root / "home"
        self.offer(installed)
        user = {"HOME": str(installed), "XDG_DATA_HOME": str(installed), "XDG_DATA_DIRS": str(installed), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/none"}
        with mock.patch.dict(os.environ, user):
            environment = own_session.environment(own)
        self.assertIn("ServiceUnknown", self.ask_for_it(environment))
        self.assertFalse(self.mark.exists())

    def test_a_service_of_the_own_session_is_started(self):
        environment = own_session.environment(self.root / "home")
        self.offer(pathlib.Path(environment["XDG_DATA_HOME"]))
        self.assertNotIn("ServiceUnknown", self.ask_for_it(environment))
        self.assertTrue(self.mark.exists())

    def test_a_silent_bus_is_ended_after_a_time_limit(self):
        silent = ["sleep", "86400"]
        with mock.patch.object(own_session, "LIMIT", 0.1), mock.patch.object(subprocess, "Popen", wraps=subprocess.Popen) as start:
            bus, address = own_session.start_bus(own_session.environment(self.root / "home"), lambda _, **options: start(silent, **options))
        self.assertEqual((address, bus.wait(60)), ("", -9))
        bus.stdout.close()

    def test_directories_and_bus_are_not_the_users(self):
        user = {"HOME": "/users", "DBUS_SYSTEM_BUS_ADDRESS": "users"}
        user.update({f"XDG_{name}": "/users" for name in ("DATA_HOME", "CONFIG_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR", "DATA_DIRS", "CONFIG_DIRS")})
        with mock.patch.dict(os.environ, user):
            environment = own_session.environment(self.root / "home")
        self.assertEqual([], [name for name, value in environment.items() if "users" in value])
        self.assertEqual(environment["HOME"], str(self.root / "home"))

    def test_no_script_starts_a_session_bus_with_the_installed_configuration(self):
        """Checks programs in Python and shell. The Swift tests use PrivateBus instead."""
        # The word is split, so that the search does not find this file.
        installed = re.compile(r"dbus-daemon\W+--" + "session|dbus-run-" + "session")
        scripts = [path for folder in ("Benchmarks", "Scripts", "Tests", "Examples", "Fuzzing") for path in (ROOT / folder).rglob("*")
                   if path.is_file() and path.suffix in ("", ".py", ".sh") and ".build" not in path.parts]
        self.assertGreater(len(scripts), 50)
        self.assertEqual([], [str(path) for path in scripts if installed.search(path.read_text(encoding="utf-8", errors="replace"))])
