# SPDX-License-Identifier: Apache-2.0
"""Tests the reader's place, read and found again in a window of another width, on many kinds of pages, with the extension's own functions in the real
browsers."""

import itertools
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

from driven import Chromium, Firefox, agreed, make_extension  # noqa: E402
from laptops import BIN, demo, end  # noqa: E402
from pages import SECRET, Server  # noqa: E402

COUNT = itertools.count()
# Returns the first visible paragraph below a header.
SEEN = """(() => { const top = document.getElementById("header")?.offsetHeight > 50 ? 90 : 0;
    for (const line of document.getElementsByClassName("line")) if (line.getBoundingClientRect().bottom > top + 2) return Number(line.dataset.number); })()"""
SCROLL = """(() => { const line = document.querySelector(`[data-number="%d"]`); line.scrollIntoView();
    (document.querySelector("main") ?? document.scrollingElement).scrollBy(0, %d); })()"""


class Places(unittest.TestCase):
    """One browser for all tests, on a laptop without a daemon, because nothing is handed over."""

    BROWSER = None

    @classmethod
    def setUpClass(cls):
        root = pathlib.Path(tempfile.mkdtemp(prefix="baton-places-"))
        cls.addClassCleanup(shutil.rmtree, root, ignore_errors=True)
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)
        running = []
        cls.addClassCleanup(end, running)
        laptop = demo.Laptop("desk", root, BIN, running)
        laptop.start_bus()
        cls.browser = cls.BROWSER(laptop, make_extension(root / "made", BIN / "browser-host"))
        cls.addClassCleanup(cls.browser.end)
        cls.panel = agreed(cls.browser)

    def extension(self, tab, call: str):
        """Returns the result of an extension's function for the front tab."""
        address = self.browser.address(tab)
        return self.browser.evaluate(self.panel, f"""(async () => {{
            const pages = await import("./pages.js"), api = globalThis.browser ?? chrome;
            const [tab] = (await api.tabs.query({{}})).filter((tab) => tab.url === {json.dumps(address)});
            await api.tabs.update(tab.id, {{ active: true }});
            return await pages.{call}; }})()""")

    def place(self, tab) -> dict:
        return self.extension(tab, "placeIn(tab)")["place"]

    def restore(self, tab, place: dict):
        self.extension(tab, f"restore(tab, {json.dumps(place)})")

    def opened(self, path: str):
        """Opens a page in a tab, at a unique address."""
        url = f"{self.server.address(path)}?{next(COUNT)}"
        tab = self.browser.open(url)
        self.browser.eventually(tab, f"location.href === {json.dumps(url)} && document.readyState === 'complete'")
        return tab

    def place_at(self, path: str, line: int = 203, header: int = 0) -> dict:
        """Returns the place after a page was read to a paragraph and a few pixels of it."""
        tab = self.opened(path)
        self.browser.resize(tab, 1_000, 700)
        self.browser.evaluate(tab, SCROLL % (line, 7 - header))
        self.assertEqual(self.browser.evaluate(tab, SEEN), line)
        return self.place(tab)

    def found(self, path: str, place: dict) -> int:
        """Returns the visible paragraph after a page of another width has gone to a place."""
        tab = self.opened(path)
        self.browser.resize(tab, 560, 500)
        self.restore(tab, place)
        return self.browser.evaluate(tab, SEEN)

    def test_different_window_widths_keep_the_place(self):
        for path, header in {"/long": 0, "/sticky": 90, "/fixed": 90, "/inner": 0, "/sections": 0, "/divisions": 0}.items():
            with self.subTest(path):
                place = self.place_at(path, header=header)
                self.assertRegex(place["text"], "^Paragraph 20[34]:")
                self.assertEqual(self.found(path, place), int(place["text"][10:13]))

    def test_a_list_of_equal_items_does_not_hide_the_place(self):
        place = self.place_at("/items")
        # All items look alike, so only the distance from the top identifies the right one.
        self.assertAlmostEqual(self.found("/items", place), 203, delta=3)

    def test_an_id_that_another_element_has_now_does_not_hide_the_place(self):
        place = self.place_at("/long")
        self.assertEqual(self.found("/elsewhere", {**place, "anchor": "header"}), 203)

    def test_nothing_that_the_user_writes_is_read(self):
        tab = self.opened("/written")
        for line in range(0, 1_300, 130):
            self.browser.evaluate(tab, f"void scrollTo(0, {line})")
            place = self.place(tab)
            self.assertNotIn(SECRET[:8], json.dumps(place))
            self.assertNotIn(place.get("anchor"), ("area", "sum", "box", "rich"))
        place = self.place(self.opened("/designed"))
        self.assertTrue({"text", "anchor"}.isdisjoint(place), place)

    def test_a_page_whose_elements_have_the_names_of_functions_does_no_harm(self):
        tab = self.opened("/traps")
        self.extension(tab, "placeIn(tab)")
        self.restore(tab, {"fraction": 0.5, "text": "Paragraph 203:", "anchor": "closest", "offset": 0})
        # The page's changes affect only itself. The next page works as before.
        self.assertEqual(self.found("/long", self.place_at("/long")), 203)

    def test_a_hostile_place_is_plain_text(self):
        evil = ["<img src=x onerror='document.body.dataset.ran = 1'>", "'], *, [id='", "javascript:document.body.dataset.ran=1", "\u202e\u0000"]
        for text in evil:
            with self.subTest(text):
                tab = self.opened("/hostile")
                self.restore(tab, {"text": text, "anchor": text, "x": 1e8, "y": 1e8, "height": 1, "offset": 1, "fraction": 0.5, "mediaTime": 1e8})
                self.assertFalse(self.browser.evaluate(tab, "Boolean(document.body.dataset.ran)"))
                self.assertEqual(self.browser.evaluate(tab, "document.images.length"), 0)

    def test_a_blocks_id_or_a_fraction_alone_leads_to_a_place(self):
        place = self.place_at("/named")
        self.assertEqual(place["anchor"], f"a{place['text'][10:13]}")
        self.assertEqual(self.found("/named", {"anchor": "a203", "offset": 0}), 203)
        tab = self.opened("/long")
        self.restore(tab, {"fraction": 0.5})
        fraction = "scrollY / (document.scrollingElement.scrollHeight - innerHeight)"
        self.assertAlmostEqual(self.browser.evaluate(tab, fraction), 0.5, places=3)

    def test_a_text_is_cut_between_its_characters(self):
        place = self.place_at("/faces")
        self.assertEqual(place["text"][17:], 45 * "\U0001f600")
        self.assertEqual(self.found("/faces", place), int(place["text"][10:13]))

    def test_the_time_comes_from_the_playing_medium(self):
        tab = self.opened("/two")
        self.browser.evaluate(tab, "void sound.play()")
        self.browser.eventually(tab, "sound.duration > 30 && !sound.paused && (sound.currentTime = 30)")
        place = self.place(tab)
        self.assertEqual((place["medium"], int(place["mediaTime"])), (1, 30))
        tab = self.opened("/two")
        self.restore(tab, place)
        self.browser.eventually(tab, "sound.currentTime >= 30 && film.readyState > 0")
        self.assertEqual(self.browser.evaluate(tab, "film.currentTime"), 0)
        # A place without the index of a video or audio, as in an older Baton, belongs to the largest one.
        tab = self.opened("/two")
        self.restore(tab, {"mediaTime": 30})
        self.browser.eventually(tab, "film.currentTime === 30")

    def test_a_medium_that_loads_later_starts_at_its_time(self):
        tab = self.opened("/late")
        self.restore(tab, {"fraction": 0.5, "mediaTime": 30.5, "medium": 0})
        self.browser.eventually(tab, "globalThis.sound?.currentTime === 30.5")

    def test_a_page_that_scrolls_by_itself_or_grows_endlessly_is_given_up(self):
        for path in ("/fights", "/growing"):
            with self.subTest(path):
                tab = self.opened(path)
                self.restore(tab, {"fraction": 0.5})
                # Fifteen seconds allow 75 rounds. Each round may scroll, and make the page scroll.
                self.assertIn(self.browser.evaluate(tab, "rounds"), range(1, 200))

    def test_a_page_that_is_being_read_is_not_scrolled(self):
        place = self.place_at("/long")
        tab = self.opened("/long")
        # The reader returns to the beginning with a key as soon as the page goes to the place.
        self.browser.evaluate(tab, """void addEventListener('scroll', () => {
            dispatchEvent(new KeyboardEvent('keydown')); scrollTo(0, 0); document.documentElement.dataset.gone = 1; }, { once: true })""")
        self.restore(tab, place)
        self.assertTrue(self.browser.evaluate(tab, "document.documentElement.dataset.gone === '1'"))
        self.assertEqual(self.browser.evaluate(tab, SEEN), 0)


class InChromium(Places):
    BROWSER = Chromium

    def test_a_host_that_cannot_start_is_tried_again_after_growing_pauses(self):
        self.browser.manifest.unlink()
        # The test controls the clock. The browser itself reports that there is no host.
        pauses = self.browser.evaluate(self.panel, """(async () => {
            const { Host } = await import("./host.js"), pauses = [], reasons = new Set(), later = globalThis.setTimeout;
            await new Promise((done) => {
                globalThis.setTimeout = (call, pause) => pauses.push(pause) < 10 ? later(call, 0) : done();
                new Host(() => {}, (reason) => reasons.add(reason)).open();
            });
            globalThis.setTimeout = later;
            return [...pauses, ...reasons]; })()""")
        self.assertEqual(pauses[:10], [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
        self.assertEqual(pauses[10:], ["Baton is not installed here. Install the package baton-browser, then restart the browser."])


class InFirefox(Places):
    BROWSER = Firefox


def load_tests(loader, *_):
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (InChromium, InFirefox))
