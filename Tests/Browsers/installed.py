# SPDX-License-Identifier: Apache-2.0
"""The tests for test_installed.py, which says where they run. The tests install nothing in a browser, because the
browser must find everything by itself."""

import http.server
import json
import os
import pathlib
import shlex
import ssl
import subprocess
import threading

import driven
from driven import agreed
from pages import NAME
from test_browsers import AT_TOP, Browsers, LIMIT

SITE = pathlib.Path(os.environ["BATON_SITE"])
EXTENSIONS = "/usr/share/mozilla/extensions"
APP, TEAM = "org.example.Reader", "TEAM"


class Chromium(driven.Chromium):
    def load(self, profile, made) -> list:
        return []


class Firefox(driven.Firefox):
    # Marionette's preferences would keep the system's extensions out, and a preference of the other tests would allow
    # extensions without a signature.
    PREFERENCES = {**driven.Firefox.PREFERENCES, "focusmanager.testmode": True, "remote.prefs.recommended": False, "xpinstall.signatures.required": True}

    place = ".mozilla/firefox/abcdefgh.default-esr"

    def load(self, laptop, made):
        pass

    def runs_it(self) -> bool:
        """Returns whether the extension runs."""
        return self.privileged("return WebExtensionPolicy.getByID(arguments[0]) !== null", driven.FIREFOX_ID)


class FirefoxBefore(Firefox):
    """Firefox, started before the package was installed."""

    program = ("bwrap", "--dev-bind", "/", "/", "--tmpfs", EXTENSIONS, "--die-with-parent", "firefox-esr")


class Site(http.server.BaseHTTPRequestHandler):
    """The domain's own server, which agrees with the app."""

    def do_GET(self):
        body = json.dumps({"activitycontinuation": {"apps": [f"{TEAM}.{APP}"]}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class NewUser(Browsers):
    HOST = pathlib.Path("/usr/lib/baton/browser-host")

    def prepare(self, laptop):
        """Installs an app on sofa that claims the domain."""
        if laptop is self.desk:
            return
        home = laptop.home
        reader = home / "reader"
        reader.write_text(f"#!/bin/sh\nexec baton serve --app {APP} --exec {shlex.quote(f'cat >{home}/read')}\n")
        reader.chmod(0o700)
        (home / ".config" / "baton").mkdir()
        (home / ".config" / "baton" / "baton.conf").write_text(f"domains.private = {NAME}\n")
        (home / ".local" / "share" / "applications").mkdir()
        (home / ".local" / "share" / "applications" / f"{APP}.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName=Reader\nExec={reader}\nX-Baton-Team={TEAM}\nX-Baton-AssociatedDomains=activitycontinuation:{NAME}\n")

    def doctor(self) -> str:
        """Returns what desk's `baton doctor` reports about browsers."""
        return subprocess.run(["baton", "doctor", "browser"], env=self.desk.environment, capture_output=True, text=True, timeout=LIMIT, check=False).stdout

    def hand_over(self, giver, taker):
        """Reads a page on desk and continues it on sofa, at the same place."""
        desk, _ = giver
        sofa, panel = taker
        self.read(desk, "/long", line=203)
        url = self.server.address("/long")
        self.fetched(url, lambda info: info.get("text", "").startswith("Paragraph 203:"))
        tab = self.proceed(sofa, panel, url)
        sofa.eventually(tab, f"{AT_TOP} === 203")

    def test_new_profiles_have_the_extension_at_their_first_start(self):
        self.hand_over(self.start(Firefox, self.desk), self.start(Chromium, self.sofa))

    def test_page_continues_from_chromium_to_firefox(self):
        self.hand_over(self.start(Chromium, self.desk), self.start(Firefox, self.sofa))

    def test_an_older_profile_of_firefox_has_the_extension_at_its_second_start(self):
        before = self.browser(FirefoxBefore, self.desk)
        self.read(before, "/long")
        before.close_all()
        self.assertIn("extension-waiting", self.doctor())
        self.assertIn("start it twice", self.desk.baton("status")[0])
        first = self.browser(Firefox, self.desk)
        self.eventually(lambda: "extension-waiting" not in self.doctor())
        self.assertFalse(first.runs_it())
        first.close_all()
        second = self.browser(Firefox, self.desk)
        self.assertTrue(second.runs_it())
        self.hand_over((second, agreed(second)), self.start(Chromium, self.sofa))

    def test_an_app_opens_a_page_of_its_domain(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(SITE / "certificate.pem", SITE / "key.pem")
        site = http.server.ThreadingHTTPServer(("127.0.0.1", 443), Site)
        site.socket = context.wrap_socket(site.socket, server_side=True)
        threading.Thread(target=site.serve_forever, daemon=True).start()
        self.addCleanup(site.server_close)
        self.addCleanup(site.shutdown)
        self.assertTrue(self.sofa.baton("domains", "check", NAME)[0].startswith("agreed"))
        desk, _ = self.start(Chromium, self.desk)
        url, before = self.server.address("/long"), self.server.address("/long?before")
        self.follow_link(desk, self.read(desk, "/long?before"), url)
        self.fetched(url, lambda info: "fraction" in info)
        offer, home = self.offer(self.sofa), self.sofa.home
        self.assertIn(APP, self.sofa.baton("open", offer["offer"])[0])
        activity = json.loads((home / "read").read_text())
        self.assertEqual((activity["webpageURL"], activity["userInfo"], activity["referrerURL"]), (url, {}, before))
