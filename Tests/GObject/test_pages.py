# SPDX-License-Identifier: Apache-2.0
"""The smallest apps of Documentation/Languages, as they stand there, and one in Vala: each offers what it has, and takes over what another one offers.

D-Bus starts the one that takes over, when its user chooses the activity.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from installed import INSTALLED, LIMIT, ROOT, Laptops, compile_c, directories

PAGES = ROOT / "Documentation" / "Languages"
TYPE = "org.example.tiny.write"
STREAMED = "org.example.book.read"
BUILD_LIMIT = 600  # seconds that the Swift app may take to build


def code(page: str, language: str, which: int = 0) -> str:
    """A piece of code of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (PAGES / page).read_text(encoding="utf-8"), re.S | re.M)[which]


def swift(app: pathlib.Path, *arguments: str) -> str:
    """What Swift's package manager says of an app."""
    program = os.environ.get("SWIFT") or "swift"
    return subprocess.run([program, arguments[0], "--package-path", app, *arguments[1:]], check=True, timeout=BUILD_LIMIT, stdout=subprocess.PIPE, text=True).stdout


def swift_app() -> pathlib.Path:
    """Where the app of Swift.md is built, beside a clone of Baton that is this one."""
    place = ROOT / ".build" / "pages"
    (place / "tiny" / "Sources" / "tiny").mkdir(parents=True, exist_ok=True)
    if not (place / "baton").is_symlink():
        (place / "baton").symlink_to(ROOT)
    for which, name in enumerate(("Package.swift", "Sources/tiny/main.swift")):
        (place / "tiny" / name).write_text(code("Swift.md", "swift", which), encoding="utf-8")
    swift(place / "tiny", "build")
    return place / "tiny" / ".build" / "debug"


class Smallest(Laptops):
    def prepare(self, laptop):
        super().prepare(laptop)
        entry, service = re.findall(r"^```ini\n(.*?)^```$", (PAGES / "C.md").read_text(encoding="utf-8"), re.S | re.M)
        data = pathlib.Path(laptop.environment["XDG_DATA_HOME"])
        for path, text in (("applications/org.example.Tiny.desktop", entry), ("dbus-1/services/org.example.Tiny.service", service)):
            (data / path).parent.mkdir(parents=True)
            (data / path).write_text(re.sub(r"(?m)^Exec=.*", f"Exec={self.root / 'start'}", text), encoding="utf-8")
        self.install(laptop, "org.example.Book", STREAMED, str(self.root / "start"), activatable=True)

    def setUp(self):
        super().setUp()
        for name, page, language in (("tiny.c", "C.md", "c"), ("tiny.py", "Python.md", "python"), ("tiny.js", "GJS.md", "js")):
            (self.root / name).write_text(code(page, language), encoding="utf-8")
        compile_c(self.root / "tiny", [self.root / "tiny.c"])
        self.compile_vala()
        self.programs = {"C": [self.root / "tiny"], "Python": ["/usr/bin/python3", self.root / "tiny.py"],
                         "GJS": ["gjs", "-m", self.root / "tiny.js"], "Vala": [self.root / "tiny-vala"],
                         "Swift": [swift_app() / "tiny"]}

    def compile_vala(self):
        """By the description that libbaton-dev has for Vala."""
        share = INSTALLED / "share"
        shutil.copy(pathlib.Path(__file__).resolve().with_name("tiny.vala"), self.root)
        subprocess.run(["valac", "--fatal-warnings", "--vapidir", share / "vala" / "vapi", "--girdir", share / "gir-1.0", "--pkg", "baton-1",
                        "-o", "tiny-vala", "tiny.vala"], cwd=self.root, env={**os.environ, **directories()}, check=True, timeout=LIMIT)

    def offered(self, activity_type: str = TYPE) -> list:
        return [offer for offer in json.loads(self.sofa.baton("nearby", "--json")[0]) if offer["type"] == activity_type]

    def install_on_sofa(self, language: str):
        """What D-Bus starts there; what it prints is in a file."""
        words = " ".join(f"'{word}'" for word in self.programs[language])
        self.start_on_sofa(words)

    def start_on_sofa(self, words: str):
        program = self.root / "start"
        program.write_text(f"#!/bin/sh\nexec {words} 'nothing yet' >'{self.root}/said' 2>&1\n", encoding="utf-8")
        program.chmod(0o755)

    def end_the_one_on_the_sofa(self, application: str = "org.example.Tiny"):
        """By its number, which the bus knows."""
        asked = subprocess.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus", "--method",
                                "org.freedesktop.DBus.GetConnectionUnixProcessID", application],
                               env=self.sofa.environment, text=True, check=True, timeout=LIMIT, stdout=subprocess.PIPE)
        subprocess.run(["kill", re.search(r"uint32 (\d+)", asked.stdout)[1]], check=True)

    def test_each_takes_over_from_each_and_is_started_for_it(self):
        order = list(self.programs)
        for giver, taker in zip(order, order[1:] + order[:1]):
            with self.subTest(giver=giver, taker=taker):
                self.install_on_sofa(taker)
                giving = self.desk.spawn([*self.programs[giver], f"written in {giver}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.eventually(self.offered)
                self.sofa.baton("open", "--type", TYPE)
                self.assertRegex((self.root / "said").read_text(encoding="utf-8"), rf"\Acontinued( from desk)?: written in {giver}\n\Z")
                self.end_the_one_on_the_sofa()
                giving.terminate()
                self.assertEqual(self.ended(giving)[1], "")
                self.eventually(lambda: not self.offered())

    def test_an_app_in_swift_fetches_no_other_package(self):
        app = swift_app().parents[1]
        baton = json.loads(swift(app, "package", "show-dependencies", "--format", "json"))["dependencies"]
        self.assertEqual([(package["identity"], package["dependencies"]) for package in baton], [("baton", [])])

    def test_streams_of_a_gjs_app_go_from_laptop_to_laptop(self):
        (self.root / "book.js").write_text(code("GJS.md", "js", 1), encoding="utf-8")
        book = ["gjs", "-m", str(self.root / "book.js")]
        text = 3_000 * "Once upon a time é 😀 "
        self.start_on_sofa(" ".join(book))
        giving = self.desk.spawn([*book, text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.eventually(lambda: self.offered(STREAMED))
        self.sofa.baton("open", "--type", STREAMED)
        self.assertEqual((self.root / "said").read_text(encoding="utf-8"), f"read from desk: {text}\n")
        self.end_the_one_on_the_sofa("org.example.Book")
        giving.terminate()
        self.assertEqual(self.ended(giving)[1], "")


if __name__ == "__main__":
    unittest.main()
