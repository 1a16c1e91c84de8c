# SPDX-License-Identifier: Apache-2.0
"""Tests the extension against a host that breaks the rules, against pages and other extensions, and for private
windows: in the real browsers. The test acts as the host."""

import hashlib
import json
import pathlib
import shutil
import socket
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

import driven  # noqa: E402
from driven import CHROMIUM_ID, FIREFOX_ID, FIREFOX_UUID, LIMIT, agreed, make_extension  # noqa: E402
from laptops import BIN, demo, end  # noqa: E402
from pages import Server  # noqa: E402

# A host that passes messages between the extension and the test, a line each on the test's side.
RELAY = """#!/usr/bin/python3
import socket, struct, sys, threading
test = socket.create_connection(("127.0.0.1", %d)).makefile("rwb", buffering=0)
def answer():
    for line in test:
        sys.stdout.buffer.write(struct.pack("=I", len(line)) + line)
        sys.stdout.buffer.flush()
threading.Thread(target=answer, daemon=True).start()
while header := sys.stdin.buffer.read(4):
    test.write(sys.stdin.buffer.read(*struct.unpack("=I", header)) + b"\\n")
"""
# A page that may not talk to the background connects to it. Returns the result.
CONNECT = """(() => { const port = (globalThis.browser ?? chrome).runtime.connect(%s); return new Promise((done) => {
    port.onMessage.addListener(() => done("told"));
    port.onDisconnect.addListener(() => done("disconnected")); }); })"""


PROBE_ID, PROBE_UUID = "probe@example.org", "0f2d6e0e-6c1e-4f0a-9d53-5ad3b4c3a7b2"


def make_probe(directory: pathlib.Path, version: int) -> pathlib.Path:
    """Makes another extension, with only a page."""
    directory.mkdir()
    manifest = {"manifest_version": version, "name": "Probe", "version": "1",
                "browser_specific_settings": {"gecko": {"id": PROBE_ID}}}
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    (directory / "probe.html").write_text("<!DOCTYPE html><title>Probe</title>", encoding="utf-8")
    return directory


class Chromium(driven.Chromium):
    extension = CHROMIUM_ID

    def load(self, profile: pathlib.Path, made: pathlib.Path) -> list:
        [argument] = super().load(profile, made)
        probe = make_probe(profile.parent / "probe", version=3)
        # An extension without a key gets an id from its path.
        digest = hashlib.sha256(bytes(probe)).hexdigest()[:32]
        self.probe = f"chrome-extension://{''.join(chr(ord('a') + int(digit, 16)) for digit in digest)}/probe.html"
        return [f"{argument},{probe}"]


class Firefox(driven.Firefox):
    extension = FIREFOX_ID
    probe = f"moz-extension://{PROBE_UUID}/probe.html"
    PREFERENCES = {**driven.Firefox.PREFERENCES,
                   "extensions.webextensions.uuids": json.dumps({FIREFOX_ID: FIREFOX_UUID, PROBE_ID: PROBE_UUID})}

    def load(self, laptop, made: pathlib.Path):
        super().load(laptop, made)
        self.call("Addon:Install", path=str(make_probe(laptop.home / "probe", version=2)), temporary=True)


class PlayedHost:
    """A fake host of the extension, which sends the test's messages."""

    def __init__(self, directory: pathlib.Path):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(LIMIT)
        self.program = directory / "host"
        self.program.write_text(RELAY % self.listener.getsockname()[1], encoding="utf-8")
        self.program.chmod(0o700)

    def begin(self):
        """Waits until the extension has started the host and has sent hello."""
        connection, _ = self.listener.accept()
        with connection:
            connection.settimeout(LIMIT)
            self.lines = connection.makefile("rwb", buffering=0)
        self.heard("hello")
        self.say({"type": "hello", "version": 1})

    def say(self, message):
        self.lines.write(json.dumps(message).encode() + b"\n")

    def heard(self, kind: str) -> dict:
        """Returns the next message of a type, and skips those before it."""
        for line in self.lines:
            if (message := json.loads(line))["type"] == kind:
                return message
        raise AssertionError(f"there was no {kind}")

    def all_is_heard(self):
        """Waits until the extension has handled all messages."""
        self.say({"type": "save", "id": 77})
        self.heard("saved")

    def end(self):
        self.lines.close()
        self.listener.close()


class Defences(unittest.TestCase):
    BROWSER = None

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="baton-defences-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.server = Server()
        self.addCleanup(self.server.close)
        self.host = PlayedHost(self.root)
        self.made = make_extension(self.root / "made", self.host.program)
        running = []
        self.addCleanup(end, running)
        self.laptop = demo.Laptop("desk", self.root, BIN, running)
        self.laptop.start_bus()
        self.browser = self.BROWSER(self.laptop, self.made)
        self.addCleanup(self.browser.end)
        self.panel = agreed(self.browser)
        self.host.begin()
        self.addCleanup(self.host.end)

    def read(self, path: str, name: str = "page.test"):
        url = self.server.address(path, name)
        tab = self.browser.open(url)
        self.browser.eventually(tab, f"document.readyState === 'complete' && location.href === {json.dumps(url)}")
        return tab

    def in_extension(self, expression: str):
        """Returns an expression's value in the panel, with the extension's modules."""
        return self.browser.evaluate(self.panel, f"""(async () => {{
            const api = globalThis.browser ?? chrome;
            const pages = await import("./pages.js"), arrivals = await import("./arrivals.js");
            return await ({expression}); }})()""")

    def test_invalid_messages_of_a_host_do_no_harm(self):
        for message in (None, 5, "offers", [], {}, {"type": {}}, {"type": "offers", "offers": 5},
                        {"type": "offers", "offers": [None]},
                        *({"type": kind} for kind in ("taken", "place", "coming", "failed", "page", "offers"))):
            self.host.say(message)
        self.host.all_is_heard()
        self.browser.evaluate(self.panel, "void document.querySelector('#on').click()")
        self.browser.eventually(self.panel, "document.querySelector('#page').textContent.includes('switched off offering pages.')")
        self.host.say({"type": "offers", "offers": [{"offer": "o1", "deviceName": "sofa"}]})
        self.browser.click(self.panel, "#offers button")
        self.assertEqual(self.host.heard("continue"), {"type": "continue", "offer": "o1"})

    def test_a_page_that_keeps_changing_its_title_is_reported_at_most_four_times_a_second(self):
        tab = self.read("/long")
        self.browser.evaluate(tab, "void setInterval(() => { document.title = `${performance.now()}`; }, 4)")
        self.host.heard("page")
        began = time.monotonic()
        for _ in range(9):
            self.host.heard("page")
        # The first message may have waited in the pipe, so only eight pauses are certain.
        self.assertGreater(time.monotonic() - began, 8 * 0.25 - 0.05)

    def test_an_address_that_may_not_be_handed_over_is_not_opened(self):
        before = self.browser.tabs()
        own = self.server.address("/long", "localhost")
        for number, url in enumerate(("file:///etc/passwd", "javascript:alert(1)", own, None)):
            self.host.say({"type": "open", "id": number, "url": url})
            self.assertEqual(self.host.heard("opened"), {"type": "opened", "id": number, "opened": False}, url)
        self.assertEqual(self.browser.tabs(), before)

    def test_an_address_that_may_not_be_handed_over_is_not_continued(self):
        for page, name in (("p1", "localhost"), ("p2", "page.test")):
            self.host.say({"type": "coming", "page": page, "url": self.server.address("/long", name)})
        self.host.all_is_heard()
        for name in ("localhost", "page.test"):
            self.read("/long", name)
        # A message about localhost's page would have come first.
        self.assertEqual(self.host.heard("take")["page"], "p2")

    def test_a_script_in_a_page_cannot_reach_the_background_script(self):
        self.read("/long")
        found = self.in_extension(f"""(async () => {{
            const [tab] = (await api.tabs.query({{}})).filter((tab) => tab.url.includes("/long"));
            const script = {{ target: {{ tabId: tab.id }}, func: {CONNECT % ""} }};
            return (await api.scripting.executeScript(script))[0].result; }})()""")
        self.assertEqual(found, "disconnected")

    def test_another_extension_cannot_reach_the_background_script(self):
        tab = self.browser.open(self.browser.probe)
        there = f"location.href === {json.dumps(self.browser.probe)} && document.readyState === 'complete'"
        self.browser.eventually(tab, there)
        found = self.browser.evaluate(tab, f"({CONNECT % json.dumps(self.browser.extension)})()")
        self.assertEqual(found, "disconnected")

    def test_a_page_cannot_load_a_file_of_the_extension(self):
        tab = self.read("/long")
        # A page that could read the extension's files could show the panel in a frame as if it were part of the page.
        for address in (self.browser.panel, self.browser.panel.replace("panel.html", "address.js")):
            fetched = f"fetch({json.dumps(address)}).then((answer) => answer.status, () => 'refused')"
            found = self.browser.evaluate(tab, fetched)
            self.assertEqual(found, "refused", address)

    def test_private_tabs_are_ignored_although_the_browser_should_report_none(self):
        url = self.server.address("/long")
        for private, wanted in ((True, [False, "create", []]), (False, [True, "update", ["p"]])):
            with self.subTest(private=private):
                found = self.in_extension(f"""(async () => {{
                    const url = {json.dumps(url)}, incognito = {json.dumps(private)};
                    const tab = {{ id: 1e6, windowId: 1, active: true, status: "complete", incognito, url }};
                    const called = [], taken = [];
                    api.tabs.query = async () => [tab];
                    api.tabs.get = async () => tab;
                    for (const name of ["create", "update"]) api.tabs[name] = async () => called.push(name) && tab;
                    await pages.open(url);
                    await arrivals.begin();
                    await arrivals.expect("p", url, (page) => taken.push(page));
                    return [pages.reasonAgainst(tab) === null, called[0], taken]; }})()""")
                self.assertEqual(found, wanted)


class InChromium(Defences):
    BROWSER = Chromium


class InFirefox(Defences):
    BROWSER = Firefox


def load_tests(loader, *_):
    return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in (InChromium, InFirefox))
