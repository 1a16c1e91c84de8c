# SPDX-License-Identifier: Apache-2.0
"""Tests the smallest apps of Documentation/Languages as written: each offers a text, and takes over another app's.

D-Bus starts the app that takes over, when its user chooses the activity.
"""

import json
import os
import pathlib
import re
import subprocess
import time
import unittest

from installed import BIN, LIMIT, ROOT, Laptops, compile_c, demo
from test_lua import LUA
from test_vala import compile_vala

HERE = pathlib.Path(__file__).resolve().parent
PAGES = ROOT / "Documentation" / "Languages"
TYPE = "org.example.tiny.write"
STREAMED = "org.example.book.read"
PATIENT = str(HERE / "patient.js")
# The smallest app of each page: its language, and its position among the page's code blocks.
SMALLEST = {"C.md": ("c", 0), "GJS.md": ("js", 0), "Lua.md": ("lua", 0), "Python.md": ("python", 0), "Swift.md": ("swift", 1), "Vala.md": ("vala", 0)}
BUILD_LIMIT = 600  # seconds that the Swift app may take to build


def code(page: str, language: str, which: int = 0) -> str:
    """Returns a piece of a page's code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (PAGES / page).read_text(encoding="utf-8"), re.S | re.M)[which]


def swift(app: pathlib.Path, *arguments: str) -> str:
    """Runs Swift's package manager for an app, and returns its output."""
    program = os.environ.get("SWIFT") or "swift"
    return subprocess.run([program, arguments[0], "--package-path", app, *arguments[1:]], check=True, timeout=BUILD_LIMIT, stdout=subprocess.PIPE, text=True).stdout


def swift_app() -> pathlib.Path:
    """Returns the directory where the app of Swift.md is built, beside a link to this clone of Baton."""
    place = ROOT / ".build" / "pages"
    (place / "tiny" / "Sources" / "tiny").mkdir(parents=True, exist_ok=True)
    if not (place / "baton").is_symlink():
        (place / "baton").symlink_to(ROOT)
    for which, name in enumerate(("Package.swift", "Sources/tiny/main.swift")):
        (place / "tiny" / name).write_text(code("Swift.md", "swift", which), encoding="utf-8")
    swift(place / "tiny", "build")
    return place / "tiny" / ".build" / "debug"


class Pages(unittest.TestCase):
    def test_every_page_has_a_smallest_app(self):
        self.assertEqual(set(SMALLEST), {path.name for path in PAGES.iterdir()})


class SmallestApps(Laptops):
    def prepare(self, laptop):
        super().prepare(laptop)
        # batond leaves an app out whose program does not exist, so the program must exist before batond starts.
        self.start_on_sofa("false")
        entry, service = re.findall(r"^```ini\n(.*?)^```$", (PAGES / "C.md").read_text(encoding="utf-8"), re.S | re.M)
        data = pathlib.Path(laptop.environment["XDG_DATA_HOME"])
        for path, text in (("applications/org.example.Tiny.desktop", entry), ("dbus-1/services/org.example.Tiny.service", service)):
            (data / path).parent.mkdir(parents=True)
            (data / path).write_text(re.sub(r"(?m)^Exec=.*", f"Exec={self.root / 'start'}", text), encoding="utf-8")
        self.install(laptop, "org.example.Book", STREAMED, str(self.root / "start"), activatable=True)

    def setUp(self):
        super().setUp()
        for name, page in (("tiny.c", "C.md"), ("tiny.py", "Python.md"), ("tiny.js", "GJS.md"), ("tiny.lua", "Lua.md"), ("tiny.vala", "Vala.md")):
            (self.root / name).write_text(code(page, *SMALLEST[page]), encoding="utf-8")
        compile_c(self.root / "tiny", [self.root / "tiny.c"])
        compile_vala(self.root / "tiny-vala", self.root / "tiny.vala")
        self.programs = {"C": [self.root / "tiny"], "Python": ["/usr/bin/python3", self.root / "tiny.py"],
                         "GJS": ["gjs", "-m", self.root / "tiny.js"], "Vala": [self.root / "tiny-vala"],
                         "Lua": [LUA, self.root / "tiny.lua"], "Swift": [swift_app() / "tiny"]}

    def offered(self, activity_type: str = TYPE) -> list:
        return [offer for offer in json.loads(self.sofa.baton("nearby", "--json")[0]) if offer["type"] == activity_type]

    def install_on_sofa(self, language: str):
        """Installs the app that D-Bus starts on the sofa. The app's output goes to a file."""
        words = " ".join(f"'{word}'" for word in self.programs[language])
        self.start_on_sofa(words)

    def start_on_sofa(self, words: str):
        program = self.root / "start"
        program.write_text(f"#!/bin/sh\nexec {words} 'nothing yet' >'{self.root}/said' 2>&1\n", encoding="utf-8")
        program.chmod(0o755)

    def end_the_one_on_the_sofa(self, application: str = "org.example.Tiny"):
        """Ends the app on the sofa by its process id, which the bus knows."""
        asked = subprocess.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus", "--method",
                                "org.freedesktop.DBus.GetConnectionUnixProcessID", application],
                               env=self.sofa.environment, text=True, check=True, timeout=LIMIT, stdout=subprocess.PIPE)
        subprocess.run(["kill", re.search(r"uint32 (\d+)", asked.stdout)[1]], check=True)

    def test_each_app_continues_from_another_and_is_started_for_that(self):
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

    def test_each_app_declines_at_once_an_activity_without_text(self):
        """The other laptop must learn of the refusal at once, and not only when the app's garbage collector runs."""
        contents = self.root / "contents.json"
        contents.write_text('{"text": 1}', encoding="utf-8")
        for language in self.programs:
            with self.subTest(language):
                self.install_on_sofa(language)
                giving = self.desk.spawn([BIN / "baton", "publish", "--type", TYPE, "--info-json", contents], stdout=subprocess.PIPE, text=True)
                self.eventually(self.offered)
                started = time.monotonic()
                with self.assertRaises(demo.Failure):
                    self.sofa.baton("open", "--type", TYPE)
                self.assertLess(time.monotonic() - started, 5)
                self.end_the_one_on_the_sofa()
                giving.terminate()
                self.ended(giving)
                self.eventually(lambda: not self.offered())

    def test_an_app_in_swift_fetches_no_other_package(self):
        app = swift_app().parents[1]
        baton = json.loads(swift(app, "package", "show-dependencies", "--format", "json"))["dependencies"]
        self.assertEqual([(package["identity"], package["dependencies"]) for package in baton], [("baton", [])])

    def book(self, reading: str = "") -> list:
        """Returns the app of GJS.md with streams, with another `read` function if one is given."""
        program = code("GJS.md", "js", 1)
        if reading:
            program, count = re.subn(r"^async function read\(.*?^}\n", lambda _: reading, program, flags=re.S | re.M)
            self.assertEqual(count, 1)
        (self.root / "book.js").write_text(program, encoding="utf-8")
        return ["gjs", "-m", str(self.root / "book.js")]

    def give(self, command: list) -> str:
        """Returns what the app on the sofa prints about the activity of a program on the desk."""
        giving = self.desk.spawn(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.eventually(lambda: self.offered(STREAMED))
        self.sofa.baton("open", "--type", STREAMED)
        said = self.root / "said"
        self.eventually(lambda: said.read_text(encoding="utf-8").endswith("\n"))
        self.end_the_one_on_the_sofa("org.example.Book")
        if PATIENT not in command:
            giving.terminate()
        self.given = self.ended(giving)[1]
        return said.read_text(encoding="utf-8")

    def test_streams_of_a_gjs_app_go_from_laptop_to_laptop(self):
        text = 3_000 * "Once upon a time é 😀 "
        self.start_on_sofa(" ".join(self.book()))
        self.assertEqual((self.give([*self.book(), text]), self.given), (f"read from desk: {text}\n", ""))

    def test_streams_may_last_longer_than_the_time_limit_for_accepting(self):
        """An app that accepted only after the streams would make the other side wait forever."""
        self.start_on_sofa(" ".join(self.book()))
        self.assertEqual(self.give(["gjs", "-m", PATIENT, "patient", "Dear Ada,"]), "read from desk: Dear Ada,\n")

    def test_a_text_in_a_file_is_replaced_only_by_a_complete_one(self):
        self.start_on_sofa(" ".join(self.book(code("GJS.md", "js", 2))))
        data = pathlib.Path(self.sofa.environment["XDG_DATA_HOME"])
        for how, said in (("broken", "not read: the streams were cut short"), ("patient", f"read from desk: {data}/book.txt")):
            (data / "book.txt").write_text("mine", encoding="utf-8")
            self.assertIn(said, self.give(["gjs", "-m", PATIENT, how, "Dear Ada,"]))
            self.assertEqual((data / "book.txt").read_text(encoding="utf-8"), "Dear Ada," if how == "patient" else "mine")
            self.assertFalse((data / "book.txt.part").exists())
            self.eventually(lambda: not self.offered(STREAMED))
        self.assertEqual(self.given, "arrived\n")

    def test_an_app_that_cannot_store_a_text_informs_the_sender(self):
        self.start_on_sofa(" ".join(self.book(code("GJS.md", "js", 2))))
        (pathlib.Path(self.sofa.environment["XDG_DATA_HOME"]) / "book.txt" / "in the way").mkdir(parents=True)
        self.assertIn("not read: ", self.give(["gjs", "-m", PATIENT, "patient", "Dear Ada,"]))
        self.assertIn("cut short", self.given)
