# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium and Firefox, headless, with Baton's extension. Each browser is controlled with its own protocol, without WebDriver."""

import fcntl
import json
import os
import pathlib
import queue
import shutil
import socket
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 60  # seconds that a browser may take to answer
HOST = "org.batonproject.browser_host"
FIREFOX_ID = "browser@batonproject.org"
FIREFOX_UUID = "0f2d6e0e-6c1e-4f0a-9d53-5ad3b4c3a7b1"  # Firefox would choose it at random
CHROMIUM_ID = "jkhbdoennkkodmmdieibkblhaegealbn"


def make_extension(directory: pathlib.Path, host: pathlib.Path):
    """Makes the extension for both browsers, and the manifests of its host."""
    subprocess.run([ROOT / "Packaging" / "make-extension"], env={**os.environ, "MADE": str(directory), "HOST": str(host)}, check=True, timeout=LIMIT)
    return directory / "browser"


def agreed(browser):
    """Returns a browser's panel, in which the user has agreed."""
    panel = browser.open_panel()
    browser.click(panel, "#agree")
    browser.eventually(panel, "!document.querySelector('#main').hidden")
    return panel


class Browser:
    """A browser on a laptop. `open` returns a tab."""

    panel: str  # the panel's address
    headless = True  # without a display

    def command(self) -> list:
        """Returns the words that start this browser or open an address in it, as its desktop entry does."""
        raise NotImplementedError

    def open_panel(self):
        return self.open(self.panel)

    def click(self, tab, selector: str):
        """Waits until an element exists, and clicks it."""
        self.eventually(tab, f"(() => {{ const found = document.querySelector({json.dumps(selector)}); if (!found?.checkVisibility()) return false; "
                             "found.click(); return true; })()")

    def eventually(self, tab, expression: str):
        """Waits until an expression is true in a tab. Returns its value. While the tab loads, the expression may throw."""
        limit = time.monotonic() + LIMIT
        while True:
            try:
                found = self.evaluate(tab, expression)
            except RuntimeError as error:
                found, thrown = None, f"; {error}"
            else:
                thrown = ""
            if found:
                return found
            if time.monotonic() > limit:
                raise AssertionError(f"{type(self).__name__}: it did not come to be: {expression}{thrown}; the tab shows "
                                     + str(self.evaluate(tab, "location.href + ' ' + document.body?.innerText.slice(0, 500)")))
            time.sleep(0.05)

    def find(self, url: str):
        """Waits until there is a tab with an address, and returns it."""
        limit = time.monotonic() + LIMIT
        while time.monotonic() < limit:
            for tab in self.tabs():
                if self.address(tab) == url:
                    return tab
            time.sleep(0.05)
        raise AssertionError(f"no tab shows {url}: {[self.address(tab) for tab in self.tabs()]}")

    def count(self, url: str) -> int:
        return sum(self.address(tab) == url for tab in self.tabs())


class Chromium(Browser):
    """Controlled with the DevTools protocol over two pipes."""

    panel = f"chrome-extension://{CHROMIUM_ID}/panel.html"

    def __init__(self, laptop, made: pathlib.Path, names: str = "page.test,other.test", arguments=()):
        profile = laptop.home / "chromium"
        profile.mkdir()
        commands, answers = os.pipe(), os.pipe()
        self.log = (laptop.home / "chromium.log").open("wb")
        self.arguments = [
            "chromium", *["--headless=new"] * self.headless, "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}",
            *self.load(profile, made),
            "--host-resolver-rules=" + ",".join(f"MAP {name} 127.0.0.1" for name in names.split(",")),
            "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
            "--autoplay-policy=no-user-gesture-required", "--window-size=1000,700", *arguments]
        ours, theirs = (commands[1], answers[0]), [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (commands[0], answers[1])]
        self.process = laptop.spawn(
            [*self.arguments, "--remote-debugging-pipe", "about:blank"],
            preexec_fn=lambda: [os.dup2(end, number) for end, number in zip(theirs, (3, 4))], pass_fds=(3, 4),
            stdout=subprocess.DEVNULL, stderr=self.log)
        for end in (commands[0], answers[1], *theirs):
            os.close(end)
        self.commands = ours[0]
        self.last, self.lock, self.waiting, self.sessions = 0, threading.Lock(), {}, {}
        threading.Thread(target=self.listen, args=(ours[1],), daemon=True).start()

    def load(self, profile: pathlib.Path, made: pathlib.Path) -> list:
        """Installs the files that the package installs elsewhere. Returns the browser's arguments that load the
        extension."""
        self.manifest = profile / "NativeMessagingHosts" / f"{HOST}.json"
        self.manifest.parent.mkdir()
        shutil.copy(made / "host.chromium.json", self.manifest)
        return [f"--load-extension={made / 'chromium'}"]

    def command(self) -> list:
        return self.arguments

    def close_all(self):
        """Closes the browser as its user does, so that it keeps its data."""
        self.call("Browser.close")
        self.process.wait(LIMIT)

    def end(self):
        os.close(self.commands)
        self.log.close()

    def listen(self, end):
        with open(end, "rb") as pipe:
            rest = b""
            while data := os.read(pipe.fileno(), 1 << 20):
                *messages, rest = (rest + data).split(b"\0")
                for message in map(json.loads, messages):
                    if waiting := self.waiting.pop(message.get("id"), None):
                        waiting.put(message)

    def call(self, method: str, session=None, **parameters):
        answer = queue.Queue()
        with self.lock:
            self.last += 1
            self.waiting[self.last] = answer
            message = {"id": self.last, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
            os.write(self.commands, json.dumps(message).encode() + b"\0")
        found = answer.get(timeout=LIMIT)
        if "error" in found:
            raise RuntimeError(f"{method}: {found['error']['message']}")
        return found["result"]

    def tabs(self) -> list:
        return [each["targetId"] for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"]

    def address(self, tab) -> str:
        try:
            return self.call("Target.getTargetInfo", targetId=tab)["targetInfo"]["url"]
        except RuntimeError:
            return ""  # closed meanwhile

    def open(self, url: str, private: bool = False):
        if not private:
            return self.call("Target.createTarget", url=url)["targetId"]
        self.evaluate(self.find(self.panel), f"chrome.windows.create({{ incognito: true, url: {json.dumps(url)} }}).then(() => 0)")
        return self.find(url)

    def show(self, tab):
        self.call("Target.activateTarget", targetId=tab)

    def close(self, tab):
        self.call("Target.closeTarget", targetId=tab)

    def evaluate(self, tab, expression: str):
        if tab not in self.sessions:
            self.sessions[tab] = self.call("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        answer = self.call("Runtime.evaluate", self.sessions[tab], expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def resize(self, tab, width: int, height: int):
        """Resizes a tab."""
        self.evaluate(tab, "0")
        self.call("Emulation.setDeviceMetricsOverride", self.sessions[tab], width=width, height=height, deviceScaleFactor=1, mobile=False)


class Firefox(Browser):
    """Controlled with Marionette over TCP."""

    panel = f"moz-extension://{FIREFOX_UUID}/panel.html"
    PREFERENCES = {
        "browser.aboutwelcome.enabled": False, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
        "dom.security.https_first": False, "extensions.webextensions.uuids": json.dumps({FIREFOX_ID: FIREFOX_UUID}), "marionette.port": 0,
        "media.autoplay.default": 0, "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
        "toolkit.telemetry.reportingpolicy.firstRun": False, "xpinstall.signatures.required": False,
    }

    takes_addresses = False  # not even from its own command
    program = ("firefox-esr",)
    place = "firefox"  # of the profile, in the user's home

    def __init__(self, laptop, made: pathlib.Path, names: str = "page.test,other.test", arguments=()):
        self.profile = laptop.home / self.place
        self.profile.mkdir(parents=True, exist_ok=True)
        port = self.profile / "MarionetteActivePort"
        port.unlink(missing_ok=True)
        preferences = {**self.PREFERENCES, "network.dns.localDomains": names}
        (self.profile / "user.js").write_text("".join(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in preferences.items()))
        self.log = (laptop.home / "firefox.log").open("wb")
        self.arguments = [*self.program, *["--headless"] * self.headless, "--profile", self.profile, *["--no-remote"] * (not self.takes_addresses),
                          "--width", "800", "--height", "600", *arguments]
        self.process = laptop.spawn([*self.arguments, "--marionette", "--remote-allow-system-access"], stdout=self.log, stderr=subprocess.STDOUT)
        self.connection, self.last, self.lock = self.connect(port), 0, threading.Lock()
        self.read()  # its user agent
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"pageLoadStrategy": "none"}})
        self.load(laptop, made)

    def load(self, laptop, made: pathlib.Path):
        """Installs the files that the package installs elsewhere."""
        hosts = laptop.home / ".mozilla" / "native-messaging-hosts"
        hosts.mkdir(parents=True)
        shutil.copy(made / "host.firefox.json", hosts / f"{HOST}.json")
        if self.takes_addresses:
            # An extension that stays after a restart must be packed.
            packed = shutil.make_archive(str(laptop.home / "extension"), "zip", made / "firefox")
            packed = pathlib.Path(packed).rename(laptop.home / "extension.xpi")
            self.call("Addon:Install", path=str(packed), temporary=False)
        else:
            self.call("Addon:Install", path=str(made / "firefox"), temporary=True)

    def connect(self, file: pathlib.Path):
        limit = time.monotonic() + LIMIT
        while True:
            try:
                with socket.create_connection(("127.0.0.1", int(file.read_text())), timeout=LIMIT) as connection:
                    return connection.makefile("rwb")
            except (OSError, ValueError):
                if time.monotonic() > limit:
                    raise
                time.sleep(0.1)

    def command(self) -> list:
        return self.arguments

    def close_all(self):
        """Closes the browser as its user does, so that it keeps its data."""
        self.call("Marionette:Quit", flags=["eAttemptQuit"])
        self.process.wait(LIMIT)

    def end(self):
        self.connection.close()
        self.log.close()

    def read(self):
        length = b""
        while not length.endswith(b":"):
            length += self.connection.read(1)
        return json.loads(self.connection.read(int(length[:-1])))

    def call(self, command: str, **parameters):
        with self.lock:
            self.last += 1
            message = json.dumps([0, self.last, command, parameters]).encode()
            self.connection.write(b"%d:%s" % (len(message), message))
            self.connection.flush()
            _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{command}: {error['message']}")
        return result.get("value", result) if isinstance(result, dict) else result

    def tabs(self) -> list:
        return self.call("WebDriver:GetWindowHandles")

    def switch(self, tab, focus: bool = False):
        self.call("WebDriver:SwitchToWindow", handle=tab, focus=focus)

    def address(self, tab) -> str:
        try:
            self.switch(tab)
            return self.call("WebDriver:GetCurrentURL")
        except RuntimeError:
            return ""  # closed meanwhile

    def open(self, url: str, private: bool = False):
        tab = self.call("WebDriver:NewWindow", type="window" if private else "tab", focus=True, private=private)["handle"]
        self.switch(tab, focus=True)
        # Marionette's own navigation does not open an extension's pages.
        self.privileged("gBrowser.loadURI(Services.io.newURI(arguments[0]), "
                        "{ triggeringPrincipal: Services.scriptSecurityManager.getSystemPrincipal() })", url)
        return tab

    def privileged(self, script: str, *arguments):
        """Runs a script with the browser's own rights, in the window of the current tab."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.call("WebDriver:ExecuteScript", script=script, args=arguments)
        finally:
            self.call("Marionette:SetContext", value="content")

    def show(self, tab):
        self.switch(tab, focus=True)

    def close(self, tab):
        self.switch(tab)
        self.call("WebDriver:CloseWindow")
        self.switch(self.tabs()[0])

    def resize(self, tab, width: int, height: int):
        """Resizes a tab and its window."""
        self.switch(tab)
        self.call("WebDriver:SetWindowRect", width=width, height=height)

    def evaluate(self, tab, expression: str):
        self.switch(tab)
        try:
            return self.call("WebDriver:ExecuteScript", script=f"return ({expression})", args=[])
        except RuntimeError as error:
            if "evalInSandbox" not in str(error):
                raise
            return None  # another page is about to replace this one
