# SPDX-License-Identifier: Apache-2.0
"""The examples of the manual pages work unchanged, on laptops with real daemons and the simulated radio."""

import json
import os
import pathlib
import re
import signal
import subprocess

from laptops import BIN, LIMIT, ROOT
from typed import Typed

# The name is not written as one word, because a test searches for programs that start the installed session bus.
RUN = "dbus-run-" + "session"
MANUAL = ROOT / "Packaging" / "manual"


def examples(page: str) -> list:
    """Returns the command lines of a page's examples, as a reader sees them."""
    text = re.sub(r"\\f.", "", (MANUAL / page).read_text(encoding="utf-8")).replace("\\-", "-").replace("\\e", "\\")
    return re.findall(r"(?m)^    (.+)$", text.split(".SH EXAMPLES")[1])


class Examples(Typed):
    """One step for each command of baton(1) and baton-json(5), in a working order."""

    def pair(self, command: str):
        self.compare([laptop.begin(command) for laptop in (self.desk, self.sofa)])

    def publish(self, command: str):
        """Publishes a letter of one megabyte. The process ends after one continuation."""
        self.letter = bytes(range(256)) * 4096
        (self.desk.home / "letter.odt").write_bytes(self.letter)
        self.publishing = self.desk.begin(command)
        self.hear(self.publishing, "publishing org.example.letter")

    def near(self, command: str):
        """Checks that the laptop that offers something is near."""
        self.eventually(lambda: self.sofa.type(command).splitlines() == self.names(self.desk))

    def names(self, laptop) -> list:
        return [member["deviceName"] for member in json.loads(laptop.type("baton devices --json")) if member["thisDevice"]]

    def watch(self, command: str):
        """Checks that the line of an offer is printed when the offer appears, and not only at the end."""
        watching = self.sofa.begin(command)
        self.hear(watching, "org.example.letter")

    def continue_(self, command: str):
        held = json.loads(self.sofa.type(command))
        self.assertEqual((held["title"], held["userInfo"]), ("Letter to Ada", {"draft": "Dear Ada,"}))
        self.assertEqual((self.sofa.home / "letter.odt").read_bytes(), self.letter)
        self.assertEqual(self.ended(self.publishing)[0], 0)

    def open(self, command: str):
        self.desk.type("baton rename desk")
        self.hear(self.desk.begin("baton publish --type org.example.page --webpage https://example.org/"), "publishing org.example.page")
        self.eventually(lambda: "desk" in self.sofa.type("baton nearby"))
        self.sofa.type(command)
        self.eventually(lambda: self.sofa.opened() == ["https://example.org/"])

    def rule(self, command: str):
        self.sofa.type(command)
        self.assertIn(command.split()[-1], self.sofa.type("baton rules"))

    def trace(self, command: str):
        tracing = self.sofa.begin(command)
        tracing.stdin.write("it begins\n")
        tracing.stdin.flush()
        self.hear(tracing, "marked")
        tracing.send_signal(signal.SIGINT)
        self.assertEqual(self.ended(tracing)[0], 0)
        self.assertIn("<svg", (self.sofa.home / "slow.html").read_text(encoding="utf-8"))

    def remove(self, command: str):
        self.sofa.type(command)
        self.assertEqual(len(json.loads(self.sofa.type("baton devices --json"))), 1)

    STEPS = [
        ("baton pair", pair),
        ('baton publish --type org.example.letter --title "Letter to Ada" --info draft="Dear Ada," --stream-from letter.odt --once', publish),
        ("baton devices --json | jq -r '.[] | select(.near) | .deviceName'", near),
        ("baton nearby --watch --json | jq --unbuffered -r '.type // empty'", watch),
        ("baton continue --type org.example.letter --wait 60 --stream-to letter.odt --json", continue_),
        ("baton open desk", open),
        ("baton rules add near type=org.example.notes.edit", rule),
        ("baton rules add --first never type=org.example.mail", rule),
        ("baton trace --output slow", trace),
        ("baton remove desk", remove),
    ]

    def test_every_example_works_unchanged(self):
        for command, step in self.STEPS:
            with self.subTest(command=command):
                step(self, command)

    def test_every_example_has_a_step(self):
        self.assertEqual(sorted(examples("baton.man") + examples("baton-json.5")), sorted(command for command, _ in self.STEPS))


class Files(Typed):
    """The description in batond(8) of the directory with the daemon's lasting data."""

    def test_every_file_that_the_daemon_keeps_is_named(self):
        page = (MANUAL / "batond.man").read_text(encoding="utf-8").split(".SH FILES")[1]
        named = re.findall(r"(?m)^\\fI(.*)\\fR$", page[page.index(".RS"):page.index(".RE")])
        entry = pathlib.Path(self.desk.environment["XDG_DATA_HOME"], "applications", "org.example.Mine.desktop")
        entry.parent.mkdir(parents=True, exist_ok=True)
        entry.write_text("[Desktop Entry]\nType=Application\nName=Mine\nExec=true\nX-Baton-Adapter=org.example.Player;\n", encoding="utf-8")
        self.eventually(lambda: "org.example.Mine" in self.desk.type("baton adapters"))
        self.desk.type("baton adapters allow mine")
        self.desk.type("gdbus call --session --dest org.batonproject.Baton --object-path /org/batonproject/Baton "
                       "--method org.batonproject.Baton1.Saved.Save song '{}' \"{'application': <'org.example.Mine'>}\"")
        kept = self.desk.home / "state"
        self.eventually((kept / "saved").exists)
        self.assertEqual(sorted({*os.listdir(kept), "domains", "grants", "history"}), sorted(named))


class Daemons(Typed):
    """batond(8) and baton-panel(1). Commands for systemd and /etc have no step: Scripts/user-manager reads the journal, and the
    desktop reads its settings for programs that start at login."""

    def setUp(self):
        super().setUp()
        for program in ("batond", "baton-panel"):
            (self.desk.home / "bin" / program).symlink_to(BIN / program if program == "batond" else ROOT / "Extensions" / "StatusNotifierItem" / program)

        # A bus that starts only this laptop's services.
        runner = self.desk.home / "bin" / RUN
        runner.write_text(f'#!/bin/sh\nexec /usr/bin/{RUN} --config-file="$XDG_DATA_HOME/dbus-1/own-session.conf" "$@"\n', encoding="utf-8")
        runner.chmod(0o755)

    def typed(self, shell, command: str):
        """Waits until the daemon is ready, and types a command. Before that, the bus would start another daemon."""
        while "serving" not in self.line(shell):
            pass
        shell.stdin.write(command + "\n")
        shell.stdin.flush()

    def adapter(self, command: str):
        """Starts a daemon for a named adapter. This needs a system bus, even one without bluetoothd."""
        shell = self.desk.begin(f"{RUN} -- sh -c 'DBUS_SYSTEM_BUS_ADDRESS=$DBUS_SESSION_BUS_ADDRESS {command} & exec sh'")
        self.typed(shell, "baton status --json >status.json; exit")
        self.ended(shell)
        status = json.loads((self.desk.home / "status.json").read_text(encoding="utf-8"))
        self.assertFalse(status["tcp"])

    def directories(self, command: str):
        self.ended(self.desk.begin(command))

    def first(self, command: str):
        self.shells = [self.desk.begin(command)]

    def second(self, command: str):
        """Starts the second daemon, and pairs the two like laptops within radio range."""
        self.shells.append(self.desk.begin(command))
        for shell in self.shells:
            self.typed(shell, "exec baton pair")
        self.compare(self.shells)

    def panel(self, command: str):
        self.desk.begin(command)
        asked = ["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/", "--method",
                 "org.freedesktop.DBus.GetConnectionUnixProcessID", "org.batonproject.BatonPanel"]

        def process():
            done = subprocess.run(asked, env=self.desk.environment, text=True, capture_output=True, timeout=LIMIT, check=False)
            return re.fullmatch(r"\(uint32 (\d+),\)\n", done.stdout)
        os.kill(int(self.eventually(process)[1]), signal.SIGTERM)
        self.eventually(lambda: not process())

    STEPS = {
        "batond --adapter hci1 --tcp off": adapter,
        "mkdir -m 700 desk sofa": directories,
        RUN + " -- sh -c 'batond --radio simulated --state-directory desk & exec sh'": first,
        RUN + " -- sh -c 'batond --radio simulated --state-directory sofa & exec sh'": second,
        "journalctl --user -u batond": None,
        "setsid baton-panel": panel,
        "mkdir -p ~/.config/autostart": None,
        "cp /etc/xdg/autostart/org.batonproject.BatonPanel.desktop ~/.config/autostart/": None,
        "echo Hidden=true >>~/.config/autostart/org.batonproject.BatonPanel.desktop": None,
    }

    def test_every_example_works_unchanged(self):
        self.assertEqual(examples("batond.man") + examples("baton-panel.1"), list(self.STEPS))
        for command, step in self.STEPS.items():
            with self.subTest(command=command):
                if step:
                    step(self, command)
