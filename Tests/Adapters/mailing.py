# SPDX-License-Identifier: Apache-2.0
"""Debian's Thunderbird on two laptops, with Baton's extension, local folders and a mail server of the tests.
Thunderbird is controlled with Marionette."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import socketserver
import subprocess
import sys
import threading
import time

from apps import EXTENSION, LIMIT, ROOT

sys.path.insert(0, str(ROOT / "Tests" / "Browsers"))
from driven import Firefox  # noqa: E402

ID, HOST = "mail@batonproject.org", "org.batonproject.mail_host"
UUID = "7d0f5e52-9f0c-4a5e-8f0b-0c8a52a9a1c4"  # Thunderbird would choose it at random
WRITING, READING = "org.batonproject.mail.compose", "org.batonproject.mail.read"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
# Every script gets these names.
NAMES = """
const windows = (type) => [...Services.wm.getEnumerator(type)];
const composers = windows("msgcompose");
const composer = composers.at(-1);
const bucket = (window) => [...window.document.getElementById("attachmentBucket").itemChildren].map((item) => item.attachment);
const pills = (window, kind) => [...window.document.querySelectorAll(`#${kind}AddrContainer .address-pill, #${kind}AddrContainer mail-address-pill`)]
    .map((pill) => pill.fullAddress);
const front = windows("mail:3pane")[0];
const { MailServices } = ChromeUtils.importESModule("resource:///modules/MailServices.sys.mjs");
"""
OPEN_SETTINGS = """
const [id, url] = arguments;
const { extension } = WebExtensionPolicy.getByID(id);
const { browser } = front.document.getElementById("tabmail").openTab("contentTab", { url, triggeringPrincipal: extension.principal });
while (browser.currentURI.spec !== url || browser.webProgress?.isLoadingDocument) await new Promise((resolve) => front.setTimeout(resolve, 50));
front.focus();
browser.focus();
"""


class MailServer:
    """An SMTP server that accepts messages and delivers none."""

    def __init__(self):
        self.messages = messages = []

        class Conversation(socketserver.StreamRequestHandler):
            def handle(self):
                self.tell("220 ready")
                while line := self.rfile.readline():
                    command = line.split()[0].upper() if line.split() else b""
                    if command == b"DATA":
                        self.tell("354 go on")
                        messages.append(b"".join(iter(self.rfile.readline, b".\r\n")))
                    if command == b"QUIT":
                        return
                    self.tell("250 done")

            def tell(self, line: str):
                self.wfile.write(f"{line}\r\n".encode())

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Conversation)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()


def make_extension(directory: pathlib.Path) -> pathlib.Path:
    """Makes the extension as it is packaged. Returns its directory."""
    subprocess.run([ROOT / "Packaging" / "make-mail-extension"], env={**os.environ, "MADE": str(directory)}, check=True, timeout=LIMIT)
    return directory / "thunderbird"


class Thunderbird(Firefox):
    """Thunderbird on a laptop."""

    headless = False
    takes_addresses = True

    def __init__(self, laptop, program: str, directory: pathlib.Path | None, server: MailServer, address: str):
        """Makes a profile. `directory` has the extension. If it is None, the package has installed the extension for
        all users."""
        self.laptop, self.program, self.profile = laptop, program, laptop.home / "profile"
        self.profile.mkdir()
        self.preferences = {
            "datareporting.policy.dataSubmissionEnabled": False, "mail.shell.checkDefaultClient": False,
            "extensions.webextensions.uuids": json.dumps({ID: UUID}), "marionette.port": 0, "devtools.console.stdout.content": True,
            "mail.rights.version": 1, "mailnews.start_page.enabled": False, "mail.spotlight.firstRunDone": True,
            "mail.provider.suppress_dialog_on_startup": True,
            "mail.accountmanager.accounts": "account1,account2", "mail.accountmanager.defaultaccount": "account2",
            "mail.accountmanager.localfoldersserver": "server1", "mail.account.account1.server": "server1",
            "mail.server.server1.type": "none", "mail.server.server1.hostname": "Local Folders", "mail.server.server1.name": "Local Folders",
            "mail.server.server1.userName": "nobody", "mail.server.server1.directory": str(self.profile / "Mail"),
            "mail.account.account2.server": "server2", "mail.account.account2.identities": "id1",
            "mail.server.server2.type": "pop3", "mail.server.server2.hostname": "127.0.0.1", "mail.server.server2.userName": "ada",
            "mail.server.server2.name": address, "mail.server.server2.login_at_startup": False, "mail.server.server2.check_new_mail": False,
            "mail.server.server2.directory": str(self.profile / "Mail2"), "mail.identity.id1.useremail": address, "mail.identity.id1.fullName": "Ada",
            "mail.identity.id1.valid": True, "mail.identity.id1.smtpServer": "smtp1", "mail.identity.id1.fcc": False,
            "mail.smtpservers": "smtp1", "mail.smtp.defaultserver": "smtp1", "mail.smtpserver.smtp1.hostname": "127.0.0.1",
            "mail.smtpserver.smtp1.port": server.port, "mail.smtpserver.smtp1.authMethod": 1, "mail.smtpserver.smtp1.try_ssl": 0,
        }
        if directory:  # in the profile, where Thunderbird would ask
            self.preferences |= {"extensions.autoDisableScopes": 0, "xpinstall.signatures.required": False}
        (self.profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in self.preferences.items()), encoding="utf-8")
        if directory:
            self.install(directory)
        programs = laptop.home / "bin"
        programs.mkdir()
        own = programs / program
        own.write_text(f'#!/bin/sh\nexec /usr/lib/thunderbird/thunderbird --profile {self.profile} --marionette --remote-allow-system-access "$@"'
                       f' >>{laptop.home}/thunderbird.log 2>&1\n', encoding="utf-8")
        own.chmod(0o755)
        laptop.environment["PATH"] = f"{programs}:{laptop.environment['PATH']}"

    def install(self, directory: pathlib.Path):
        """Installs the extension as the package does, but for one user."""
        laptop = self.laptop
        places = pathlib.Path(laptop.environment["HOME"]) / ".mozilla"
        (places / "native-messaging-hosts").mkdir(parents=True)
        manifest = json.loads((directory.parent / "thunderbird-host.json").read_text(encoding="utf-8"))
        manifest["path"] = str(EXTENSION / "Thunderbird" / "host" / "mail-host")
        (places / "native-messaging-hosts" / f"{HOST}.json").write_text(json.dumps(manifest), encoding="utf-8")
        (self.profile / "extensions").mkdir()
        packed = shutil.make_archive(str(laptop.home / "mail"), "zip", directory)
        shutil.copy(packed, self.profile / "extensions" / f"{ID}.xpi")

    def start(self):
        self.laptop.spawn([self.program], **QUIET)
        self.attach()

    def attach(self):
        """Controls a Thunderbird that another program starts."""
        port = self.profile / "MarionetteActivePort"
        self.connection, self.last, self.lock = self.connect(port), 0, threading.Lock()
        self.read()
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"pageLoadStrategy": "none"}})
        self.call("Marionette:SetContext", value="chrome")
        self.call("WebDriver:SetTimeouts", script=LIMIT * 1000)

    def run(self, script: str, *arguments):
        """Runs a script with Thunderbird's own rights. The script's value may be a promise."""
        self.switch(self.call("WebDriver:GetWindowHandles")[0])
        wrapped = (f"const done = arguments[arguments.length - 1]; (async () => {{ {NAMES} {script} }})()"
                   ".then((found) => done({ found: found ?? null }), (error) => done({ error: String(error) + error.stack }));")
        found = self.call("WebDriver:ExecuteAsyncScript", script=wrapped, args=arguments)
        if "error" in found:
            raise RuntimeError(found["error"])
        return found["found"]

    def switch_first_setting(self):
        """Opens the page with the extension's settings, and switches the first one by the keyboard."""
        self.run(OPEN_SETTINGS, ID, f"moz-extension://{UUID}/options.html")
        for key in ("Tab", "space"):
            time.sleep(0.5)
            subprocess.run(["xdotool", "key", key], env=self.laptop.environment, check=True, timeout=LIMIT)
