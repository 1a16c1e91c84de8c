# SPDX-License-Identifier: Apache-2.0
"""The examples of the manual pages work as they stand there: on laptops with real daemons, on the simulated radio.

    BATON_BIN=DIRECTORY /usr/bin/python3 -m unittest discover -s Tests/Examples
"""

import json
import re
import signal
import subprocess
import unittest

from laptops import LIMIT, ROOT
from typed import Typed

MANUAL = ROOT / "Packaging" / "manual"


def examples(page: str) -> list:
    """The command lines of a page's examples, as a reader sees them."""
    text = re.sub(r"\\f.", "", (MANUAL / page).read_text(encoding="utf-8")).replace("\\-", "-").replace("\\e", "\\")
    return re.findall(r"(?m)^    (.+)$", text.split(".SH EXAMPLES")[1])


class Examples(Typed):
    """One step for each command of baton(1) and baton-json(5), in an order in which one follows upon the other."""

    def pair(self, command: str):
        self.compare([laptop.begin(command) for laptop in (self.desk, self.sofa)])

    def publish(self, command: str):
        """A letter of a megabyte; it ends once it was continued."""
        self.letter = bytes(range(256)) * 4096
        (self.desk.home / "letter.odt").write_bytes(self.letter)
        self.publishing = self.desk.begin(command)
        self.hear(self.publishing, "publishing org.example.letter")

    def near(self, command: str):
        """Who offers something is near."""
        self.eventually(lambda: self.sofa.type(command).splitlines() == self.names(self.desk))

    def names(self, laptop) -> list:
        return [member["deviceName"] for member in json.loads(laptop.type("baton devices --json")) if member["thisDevice"]]

    def watch(self, command: str):
        """Each line comes when there is an offer, and not at the end of all."""
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
        ("baton nearby --watch --json | jq --unbuffered -r 'select(.event == \"appeared\") | .type'", watch),
        ("baton continue --type org.example.letter --wait 60 --stream-to letter.odt --json", continue_),
        ("baton open desk", open),
        ("baton rules add near type=org.example.notes.edit", rule),
        ("baton rules add --first never type=org.example.mail", rule),
        ("baton trace --output slow", trace),
        ("baton remove desk", remove),
    ]

    def test_every_example_works_as_it_stands(self):
        for command, step in self.STEPS:
            with self.subTest(command=command):
                step(self, command)

    def test_every_example_has_a_step(self):
        self.assertEqual(sorted(examples("baton.man") + examples("baton-json.5")), sorted(command for command, _ in self.STEPS))


if __name__ == "__main__":
    unittest.main()
