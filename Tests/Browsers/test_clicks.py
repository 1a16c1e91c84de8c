# SPDX-License-Identifier: Apache-2.0
"""A click on the notification opens the page at its place in the default browser: on a display, with a window manager, a notification server, and
xdg-open."""

import contextlib
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

import driven  # noqa: E402
from laptops import LIMIT, Display  # noqa: E402
from test_browsers import AT_TOP, Browsers  # noqa: E402
from test_focus import OTHER  # noqa: E402

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Chromium(driven.Chromium):
    headless = False
    agent = " Chrome/"


class Firefox(driven.Firefox):
    headless = False
    takes_addresses = True
    agent = " Firefox/"
    # Marionette's own preferences make all windows believe that they have the focus.
    PREFERENCES = {**driven.Firefox.PREFERENCES, "remote.prefs.recommended": False}


class Clicks(Browsers):
    """A page is read on desk. The user sits at sofa, which has a display."""

    def setUp(self):
        self.display = Display()
        self.addCleanup(self.display.end)
        super().setUp()
        self.addCleanup(self.end_browsers)

    def prepare(self, laptop):
        if laptop is self.sofa:
            laptop.environment.update({"DISPLAY": self.display.name, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1", "LC_ALL": "C.UTF-8"})

    def begin(self, laptop):
        if laptop is self.sofa:
            (laptop.home / ".config" / "dunst").mkdir()
            (laptop.home / ".config" / "dunst" / "dunstrc").write_text("[global]\nmouse_left_click = do_action\n")
            for program in ("openbox", "dunst"):
                laptop.spawn([program], **QUIET)
            self.eventually(lambda: self.bus_has("org.freedesktop.Notifications"))

    def bus_has(self, name: str) -> bool:
        done = subprocess.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus", "--method",
                               "org.freedesktop.DBus.NameHasOwner", name], env=self.sofa.environment, text=True, capture_output=True, timeout=LIMIT, check=False)
        return "true" in done.stdout

    def xdotool(self, *arguments) -> list:
        done = subprocess.run(["xdotool", *arguments], env=self.sofa.environment, text=True, capture_output=True, timeout=LIMIT, check=False)
        return done.stdout.split()

    def make_default(self, browser):
        """Makes a browser the default on sofa."""
        home = self.sofa.home
        script = home / "browser"
        script.write_text(f"#!/bin/sh\nexec {shlex.join(str(part) for part in browser.command())} \"$@\"\n")
        script.chmod(0o700)
        (home / ".local" / "share" / "applications").mkdir(exist_ok=True)
        (home / ".local" / "share" / "applications" / "test-browser.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName=Browser\nExec={script} %u\nMimeType=x-scheme-handler/http;x-scheme-handler/https;\n")
        (home / ".config" / "mimeapps.list").write_text("[Default Applications]\n" + "".join(
            f"x-scheme-handler/{scheme}=test-browser.desktop\n" for scheme in ("http", "https")))

    def end_browsers(self):
        """Ends all processes that xdg-open has started. The processes are found by their bus's address, because they
        are not children of the test."""
        def left():
            return [(number, command) for number, command in self.processes(self.sofa) if "chromium" in command or "firefox" in command]

        for number, command in left():
            if "--type=" not in command and "-contentproc" not in command:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGTERM)
        self.eventually(lambda: not left())

    def processes(self, laptop) -> list:
        """Returns the processes on a laptop's bus, with their command lines."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if laptop.environment["DBUS_SESSION_BUS_ADDRESS"].encode() in (process / "environ").read_bytes():
                    found.append((int(process.name), (process / "cmdline").read_bytes().decode(errors="replace")))
            except OSError:
                pass
        return found

    def reading(self, line: int = 203):
        """Reads a page on desk, and waits until sofa sees the offer."""
        desk, _ = self.start(driven.Chromium, self.desk)
        self.read(desk, "/reports", line=line)
        self.offer(self.sofa)
        return desk

    def click(self) -> float:
        """Clicks on the notification when it appears. Returns the time of the click."""
        window = self.eventually(lambda: self.xdotool("search", "--onlyvisible", "--class", "dunst"))[-1]
        self.xdotool("mousemove", "--window", window, "20", "10", "click", "1")
        return time.monotonic()

    def is_done(self):
        """Waits until the hand-over is complete, because a click on its progress would cancel it."""
        self.eventually(lambda: not self.counts()["openings"] and not self.xdotool("search", "--onlyvisible", "--class", "dunst"))

    def counts(self) -> dict:
        """Returns the counts of sofa's daemon."""
        return json.loads(self.sofa.baton("status", "--json")[0])["counts"]

    def arrived(self, began: float, kind, line: int = 203) -> float:
        """Returns how long it took until a browser on sofa showed a paragraph."""
        found = self.eventually(lambda: [at for at, agent, where in self.server.reports if kind.agent in agent and where == line and at > began])
        return found[0] - began

    def followers(self) -> int:
        """Returns how many browsers on sofa follow pages."""
        return self.counts()["pageFollowers"]

    def default(self, kind):
        """Starts the default browser. Returns it and its panel."""
        sofa, panel = self.start(kind, self.sofa)
        self.make_default(sofa)
        return sofa, panel

    def work(self):
        """Brings another program's window on sofa to the front, as if its user worked there."""
        self.sofa.spawn(["/usr/bin/python3", "-c", OTHER], **QUIET)
        self.xdotool("windowactivate", "--sync", self.eventually(lambda: self.xdotool("search", "--onlyvisible", "--name", "^Another program$"))[-1])

    def is_in_front(self, kind) -> bool:
        """Returns whether a window of a browser has the focus."""
        return set(self.xdotool("getactivewindow")) <= set(self.xdotool("search", "--onlyvisible", "--class", kind.__name__.lower()))

    def click_while_it_runs(self, kind):
        sofa, _ = self.default(kind)
        self.reading()
        self.work()
        began = self.click()
        url = self.server.address("/reports")
        tab = sofa.find(url)
        sofa.eventually(tab, f"{AT_TOP} === 203 && document.visibilityState === 'visible'")
        self.tell("from the click to the place", self.arrived(began, kind))
        self.assertEqual(sofa.count(url), 1)
        self.eventually(lambda: self.is_in_front(kind))

    def test_a_click_opens_the_page_at_its_place_in_chromium(self):
        self.click_while_it_runs(Chromium)

    def test_a_click_opens_the_page_at_its_place_in_firefox(self):
        self.click_while_it_runs(Firefox)

    def click_while_it_does_not_run(self, kind):
        sofa, _ = self.default(kind)
        self.eventually(lambda: self.followers() == 1)
        sofa.close_all()
        self.eventually(lambda: self.followers() == 0)
        self.reading()
        began = self.click()
        self.tell("from the click to the place, with the browser's start", self.arrived(began, kind))

    def test_a_click_starts_chromium(self):
        self.click_while_it_does_not_run(Chromium)

    def test_a_click_starts_firefox(self):
        self.click_while_it_does_not_run(Firefox)

    def test_pages_after_a_continued_page_get_notifications(self):
        self.default(Chromium)
        desk, _ = self.start(driven.Chromium, self.desk)
        tab = self.read(desk, "/reports", line=203)
        self.arrived(self.click(), Chromium)
        self.is_done()
        for line in (50, 100, 150, 60, 110, 160, 70, 120, 170):
            desk.evaluate(tab, f"void (location.href = {json.dumps(self.server.address(f'/reports?{line}'))})")
            desk.eventually(tab, f"document.readyState === 'complete' && location.search === '?{line}'")
            desk.evaluate(tab, f"scrollTo(0, document.querySelector('[data-number=\"{line}\"]').offsetTop + 7)")
            self.arrived(self.click(), Chromium, line)
            self.is_done()

    def open_what_is_open(self, kind):
        sofa, _ = self.default(kind)
        open_already = self.read(sofa, "/long")
        self.read(sofa, "/long?other")
        desk, _ = self.start(driven.Chromium, self.desk)
        self.read(desk, "/long", line=77)
        # Sofa's page is offered to desk, and desk's page to sofa.
        offer = self.offer(self.sofa)
        self.sofa.baton("open", offer["offer"])
        sofa.eventually(open_already, f"{AT_TOP} === 77 && document.visibilityState === 'visible'")
        self.eventually(lambda: sofa.count(self.server.address("/long")) == 1)

    def test_an_open_page_comes_to_the_front_of_chromium(self):
        self.open_what_is_open(Chromium)

    def test_an_open_page_comes_to_the_front_of_firefox(self):
        self.open_what_is_open(Firefox)

    def test_only_the_default_browser_opens_the_page(self):
        other, _ = self.start(Chromium, self.sofa)
        self.default(Firefox)
        self.reading()
        began = self.click()
        self.arrived(began, Firefox)
        self.assertEqual(other.count(self.server.address("/reports")), 0)


def load_tests(loader, *_):
    return loader.loadTestsFromTestCase(Clicks)
