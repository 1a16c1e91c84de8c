# SPDX-License-Identifier: Apache-2.0
"""Tests that a browser without the focus offers nothing, and private windows never do: on a display, with a window manager and another program's
window."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

import driven  # noqa: E402
from laptops import LIMIT, Display  # noqa: E402
from pages import NAME  # noqa: E402
from test_browsers import Browsers  # noqa: E402

OTHER = """import gi; gi.require_version("Gtk", "3.0"); from gi.repository import Gtk
window = Gtk.Window(title="Another program"); window.show_all(); Gtk.main()"""


class Chromium(driven.Chromium):
    headless = False

    def pop_up(self, panel):
        """Shows the panel as the toolbar's button does."""
        self.evaluate(panel, "chrome.action.openPopup()")


class Firefox(driven.Firefox):
    headless = False
    # Marionette's own preferences make all windows believe that they have the focus.
    PREFERENCES = {**driven.Firefox.PREFERENCES, "remote.prefs.recommended": False}

    def pop_up(self, panel):
        """Shows the panel as the toolbar's button does."""
        self.privileged("""
            const { ExtensionParent } = ChromeUtils.importESModule("resource://gre/modules/ExtensionParent.sys.mjs");
            const { extension } = WebExtensionPolicy.getByID(arguments[0]);
            return ExtensionParent.apiManager.global.browserActionFor(extension).openPopup(window, true);
            """, driven.FIREFOX_ID)


class Focus(Browsers):
    def setUp(self):
        self.display = Display()
        self.addCleanup(self.display.end)
        super().setUp()

    def prepare(self, laptop):
        if laptop is self.desk:
            laptop.environment.update({"DISPLAY": self.display.name, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1", "LC_ALL": "C.UTF-8"})
            laptop.spawn(["openbox"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def xdotool(self, *arguments) -> list:
        done = subprocess.run(["xdotool", *arguments], env=self.desk.environment, text=True, capture_output=True, timeout=LIMIT, check=False)
        return done.stdout.split()

    def focus(self, *search):
        """Waits until a window exists, and gives it the focus."""
        self.xdotool("windowactivate", "--sync", self.eventually(lambda: self.xdotool("search", "--onlyvisible", *search))[-1])

    def leave_and_come_back(self, kind, name: str):
        browser, _ = self.start(kind, self.desk)
        self.read(browser, "/long")
        self.focus("--class", name)
        self.offer(self.sofa)
        self.desk.spawn(["/usr/bin/python3", "-c", OTHER], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.focus("--name", "^Another program$")
        self.eventually(lambda: not self.offers(self.sofa))
        self.focus("--class", name)
        self.fetched(self.server.address("/long"))

    def test_chromium_offers_nothing_without_the_focus(self):
        self.leave_and_come_back(Chromium, "chromium")

    def test_firefox_offers_nothing_without_the_focus(self):
        self.leave_and_come_back(Firefox, "firefox")

    def look_at_the_pop_up(self, kind, name: str):
        browser, panel = self.start(kind, self.desk)
        tab = self.read(browser, "/long")
        self.focus("--class", name)
        self.offer(self.sofa)
        browser.show(tab)
        browser.pop_up(panel)
        shown = "(globalThis.browser ?? chrome).extension.getViews({ type: 'popup' })[0]?.document"
        browser.eventually(panel, f"{shown}?.querySelector('#site-text')?.textContent === 'Offer pages of {NAME}'")
        browser.eventually(panel, f"{shown}.querySelector('#page').textContent.includes('is offered')")
        # The panel has the keyboard focus, which the browser's window has lost. A click on the panel's switch makes the
        # extension check again which page is in front.
        browser.eventually(panel, f"{shown}.hasFocus()")
        browser.evaluate(panel, f"void {shown}.querySelector('#on').click()")
        self.eventually(lambda: not self.offers(self.sofa))
        browser.evaluate(panel, f"void {shown}.querySelector('#on').click()")
        self.fetched(self.server.address("/long"))

    def test_a_page_stays_offered_under_the_pop_up_of_chromium(self):
        self.look_at_the_pop_up(Chromium, "chromium")

    def test_a_page_stays_offered_under_the_pop_up_of_firefox(self):
        self.look_at_the_pop_up(Firefox, "firefox")

    def say_nothing(self, kind):
        browser, _ = self.start(kind, self.desk)
        public = self.read(browser, "/long?public")
        self.fetched(self.server.address("/long?public"))
        private = browser.open(self.server.address("/long?private"), private=True)
        browser.eventually(private, "document.readyState === 'complete' && location.search === '?private'")
        self.eventually(lambda: not self.offers(self.sofa))
        # If the private window were offered, that offer would come before this one.
        browser.close(private)
        browser.show(public)
        offer = self.offer(self.sofa)
        activity = json.loads(self.sofa.baton("continue", offer["offer"], "--json")[0])
        self.assertEqual(activity["webpageURL"], self.server.address("/long?public"))

    def test_private_windows_of_chromium_offer_nothing(self):
        self.say_nothing(Chromium)

    def test_private_windows_of_firefox_offer_nothing(self):
        self.say_nothing(Firefox)


def load_tests(loader, *_):
    return loader.loadTestsFromTestCase(Focus)
