# SPDX-License-Identifier: Apache-2.0
"""Tests the panel's offers of other laptops: what a click continues, and in which app."""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

from driven import LIMIT, ROOT, Chromium, Firefox  # noqa: E402
from laptops import BIN  # noqa: E402
from test_browsers import Browsers  # noqa: E402


class Panel(Browsers):
    """The panel's offers, in a browser on sofa. Desk needs no browser."""

    BROWSER = None
    APP, TYPE = "org.example.Notes", "org.example.notes.edit"

    def install_app(self):
        """Installs an app on sofa, which writes the activities that it continues to the file `read`."""
        home = self.sofa.home
        program = home / "notes"
        program.write_text(f"#!/bin/sh\nexec '{BIN / 'baton'}' serve --app {self.APP} --exec 'cat >{home}/read'\n", encoding="utf-8")
        program.chmod(0o700)
        for path, text in (
                (f"applications/{self.APP}.desktop", f"[Desktop Entry]\nType=Application\nName=Notes\nIcon=notes\nExec={program}\nX-Baton-ActivityTypes={self.TYPE}\n"),
                ("icons/hicolor/scalable/apps/notes.svg", '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48"><rect width="48" height="48"/></svg>')):
            file = home / ".local" / "share" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def test_an_offer_of_an_app_has_its_icon_and_opens_in_it(self):
        self.install_app()
        browser, panel = self.start(self.BROWSER, self.sofa)
        self.desk.follow("publish", "--type", self.TYPE, "--title", "Letter to Ada", "--info", "line=3", "--webpage", self.server.address("/long"))
        browser.eventually(panel, "document.querySelector('#offers button')?.innerText.replace(/\\s+/g, ' ').trim() === 'Notes from \"desk\"'")
        browser.eventually(panel, "document.querySelector('#offers img').src.startsWith('data:image/svg+xml;') && document.querySelector('#offers img').naturalWidth === 48")
        browser.click(panel, "#offers button")
        self.assertEqual(json.loads(self.eventually(lambda: (self.sofa.home / "read").exists() and (self.sofa.home / "read").read_text()))["userInfo"], {"line": "3"})
        self.assertEqual(browser.count(self.server.address("/long")), 0)

    def test_a_focused_offer_keeps_the_focus_while_other_parts_change(self):
        self.install_app()
        browser, panel = self.start(self.BROWSER, self.sofa)
        publisher, _ = self.desk.follow("publish", "--type", self.TYPE)
        browser.eventually(panel, "document.querySelector('#offers button')?.focus() ?? document.activeElement.matches('#offers button')")
        browser.evaluate(panel, "void document.querySelector('#on').click()")
        browser.eventually(panel, "document.querySelector('#page').textContent.includes('switched off offering pages.')")
        self.assertTrue(browser.evaluate(panel, "document.activeElement.matches('#offers button')"))
        publisher.terminate()
        browser.eventually(panel, "!document.querySelector('#offers button') && document.querySelector('#none').checkVisibility()")

    def test_panel_does_not_call_a_page_offered_while_baton_is_paused_or_in_no_circle(self):
        browser, panel = self.start(self.BROWSER, self.sofa)
        self.read(browser, "/long")
        text = "document.querySelector('#page').textContent"
        is_offered, heading = f"{text} === 'This page is offered to your other laptops.'", "document.querySelector('#elsewhere').checkVisibility()"
        browser.eventually(panel, f"{is_offered} && {heading}")
        self.sofa.baton("pause")
        browser.eventually(panel, f"{text}.startsWith('Nothing is offered. Baton is paused') && !{heading}")
        self.sofa.baton("resume")
        browser.eventually(panel, f"{is_offered} && {heading}")
        self.sofa.baton("leave")
        browser.eventually(panel, f"{text}.startsWith('Nothing is offered. This laptop is not paired with another one')")

    def test_consent_says_that_pages_open_at_their_top_until_the_user_agrees(self):
        browser = self.browser(self.BROWSER, self.sofa)
        panel = browser.open_panel()
        browser.eventually(panel, "document.querySelector('#consent').innerText.includes('Until you agree, pages from your other laptops open at their top')")

    def speak(self, language: str):
        """Removes all languages but one from the extension, because the browsers here run in English."""
        for browser in ("firefox", "chromium"):
            extension = self.made / browser
            subprocess.run([ROOT / "Scripts" / "catalogues", "pseudo", self.root / browser], check=True, timeout=LIMIT)
            shutil.copytree(self.root / browser / "_locales", extension / "_locales", dirs_exist_ok=True)
            for directory in (extension / "_locales").iterdir():
                if directory.name != language:
                    shutil.rmtree(directory)
            manifest = json.loads((extension / "manifest.json").read_text(encoding="utf-8"))
            (extension / "manifest.json").write_text(json.dumps({**manifest, "default_locale": language}), encoding="utf-8")

    def test_panel_is_translated_and_written_from_right_to_left(self):
        for language, direction, is_text in (("de", "ltr", "!/\\b(the|your|my)\\b/i.test(text)"), ("he", "rtl", "/^\\u202b.* ~\\u202c$/.test(text)")):
            with self.subTest(language):
                self.speak(language)
                laptop = self.sofa if language == "de" else self.desk
                browser, panel = self.start(self.BROWSER, laptop)
                browser.eventually(panel, f"document.documentElement.dir === '{direction}' && document.documentElement.lang === '{language}'")
                texts = "[...document.querySelectorAll('#consent [data-text]')].map((element) => element.textContent)"
                self.assertEqual(browser.evaluate(panel, f"{texts}.filter((text) => !({is_text}))"), [])
                self.read(browser, "/long")
                browser.eventually(panel, "/angeboten|~/.test(document.querySelector('#page').textContent)")
                # Long texts wrap in the smallest panel, and the check boxes are at the side where reading begins.
                browser.evaluate(panel, "void (document.body.style.maxWidth = '20em')")
                self.assertEqual(browser.evaluate(panel, "document.body.scrollWidth - document.body.clientWidth"), 0)
                edge = "document.querySelector('#on').getBoundingClientRect()"
                whole = "document.querySelector('#on').parentElement.getBoundingClientRect()"
                is_at_its_side = f"{whole}.right - {edge}.right < 4" if direction == "rtl" else f"{edge}.left - {whole}.left < 4"
                self.assertTrue(browser.evaluate(panel, is_at_its_side))
                # A sentence that begins with a name of another direction, such as Baton, stays at the side where reading begins.
                sentence = "(() => { const row = document.querySelector('#reason'); row.textContent = 'Baton'; return getComputedStyle(row).direction; })()"
                self.assertEqual(browser.evaluate(panel, sentence), direction)


class InChromium(Panel):
    BROWSER = Chromium


class InFirefox(Panel):
    BROWSER = Firefox


def load_tests(loader, *_):
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (InChromium, InFirefox))
