# SPDX-License-Identifier: Apache-2.0
"""Tests KRunner's plugin with the real daemon. The bus starts the plugin, and the test calls it over the bus, as KRunner does.

BATON_BIN is the directory of batond and baton, by default the debug build.
"""

import configparser
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

from gi.repository import GLib  # noqa: E402

from desk import LIMIT, NAME, ROOT, Daemon, ask_bus, call, connect, until  # noqa: E402
from laptops import BIN, demo  # noqa: E402

PLUGIN = ROOT / "Extensions/KRunner"
OWN_NAME = "org.batonproject.BatonKRunner"
RUNNER = "org.kde.krunner1"
EXACT, POSSIBLE = 100, 30
PAUSE = 0.05  # seconds between two looks
HOSTILE = "<b>bold</b>\u202e\u2066evil\u200b" + "x" * 4000


def eventually(what: str, condition):
    """Waits until the condition holds. It checks repeatedly, because the plugin reports no changes."""
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"within {LIMIT} s not {what}")
        time.sleep(PAUSE)


class OnALaptop(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="baton-krunner-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.running = []
        self.addCleanup(self.stop)
        self.desk, self.sofa = (demo.Laptop(name, self.root, BIN, self.running) for name in ("desk", "sofa"))
        self.opened, programs = self.root / "opened", self.root / "bin"
        programs.mkdir()
        (programs / "xdg-open").write_text(f'#!/bin/sh\necho "$1 $XDG_ACTIVATION_TOKEN" >>"{self.opened}"\n', encoding="utf-8")
        (programs / "xdg-open").chmod(0o755)
        for laptop in (self.desk, self.sofa):
            laptop.environment.update({"LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "PATH": f"{programs}:{os.environ['PATH']}"})
        data = pathlib.Path(self.sofa.environment["XDG_DATA_HOME"])
        self.services, self.applications = data / "dbus-1/services", data / "applications"
        for directory in (self.services, self.applications):
            directory.mkdir(parents=True)
        service = (PLUGIN / f"{OWN_NAME}.service").read_text(encoding="utf-8")
        (self.services / f"{OWN_NAME}.service").write_text(service.replace("/usr/lib/baton", str(PLUGIN)), encoding="utf-8")
        for name, shown in (("Letters", "Letters"), ("Hostile", HOSTILE)):
            (self.applications / f"org.example.{name}.desktop").write_text(
                f"[Desktop Entry]\nType=Application\nName={shown}\nExec=true\nIcon=accessories-text-editor\n"
                f"X-Baton-ActivityTypes=org.example.{name.lower()};\n", encoding="utf-8")
        self.sofa.start_bus()
        self.bus = connect(self.sofa.environment["DBUS_SESSION_BUS_ADDRESS"])
        entry = configparser.ConfigParser(interpolation=None)
        entry.optionxform = str
        entry.read(PLUGIN / f"{OWN_NAME}.desktop", encoding="utf-8")
        self.entry = entry["Desktop Entry"]

    def stop(self):
        for process in reversed(self.running):
            if process.poll() is None:
                process.terminate()
                process.wait(LIMIT)

    def start_circle(self):
        self.sofa.start_daemon(self.root / "radio")
        self.desk.start(self.root / "radio")
        self.desk.baton("circle", "create", "--name", "desk")
        self.desk.baton("circle", "invite", self.root / "invitation")
        self.sofa.baton("circle", "join", self.root / "invitation", "--name", "sofa")

    def krunner(self, method: str, kinds: str = "", *arguments):
        """Calls the plugin that the desktop entry names, as KRunner does."""
        return call(self.bus, self.entry["X-Plasma-DBusRunner-Service"], self.entry["X-Plasma-DBusRunner-Path"], RUNNER, method,
                    GLib.Variant(f"({kinds})", arguments) if kinds else None)

    def match(self, query: str) -> list:
        return self.krunner("Match", "s", query)[0]


class Matches(OnALaptop):
    def test_offers_are_found_by_the_words_baton_and_the_apps_name_and_continue(self):
        self.start_circle()
        self.assertEqual(self.match("baton"), [])
        self.assertEqual(self.krunner("Actions"), ([],))
        letter, _ = self.desk.follow("publish", "--type", "org.example.letters")
        eventually("an offer", lambda: self.match("baton"))
        shown = "Continue from “desk” in Letters"
        for query, kind in (("baton", EXACT), ("Baton ", EXACT), ("bat", POSSIBLE), ("letters", EXACT), ("lett", POSSIBLE), ("desk", POSSIBLE)):
            with self.subTest(query=query):
                (identifier, text, icon, found, relevance, properties), = self.match(query)
                self.assertEqual((text, icon, found, properties), (shown, "accessories-text-editor", kind, {"subtext": "Baton"}))
                self.assertTrue(identifier and 0 < relevance <= 1)
        for query in ("", "ba", "firefox", "batons", "\u202e", "<b>", "x" * 100_000, "%s {laptop}"):
            with self.subTest(query=query[:20]):
                self.assertEqual(self.match(query), [])
        self.sofa.baton("pause")
        eventually("nothing while it is paused", lambda: not self.match("baton"))
        self.sofa.baton("resume")
        letter.terminate()
        letter.wait(LIMIT)
        publisher, _ = self.desk.follow("publish", "--type", "org.example.page", "--webpage", "https://example.org/7", "--once")
        eventually("the page", lambda: [text for _, text, *_ in self.match("baton")] == ["Continue the web page from “desk”"])
        (identifier, _, icon, *_), = self.match("baton")
        self.assertEqual(icon, f"{NAME}.WebPage")
        self.krunner("SetActivationToken", "s", "token-1")
        self.krunner("Run", "ss", identifier, "")
        self.assertEqual(publisher.wait(LIMIT), 0)
        eventually("the page", self.opened.exists)
        self.assertEqual(self.opened.read_text(encoding="utf-8"), "https://example.org/7 token-1\n")
        eventually("no offer", lambda: not self.match("baton"))

    def test_hostile_name_is_cleaned_and_cut_and_unknown_matches_do_nothing(self):
        self.start_circle()
        self.desk.follow("publish", "--type", "org.example.hostile")
        eventually("an offer", lambda: self.match("baton"))
        (_, text, *_), = self.match("baton")
        self.assertEqual(text, "Continue from “desk” in ‹b›bold‹/b›evil" + "x" * 47 + "…")
        self.krunner("SetActivationToken", "s", "x" * 100_000)
        for identifier in ("", "no such offer", "\u202e" * 1000, "x" * 100_000):
            self.krunner("Run", "ss", identifier, "no such action")
        self.krunner("Teardown")
        self.assertEqual(len(self.match("baton")), 1)
        self.assertFalse(self.opened.exists())


class InALanguage(OnALaptop):
    def test_match_is_in_german(self):
        subprocess.run([ROOT / "Scripts/catalogues", "compile", self.root / "locale"], check=True, timeout=LIMIT)
        service = self.services / f"{OWN_NAME}.service"
        words = f"Exec=/usr/bin/env LANGUAGE=de TEXTDOMAINDIR={self.root}/locale "
        service.write_text(service.read_text(encoding="utf-8").replace("Exec=", words), encoding="utf-8")
        call(self.bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ReloadConfig")
        self.start_circle()
        self.desk.follow("publish", "--type", "org.example.letters")
        eventually("an offer", lambda: [text for _, text, *_ in self.match("baton")] == ["Von „desk“ in Letters fortsetzen"])


class WithoutDaemon(OnALaptop):
    def test_plugin_never_starts_the_daemon(self):
        started, program = self.root / "started", self.root / "bin/batond"
        program.write_text(f"#!/bin/sh\necho started >>{started}\nexit 1\n", encoding="utf-8")
        program.chmod(0o755)
        (self.services / f"{NAME}.service").write_text(f"[D-BUS Service]\nName={NAME}\nExec={program}\n", encoding="utf-8")
        call(self.bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ReloadConfig")
        self.assertEqual(self.match("baton"), [])
        self.krunner("Run", "ss", "offer", "")
        # This answer comes after all earlier messages of the plugin, so the plugin has sent nothing else.
        self.assertEqual(self.match("baton"), [])
        with self.assertRaises(GLib.Error):
            ask_bus(self.bus, "StartServiceByName", NAME, 0)
        # Baton was started only by the test's own call.
        self.assertEqual(started.read_text(encoding="utf-8"), "started\n")

    def test_titles_and_names_from_the_bus_are_cleaned_and_cut(self):
        """Uses a fake daemon, because the real one does not let such names through."""
        daemon = Daemon(self.sofa.environment["DBUS_SESSION_BUS_ADDRESS"])
        self.addCleanup(daemon.end)
        offer = {"offer": "o1", "deviceName": HOSTILE, "title": "{app}\n" + HOSTILE, "webpage": True}
        other = {"offer": "o2", "deviceName": "דנה\u2069", "title": "Baton", "webpage": True}
        listed = [*({key: GLib.Variant("b" if value is True else "s", value) for key, value in each.items()} for each in (offer, other)),
                  {"offer": GLib.Variant("x", 7), "webpage": GLib.Variant("b", True)}, {}]
        answers = []
        self.bus.call(OWN_NAME, self.entry["X-Plasma-DBusRunner-Path"], RUNNER, "Match", GLib.Variant("(s)", ("baton",)), None, 0, LIMIT * 1000, None,
                      lambda source, result: answers.append(source.call_finish(result).unpack()[0]))
        until("the daemon is asked", lambda: daemon.calls)
        (method, _, invocation), = daemon.calls
        self.assertEqual(method, "List")
        invocation.return_value(GLib.Variant("(aa{sv})", (listed,)))
        until("matches", lambda: answers)
        (identifier, text, *_), (_, isolated, *_) = answers[0]
        self.assertEqual(isolated, "Continue the web page “Baton” from “\u2068דנה\u2069”")
        self.assertEqual(identifier, "o1")
        title, laptop = "{app} ‹b›bold‹/b›evil", "‹b›bold‹/b›evil"
        self.assertEqual(text, f"Continue the web page “{title}{'x' * (79 - len(title))}…” from “{laptop}{'x' * (62 - len(laptop))}…”")
