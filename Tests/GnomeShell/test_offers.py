# SPDX-License-Identifier: Apache-2.0
"""Tests in gjs which offers the extension has after the daemon, which is the test itself, has changed some of them while
it made the list."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

from gi.repository import Gio, GLib

sys.dont_write_bytecode = True

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 60  # seconds that any program may take
NAME, PATH, OFFERS = "org.batonproject.Baton", "/org/batonproject/Baton", "org.batonproject.Baton1.Offers"
XML = f'<node><interface name="{OFFERS}"><method name="List"><arg type="aa{{sv}}" direction="out"/></method></interface></node>'
TRIAL = """
import GLib from 'gi://GLib';
import {Daemon} from './shared.js';
const daemon = new Daemon(() => {
    const found = Object.fromEntries([...daemon.offers.values()].map(offer => [offer.offer, offer.title]));
    if ('last' in found) {
        print(JSON.stringify(found));
        loop.quit();
    }
});
const loop = new GLib.MainLoop(null, false);
loop.run();
"""


def offer(identifier: str, title: str) -> dict:
    return {"offer": GLib.Variant("s", identifier), "title": GLib.Variant("s", title)}


class OfferListRaces(unittest.TestCase):
    def setUp(self):
        bus = Gio.TestDBus.new(Gio.TestDBusFlags.NONE)
        bus.up()
        self.addCleanup(bus.stop)
        self.address = bus.get_bus_address()
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.daemon = Gio.DBusConnection.new_for_address_sync(self.address, flags, None, None)
        self.addCleanup(self.daemon.close_sync, None)

    def found(self, meanwhile: list, listed: list) -> dict:
        """Returns the titles of the offers after the daemon has sent these signals, its list, and another offer."""
        def answer(connection, sender, path, interface, method, arguments, invocation):
            for name, values in meanwhile:
                self.daemon.emit_signal(None, PATH, OFFERS, name, values)
            invocation.return_value(GLib.Variant("(aa{sv})", (listed,)))
            self.daemon.emit_signal(None, PATH, OFFERS, "Appeared", GLib.Variant("(a{sv})", (offer("last", "Last"),)))
        self.daemon.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], answer, None, None)
        self.daemon.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName", GLib.Variant("(su)", (NAME, 0)), None, Gio.DBusCallFlags.NONE,
                              -1, None)
        with tempfile.TemporaryDirectory(prefix="baton-offers-") as work:
            directory = pathlib.Path(work)
            # The module Shell exists only in GNOME Shell itself, so leave the import out.
            text = (ROOT / "Extensions/GnomeShell/shared.js").read_text(encoding="utf-8").replace("import Shell from 'gi://Shell';", "")
            (directory / "shared.js").write_text(f"{text}\nexport {{Daemon}};\n", encoding="utf-8")
            (directory / "trial.js").write_text(TRIAL, encoding="utf-8")
            return json.loads(self.said(["gjs", "-m", "trial.js"], work))

    def said(self, command: list, directory: str) -> str:
        """Runs a program while the main loop serves the bus. Returns the program's output."""
        loop, said = GLib.MainLoop(), []

        def run():
            try:
                said.append(subprocess.run(command, cwd=directory, env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": self.address, "LC_ALL": "C.UTF-8"}, text=True,
                                           capture_output=True, timeout=LIMIT, check=False))
            finally:
                GLib.idle_add(loop.quit)
        thread = threading.Thread(target=run)
        thread.start()
        loop.run()
        thread.join()
        self.assertTrue(said, "it did not end")
        self.assertTrue(said[0].stdout, said[0].stderr)
        return said[0].stdout

    def test_offer_that_disappeared_does_not_return_with_the_list(self):
        gone = ("Disappeared", GLib.Variant("(s)", ("gone",)))
        self.assertEqual(self.found([gone], [offer("gone", "Gone"), offer("there", "There")]), {"there": "There", "last": "Last"})

    def test_changed_offer_is_not_overwritten_by_an_older_list(self):
        changed = ("Changed", GLib.Variant("(a{sv})", (offer("one", "New"),)))
        self.assertEqual(self.found([changed], [offer("one", "Old")]), {"one": "New", "last": "Last"})

    def test_offer_that_appeared_is_not_removed_by_an_older_list(self):
        appeared = ("Appeared", GLib.Variant("(a{sv})", (offer("new", "New"),)))
        self.assertEqual(self.found([appeared], []), {"new": "New", "last": "Last"})
