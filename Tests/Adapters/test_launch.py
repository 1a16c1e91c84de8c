# SPDX-License-Identifier: Apache-2.0
"""Tests how the adapters start apps: as units of the user's systemd, which is a mock here, and as children without systemd.
Scripts/user-manager tests this with a real systemd."""

import pathlib
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

from apps import EXTENSION, LIMIT, own_session

sys.path.insert(0, str(EXTENSION))

from gi.repository import Gio, GLib  # noqa: E402

import bus  # noqa: E402
import launch  # noqa: E402

ADDRESS = "https://example.org/a$$b?c=$HOME"
XML = f"""<node><interface name="{launch.MANAGER}"><method name="StartTransientUnit">
  <arg name="name" type="s" direction="in"/><arg name="mode" type="s" direction="in"/><arg name="properties" type="a(sv)" direction="in"/>
  <arg name="auxiliary" type="a(sa(sv))" direction="in"/><arg name="job" type="o" direction="out"/>
</method></interface></node>"""


class Systemd(threading.Thread):
    """The called parts of the user's systemd. It records the units and starts nothing."""

    def __init__(self, address: str):
        super().__init__(daemon=True)
        self.address, self.started, self.is_willing = address, [], True
        self.context, self.is_there = GLib.MainContext(), threading.Event()
        self.loop = GLib.MainLoop(self.context)

    def run(self):
        self.context.push_thread_default()
        connection = bus.connect(self.address)
        connection.register_object(launch.SYSTEMD_PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], self.called, None, None)
        bus.own(connection, launch.SYSTEMD)
        self.is_there.set()
        self.loop.run()
        connection.close_sync(None)

    def called(self, connection, sender, path, interface, method, arguments, invocation):
        if not self.is_willing:
            invocation.return_dbus_error("org.freedesktop.DBus.Error.AccessDenied", "no")
            return
        self.started.append(arguments.unpack())
        invocation.return_value(GLib.Variant("(o)", ("/org/freedesktop/systemd1/job/1",)))

    def end(self):
        self.loop.quit()
        self.join(LIMIT)


class Launch(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-launch-")))
        session, self.address = own_session.start_bus(own_session.environment(self.root))
        self.addCleanup(session.stdout.close)
        self.addCleanup(session.wait, LIMIT)
        self.addCleanup(session.terminate)
        self.bus = bus.connect(self.address)
        self.addCleanup(self.bus.close_sync, None)
        # The program writes its command line and its activation token to a file.
        self.program, self.report = self.root / "reader", self.root / "report"
        self.program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" "$XDG_ACTIVATION_TOKEN" "$DESKTOP_STARTUP_ID" >{self.report}.part\n'
                                f"mv {self.report}.part {self.report}\n", encoding="utf-8")
        self.program.chmod(0o755)

    def systemd(self) -> Systemd:
        found = Systemd(self.address)
        found.start()
        self.addCleanup(found.end)
        self.assertTrue(found.is_there.wait(LIMIT))
        return found

    def start(self, *words, token=None):
        launch.start(self.bus, "org.example.A-b", [str(word) for word in words], token)

    def test_app_starts_as_its_own_unit_with_unchanged_arguments(self):
        systemd = self.systemd()
        self.start(self.program, "--page=3", ADDRESS, token="a-token")
        [(unit, mode, properties, auxiliary)] = systemd.started
        self.assertRegex(unit, r"^app-org\.example\.A\\x2db@[0-9a-f]{16}\.service$")
        self.assertEqual((mode, auxiliary), ("fail", []))
        program = str(self.program)
        self.assertEqual(dict(properties), {
            "Description": "An app that Baton started", "Type": "exec", "ExitType": "cgroup", "CollectMode": "inactive-or-failed", "Slice": "app.slice",
            "ExecStartEx": [(program, [program, "--page=3", ADDRESS], ["no-env-expand"])],
            "Environment": ["XDG_ACTIVATION_TOKEN=a-token", "DESKTOP_STARTUP_ID=a-token"]})
        self.assertFalse(self.report.exists())

    def test_two_starts_of_one_app_are_two_units(self):
        systemd = self.systemd()
        self.start(self.program, ADDRESS)
        self.start(self.program, ADDRESS)
        self.assertEqual(len({unit for unit, *_ in systemd.started}), 2)

    def test_app_that_systemd_refuses_is_not_started_in_another_way(self):
        self.systemd().is_willing = False
        with self.assertRaisesRegex(launch.NotStarted, "was not started. The log of this laptop says why") as told:
            self.start(self.program, ADDRESS)
        self.assertEqual(told.exception.detail, "systemd did not start org.example.A-b")
        self.assertFalse(self.report.exists())

    def test_app_is_a_child_process_without_systemd(self):
        self.start(self.program, "--page=3", ADDRESS, token="a-token")
        end = time.monotonic() + LIMIT
        while not self.report.exists():
            self.assertLess(time.monotonic(), end, "it did not run")
            time.sleep(0.05)
        self.assertEqual(self.report.read_text(encoding="utf-8").splitlines(), ["--page=3", ADDRESS, "a-token", "a-token"])

    def test_error_names_the_missing_program(self):
        with mock.patch.dict("os.environ", PATH=str(self.root)), self.assertRaisesRegex(launch.NotStarted, 'There is no program "nothing"'):
            self.start("nothing", ADDRESS)
