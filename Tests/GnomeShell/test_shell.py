# SPDX-License-Identifier: Apache-2.0
"""Tests the extension in a real GNOME Shell, with the real daemon.

BATON_BIN is the directory of batond and baton. The default is the debug build.
"""

import json
import re
import subprocess
import sys

sys.dont_write_bytecode = True

from gi.repository import GLib  # noqa: E402

from desktop import NAME, PATH, UUID, TwoLaptops, call  # noqa: E402
from desktops import until  # noqa: E402
from laptops import LIMIT, ROOT  # noqa: E402

EXTENSION = ROOT / "Extensions/GnomeShell"
EMPTY = "Nothing to continue now. Open something on another laptop that is near."
# Markup, and characters that turn the direction of writing or are invisible.
HOSTILE = "<b>bold</b>\u202e\u2066evil\u200b\x07\n"


def entry(name: str, command: str = "true", more: str = "") -> str:
    return f"[Desktop Entry]\nType=Application\nName={name}\nExec={command}\nIcon=accessories-text-editor\n{more}"


class Offers(TwoLaptops):
    """Tests that sofa's shell shows desk's offers."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.applications / "org.example.Letters.desktop").write_text(
            entry("Letters", more="X-Baton-ActivityTypes=org.example.letter;\n"), encoding="utf-8")
        (cls.applications / "org.example.Hostile.desktop").write_text(
            entry("<b>bold</b>\u202e\u2066" + "x" * 4000, more="X-Baton-ActivityTypes=org.example.hostile;\n"), encoding="utf-8")
        cls.start_shell()
        cls.shell.extension("EnableExtension")
        cls.start_circle()

    def setUp(self):
        self.shell.until(checked=True, rows=[], state=EMPTY)

    def tearDown(self):
        self.shell.eval("trial.settings.menu.close(0); null")
        # The shell's log would contain the extension's errors.
        self.assertNotIn(UUID, self.shell.log.read_text(encoding="utf-8", errors="replace"))

    def test_click_continues_the_offer_that_the_menu_shows(self):
        publisher = self.offer("--type", "org.example.page", "--webpage", "https://example.org/7", "--once")
        self.shell.until(icon=True, rows=["Continue the web page from “desk”"], state="")
        self.assertIn(f"{NAME}.WebPage", self.shell.shown()["icons"][0])
        self.shell.open_menu()
        self.shell.click("trial.rows[0]")
        until("the page", lambda: self.laptops.has_opened("https://example.org/7"))
        self.assertEqual(publisher.wait(LIMIT), 0)
        self.shell.until(icon=False, rows=[], state=EMPTY)
        until("a closed menu", lambda: not self.shell.eval("trial.settings.menu.isOpen"))

    def test_offer_has_the_name_and_the_icon_of_its_app(self):
        self.offer("--type", "org.example.letter")
        self.shell.until(rows=["Continue from “desk” in Letters"])
        self.assertIn("accessories-text-editor", self.shell.shown()["icons"][0])
        self.assertEqual(self.shell.eval("trial.rows[0].label_actor === trial.rows[0].label && trial.baton._icon.accessible_name"),
                         "Baton has something to continue")

    def test_hostile_name_is_shown_as_text_and_cut(self):
        self.offer("--type", "org.example.hostile")
        row = until("a row", lambda: self.shell.shown()["rows"])[0]
        self.assertEqual(row, "Continue from “desk” in <b>bold</b>" + "x" * 51 + "…")
        self.assertFalse(self.shell.eval("trial.rows[0].label.clutter_text.use_markup"))
        self.shell.open_menu()
        # The row stays within the menu.
        self.assertTrue(self.shell.eval("trial.rows[0].width <= trial.baton._toggle.menu.box.width && trial.rows[0].label.clip_to_allocation"))

    def test_titles_are_cleaned_and_cut(self):
        self.shell.eval(f"globalThis.trial.plain = null; import('file://{EXTENSION}/shared.js').then(module => (trial.plain = module.plain)); null")
        until("the module", lambda: self.shell.eval("!!trial.plain"))
        for text, limit, shown in ((HOSTILE, 80, "<b>bold</b>evil"), ("a" * 4096, 80, "a" * 79 + "…"), ("  a \t\n b  ", 80, "a b"), ("😀" * 81, 80, "😀" * 79 + "…"),
                                   ("\u202e" * 4096 + "a", 80, ""), ("%s {laptop} &amp;", 80, "%s {laptop} &amp;"), (None, 80, ""), (7, 80, "")):
            with self.subTest(text=text):
                self.assertEqual(self.shell.eval(f"trial.plain({json.dumps(text)}, {limit})"), shown)

    def test_toggle_pauses_and_resumes(self):
        self.offer("--type", "org.example.letter")
        self.shell.until(icon=True)
        self.shell.eval("Main.overview.hide(); trial.settings.menu.open(0); null")
        until("the toggle", lambda: self.shell.eval("trial.baton._toggle.mapped && trial.settings.menu.box.opacity === 255 && !Main.overview.visible"))
        self.shell.click("trial.baton._toggle")
        self.shell.until(checked=False, icon=False, rows=[], state="Baton is paused.")
        self.assertIn("paused", self.sofa.baton("status")[0])
        self.shell.click("trial.baton._toggle")
        self.shell.until(checked=True, icon=True, rows=["Continue from “desk” in Letters"])
        self.sofa.baton("pause", "1h")
        shown = self.shell.until(checked=False)
        self.assertRegex(shown["state"], r"^Baton is paused until \d\d:\d\d\.$|^Baton is paused until \w+, ")
        self.sofa.baton("resume")
        self.shell.until(checked=True)

    def test_open_baton_is_shown_only_if_the_window_is_installed(self):
        self.assertFalse(self.shell.shown()["window"])
        window, started = self.applications / "org.batonproject.BatonWindow.desktop", self.root / "started"
        window.write_text(entry("Baton", f"touch {started}"), encoding="utf-8")
        self.addCleanup(lambda: self.shell.until(window=False))
        self.addCleanup(window.unlink)
        self.shell.until(window=True)
        self.shell.open_menu()
        self.shell.click("trial.baton._window")
        until("the window", started.exists)

    def test_enabling_and_disabling_a_hundred_times_leaves_no_objects(self):
        self.offer("--type", "org.example.letter")
        self.shell.until(icon=True)
        self.shell.extension("DisableExtension")
        self.addCleanup(self.shell.extension, "EnableExtension")
        before, listened = self.shell.eval("trial.counts()"), self.listened()
        for _ in range(100):
            self.shell.extension("EnableExtension")
            self.shell.extension("DisableExtension")
        self.assertEqual(self.shell.eval("trial.counts()"), before)
        # The extension also leaves nothing behind if its menu is open, or if it is disabled before it has appeared.
        self.shell.extension("EnableExtension")
        self.shell.until(icon=True)
        self.assertNotEqual(self.shell.eval("trial.counts()"), before)
        self.assertNotEqual(self.listened(), listened)
        self.shell.open_menu()
        self.shell.extension("DisableExtension")
        self.shell.eval(f"{{ const {{stateObj}} = Main.extensionManager.lookup('{UUID}'); stateObj.enable(); stateObj.disable(); }} null")
        self.shell.eval("trial.settings.menu.close(0); null")
        self.assertEqual(self.shell.eval("trial.counts()"), before)
        until("no subscription left", lambda: self.listened() == listened, self.listened)

    def listened(self) -> list:
        """Returns the shell's match rules for Baton on the bus."""
        rules = call(self.shell.bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Debug.Stats", "GetAllMatchRules")[0]
        owner = call(self.shell.bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
                     GLib.Variant("(s)", ("org.gnome.Shell",)))[0]
        return sorted(rule for rule in rules[owner] if NAME in rule or PATH in rule)


class WithoutDaemon(TwoLaptops):
    """Tests that the extension never starts the daemon, although the bus could start it."""

    def test_extension_never_starts_the_daemon(self):
        services, started = self.root / "sofa/.local/share/dbus-1/services", self.root / "started"
        services.mkdir(parents=True)
        program = self.root / "bin/batond"
        program.write_text(f"#!/bin/sh\necho started >>{started}\nexit 1\n", encoding="utf-8")
        program.chmod(0o755)
        (services / f"{NAME}.service").write_text(f"[D-BUS Service]\nName={NAME}\nExec={program}\n", encoding="utf-8")
        self.start_shell()
        self.shell.extension("EnableExtension")
        self.shell.until(checked=False, icon=False, rows=[], state="Baton is not running.")
        self.shell.open_menu()
        self.shell.eval("trial.baton._toggle.menu.close(0); null")
        self.shell.click("trial.baton._toggle")
        until("the menu instead of a pause", lambda: self.shell.eval("trial.baton._toggle.menu.isOpen"))
        self.shell.extension("DisableExtension")
        with self.assertRaises(GLib.Error):
            call(self.shell.bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName",
                 GLib.Variant("(su)", (NAME, 0)))
        # The daemon was started only by the test's own call.
        self.assertEqual(started.read_text(encoding="utf-8"), "started\n")

    def test_metadata_names_the_tested_version(self):
        metadata = json.loads((EXTENSION / "metadata.json").read_text(encoding="utf-8"))
        version = subprocess.run(["gnome-shell", "--version"], check=True, capture_output=True, text=True, timeout=LIMIT).stdout
        self.assertEqual((metadata["uuid"], metadata["shell-version"]), (UUID, [re.search(r"(\d+)\.", version)[1]]))
