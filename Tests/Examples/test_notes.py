# SPDX-License-Identifier: Apache-2.0
"""The notes of Examples/Notes, in Swift, Python, C and GJS, hand over to each other on two laptops with the simulated radio.

GTK has a separate display.

BATON_BIN is the directory of batond, baton and notes. The default is the debug build.
"""

import itertools
import pathlib
import queue
import shutil
import subprocess
import tempfile
import time
import types
import unittest

import library
from laptops import BIN, LIMIT, ROOT, Display, TwoLaptops, own_session

NOTES = ROOT / "Examples" / "Notes"


class Note:
    """A program that reads commands and prints lines: those in Swift, C and GJS."""

    def __init__(self, laptop, command):
        self.laptop = laptop
        self.process = subprocess.Popen(command, env=laptop.environment, text=True, bufsize=1, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.lines = queue.Queue()
        self.told = []
        own_session.reading(self.process, self.read)

    def read(self, output):
        for line in output:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def do(self, command: str):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def wait(self, wanted: str, begins: bool = False):
        """Skips lines until one is the wanted one, or, with `begins`, begins with it."""
        limit = time.monotonic() + LIMIT
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, limit - time.monotonic()))
            except queue.Empty:
                line = None
            if line is None:
                raise AssertionError(f"{self.process.args[0]} on {self.laptop.name} did not say '{wanted:.200}': {[line[:200] for line in self.told[-8:]]}")
            self.told.append(line)
            if line.startswith("error:"):
                raise AssertionError(f"{self.process.args[0]} on {self.laptop.name}, instead of '{wanted:.200}': {line:.200}")
            if line == wanted or begins and line.startswith(wanted):
                return

    # The user's actions. `Window` has the same methods.

    def write(self, text: str, cursor: int):
        """Types at the cursor, then moves the cursor. The program shows the note after each command."""
        for command in (f"type {text}", f"move {cursor}"):
            self.do(command)
            self.wait("note ", begins=True)

    def holds(self, text: str, cursor: int):
        """Waits until the program shows this note, which the daemon then has."""
        self.do("show")
        self.wait(f"note {cursor}: {text}")

    def carry_on(self, other: str):
        """Continues the other laptop's note."""
        self.do("continue")
        self.wait(f"continued from {other}")
        self.wait("note ", begins=True)

    def went_on(self):
        self.wait("it continues on another laptop")

    def end(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()
        self.process.wait(LIMIT)
        self.process.reader.join(LIMIT)
        self.process.stdout.close()


class Window:
    """The GTK program on a display. Keys are typed as on a keyboard, and an action replaces the button."""

    def __init__(self, laptop, display: str):
        self.laptop = laptop
        self.environment = {**laptop.environment, "DISPLAY": display, "GDK_BACKEND": "x11", "GTK_THEME": "Adwaita", "NO_AT_BRIDGE": "1",
                            "GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        self.log = open(laptop.home / "notes.log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(["/usr/bin/python3", str(NOTES / "Python" / "notes.py")], env=self.environment,
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)
        self.identifier = self.until("a window", lambda: self.xdotool("search", "--onlyvisible", "--name", "^Notes$").split()[0])
        self.xdotool("windowfocus", "--sync", self.identifier)

    def xdotool(self, *arguments) -> str:
        return subprocess.run(["xdotool", *arguments], env=self.environment, text=True, check=True, timeout=LIMIT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout

    def until(self, what: str, look):
        """Returns the result of `look` as soon as there is one."""
        limit = time.monotonic() + LIMIT
        while time.monotonic() < limit:
            try:
                found = look()
                if found:
                    return found
            except (subprocess.CalledProcessError, IndexError):
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.log.seek(0)
        raise AssertionError(f"notes.py on {self.laptop.name}: no {what}: {self.log.read()[-2000:]}")

    def bus(self, method: str, *arguments) -> str:
        return subprocess.run(
            ["gdbus", "call", "--session", "--dest", "org.example.Notes", "--object-path", "/org/example/Notes", "--method", method, *arguments],
            env=self.environment, text=True, check=True, timeout=LIMIT, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout

    def write(self, text: str, cursor: int):
        self.xdotool("type", "--window", self.identifier, "--delay", "5", text)
        self.xdotool("key", "--window", self.identifier, "ctrl+Home")
        if cursor:
            self.xdotool("key", "--window", self.identifier, "--delay", "5", "--repeat", str(cursor), "Right")

    def holds(self, text: str, cursor: int):
        """Checks nothing, because the next program that continues the note checks it."""

    def carry_on(self, other: str):
        self.until("offer", lambda: self.bus("org.gtk.Actions.Describe", "continue").startswith("((true,"))
        self.bus("org.gtk.Actions.Activate", "continue", "[]", "{}")

    def went_on(self):
        """Checks nothing, because a test cannot read the window."""

    def end(self):
        self.process.terminate()
        self.process.wait(LIMIT)
        self.log.close()


class Notes(TwoLaptops):
    def prepare(self, laptop):
        laptop.environment.update(library.directories())

    def program(self, language: str, laptop):
        commands = {"Swift": [str(BIN / "notes")], "C": [str(self.c_program)], "GJS": ["gjs", "-m", str(NOTES / "GJS" / "notes.js")]}
        program = Window(laptop, self.display.name) if language == "Python" else Note(laptop, commands[language])
        self.addCleanup(program.end)
        return program

    def build(self):
        """Starts a display for the window, and compiles the C program."""
        self.display = Display()
        self.addCleanup(self.display.end)
        self.c_program = self.root / "notes-c"
        library.compile_c(self.c_program, [NOTES / "C" / "notes.c"])

    def test_the_local_note_is_kept_below_the_received_note(self):
        self.build()
        for language in ("Swift", "C", "Python", "GJS"):
            with self.subTest(language=language):
                there, here = self.program("Swift", self.sofa), self.program(language, self.desk)
                here.write("typed here", 3)
                there.write("from there", 4)
                there.holds("from there", 4)
                here.carry_on("sofa")
                there.went_on()
                both = "from there\\n\\n--- What was here before: ---\\ntyped here"
                here.holds(both, 4)
                # The whole note comes back, and replaces the half that was continued before.
                there.carry_on("desk")
                there.holds(both, 4)
                # Text that was continued elsewhere and not changed since is not kept twice.
                there.write("!", 5)
                there.holds("from!" + both[4:], 5)
                here.carry_on("sofa")
                there.went_on()
                here.holds("from!" + both[4:], 5)
                there.carry_on("desk")
                there.holds("from!" + both[4:], 5)
                for program in (here, there):
                    program.end()

    def test_two_notes_that_are_too_long_together_both_stay_unchanged(self):
        self.build()
        for language, waits in itertools.product(("Swift", "C", "GJS"), (False, True)):
            with self.subTest(language=language, waits=waits):
                there, here = self.program("Swift", self.sofa), self.program(language, self.desk)
                here.write("h" * 20_000, 0)
                if waits:
                    here.do("continue")
                there.write("t" * 20_000, 0)
                there.holds("t" * 20_000, 0)
                if not waits:
                    here.do("continue")
                with self.assertRaisesRegex(AssertionError, "error: both notes are too long for one"):
                    here.wait("continued from sofa")
                here.holds("h" * 20_000, 0)
                there.holds("t" * 20_000, 0)
                for program in (here, there):
                    program.end()

    def test_each_language_continues_a_note_of_each_other_one(self):
        self.build()
        # Every pair of languages occurs once in each direction. Each program continues at the previous one's cursor,
        # and adds a word.
        order = ["Swift", "Python", "Swift", "C", "Python", "C", "Swift", "GJS", "Python", "GJS", "C", "GJS", "Swift"]
        words = ["Dear Ada,", "the ", "difference ", "\u00e9\u2192\U0001f600 ", "engine ", "is ", "here ", "and ", "it ", "is ", "\U0001f600 ", "at ", "last "]
        text, cursor = "", 0
        before = None
        for step, (language, word) in enumerate(zip(order, words)):
            laptop, other = (self.desk, self.sofa) if step % 2 == 0 else (self.sofa, self.desk)
            with self.subTest(step=step, language=language, text=text):
                program = self.program(language, laptop)
                if before:
                    program.carry_on(other.name)
                    before.went_on()
                    program.holds(text, cursor)
                # Type in the middle of the text, so that the cursor's position matters.
                text = text[:cursor] + word + text[cursor:]
                cursor = max(1, (cursor + len(word)) // 2)
                program.write(word, cursor)
                program.holds(text, cursor)
                # A laptop runs one program, so the previous one must end.
                if before:
                    before.end()
                before = program


class DeliveredNotes(unittest.TestCase):
    """Activities that Baton delivers to the GTK program through org.batonproject.Application1."""

    def test_a_note_is_accepted_only_from_baton(self):
        from gi.repository import Gio, GLib
        root = pathlib.Path(tempfile.mkdtemp(prefix="baton-notes-"))
        self.addCleanup(shutil.rmtree, root, ignore_errors=True)
        display = Display()
        self.addCleanup(display.end)
        environment = own_session.environment(root)
        daemon, address = own_session.start_bus(environment)
        self.addCleanup(daemon.stdout.close)
        self.addCleanup(daemon.wait, LIMIT)
        self.addCleanup(daemon.terminate)

        def connect():
            flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
            return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)

        def call(bus, method, arguments):
            return bus.call_sync("org.example.Notes", "/org/example/Notes", "org.batonproject.Application1", method, arguments, None,
                                 Gio.DBusCallFlags.NONE, LIMIT * 1000, None).unpack()

        baton, other = connect(), connect()
        baton.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                        GLib.Variant("(su)", ("org.batonproject.Baton", 4)), None, Gio.DBusCallFlags.NONE, -1, None)
        environment.update({**library.directories(), "DBUS_SESSION_BUS_ADDRESS": address})
        laptop = types.SimpleNamespace(name="sofa", home=root, environment=environment)
        window = Window(laptop, display.name)
        self.addCleanup(window.end)
        details = GLib.Variant("(sa{sv})", ("org.example.notes.edit", {"deviceName": GLib.Variant("s", "desk")}))

        self.assertEqual(call(baton, "WillContinue", details), (True,))

        def note(text, cursor, kind="org.example.notes.edit"):
            info = GLib.Variant("a{sv}", {"text": text, "cursor": cursor})
            return GLib.Variant("(sa{sv})", ("c1", {"type": GLib.Variant("s", kind), "userInfo": info}))

        string, number = (lambda text: GLib.Variant("s", text)), (lambda value: GLib.Variant("x", value))
        self.assertEqual(call(baton, "Continue", note(string("Dear Ada,"), number(4))), (True,))
        # These activities have data that is no note, or a cursor outside of the text.
        self.assertEqual(call(baton, "Continue", note(number(1), number(4))), (False,))
        self.assertEqual(call(baton, "Continue", note(string("x" * 40_000), number(4))), (False,))
        self.assertEqual(call(baton, "Continue", note(string("x"), number(4), "org.example.other")), (False,))
        self.assertEqual(call(baton, "Continue", note(string("x"), number(-7))), (True,))
        self.assertEqual(call(baton, "DidFail", GLib.Variant("(sss)", ("org.example.notes.edit", "UserCancelled", "It was cancelled."))), ())
        for method, arguments in (("WillContinue", details), ("Continue", note(string("forged"), number(0)))):
            with self.assertRaisesRegex(GLib.Error, "only Baton may call this"):
                call(other, method, arguments)
