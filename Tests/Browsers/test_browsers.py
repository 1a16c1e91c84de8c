# SPDX-License-Identifier: Apache-2.0
"""Hands pages over between browsers: Debian's Firefox and Chromium, headless, on two laptops of one circle.

BATON_BIN is the directory of batond, baton and browser-host. The default is the debug build.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

from driven import Chromium, Firefox, agreed, make_extension  # noqa: E402
from laptops import BIN, LIMIT, TwoLaptops  # noqa: E402
from pages import ENDLESS, NAME, Server  # noqa: E402

# Returns the paragraph at the top of the visible part.
AT_TOP = """(() => { for (const line of document.getElementsByClassName("line"))
    if (line.getBoundingClientRect().bottom > 1) return Number(line.dataset.number); })()"""


def number(value) -> float:
    """Returns a double from typed JSON, which marks doubles without a fraction."""
    return value["$double"] if isinstance(value, dict) else value


class Browsers(TwoLaptops):
    HOST = BIN / "browser-host"

    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.close)
        self.made = make_extension(self.root / "made", BIN / "browser-host")

    def browser(self, kind, laptop):
        browser = kind(laptop, self.made)
        self.addCleanup(browser.end)
        return browser

    def start(self, kind, laptop):
        """Starts a browser whose user has agreed. Returns it and its panel."""
        browser = self.browser(kind, laptop)
        return browser, agreed(browser)

    def offers(self, laptop) -> list:
        return json.loads(laptop.baton("nearby", "--json")[0])

    def offer(self, laptop) -> dict:
        """Waits until a laptop sees exactly one offer, and returns it."""
        return self.eventually(lambda: self.offers(laptop))[0]

    def fetched(self, url: str, holds=lambda info: True) -> dict:
        """Returns the activity that sofa gets for the page with an address, once its userInfo is as wanted. On a busy
        machine a page may take too long to return its position, and is then handed over without it."""
        def activity():
            for offer in self.offers(self.sofa):
                done = subprocess.run([str(BIN / "baton"), "continue", offer["offer"], "--json"], env=self.sofa.environment,
                                      capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
                activity = json.loads(done.stdout) if done.returncode == 0 else {}
                if activity.get("webpageURL") == url and holds(activity["userInfo"]):
                    return activity
            return None

        return self.eventually(activity)

    def read(self, browser, path: str, line: int = 0, name: str = NAME):
        """Returns a tab whose page was read to a paragraph and a part of it."""
        url = self.server.address(path, name)
        tab = browser.open(url)
        browser.eventually(tab, f"document.readyState === 'complete' && document.getElementsByClassName('line').length === 400 && location.href === {json.dumps(url)}")
        if line:
            browser.evaluate(tab, f"scrollTo(0, document.querySelector('[data-number=\"{line}\"]').offsetTop + 7)")
        return tab

    def follow_link(self, browser, tab, url: str):
        """Follows a link from one page to another."""
        browser.evaluate(tab, f"""void document.body.insertAdjacentHTML("afterbegin", "<a id='next' href='{url}'>Next</a>")""")
        browser.click(tab, "#next")

    def tell(self, what: str, figure: float, unit: str = "s"):
        """Prints a measurement on request."""
        if os.environ.get("BATON_TIMES"):
            print(f"{self.id().split('.', 1)[-1]}: {what}: {figure:.2f} {unit}", file=sys.stderr)

    def hosts(self, laptop) -> list:
        """Returns the processes of the hosts on a laptop."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (process / "exe").resolve() == self.HOST and laptop.environment["DBUS_SESSION_BUS_ADDRESS"].encode() in (process / "environ").read_bytes():
                    found.append(int(process.name))
            except OSError:
                pass
        return found

    def proceed(self, browser, panel, url: str):
        """Clicks the offer in a panel. Returns the tab with its page."""
        browser.show(panel)
        browser.click(panel, "#offers button")
        return browser.find(url)


class Handing(Browsers):
    """Tests that a page is continued at the same place, in the foreground, and that the tab on the first laptop
    stays."""

    def hand_over(self, giver, taker, path: str = "/long"):
        desk, _ = self.start(giver, self.desk)
        sofa, panel = self.start(taker, self.sofa)
        origin = self.read(desk, path, line=203)
        url = self.server.address(path)
        self.fetched(url, lambda info: info.get("text", "").startswith("Paragraph 203:"))
        tab = self.proceed(sofa, panel, url)
        sofa.eventually(tab, f"{AT_TOP} === 203")
        self.assertEqual(sofa.evaluate(tab, "document.visibilityState"), "visible")
        self.assertEqual(desk.evaluate(origin, AT_TOP), 203)
        return desk, origin, sofa, panel, tab

    def test_page_continues_from_firefox_to_firefox(self):
        desk, origin, sofa, _, tab = self.hand_over(Firefox, Firefox)
        self.assertEqual(sofa.evaluate(tab, "scrollY"), desk.evaluate(origin, "scrollY"))

    def test_page_continues_from_chromium_to_chromium(self):
        desk, origin, sofa, _, tab = self.hand_over(Chromium, Chromium)
        self.assertEqual(sofa.evaluate(tab, "scrollY"), desk.evaluate(origin, "scrollY"))

    def test_page_continues_from_firefox_to_chromium_and_back(self):
        desk, origin, sofa, _, tab = self.hand_over(Firefox, Chromium)
        # A key of the reader stops the extension from restoring the place.
        sofa.evaluate(tab, "dispatchEvent(new KeyboardEvent('keydown')) "
                           "&& scrollTo(0, document.querySelector('[data-number=\"300\"]').offsetTop + 7)")
        sofa.eventually(tab, f"{AT_TOP} === 300")
        self.assertEqual(self.proceed(desk, desk.find(desk.panel), self.server.address("/long")), origin)
        desk.eventually(origin, f"{AT_TOP} === 300")

    def test_page_continues_from_chromium_to_firefox(self):
        self.hand_over(Chromium, Firefox)

    def test_a_page_that_grows_while_it_loads_continues_at_its_place(self):
        self.hand_over(Chromium, Chromium, path="/grows")

    def test_a_page_that_grows_while_it_loads_continues_at_its_place_in_firefox(self):
        self.hand_over(Firefox, Firefox, path="/grows")

    def come_to_the_front(self, kind):
        sofa, panel = self.start(kind, self.sofa)
        open_already = self.read(sofa, "/long?a|b")
        desk, _ = self.start(Chromium, self.desk)
        self.read(desk, "/long?a|b", line=77)
        self.fetched(self.server.address("/long?a%7Cb"), lambda info: "text" in info)
        tab = self.proceed(sofa, panel, self.server.address("/long?a|b"))
        self.assertEqual(tab, open_already)
        sofa.eventually(tab, f"{AT_TOP} === 77 && document.visibilityState === 'visible'")
        self.assertEqual(sofa.count(self.server.address("/long?a|b")), 1)

    def test_an_open_page_comes_to_the_front(self):
        self.come_to_the_front(Chromium)

    def test_an_open_page_comes_to_the_front_in_firefox(self):
        self.come_to_the_front(Firefox)


class Publishing(Browsers):
    """Tests which pages are offered."""

    BROWSER = None
    VIEWS = ("view-source:",)  # of a page, before its address

    def test_a_page_in_the_browsers_own_viewer_is_offered_under_its_own_address(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        for number, view in enumerate(self.VIEWS):
            url = self.server.address(f"/long?view={number}&more=%20x")
            browser.open(view + (urllib.parse.quote(url, safe="") if view.endswith("=") else url))
            self.fetched(url)

    def test_nothing_is_read_before_the_user_agrees(self):
        browser = self.browser(self.BROWSER, self.desk)
        self.read(browser, "/long")
        panel = browser.open_panel()
        browser.eventually(panel, "document.querySelector('#consent')?.checkVisibility()")
        self.read(browser, "/long?again")
        self.assertEqual(self.hosts(self.desk), [])
        browser.show(panel)
        browser.click(panel, "#agree")
        self.read(browser, "/long?agreed")
        self.fetched(self.server.address("/long?agreed"))
        self.assertEqual(len(self.hosts(self.desk)), 1)

    def test_a_page_without_a_title_is_offered_without_one(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        self.read(browser, "/untitled")
        self.assertIsNone(self.fetched(self.server.address("/untitled"))["title"])
        # Without a title, browsers use the address as the title. The title of this page is the last part of its
        # address.
        self.read(browser, "/name")
        self.assertEqual(self.fetched(self.server.address("/name"))["title"], "name")

    def test_an_endless_title_is_cut(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        tab = self.read(browser, "/endless")
        self.read(browser, "/long")
        self.fetched(self.server.address("/long"))
        browser.show(tab)
        self.assertEqual(self.fetched(self.server.address("/endless"))["title"], ENDLESS[:256])

    def test_an_address_above_8192_bytes_is_not_offered_and_the_panel_gives_the_reason(self):
        browser, panel = self.start(self.BROWSER, self.desk)
        address = self.server.address("/long?")
        longest = address[len(self.server.address("")):] + "a" * (8_192 - len(address))
        self.read(browser, longest)
        self.fetched(self.server.address(longest))
        self.read(browser, longest + "a")
        self.eventually(lambda: not self.offers(self.sofa))
        browser.eventually(panel, "document.querySelector('#page').textContent.includes('8192 bytes')")

    def test_a_tab_is_offered_only_while_it_is_in_front(self):
        browser, panel = self.start(self.BROWSER, self.desk)
        tab = self.read(browser, "/long")
        self.offer(self.sofa)
        browser.show(panel)
        self.eventually(lambda: not self.offers(self.sofa))
        watch = self.sofa.spawn([BIN / "baton", "nearby", "--watch", "--json"], stdout=subprocess.PIPE, text=True)
        for shown, event in 3 * [(tab, "appeared"), (panel, "disappeared")]:
            began = time.monotonic()
            browser.show(shown)
            while json.loads(self.line(watch))["event"] != event:
                pass
            self.tell(f"from the tab's change until its offer has {event}", time.monotonic() - began)
        memory = pathlib.Path(f"/proc/{self.hosts(self.desk)[0]}/smaps_rollup").read_text()
        self.tell("the host's proportional set size", int(re.search(r"^Pss: +(\d+) kB", memory, re.MULTILINE)[1]) / 1_000, "MB")

    def test_each_switch_of_the_panel_stops_the_offer(self):
        browser, panel = self.start(self.BROWSER, self.desk)
        tab = self.read(browser, "/long")
        self.offer(self.sofa)
        for selector in ("#on", "#site"):
            with self.subTest(selector):
                browser.eventually(panel, f"document.querySelector('{selector}').checked")
                browser.evaluate(panel, f"document.querySelector('{selector}').click()")
                self.eventually(lambda: not self.offers(self.sofa))
                if selector == "#site":
                    self.read(browser, "/long", name="other.test")
                    self.fetched(self.server.address("/long", "other.test"))
                    browser.show(tab)
                    self.eventually(lambda: not self.offers(self.sofa))
                browser.eventually(panel, f"document.querySelector('#site-text').innerText === 'Offer pages of {NAME}'")
                browser.eventually(panel, f"!document.querySelector('{selector}').checked")
                browser.evaluate(panel, f"document.querySelector('{selector}').click()")
                self.offer(self.sofa)

    def test_a_tab_that_continued_elsewhere_is_reported_and_closed_on_request(self):
        browser, panel = self.start(self.BROWSER, self.desk)
        # The browser does not encode these characters, but browser-host does.
        url = self.server.address("/long?a|b{c}")
        sent = self.server.address("/long?a%7Cb%7Bc%7D")
        self.read(browser, "/long?a|b{c}")
        self.fetched(sent)
        browser.eventually(panel, "document.querySelector('#news').textContent === 'The page was continued on \"sofa\".'")
        self.assertFalse(browser.evaluate(panel, "document.querySelector('#closes').checked"))
        self.assertEqual(browser.count(url), 1)
        browser.evaluate(panel, "document.querySelector('#closes').click()")
        browser.eventually(panel, "document.querySelector('#closes').checked")
        self.fetched(sent)
        self.eventually(lambda: browser.count(url) == 0)

    def test_text_in_forms_is_not_read(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        tab = self.read(browser, "/form")
        # Text in a form may be the reader's own, so it is not sent as part of the position.
        browser.evaluate(tab, "scrollTo(0, document.querySelector('form p').offsetTop)")
        place = self.fetched(self.server.address("/form"), lambda info: number(info.get("y", 0)) > 100)["userInfo"]
        self.assertNotIn("a word on the form", json.dumps(place))

    def test_a_hostile_page_is_read_like_others(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        self.read(browser, "/hostile", line=50)
        self.fetched(self.server.address("/hostile"), lambda info: info.get("text", "").startswith("Paragraph 50:"))

    def test_the_referring_page_is_sent_too(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        url, before = self.server.address("/long"), self.server.address("/long?before")
        tab = self.read(browser, "/long?before")
        self.follow_link(browser, tab, url)
        self.assertEqual(self.fetched(url, lambda info: "text" in info)["referrerURL"], before)

    def test_a_page_that_hangs_is_handed_over_without_its_place(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        tab = self.read(browser, "/hangs", line=50)
        self.offer(self.sofa)
        browser.evaluate(tab, "void dispatchEvent(new Event('hang'))")
        # Until the page hangs, it returns its position. After that, browser-host's time limit ends the wait.
        self.eventually(lambda: self.fetched(self.server.address("/hangs"))["userInfo"] == {})

    def test_a_playing_medium_continues_at_its_time(self):
        desk, _ = self.start(self.BROWSER, self.desk)
        sofa, panel = self.start(self.BROWSER, self.sofa)
        tab = self.read(desk, "/two")
        desk.evaluate(tab, "void sound.play()")
        desk.eventually(tab, "sound.duration > 30 && !sound.paused && (sound.currentTime = 30)")
        self.fetched(self.server.address("/two"), lambda info: number(info.get("mediaTime", 0)) >= 30)
        tab = self.proceed(sofa, panel, self.server.address("/two"))
        sofa.eventually(tab, "globalThis.sound?.currentTime >= 30")

    def test_a_hundred_changes_of_tabs_in_a_second_offer_the_last_tab(self):
        browser, panel = self.start(self.BROWSER, self.desk)
        for number in range(5):
            self.read(browser, f"/long?{number}")
        browser.evaluate(panel, """(async () => { const api = globalThis.browser ?? chrome;
            const tabs = (await api.tabs.query({})).filter((tab) => tab.url.includes("/long?"));
            for (let count = 0; count < 100; count++) api.tabs.update(tabs[count % 5].id, { active: true });
            await api.tabs.update(tabs.find((tab) => tab.url.endsWith("?2")).id, { active: true }); })()""")
        self.fetched(self.server.address("/long?2"))

    def test_a_killed_host_is_restarted(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        self.read(browser, "/long")
        self.offer(self.sofa)
        [before] = self.hosts(self.desk)
        os.kill(before, signal.SIGKILL)
        self.eventually(lambda: self.hosts(self.desk) not in ([], [before]))
        self.fetched(self.server.address("/long"))

    def test_a_restarted_daemon_gets_the_page_again(self):
        browser, panel = self.start(self.BROWSER, self.desk)
        self.read(browser, "/long")
        self.offer(self.sofa)
        hosts = self.hosts(self.desk)
        self.desk.daemon.terminate()
        self.desk.daemon.wait(LIMIT)
        browser.eventually(panel, "/Baton (is not running|could not be started)/.test(document.querySelector('#reason').textContent)")
        self.desk.start_daemon(self.root / "radio")
        self.fetched(self.server.address("/long"))
        self.assertEqual(self.hosts(self.desk), hosts)

    def test_a_daemon_that_hung_gets_the_page_when_it_continues(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        self.read(browser, "/long?before")
        self.fetched(self.server.address("/long?before"))
        self.desk.daemon.send_signal(signal.SIGSTOP)
        try:
            self.read(browser, "/long?meanwhile")
        finally:
            self.desk.daemon.send_signal(signal.SIGCONT)
        self.fetched(self.server.address("/long?meanwhile"))

    def test_the_host_ends_with_its_browser(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        self.read(browser, "/long")
        self.offer(self.sofa)
        browser.process.terminate()
        browser.process.wait(LIMIT)
        self.eventually(lambda: not self.hosts(self.desk))
        self.eventually(lambda: not self.offers(self.sofa))

    def test_the_extension_and_the_host_have_the_same_rules_for_addresses(self):
        browser, panel = self.start(self.BROWSER, self.desk)
        table = json.loads((pathlib.Path(__file__).parent / "addresses.json").read_text(encoding="utf-8"))

        def refusals(addresses):
            return browser.evaluate(panel, f"import('./address.js').then(({{ refusal }}) => {json.dumps(addresses)}.map(refusal))")

        encoded = browser.evaluate(panel, f"import('./address.js').then(({{ encoded }}) => {json.dumps(list(table['encoded']))}.map(encoded))")
        self.assertEqual(encoded, list(table["encoded"].values()))
        self.assertEqual(set(refusals(table["taken"])), {None})
        for reason, addresses in table["refused"].items():
            self.assertNotIn(None, refusals(addresses), reason)
        self.assertEqual(set(refusals(table["loopbackInDisguise"])), {"this-computer"})

    def test_a_page_cannot_reach_the_extension(self):
        browser, _ = self.start(self.BROWSER, self.desk)
        tab = self.read(browser, "/long")
        self.assertFalse(browser.evaluate(tab, "Boolean(globalThis.chrome?.runtime?.connect ?? globalThis.browser?.runtime?.connect)"))


class InChromium(Publishing):
    BROWSER = Chromium

    def test_an_idle_background_script_keeps_its_host_and_answers(self):
        browser, panel = self.start(self.BROWSER, self.desk)
        self.read(browser, "/long", line=50)
        self.offer(self.sofa)
        browser.close(panel)
        [host] = self.hosts(self.desk)
        # Chromium ends a worker that has been idle for thirty seconds.
        began = time.monotonic()
        self.eventually(lambda: time.monotonic() - began > 40)
        self.fetched(self.server.address("/long"), lambda info: info.get("text", "").startswith("Paragraph 50:"))
        self.assertEqual(self.hosts(self.desk), [host])


class InFirefox(Publishing):
    BROWSER = Firefox
    VIEWS = ("about:reader?url=", *Publishing.VIEWS)


def load_tests(loader, *_):
    """Tests for one browser have a class for each browser. The shared class itself is not run."""
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (Handing, InChromium, InFirefox))
