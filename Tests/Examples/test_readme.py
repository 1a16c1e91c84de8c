# SPDX-License-Identifier: Apache-2.0
"""The commands of the README, and of the pages with its details, work unchanged and in order, on laptops with real daemons and the simulated
radio."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unittest

from laptops import BIN, LIMIT, ROOT
from typed import Typed

README, INSTALL, COMMAND_LINE = "README.md", "Documentation/Install.md", "Documentation/CommandLine.md"
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in (README, INSTALL, COMMAND_LINE)}
# The page that shows what the demo prints.
SIMULATED_RADIO = (ROOT / "Documentation" / "SimulatedRadio.md").read_text(encoding="utf-8")

# Commands that no step runs, with the reason.
UNTESTED = {
    "git clone URL baton": "needs the network",
    "cd baton": "is the directory of these sources",
    "git pull": "needs the network",
    "make demo": "test_the_demo_prints_the_transcript_of_the_page runs what it runs",
    "make test": "it runs this",
    "baton trace": "lasts until its user ends it; test_trace.py does",
    "make": "it builds what this runs",
    "make BUILD_PACKAGES=": "it is the same without Debian's packages",
    "meson setup --prefix=/usr .build/libbaton Libraries/GObject": "make deb does, in a directory of its own",
    "meson compile -C .build/libbaton": "make deb does, in a directory of its own",
    "sudo meson install -C .build/libbaton": "needs root; make deb installs below a directory of its own",
    "sudo make install-browser": "needs root; Tests/Packaging installs below a directory of its own",
    "sudo make install-adapters": "needs root; Tests/Packaging installs below a directory of its own",
    "sudo make install-gtk": "needs root; Tests/Packaging installs below a directory of its own",
    "sudo make install-camera": "needs root; Tests/Packaging installs below a directory of its own",
    "sudo make install-gnome-shell": "needs root; Tests/Packaging installs below a directory of its own",
    "sudo make install": "needs root; Tests/Packaging installs below a directory of its own",
    "systemctl --user enable --now batond": "needs systemd; the package enables it in the lab (make lab-package)",
    "systemctl --user enable --now baton-adapters": "needs systemd; Tests/Adapters/test_installed starts it by its entry",
    "make deb": "make test-all does, beside this",
    "sudo apt install ./.build/deb/{baton,baton-gtk,baton-browser,baton-adapters,libbaton-1-0,gir1.2-baton-1}_*.deb": "needs root; the lab has dpkg install baton (make lab-package)",
    "sudo apt install ./*.deb": "needs root; it is the command above in a directory with the same packages",
    "sudo /usr/lib/baton/setup/close-firewall": "needs root; Tests/Packaging does in a copy of this system",
    "sudo apt purge baton baton-gtk baton-camera baton-browser baton-adapters libbaton-1-0 gir1.2-baton-1": "needs root; the lab has dpkg purge baton (make lab-package)",
    "sudo make uninstall": "needs root; Tests/Packaging uninstalls below a directory of its own",
    "baton pair --address 192.0.2.7:4711": "an address for documents, which nobody has",
    "zbarcam --oneshot --raw | baton pair --code -": "needs a camera",
}


def commands(page: str) -> list:
    """Returns all commands of a page in order: the lines of code blocks without a language, and inline code.

    In a block that shows output, only the lines after a prompt are commands."""
    found = []
    for language, block, inline in re.findall(r"^ *```(\w*)\n(.*?)^ *```$|`([^`\n]+)`", page, re.S | re.M):
        if inline:
            found += [inline] if re.match(r"(baton|git|make|meson|sudo|systemctl|zbarcam)\b(?!-)", inline) else []
        elif not language:
            lines = [line.strip() for line in block.splitlines() if line]
            shown = [line[2:] for line in lines if line.startswith("$ ")]
            found += shown or lines
    return found


class Walk(Typed):
    """One step for each command of the README and of the page on the terminal, in order. A step that checks more than success has its own method."""

    def on_both(self, command: str):
        for laptop in (self.desk, self.sofa):
            laptop.type(command)

    def examined(self, command: str):
        """Runs the command on two new laptops, neither of which is in a circle yet."""
        paired = self.desk, self.sofa
        self.fresh()
        for laptop in (self.desk, self.sofa):
            process = laptop.begin(command)
            found, _ = process.communicate(timeout=2 * LIMIT)
            self.assertEqual(process.returncode, 2, found)
            self.assertIn("no-circle: ", found)
        self.desk, self.sofa = paired

    def on_desk(self, command: str):
        self.desk.type(command)

    def on_sofa(self, command: str):
        self.sofa.type(command)

    def pair(self, command: str):
        """Pairs the two laptops."""
        self.compare([laptop.begin(command) for laptop in (self.desk, self.sofa)])

    def show_code(self, command: str):
        """Shows a QR code on a fresh pair of laptops."""
        self.fresh()
        self.showing = self.desk.begin(command)
        self.hear(self.showing, "or, where there is no camera", begins=True)
        self.code = self.line(self.showing) + "\n"

    def read_code(self, command: str):
        self.sofa.type(command, self.code)
        self.hear(self.showing, "paired: ", begins=True)
        self.assertEqual(self.showing.wait(LIMIT), 0)

    def create(self, command: str):
        """Creates a circle on the first of two new laptops. Its invitation will be in a file."""
        self.fresh()
        self.desk.type(command)

    def invite(self, command: str):
        self.desk.type(command)
        shutil.move(self.desk.home / "invitation", self.sofa.home)

    def devices(self, command: str):
        listed = self.desk.type(command)
        self.assertIn("desk", listed)
        self.assertIn("sofa", listed)

    def remove(self, command: str):
        """Removes a laptop of the previous pair, whose circle is no longer needed."""
        desk, sofa = self.before
        sofa.type("baton rename sofa")
        self.eventually(lambda: "  sofa  " in desk.type("baton devices"))
        desk.type(command)

    def leave(self, command: str):
        self.before[0].type(command)

    def anew(self, command: str):
        """Starts to pair the removed laptop again."""
        self.returning = self.before[1].begin(command)

    def pair_again(self, command: str):
        self.compare([self.returning, self.before[0].begin(command)])

    def publish(self, command: str):
        """Publishes until the end of the test."""
        self.publishing = self.desk.begin(command)
        self.hear(self.publishing, "publishing ", begins=True)

    def nearby(self, command: str):
        self.assertIn("desk", self.sofa.type(command))

    def continue_(self, command: str):
        held = json.loads(self.sofa.type(command))
        self.assertEqual((held["title"], held["userInfo"]), ("Letter to Ada", {"draft": "Dear Ada,"}))
        self.hear(self.publishing, "continued on sofa", begins=True)

    def open(self, command: str):
        before = self.sofa.opened()
        self.sofa.type(command)
        self.eventually(lambda: self.sofa.opened() == [*before, "https://example.org/"])

    def overview(self, command: str):
        self.assertIn('To continue here, run "baton open":', self.sofa.type(command))

    def rule(self, command: str):
        self.assertNotIn("warning", self.sofa.type(command))

    def ping(self, command: str):
        self.assertIn('"sofa" answers over ', self.desk.type(command))

    def give_nothing(self, command: str):
        self.assertIn("sofa", self.desk.type(command))
        self.desk.type(command.replace("stop", "stop --undo"))

    def save(self, command: str):
        self.end(self.desk.begin(command), "publishing ")

    def serve(self, command: str):
        self.end(self.sofa.begin(command), "serving ")

    def end(self, process: subprocess.Popen, begun: str):
        """Waits until a program runs, and ends it as Ctrl-C does."""
        self.hear(process, begun, begins=True)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(LIMIT), 0)

    def titled(self, command: str):
        """Checks the title, which is known because the activity was continued before."""
        self.assertIn("Letter to Ada", self.sofa.type(command))

    README_STEPS = [
        ("baton pair", pair),
        ("baton apps", on_sofa),
        ("baton doctor", examined),
        ("baton status", on_both),
    ]
    COMMAND_LINE_STEPS = [
        ("baton pair", pair),
        ("baton pair --qr", show_code),
        ("baton pair --code -", read_code),
        ("baton circle create --name desk", create),
        ("baton circle invite invitation", invite),
        ("baton circle join invitation --name sofa", on_sofa),
        ("baton rename NAME", on_sofa),
        ("baton devices", devices),
        ("baton ping DEVICE", ping),
        ("baton history", on_sofa),
        ("baton stop DEVICE", give_nothing),
        ("baton remove DEVICE", remove),
        ("baton leave", leave),
        ("baton pair --anew", anew),
        ("baton pair", pair_again),
        ('baton publish --type org.example.letter --title "Letter to Ada" --info draft="Dear Ada," --webpage https://example.org/', publish),
        ("baton nearby --wait 20", nearby),
        ("baton continue --type org.example.letter --json", continue_),
        ("baton open", open),
        ("baton open desk", open),
        ("baton", overview),
        ("baton rules", on_sofa),
        ("baton rules add near device=desk", rule),
        ("baton rules add --first never type=org.example.mail", rule),
        ("baton pause 1h", on_sofa),
        ("baton nearby", titled),
        ("baton help publish", on_sofa),
        ("baton grants", on_sofa),
        ("baton publish --type TYPE --save-command COMMAND", save),
        ("baton serve --app ID --exec COMMAND", serve),
    ]
    STEPS = {README: README_STEPS, INSTALL: [], COMMAND_LINE: COMMAND_LINE_STEPS}

    def walk(self, page: str):
        for command, step in self.STEPS[page]:
            with self.subTest(command=command):
                step(self, command)

    def test_every_command_of_the_readme_works_unchanged_in_order(self):
        self.walk(README)

    def test_every_command_of_the_terminal_page_works_unchanged_in_order(self):
        self.walk(COMMAND_LINE)
        self.publishing.send_signal(signal.SIGINT)
        self.hear(self.publishing, "ended ", begins=True)
        self.assertEqual(self.publishing.wait(LIMIT), 0)


class Commands(unittest.TestCase):
    def test_every_command_is_run_or_named_as_untested(self):
        for name, page in PAGES.items():
            with self.subTest(name):
                self.assertEqual([command for command in commands(page) if command not in UNTESTED], [command for command, _ in Walk.STEPS[name]])

    def test_every_command_in_the_untested_list_is_on_a_page(self):
        self.assertEqual(set(UNTESTED) - {command for page in PAGES.values() for command in commands(page)}, set())

    def test_a_command_anywhere_on_a_page_is_found(self):
        page = "Do `make x`, not `batond`, `baton-json` or `--option`.\n\n```\n$ baton a\nits output\n```\n\n1. Do\n\n   ```\n   baton b\n   baton c | d\n   ```\n\n```swift\nbaton\n```\n`baton`"
        self.assertEqual(commands(page), ["make x", "baton a", "baton b", "baton c | d", "baton"])


class Transcript(unittest.TestCase):
    def test_the_demo_prints_the_transcript_of_the_page(self):
        shown = re.search(r"^```\n\$ make demo\n(.*?)^```$", SIMULATED_RADIO, re.S | re.M)[1]
        done = subprocess.run([sys.executable, ROOT / "Scripts" / "demo"], env={**os.environ, "BATON_BIN": str(BIN), "NO_COLOR": "1"}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=10 * LIMIT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        said, printed = masked(shown), masked(done.stdout)
        # Two simultaneous events may come in any order, and dots on the page stand for omitted details.
        self.assertEqual([line for line in said if line not in printed and line != "..."], [])
        details = [line for line in printed if re.match(r"\w+: ", line)]
        optional = [line for line in printed if "has connected with" in line]
        self.assertEqual([line for line in printed if line not in said and line not in details + optional], [])


def masked(transcript: str) -> list:
    """Returns the lines of a transcript without times, signal strengths and transports, of which the fastest wins."""
    differs = re.compile(r"-?\b\d+(\.\d+)* ?(ms|s|dBm)\b|(?<=over )(simulated|tcp)\b")
    return [differs.sub("#", line.strip()) for line in transcript.splitlines() if line.strip()]
