# SPDX-License-Identifier: Apache-2.0
"""The Perl app in Documentation/DBus/UserInfo.md hands over between two laptops. D-Bus starts it for that."""

import json
import pathlib
import re
import subprocess

from laptops import LIMIT, ROOT, TwoLaptops, demo

APP, TYPE = "org.example.Tiny", "org.example.tiny.write"
PAGE = (ROOT / "Documentation/DBus/UserInfo.md").read_text(encoding="utf-8")


class Perl(TwoLaptops):
    def prepare(self, laptop):
        self.program = self.root / "tiny"
        self.program.write_text(re.findall(r"^```perl\n(.*?)^```$", PAGE, re.S | re.M)[0], encoding="utf-8")
        self.program.chmod(0o755)
        self.output = self.root / "output"
        applications = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "applications"
        applications.mkdir(parents=True)
        (applications / f"{APP}.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName=Tiny\nExec=sh -c \"exec {self.program} >>{self.output}\"\nX-Baton-ActivityTypes={TYPE};\n", encoding="utf-8")

    def offer(self, text: str):
        giving = self.desk.spawn([self.program, text], stdout=subprocess.PIPE, text=True)
        self.hear(giving, "offered")

    def test_the_perl_app_is_started_and_continues_its_own_kind_of_activity(self):
        self.offer("Dear Ada, \u00e9")
        opened, _ = self.sofa.baton("open", "--type", TYPE, "--wait", LIMIT)
        self.assertEqual(opened, f"continued in Tiny ({APP})")
        self.eventually(lambda: "continued from desk: Dear Ada, \u00e9, 11 characters\n" in self.output.read_text(encoding="utf-8"))

    def test_the_perl_apps_values_have_the_declared_types(self):
        self.offer("34")
        held = json.loads(self.sofa.baton("continue", "--type", TYPE, "--wait", LIMIT, "--json")[0])
        self.assertEqual(held["userInfo"], {"text": "34", "cursor": 2, "marks": ["a", 1]})

    def test_the_perl_apps_error_is_reported_in_one_line(self):
        publisher = self.desk.spawn([self.desk.binaries / "baton", "publish", "--type", TYPE], stdout=subprocess.PIPE, text=True)
        self.hear(publisher, f"publishing {TYPE}")
        with self.assertRaisesRegex(demo.Failure, r'baton: Tiny did not continue it\. It says: "there is no text in it"\.'):
            self.sofa.baton("open", "--type", TYPE, "--wait", LIMIT)
        self.eventually(lambda: 'failed: Tiny did not continue it. It says: "there is no text in it". Try again, or choose another app.\n' in self.output.read_text(encoding="utf-8"))
