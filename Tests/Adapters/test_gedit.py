# SPDX-License-Identifier: Apache-2.0
"""Hands texts over in the real gedit, on two laptops with the simulated radio, a display and a window manager each."""

import json
import pathlib
import shutil
import subprocess
import sys

from gi.repository import GLib

from apps import EXTENSION, LIMIT, Display, demo
from plugins import Exchanging, Line, Listener, copy_named, make
from test_editors import FILES, ODD, TEXT, TYPE, Edited

PROBE = pathlib.Path(__file__).resolve().parent / "gedit-probe"
GEDIT = "org.gnome.gedit"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Window:
    """gedit on a laptop, with a plugin that reports its state."""

    def __init__(self, test, laptop):
        self.test, self.laptop, self.terminal = test, laptop, self

    def start(self, *words):
        self.laptop.spawn(["gedit", *words], **QUIET)
        self.test.eventually(lambda: (self.look() or {}).get("state") == 0)

    def evaluate(self, code: str):
        answer = self.test.ask(self.laptop, GEDIT, "/probe", "org.example.Probe", "Evaluate", GLib.Variant("(s)", (code,)))
        return json.loads(answer[0]) if answer else None

    def look(self) -> dict | None:
        return self.evaluate("probe.look()")

    def screen(self) -> str:
        return json.dumps({**(self.look() or {}), "lines": None})

    def go(self, line: int, column: int, top: int):
        self.evaluate(f"probe.go({line}, {column}, {top})")

    def insert(self, text: str):
        self.evaluate(f"probe.insert({text!r})")

    def append(self, text: str):
        self.evaluate(f"probe.tab().get_document().insert(probe.tab().get_document().get_end_iter(), {text!r})")

    def visit(self, address):
        self.evaluate(f"probe.visit({str(address)!r})")


class Windowed(Edited):
    """Two laptops with gedit."""

    def prepare(self, laptop):
        super().prepare(laptop)
        display = Display()
        self.addCleanup(display.end)
        laptop.environment |= {"DISPLAY": display.name, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "keyfile", "GIO_USE_VFS": "local"}
        data, configuration = (pathlib.Path(laptop.environment[name]) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"))
        (data / "dbus-1" / "services").mkdir(parents=True, exist_ok=True)
        shutil.copy(f"/usr/share/dbus-1/services/{GEDIT}.service", data / "dbus-1" / "services")
        plugins = data / "gedit" / "plugins"
        plugins.mkdir(parents=True)
        for each in (EXTENSION / "gedit" / "baton.plugin", EXTENSION / "gedit" / "baton", PROBE / "probe.plugin", PROBE / "probe.py"):
            (plugins / each.name).symlink_to(each)
        (configuration / "glib-2.0" / "settings").mkdir(parents=True)
        self.activate(laptop, "modelines", "baton", "probe")

    def activate(self, laptop, *plugins: str):
        """Turns plugins on for the next gedit."""
        settings = pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "glib-2.0" / "settings" / "keyfile"
        settings.write_text(f"[org/gnome/gedit/plugins]\nactive-plugins={list(plugins)}\n", encoding="utf-8")

    def begin(self, laptop):
        laptop.spawn(["openbox"], **QUIET)
        super().begin(laptop)

    def texts(self) -> list:
        """Returns the unsaved texts that the sofa's adapters have left behind."""
        return list((pathlib.Path(self.sofa.environment["XDG_DATA_HOME"]) / "baton" / "documents").glob("*"))

    def editor(self, laptop, program: str):
        return Window(self, laptop) if program == "gedit" else super().editor(laptop, program)

    def opened(self, name: str = "letter.txt", text: str = TEXT):
        """Starts gedit on the desk with a file that is on both laptops, and waits until gedit has reported the file to
        the adapters."""
        for laptop in (self.desk, self.sofa):
            self.write(laptop, name, text)
        return self.edit("gedit", self.home(self.desk) / name)

    def begin_adapters(self, laptop):
        super().begin(laptop)


class Gedit(Windowed):
    def test_file_continues_at_its_place(self):
        here = self.opened("Letters/Dear Ada é.txt")
        here.go(150, 16, 140)
        self.at(here, line=150, column=16, top=140)
        there = self.carry_on("gedit")
        self.at(there, file=str(self.home(self.sofa) / "Letters" / "Dear Ada é.txt"), line=150, column=16, top=140, unsaved=0, readonly=0, said="")

    def test_text_continues_back_in_the_window_that_shows_it(self):
        here = self.opened()
        there = self.carry_on("gedit")
        there.go(20, 1, 5)
        self.at(there, line=20, top=5)
        self.eventually(lambda: self.offer(self.desk, TYPE))
        self.desk.baton("open", "--type", TYPE)
        self.at(here, file=str(self.home(self.desk) / "letter.txt"), line=20, top=5, texts=1)

    def test_unsaved_text_continues_unsaved(self):
        here = self.opened(text="Dear Ada,\n")
        here.insert(ODD)
        there = self.carry_on("gedit")
        self.at(there, file=str(self.home(self.sofa) / "letter.txt"), unsaved=1, line=1, lines=[ODD, "Dear Ada,"])
        for laptop in (self.desk, self.sofa):
            self.assertEqual((self.home(laptop) / "letter.txt").read_text(encoding="utf-8"), "Dear Ada,\n")
        self.assertEqual(self.texts(), [])
        # One undo removes the arrived text. What remains is the text of the saved file.
        there.evaluate("probe.tab().get_document().undo()")
        self.at(there, lines=["Dear Ada,"])

    def test_unsaved_text_replaces_no_file_that_differs(self):
        here = self.write(self.desk, "letter.txt", "Dear Ada,\n")
        there = self.write(self.sofa, "Notes/letter.txt", "Dear Bob,\n")
        self.share(here.parent, there.parent)
        self.edit("gedit", here).insert("I")
        editor = self.carry_on("gedit")
        found = self.at(editor, file="", unsaved=1, line=1, lines=["I", "Dear Ada,"])
        self.assertIn('"letter.txt" differs here from the file on "desk".', found["said"])
        # The user decides which text to keep.
        editor.evaluate("probe.press()")
        self.at(editor, file=str(there), unsaved=1, line=1, lines=["I", "Dear Ada,"], texts=1)
        self.assertEqual(there.read_text(encoding="utf-8"), "Dear Bob,\n")

    def share(self, *folders):
        """Shares one folder, which has another name on each laptop."""
        for laptop, folder in zip((self.desk, self.sofa), folders):
            configuration = pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "baton" / "folders"
            configuration.parent.mkdir(parents=True, exist_ok=True)
            configuration.write_text(f"notes = {folder}\n", encoding="utf-8")

    def test_unsaved_text_replaces_no_unsaved_text(self):
        here = self.opened(text="Dear Ada,\n")
        there = self.editor(self.sofa, "gedit")
        there.start(self.home(self.sofa) / "letter.txt")
        there.insert("typed there")
        here.insert("typed here")
        self.carry_on("gedit")
        found = self.at(there, file="", unsaved=1, lines=["typed here", "Dear Ada,"], texts=2)
        self.assertIn('"letter.txt" differs here', found["said"])
        there.visit(self.home(self.sofa) / "letter.txt")
        self.at(there, unsaved=1, lines=["typed there", "Dear Ada,"])

    def test_missing_file_opens_as_a_copy_with_a_note(self):
        here = self.edit("gedit", self.write(self.desk, "engine.py", "import os\n" + TEXT))
        here.go(3, 2, 1)
        self.at(here, line=3)
        there = self.carry_on("gedit")
        found = self.at(there, file="", line=3, column=2, unsaved=0, readonly=1)
        self.assertEqual(found["lines"], ("import os\n" + TEXT).split("\n")[:-1])
        self.assertIn("python", found["type"])
        self.assertIn('This is "engine.py" from "desk". This is a copy from "desk". Saving it asks where.', found["said"])
        # The text is editable only after it was saved.
        there.evaluate("probe.tab().get_view().set_editable(True)")
        self.at(there, readonly=1)
        kept = self.home(self.sofa) / "kept.py"
        there.evaluate(f"probe.save_as({str(kept)!r})")
        self.at(there, file=str(kept), readonly=0, unsaved=0)
        self.assertEqual(kept.read_text(encoding="utf-8"), "import os\n" + TEXT)

    def test_identical_hidden_file_opens_as_a_copy_and_its_unsaved_text_as_a_new_document(self):
        paths = [self.write(laptop, ".bashrc", "alias l=ls\n") for laptop in (self.desk, self.sofa)]
        here = self.edit("gedit", paths[0])
        there = self.carry_on("gedit")
        self.at(there, file="", unsaved=0, readonly=1, lines=["alias l=ls"])
        here.visit(paths[0].as_uri())
        here.insert("I")
        self.at(here, unsaved=1)
        self.at(self.carry_on("gedit"), file="", unsaved=1, readonly=0, lines=["I", "alias l=ls"])
        self.assertEqual(paths[1].read_text(encoding="utf-8"), "alias l=ls\n")

    def test_text_that_was_never_saved_continues(self):
        here = self.editor(self.desk, "gedit")
        here.start()
        here.insert("I have no name")
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        found = self.at(self.carry_on("gedit"), file="", unsaved=1, readonly=0, texts=1)
        self.assertEqual(found["lines"][0], "I have no name")

    def test_copy_that_is_saved_has_the_same_bytes(self):
        here, there = self.opened(), self.editor(self.sofa, "gedit")
        for name, file in FILES.items():
            with self.subTest(name=name):
                path = self.home(self.desk) / f"{name}.txt"
                path.write_bytes(file)
                here.visit(path)
                self.at(here, file=str(path), state=0)
                self.eventually(lambda: self.offer(self.sofa, TYPE))
                self.carry_on("gedit")
                found = self.at(there, file="", readonly=1, unsaved=0)
                self.assertEqual([line.strip("\r\ufeff") for line in found["lines"]], ["n\xe9", "two"])
                kept = self.home(self.sofa) / f"kept-{name}.txt"
                there.evaluate(f"probe.save_as({str(kept)!r})")
                self.at(there, file=str(kept), unsaved=0, readonly=0)
                self.assertEqual(kept.read_bytes(), file)

    def test_unsaved_text_is_saved_in_the_form_of_its_file(self):
        """gedit adds a line end to the last line."""
        for name, encoding in (("latin-1", "latin-1"), ("utf-16", "utf-16")):
            with self.subTest(name=name):
                paths = [self.home(laptop) / f"{name}.txt" for laptop in (self.desk, self.sofa)]
                for path in paths:
                    path.write_bytes(FILES[name])
                here = self.editor(self.desk, "gedit")
                here.start(paths[0])
                self.at(here, file=str(paths[0]), state=0)
                here.insert("more")
                self.eventually(lambda: self.offer(self.sofa, TYPE))
                there = self.carry_on("gedit")
                found = self.at(there, file=str(paths[1]), unsaved=1)
                self.assertEqual([line.strip("\r\ufeff") for line in found["lines"]], ["more", "n\xe9", "two"])
                there.evaluate(f"probe.save_as({str(paths[1])!r})")
                self.at(there, unsaved=0)
                end = "\r\n" if b"\r" in FILES[name] else "\n"
                self.assertEqual(paths[1].read_bytes().decode(encoding), f"more{end}n\xe9{end}two{end}")

    def test_unsaved_text_keeps_the_byte_order_mark_of_its_file(self):
        """gedit keeps the byte order mark as part of the text, so text inserted at the beginning would be saved before
        it."""
        paths = [self.home(laptop) / "marked.txt" for laptop in (self.desk, self.sofa)]
        for path in paths:
            path.write_bytes(FILES["mark-and-no-end"])
        here = self.editor(self.desk, "gedit")
        here.start(paths[0])
        self.at(here, file=str(paths[0]), state=0)
        here.append("more")
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        there = self.carry_on("gedit")
        self.at(there, file=str(paths[1]), unsaved=1, lines=["\ufeffn\xe9", "twomore"])
        there.evaluate(f"probe.save_as({str(paths[1])!r})")
        self.at(there, unsaved=0)
        self.assertEqual(paths[1].read_bytes(), FILES["mark-and-no-end"] + b"more\n")

    def test_file_opens_in_the_encoding_of_the_other_laptop(self):
        """By itself, gedit on the other laptop would guess another encoding."""
        file = "Привет\n".encode("windows-1251")
        paths = [self.home(laptop) / "russian.txt" for laptop in (self.desk, self.sofa)]
        for path in paths:
            path.write_bytes(file)
        here = self.editor(self.desk, "gedit")
        here.start("--encoding=WINDOWS-1251", paths[0])
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        there = self.carry_on("gedit")
        self.at(there, file=str(paths[1]), lines=["Привет"], unsaved=0)
        there.insert("ещё")
        there.evaluate(f"probe.save_as({str(paths[1])!r})")
        self.at(there, unsaved=0)
        self.assertEqual(paths[1].read_bytes(), "ещё\n".encode("windows-1251") + file)

    def test_hostile_names_are_only_names(self):
        """Tests files that exist here, and copies, whose names come from another laptop."""
        here, there = self.opened(), self.editor(self.sofa, "gedit")
        for name, is_here in [(name, is_here) for name in ("--help", "--eval=(touch ran)", "+3", "$(touch ran)`touch ran`", "<b>&amp;%s", "file:,") for is_here in (True, False)]:
            with self.subTest(name=name, is_here=is_here):
                folder = "d" if is_here else "e"
                path = self.write(self.desk, f"{folder}/{name}", f"hostile {name}\n")
                if is_here:
                    self.write(self.sofa, f"{folder}/{name}", f"hostile {name}\n")
                here.visit(path)
                self.at(here, file=str(path))
                self.eventually(lambda: self.offer(self.sofa, TYPE))
                found = self.at(self.carry_on("gedit"), file=str(self.home(self.sofa) / folder / name) if is_here else "", lines=[f"hostile {name}"])
                if not is_here:
                    self.assertIn(f'This is "{name}" from "desk". This is a copy', found["said"])
        self.assertTrue(there.look())
        self.assertEqual(list(self.root.rglob("ran")), [])

    def test_invalid_place_does_no_harm(self):
        there = self.editor(self.sofa, "gedit")
        path, text = self.write(self.sofa, "letter.txt", TEXT), TEXT.encode()
        file = self.reference(path.name, text, type="text/plain")
        for wrong, line, column in ((-5, 1, 1), ("7; touch ran", 1, 1), (2**62, 1, 1), ([1], 1, 1), (2**31 - 1, 200, len(f"200: {ODD}") + 1)):
            info = {"line": wrong, "column": wrong, "top": wrong, "editor": "gedit", "file": file}
            with self.subTest(place=wrong), self.published(TYPE, info):
                self.eventually(lambda: self.offer(self.sofa, TYPE))
                self.carry_on("gedit")
                self.at(there, file=str(path), line=line, column=column, texts=1)

    def test_secret_files_are_not_offered(self):
        """Tests keys and temporary files."""
        editor, letter = self.opened(), self.home(self.desk) / "letter.txt"
        for path in (self.home(self.desk) / ".ssh" / "config", pathlib.Path(self.desk.environment["XDG_RUNTIME_DIR"]) / "note"):
            path.parent.mkdir(exist_ok=True)
            path.write_text("secret\n", encoding="utf-8")
            editor.visit(letter)
            self.eventually(lambda: self.offer(self.sofa, TYPE))
            editor.visit(path)
            self.eventually(lambda: not self.offer(self.sofa, TYPE))

    def test_restarted_service_learns_of_the_editor(self):
        editor = self.opened()
        self.desk.adapters.kill()
        self.desk.adapters.wait(LIMIT)
        self.eventually(lambda: not self.offer(self.sofa, TYPE))
        self.begin_adapters(self.desk)

        def is_offered():
            editor.insert("more")
            editor.evaluate("probe.tab().get_document().undo()")
            return self.offer(self.sofa, TYPE)
        self.eventually(is_offered)

    def test_gedit_without_the_plugin_gets_no_text_and_the_error_says_so(self):
        self.activate(self.sofa, "probe")
        self.opened()
        with self.assertRaisesRegex(demo.Failure, "org.gnome.gedit does not open it"):
            self.sofa.baton("open", "--type", TYPE)


class WithTestAsAdapters(Windowed):
    """gedit on the desk, with a test in place of the adapters. `self.directory` is the directory of the socket."""

    def setUp(self):
        super().setUp()
        self.desk.adapters.kill()
        self.desk.adapters.wait(LIMIT)
        self.directory = pathlib.Path(self.desk.environment["XDG_RUNTIME_DIR"]) / "baton" / "editors"
        self.listener = Listener(self, self.directory)
        self.gedit = self.editor(self.desk, "gedit")
        self.gedit.start(self.write(self.desk, "letter.txt", TEXT))
        self.line = self.listener.accept()
        self.assertEqual(self.line.hear(), {"version": 2, "editor": "gedit"})

    def nothing_is_pending(self):
        """Waits until all changes have been sent."""
        self.eventually(lambda: self.gedit.evaluate("__import__('baton').front.soon") == 0)

    def call(self, ticket: str) -> Line:
        """Asks gedit to open a text, which gedit then requests on a separate connection."""
        self.ask(self.desk, GEDIT, "/org/gnome/gedit", "org.freedesktop.Application", "ActivateAction",
                 GLib.Variant("(sava{sv})", ("baton-continue", [GLib.Variant("s", ticket)], {})))
        line = self.listener.accept()
        self.assertEqual(line.hear(), {"version": 2, "editor": "gedit", "ticket": ticket})
        return line

    def receive(self, name: str, **more) -> dict:
        """Returns gedit's answer to a copy."""
        line = self.call("ab" * 16)
        line.say(open=copy_named(name, **more))
        said = line.hear()
        self.assertIsNone(line.hear())
        return said

    def send(self, name: str, limit: int = 1 << 20) -> bool:
        """Returns whether gedit says that it wrote its text to a file."""
        self.line.say(ask=limit, text=name, limit=limit)
        return self.line.until(lambda line: line.get("answer") == limit)["state"].get("sent", False)


class Reports(WithTestAsAdapters):
    """gedit's reports."""

    def test_place_is_reported_after_a_pause(self):
        self.line.until(lambda line: line["state"])
        self.nothing_is_pending()
        self.gedit.go(70, 3, 60)
        found = self.line.until(lambda line: line["state"]["line"] == 70)
        self.assertEqual((found["state"]["column"], found["state"]["top"]), (3, 60))

    def test_many_changes_are_reported_as_one(self):
        """There are more changes than the adapters accept at once."""
        for number in range(300):
            self.gedit.evaluate(f"probe.tab().get_document().set_modified({number % 2 == 0})")
        other = self.write(self.desk, "other.txt", "Dear Bob,\n")
        self.gedit.visit(other)
        heard = 1
        while (self.line.hear()["state"] or {}).get("file") != str(other):  # none while a tab is empty
            heard += 1
        self.assertLess(heard, 100)

    def test_text_behind_another_window_is_not_reported_as_in_front(self):
        self.line.until(lambda line: line["state"])
        show = "import gi; gi.require_version('Gtk', '3.0'); from gi.repository import Gtk; Gtk.Window().show(); Gtk.main()"
        self.desk.spawn([sys.executable, "-c", show], **QUIET)
        self.eventually(lambda: self.gedit.evaluate("app.get_main_windows()[0].is_active()") is False)
        self.gedit.insert("more")
        self.nothing_is_pending()
        self.line.say(ask=1, text="none", limit=0)
        self.assertEqual(self.line.hear()["answer"], 1)
        self.gedit.evaluate("app.get_main_windows()[0].present()")
        self.line.until(lambda line: line["state"]["unsaved"])

    def test_missing_file_and_window_without_text_are_not_reported(self):
        """Tests a file that does not exist, and a window without texts."""
        self.line.until(lambda line: line["state"])
        self.gedit.visit(self.home(self.desk) / "missing.txt")
        self.line.until(lambda line: line["state"] is None)
        self.gedit.visit(self.home(self.desk) / "letter.txt")
        self.line.until(lambda line: line["state"])
        self.gedit.evaluate("app.get_main_windows()[0].close_all_tabs()")
        self.line.until(lambda line: line["state"] is None)

    def test_text_of_a_closed_window_is_no_longer_reported(self):
        self.line.until(lambda line: line["state"])
        self.gedit.evaluate("[window.close() for window in app.get_main_windows() if not app.create_window(None).show()]")
        self.line.until(lambda line: line["state"] is None)

    def test_plugin_that_is_turned_off_reports_nothing_more(self):
        self.gedit.evaluate("Gio.Settings.new('org.gnome.gedit.plugins').set_strv('active-plugins', ['probe'])")
        self.eventually(lambda: not self.line.hear())

    def test_text_that_is_too_large_is_not_sent(self):
        self.gedit.insert("more")
        for limit, sent in ((3, False), (1 << 20, True)):
            make(self.directory / f"text{limit}")
            self.assertEqual(self.send(f"text{limit}", limit), sent)
            self.assertEqual((self.directory / f"text{limit}").read_text(encoding="utf-8"), f"more\n{TEXT}" if sent else "")

    def test_file_that_is_not_text_is_not_opened(self):
        make(self.directory / "text", b"Dear\0Ada")
        self.assertEqual(self.receive("text"), {"failed": "it is no text"})
        self.at(self.gedit, file=str(self.home(self.desk) / "letter.txt"), texts=1)

    def test_encoding_unknown_to_gedit_is_reported(self):
        make(self.directory / "text", b"\xc9\x82\n")
        self.assertEqual(self.receive("text", encoding="cp437"), {"opened": True})
        found = self.at(self.gedit, file="", lines=["╔é"])
        self.assertIn('gedit does not know the encoding "cp437" and saves the text as UTF-8.', found["said"])

    def test_columns_do_not_count_the_byte_order_mark(self):
        make(self.directory / "text", TEXT.encode())
        self.assertEqual(self.receive("text", mark=True, column=3, isCopy=False), {"opened": True})
        self.at(self.gedit, line=1, column=4)  # as GTK counts lines
        self.line.until(lambda line: line["state"] and line["state"]["file"] is None and line["state"]["column"] == 3)

    def test_text_that_the_adapters_no_longer_expect_is_not_opened(self):
        line = self.call("cd" * 16)
        line.say(gone=True)
        self.assertIsNone(line.hear())
        self.at(self.gedit, file=str(self.home(self.desk) / "letter.txt"), texts=1)


class Exchanged(Exchanging, WithTestAsAdapters):
    """Texts are exchanged through files that the adapters name."""

    def setUp(self):
        super().setUp()
        self.elsewhere = self.home(self.desk)

    def has_text_to_send(self):
        self.gedit.visit(self.home(self.desk) / "letter.txt")
        self.at(self.gedit, file=str(self.home(self.desk) / "letter.txt"), state=0)
        self.gedit.insert("more")
        self.at(self.gedit, file=str(self.home(self.desk) / "letter.txt"), unsaved=1)


class BetweenEditors(Windowed):
    """gedit and the editors in terminals continue from each other, because they share one type."""

    def prepare(self, laptop):
        super().prepare(laptop)
        if laptop.name == "sofa":
            # Installs only what one editor and the adapters need.
            programs = laptop.home / "few"
            programs.mkdir()
            for name in ("vim" if "in_vim" in self.id() else "nvim" if "by_neovim" in self.id() else "gedit", "openbox", "tmux", "git", "sh", "env", "python3", "dbus-daemon"):
                (programs / name).symlink_to(shutil.which(name))
            laptop.environment["PATH"] = f"{laptop.home / 'bin'}:{programs}"

    def test_gedit_continues_in_vim(self):
        here = self.opened()
        here.go(42, 14, 30)
        self.at(here, line=42, column=14, top=30)
        self.sofa.baton("open", "--type", TYPE)
        self.at(self.editor(self.sofa, "vim"), line=42, column=14, top=30)

    def test_unsaved_text_of_gedit_is_saved_in_its_form_by_neovim(self):
        kept = self.home(self.sofa) / "letter.txt"
        for laptop in (self.desk, self.sofa):
            (self.home(laptop) / "letter.txt").write_bytes(FILES["mark-and-no-end"])
        here = self.edit("gedit", self.home(self.desk) / "letter.txt")
        here.append("more")
        self.at(here, unsaved=1)
        self.sofa.baton("open", "--type", TYPE)
        there = self.editor(self.sofa, "nvim")
        found = self.at(there, file=str(kept), unsaved=1)
        self.assertEqual(found["lines"], ["n\xe9", "twomore"])
        there.type(":w\r")
        self.at(there, unsaved=0)
        self.assertEqual(kept.read_bytes(), FILES["mark-and-no-end"] + b"more\n")

    def test_unsaved_text_of_neovim_is_saved_in_its_form_by_gedit(self):
        """Only Neovim knows the file's encoding, Windows-1251."""
        file = "Привет\r\nдва\r\n".encode("windows-1251")
        for laptop in (self.desk, self.sofa):
            (self.home(laptop) / "letter.txt").write_bytes(file)
        here = self.edit("nvim", "-c", "edit ++enc=cp1251", self.home(self.desk) / "letter.txt")
        here.insert("more")
        self.at(here, unsaved=1)
        self.sofa.baton("open", "--type", TYPE)
        there, kept = self.editor(self.sofa, "gedit"), self.home(self.sofa) / "letter.txt"
        found = self.at(there, file=str(kept), unsaved=1)
        self.assertEqual([line.strip("\r") for line in found["lines"]], ["more", "Привет", "два"])
        there.evaluate(f"probe.save_as({str(kept)!r})")
        self.at(there, unsaved=0)
        self.assertEqual(kept.read_bytes(), b"more\r\n" + file)

    def test_neovim_continues_in_gedit(self):
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "letter.txt", TEXT)
        here = self.edit("nvim", self.home(self.desk) / "letter.txt")
        here.go(42, 14, 30)
        here.insert("not saved")
        self.at(here, unsaved=1)
        self.sofa.baton("open", "--type", TYPE)
        found = self.at(self.editor(self.sofa, "gedit"), file=str(self.home(self.sofa) / "letter.txt"), unsaved=1)
        self.assertEqual(found["lines"], ["not saved", *TEXT.split("\n")[:-1]])
