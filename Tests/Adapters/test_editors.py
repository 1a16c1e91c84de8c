# SPDX-License-Identifier: Apache-2.0
"""Hands texts over between real editors in a real terminal, on two laptops with the simulated radio."""

import pathlib
import shutil
import tempfile

from editing import KINDS, NORMAL, ODD, TEXT, TYPE, Edited, Terminal


# Files as an editor finds them. The first has lines that end with CRLF.
FILES = {"latin-1": "n\xe9\r\ntwo\r\n".encode("latin-1"), "utf-16": b"\xff\xfe" + "n\xe9\ntwo\n".encode("utf-16-le"),
         "mark-and-no-end": b"\xef\xbb\xbf" + "n\xe9\ntwo".encode()}


class EachEditor:
    """The tests of each editor."""

    PROGRAM: str

    def test_file_continues_at_its_place(self):
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "Letters/Dear Ada é.txt", TEXT)
        here = self.edit(self.PROGRAM, self.home(self.desk) / "Letters" / "Dear Ada é.txt")
        here.go(150, 16, 140)
        self.at(here, line=150, column=16, top=140)
        there = self.carry_on(self.PROGRAM)
        self.at(there, file=str(self.home(self.sofa) / "Letters" / "Dear Ada é.txt"), line=150, column=16, top=140, unsaved=0, readonly=0)

    def test_unsaved_text_continues_unsaved(self):
        paths = [self.write(laptop, "letter.txt", "Dear Ada,\n") for laptop in (self.desk, self.sofa)]
        here = self.edit(self.PROGRAM, paths[0])
        here.insert(ODD)
        self.at(here, unsaved=1)
        there = self.carry_on(self.PROGRAM)
        found = self.at(there, file=str(paths[1]), unsaved=1, line=1)
        self.assertEqual(found["lines"][:2], [ODD, "Dear Ada,"])
        self.assertEqual([path.read_text(encoding="utf-8") for path in paths], 2 * ["Dear Ada,\n"])
        self.assertEqual(self.texts(), [])

    def test_unsaved_text_replaces_no_file_that_differs(self):
        here = self.write(self.desk, "letter.txt", "Dear Ada,\n")
        there = self.write(self.sofa, "Notes/letter.txt", "Dear Bob,\n")
        for laptop, folder in ((self.desk, here.parent), (self.sofa, there.parent)):
            configuration = pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "baton" / "folders"
            configuration.parent.mkdir(parents=True, exist_ok=True)
            configuration.write_text(f"notes = {folder}\n", encoding="utf-8")
        self.edit(self.PROGRAM, here).insert("I")
        editor = self.carry_on(self.PROGRAM)
        self.ask_for_new_buffer(editor, '"letter.txt" differs here from the file on "desk".')
        found = self.at(editor, unsaved=1, line=1)
        self.assertEqual(found["lines"][:2], ["I", "Dear Ada,"])
        self.assertNotEqual(found["file"], str(there))
        self.assertEqual(there.read_text(encoding="utf-8"), "Dear Bob,\n")

    def test_missing_file_opens_as_a_copy_with_a_note(self):
        here = self.edit(self.PROGRAM, self.write(self.desk, "engine.py", "import os\n" + TEXT))
        here.go(3, 2, 1)
        self.at(here, line=3)
        there = self.carry_on(self.PROGRAM)
        there.terminal.shows('This is a copy from "desk". Saving it asks where.')
        found = self.at(there, line=3, column=2, unsaved=0, readonly=1)
        self.assertEqual(found["lines"][0], "import os")
        self.assertIn("python", found["type"])
        self.assertIn("engine.py from desk", there.terminal.screen())
        self.save_copy_as(there, "kept.py")
        kept = self.home(self.sofa) / "kept.py"
        self.at(there, file=str(kept), line=3, unsaved=0, readonly=0)
        self.assertEqual(kept.read_text(encoding="utf-8"), "import os\n" + TEXT)

    def test_identical_hidden_file_opens_as_a_copy(self):
        paths = [self.write(laptop, ".bashrc", "alias l=ls\n") for laptop in (self.desk, self.sofa)]
        self.edit(self.PROGRAM, paths[0])
        there = self.carry_on(self.PROGRAM)
        there.terminal.shows('This is a copy from "desk". Saving it asks where.')
        found = self.at(there, unsaved=0, readonly=1)
        self.assertEqual(found["lines"][0], "alias l=ls")
        self.assertNotEqual(found["file"], str(paths[1]))

    def test_unsaved_text_of_an_identical_hidden_file_opens_in_a_new_buffer(self):
        paths = [self.write(laptop, ".bashrc", "alias l=ls\n") for laptop in (self.desk, self.sofa)]
        here = self.edit(self.PROGRAM, paths[0])
        here.insert("I")
        self.at(here, unsaved=1)
        found = self.at(self.carry_on(self.PROGRAM), unsaved=1, line=1)
        self.assertEqual(found["lines"][:2], ["I", "alias l=ls"])
        self.assertNotEqual(found["file"], str(paths[1]))
        self.assertEqual(paths[1].read_text(encoding="utf-8"), "alias l=ls\n")

    def test_text_that_was_never_saved_continues(self):
        here = self.start_nameless()
        there = self.carry_on(self.PROGRAM)
        found = self.at(there, unsaved=1, readonly=0)
        self.assertEqual(found["lines"][0], "I have no name")
        self.assertTrue(here)
        self.save_as(there, "kept.txt")
        kept = self.home(self.sofa) / "kept.txt"
        self.eventually(lambda: kept.exists() and kept.read_text(encoding="utf-8").startswith("I have no name\n"))

    def test_text_continues_back_on_the_first_laptop(self):
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "letter.txt", TEXT)
        self.edit(self.PROGRAM, self.home(self.desk) / "letter.txt")
        there = self.carry_on(self.PROGRAM)
        there.go(20, 1, 5)
        self.at(there, line=20, top=5)
        self.terminals[self.desk].tmux("kill-server")
        self.eventually(lambda: self.offer(self.desk, TYPE))
        self.desk.baton("open", "--type", TYPE)
        self.at(self.editor(self.desk, self.PROGRAM), line=20, top=5)

    def start_on_both(self) -> tuple:
        """Starts editors with the same letter on both laptops. The desk's stays open in a terminal of its own, and the sofa's has continued it."""
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "letter.txt", TEXT)
        here = KINDS[self.PROGRAM](Terminal(self, self.desk, "first"), self.PROGRAM)
        here.start(self.home(self.desk) / "letter.txt")
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        return here, self.carry_on(self.PROGRAM)

    def bring_back(self):
        """Returns the editor that was started on the desk for the sofa's offer."""
        self.eventually(lambda: self.offer(self.desk, TYPE))
        self.desk.baton("open", "--type", TYPE)
        return self.editor(self.desk, self.PROGRAM)

    def test_text_that_is_already_open_continues(self):
        _, there = self.start_on_both()
        there.go(20, 1, 5)
        self.at(there, line=20, top=5)
        back = self.bring_back()
        if self.NOTE_OF_OPEN:
            back.terminal.shows(self.NOTE_OF_OPEN)
        self.at(back, file=str(self.home(self.desk) / "letter.txt"), line=20, top=5, unsaved=0)

    def open_unsaved_twice(self) -> tuple:
        """Opens a letter with changes in two editors: one that was open here, and one that has just been started here for the sofa's changes."""
        here, there = self.start_on_both()
        here.insert("mine")
        self.at(here, unsaved=1)
        there.insert("theirs")
        self.at(there, unsaved=1)
        return here, self.bring_back()

    def test_unsaved_text_does_not_replace_an_open_text(self):
        here, back = self.open_unsaved_twice()
        self.ask_for_new_buffer(back, self.QUESTION_OF_OPEN)
        found = self.at(back, unsaved=1, line=1)
        self.assertEqual(found["lines"][:2], ["theirs", f"1: {ODD}"])
        self.assertNotEqual(found["file"], str(self.home(self.desk) / "letter.txt"))
        self.assertEqual(self.at(here, unsaved=1)["lines"][0], "mine")
        self.assertEqual((self.home(self.desk) / "letter.txt").read_text(encoding="utf-8"), TEXT)

    def test_unsaved_text_goes_into_an_open_file_if_the_user_agrees(self):
        _, back = self.open_unsaved_twice()
        self.answer(back, self.QUESTION_OF_OPEN, self.KEY_OF_FILE)
        found = self.at(back, file=str(self.home(self.desk) / "letter.txt"), unsaved=1, line=1)
        self.assertEqual(found["lines"][:2], ["theirs", f"1: {ODD}"])

    def test_hostile_names_are_only_names(self):
        """Tests files that exist here, which are opened by their paths, and copies, whose names come from another
        laptop."""
        paths = ("+q!", "--help", "~", "ssh:x:y", "'; touch ran; '", "=execute('q!')")
        both = ("a|q!", "$(touch ran)`touch ran`", "%#<sfile>", "{a,b}*?[c]", "--eval", '--eval=(write-region "" nil "ran")', "+call writefile([],'ran')")
        for name, is_here in [*((name, True) for name in paths + both), *((name, False) for name in both)]:
            with self.subTest(name=name, is_here=is_here):
                here = self.write(self.desk, f"d/{name}", "hostile\n" + TEXT)
                there = self.home(self.sofa) / "d" / name
                if is_here:
                    self.write(self.sofa, f"d/{name}", "hostile\n" + TEXT)
                editor = self.editor(self.desk, self.PROGRAM)
                editor.start("--", here)
                self.eventually(lambda: self.offer(self.sofa, TYPE))
                found = self.at(self.carry_on(self.PROGRAM), line=1, unsaved=0)
                self.assertEqual(found["lines"][0], "hostile")
                if is_here:
                    self.assertEqual(found["file"], str(there))
                for terminal in self.terminals.values():
                    terminal.tmux("kill-server")
                self.eventually(lambda: not self.offer(self.sofa, TYPE))
                there.unlink(missing_ok=True)
        self.assertEqual([path for path in self.root.rglob("ran")], [])

    def test_options_in_a_file_are_not_obeyed(self):
        """No modelines and no file-local variables are obeyed, neither in the file, nor in a copy, nor in unsaved
        text."""
        text = "hello\n# vim: set filetype=hostile :\n# Local Variables:\n# mode: hostile\n# eval: (kill-emacs)\n# End:\n"
        for what in ("file", "copy", "unsaved"):
            with self.subTest(what=what):
                here, there = (self.write(laptop, "plain.txt", text) for laptop in (self.desk, self.sofa))
                if what == "copy":
                    there.unlink()
                editor = self.editor(self.desk, self.PROGRAM)
                editor.start(*self.PLAIN, here)
                self.eventually(lambda: self.offer(self.sofa, TYPE))
                if what == "unsaved":
                    editor.insert("more")
                    self.at(editor, unsaved=1)
                found = self.at(self.carry_on(self.PROGRAM), unsaved=int(what == "unsaved"))
                self.assertIn("# eval: (kill-emacs)", found["lines"])
                self.assertEqual(found["type"], "text" if self.PROGRAM != "emacs" else "text-mode")
                for terminal in self.terminals.values():
                    terminal.tmux("kill-server")
                self.eventually(lambda: not self.offer(self.sofa, TYPE))

    def test_copy_that_is_saved_has_the_same_bytes(self):
        for name, file in FILES.items():
            with self.subTest(name=name):
                here = self.home(self.desk) / f"{name}.txt"
                here.write_bytes(file)
                self.edit(self.PROGRAM, here)
                there = self.carry_on(self.PROGRAM)
                found = self.at(there, unsaved=0, readonly=1)
                self.assertEqual(found["lines"][:2], ["n\xe9", "two"])
                kept = self.home(self.sofa) / f"kept-{name}.txt"
                self.save_copy_as(there, kept.name)
                self.at(there, file=str(kept), unsaved=0)
                self.assertEqual(kept.read_bytes(), file)
                self.quit_all()

    def test_unsaved_text_is_saved_as_its_editor_would_have_saved_it(self):
        """By their settings, the editors add a line end to the last line when they save."""
        for name, file in FILES.items():
            with self.subTest(name=name):
                end = b"" if name != "mark-and-no-end" else b"\n"
                self.assertEqual(self.saved_elsewhere(name, file), self.with_line(name, file) + end)

    def test_last_line_without_an_end_keeps_none_on_the_other_laptop(self):
        """By itself, the editor on the other laptop would add a line end."""
        name = "mark-and-no-end"
        self.assertEqual(self.saved_elsewhere(name, FILES[name], *self.LEAVES_END), self.with_line(name, FILES[name]))

    def with_line(self, name: str, file: bytes) -> bytes:
        """Returns one of FILES with another line at its beginning."""
        mark = len(file) - len(file.removeprefix(b"\xff\xfe").removeprefix(b"\xef\xbb\xbf"))
        line = ("more\r\n" if b"\r" in file else "more\n").encode("utf-16-le" if name == "utf-16" else "utf-8")
        return file[:mark] + line + file[mark:]

    def saved_elsewhere(self, name: str, file: bytes, *words: str) -> bytes:
        """Returns a file that is on both laptops, after a line was inserted on one and saved on the other."""
        paths = [self.home(laptop) / f"{name}.txt" for laptop in (self.desk, self.sofa)]
        for path in paths:
            path.write_bytes(file)
        here = self.edit(self.PROGRAM, *words, paths[0])
        here.insert("more")
        self.at(here, unsaved=1)
        there = self.carry_on(self.PROGRAM)
        found = self.at(there, file=str(paths[1]), unsaved=1)
        self.assertEqual(found["lines"][:3], ["more", "n\xe9", "two"])
        self.save(there)
        self.at(there, unsaved=0)
        self.quit_all()
        return paths[1].read_bytes()

    def test_file_opens_in_the_form_of_the_other_laptop(self):
        """By itself, the editor on the other laptop would guess another encoding."""
        file = "Привет\rдва\r".encode("windows-1251")
        paths = [self.home(laptop) / "russian.txt" for laptop in (self.desk, self.sofa)]
        for path in paths:
            path.write_bytes(file)
        self.edit(self.PROGRAM, *self.as_old_russian(paths[0]))
        there = self.carry_on(self.PROGRAM)
        found = self.at(there, file=str(paths[1]), unsaved=0)
        self.assertEqual(found["lines"][:2], ["Привет", "два"])
        there.insert("more")
        self.at(there, unsaved=1)
        self.save(there)
        self.at(there, unsaved=0)
        self.assertEqual(paths[1].read_bytes(), b"more\r" + file)

    def test_text_that_its_encoding_cannot_represent_continues_as_utf_8_with_a_note(self):
        paths = [self.home(laptop) / "latin.txt" for laptop in (self.desk, self.sofa)]
        for path in paths:
            path.write_bytes(FILES["latin-1"])
        here = self.edit(self.PROGRAM, paths[0])
        here.insert("10 €")
        self.at(here, unsaved=1)
        there = self.carry_on(self.PROGRAM)
        there.terminal.shows("It is UTF-8 now.")
        self.at(there, file=str(paths[1]), unsaved=1)
        self.save(there)
        self.at(there, unsaved=0)
        self.assertEqual(paths[1].read_bytes(), "10 €\r\nn\xe9\r\ntwo\r\n".encode())

    def quit_all(self):
        """Ends the editors without saving."""
        for terminal in self.terminals.values():
            terminal.tmux("kill-server")
        self.eventually(lambda: not self.offer(self.sofa, TYPE))

    def test_settings_in_the_directories_of_a_copy_are_not_obeyed(self):
        """Tests settings of directories, in every directory through which a copy passes. The user has all of them
        on."""
        documents = pathlib.Path(self.sofa.environment["XDG_DATA_HOME"]) / "baton" / "documents"
        documents.mkdir(mode=0o700, parents=True)
        sockets = pathlib.Path(self.sofa.environment["XDG_RUNTIME_DIR"]) / "baton" / "editors"
        self.obey_settings_of_directories()
        self.edit(self.PROGRAM, self.write(self.desk, "plain.txt", TEXT))
        ran = self.write_settings(documents, sockets, sockets.parent)
        there = self.carry_on(self.PROGRAM)
        self.at(there, unsaved=0, readonly=1)
        self.write_settings(*(path.parent for path in documents.rglob("plain.txt")))
        self.do(there, self.AGAIN)
        self.at(there, unsaved=0)
        self.assertFalse(ran.exists())
        seen = self.home(self.sofa) / "seen"
        for directory in (documents, sockets):
            self.assertNotIn(str(directory), seen.read_text(encoding="utf-8") if seen.exists() else "")

    def write_settings(self, *directories: pathlib.Path) -> pathlib.Path:
        """Writes settings to some directories. Returns the file that they create if they are obeyed."""
        ran = self.root / "ran"
        vim = f"call writefile([], '{ran}')\n"
        for directory in directories:
            for name, text in ((".exrc", vim), (".vimrc", vim), (".nvimrc", vim), (".nvim.lua", f"vim.cmd [[{vim}]]"),
                               (".dir-locals.el", f'((nil . ((eval . (write-region "" nil "{ran}")))))')):
                (directory / name).write_text(text, encoding="utf-8")
        return ran

    def test_secret_files_are_not_offered(self):
        """Tests a temporary file, keys, Baton's configuration, the files that pass and sudoedit give to an editor, and
        files that the editor keeps out of its swap files."""
        of_pass, of_sudoedit = (pathlib.Path(tempfile.mkdtemp(prefix=name, dir=place)) / "mail.txt" for name, place in (("pass.", "/dev/shm"), ("mail.", "/var/tmp")))
        for path in (of_pass, of_sudoedit):
            self.addCleanup(shutil.rmtree, path.parent)
        baton = self.home(self.desk) / ".config" / "baton" / "baton.conf"
        for path in (self.home(self.desk) / ".ssh" / "config", baton, pathlib.Path(self.desk.environment["XDG_RUNTIME_DIR"]) / "note",
                     self.home(self.desk) / "kept-out", of_pass, of_sudoedit):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("secret\n", encoding="utf-8")
        letter = self.write(self.desk, "letter.txt", "Dear Ada,\n")
        editor = self.edit(self.PROGRAM, letter)
        for command in (self.visit(self.home(self.desk) / ".ssh" / "config"), self.visit(baton), self.visit(f"{self.desk.environment['XDG_RUNTIME_DIR']}/note"),
                        self.visit(of_pass), self.visit(of_sudoedit), self.keep_out(self.home(self.desk) / "kept-out")):
            self.do(editor, self.visit(letter))
            self.eventually(lambda: self.offer(self.sofa, TYPE))
            self.do(editor, command)
            self.eventually(lambda: not self.offer(self.sofa, TYPE))

class InVim(EachEditor):
    AGAIN = "edit!"
    PLAIN = ("-c", "set nomodeline")
    NOTE_OF_OPEN = '"letter.txt" has a swap file here. Another Vim has it open, or crashed.'
    QUESTION_OF_OPEN = '"letter.txt" has a swap file here'
    KEY_OF_FILE = "f"
    LEAVES_END = ("-c", "set nofixendofline")

    def as_old_russian(self, path) -> tuple:
        return ("-c", "edit ++enc=cp1251 ++ff=mac", path)

    def obey_settings_of_directories(self):
        """Makes Vim and Neovim read the settings files of directories. `seen` gets the names of buffers, by which Neovim's plugin looks for .editorconfig."""
        with (self.home(self.sofa) / ".vimrc").open("a", encoding="utf-8") as settings:
            settings.write("set exrc\nautocmd BufNewFile,BufRead,BufFilePost * call writefile([expand('<afile>:p')], $HOME .. '/seen', 'a')\n")
        initial = pathlib.Path(self.sofa.environment["XDG_CONFIG_HOME"]) / "nvim" / "init.vim"
        initial.parent.mkdir()
        initial.write_text("source ~/.vimrc\n", encoding="utf-8")

    def ask_for_new_buffer(self, editor, question: str):
        self.answer(editor, question, "n")

    def answer(self, editor, question: str, key: str):
        """Answers a question of the editor. Vim drops keys that come before the question."""
        editor.terminal.shows(question)

        def is_answered():
            if is_asked := question in editor.terminal.screen():
                editor.type(key)
            return not is_asked
        self.eventually(is_answered)

    def start_nameless(self):
        editor = self.editor(self.desk, self.PROGRAM)
        editor.start()
        self.at(editor, line=1)
        editor.insert("I have no name")
        self.at(editor, unsaved=1)
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        return editor

    def save_as(self, editor, name: str):
        editor.type(":w\r")
        editor.terminal.shows("Save as: ")
        editor.type(f"\x15{self.home(self.sofa)}/{name}\r")

    save_copy_as = save_as

    def save(self, editor):
        editor.type(f"{NORMAL}:w\r")

    def do(self, editor, command: str):
        editor.type(f"{NORMAL}:{command}\r")

    def visit(self, path) -> str:
        return f"edit! {path}"

    def keep_out(self, path) -> str:
        return f"edit! {path} | setlocal noswapfile | doautocmd BufEnter"


class InNeovim(InVim, Edited):
    PROGRAM = "nvim"


class InVimNox(InVim, Edited):
    PROGRAM = "vim"
    TERMINAL = "x-terminal-emulator"


class InEmacs(EachEditor, Edited):
    PROGRAM = "emacs"
    AGAIN = "(hack-local-variables)"
    PLAIN = ("--eval", "(setq enable-local-variables nil)")
    NOTE_OF_OPEN = None  # Emacs marks only a changed text
    QUESTION_OF_OPEN = '"letter.txt" is changed and not saved in another Emacs here'
    KEY_OF_FILE = "y"
    LEAVES_END = ("--eval", "(setq mode-require-final-newline nil)")

    def as_old_russian(self, path) -> tuple:
        return ("--eval", f"(let ((coding-system-for-read 'windows-1251-mac)) (find-file \"{path}\"))")

    def obey_settings_of_directories(self):
        with (self.home(self.sofa) / ".emacs.d" / "init.el").open("a", encoding="utf-8") as settings:
            settings.write("(setq enable-local-variables :all enable-local-eval t)\n")

    def ask_for_new_buffer(self, editor, question: str):
        self.answer(editor, question, "n")

    def answer(self, editor, question: str, key: str):
        editor.terminal.shows(question)
        editor.type(key)

    def test_file_of_more_than_ten_megabytes_continues_without_a_question(self):
        """By itself, Emacs would ask whether to open such a large file."""
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "large.txt", "".join(f"line {number:9}\n" for number in range(1, 800_000)))
        here = self.edit("emacs", "--eval", "(setq large-file-warning-threshold nil)", self.home(self.desk) / "large.txt")
        here.go(7_000, 3, 6_990)
        here.terminal.shows("line      7000")
        self.carry_on("emacs").terminal.shows("line      7000")

    def start_nameless(self):
        editor = self.editor(self.desk, self.PROGRAM)
        editor.start()
        self.at(editor, top=1)
        self.do(editor, "(switch-to-buffer \"notes\")")
        editor.insert("I have no name")
        self.at(editor, unsaved=1)
        self.do(editor, "(baton-tell)")
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        return editor

    def save_as(self, editor, name: str):
        editor.terminal.type("C-x", "C-s")
        editor.terminal.shows("File to save in:")
        editor.type(f"\x01\x0b{self.home(self.sofa)}/{name}\r")

    def save(self, editor):
        editor.terminal.type("C-x", "C-s")

    def save_copy_as(self, editor, name: str):
        """Saves the copy under a name. C-x C-s would save nothing, because the copy is unchanged."""
        editor.terminal.type("C-x", "C-w")
        editor.terminal.shows("Write file:")
        editor.type(f"\x01\x0b{self.home(self.sofa)}/{name}\r")

    def do(self, editor, command: str):
        editor.evaluate(command)

    def visit(self, path) -> str:
        return f"(find-file \"{path}\")"

    def keep_out(self, path) -> str:
        return f"(progn (find-file \"{path}\") (auto-save-mode 0) (baton-tell))"


class BetweenEditors(Edited):
    """Hands texts over from an editor on the desk to the only editor on the sofa."""

    def test_neovim_continues_in_emacs_if_it_is_the_only_editor(self):
        """The editors count columns in three ways: in bytes, characters or scalars."""
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "letter.txt", TEXT)
        here = self.edit("nvim", self.home(self.desk) / "letter.txt")
        here.go(42, 14, 30)
        self.at(here, line=42, column=14, top=30)
        self.sofa.baton("open", "--type", TYPE)
        self.at(self.editor(self.sofa, "emacs"), line=42, column=14, top=30)

    def test_unsaved_text_of_neovim_is_saved_in_its_form_by_emacs(self):
        kept = self.saved_elsewhere("nvim", "emacs", b"n\xe9\r\ntwo", "-c", "set nofixendofline")
        self.assertEqual(kept, b"more\r\nn\xe9\r\ntwo")

    def test_unsaved_text_of_emacs_is_saved_in_its_form_in_vim(self):
        """Emacs recognises line ends that Vim does not recognise, so the text is one line for Vim."""
        self.assertEqual(self.saved_elsewhere("emacs", "vim", b"n\xe9\rtwo\r"), b"more\rn\xe9\rtwo\r")

    def test_copy_of_a_file_from_emacs_has_the_same_bytes_in_vim(self):
        file = b"\xfe\xff" + "n\xe9\r\ntwo".encode("utf-16-be")
        self.assertEqual(self.saved_elsewhere("emacs", "vim", file, is_copy=True), file)

    def saved_elsewhere(self, program: str, other: str, file: bytes, *words: str, is_copy: bool = False) -> bytes:
        """Returns a file of the desk as it is saved on the sofa, with another line unless it is a copy."""
        path = self.home(self.desk) / "letter.txt"
        path.write_bytes(file)
        here = self.edit(program, *words, path)
        if not is_copy:
            here.insert("more")
            self.at(here, unsaved=1)
        self.sofa.baton("open", "--type", TYPE)
        there = self.editor(self.sofa, other)
        found = self.at(there, unsaved=int(not is_copy))
        self.assertEqual(found["lines"][int(not is_copy):][:2], ["n\xe9", "two"])
        kept = self.home(self.sofa) / "kept.txt"
        (InEmacs if other == "emacs" else InVim).save_as(self, there, kept.name)
        self.at(there, file=str(kept), unsaved=0)
        return kept.read_bytes()

    def prepare(self, laptop):
        super().prepare(laptop)
        if laptop.name == "sofa":
            # Installs only what an Emacs and the adapters need.
            programs = laptop.home / "few"
            programs.mkdir()
            for name in ("vim" if "in_vim" in self.id() else "emacs", "tmux", "git", "sh", "env", "python3", "dbus-daemon"):
                (programs / name).symlink_to(shutil.which(name))
            laptop.environment["PATH"] = f"{laptop.home / 'bin'}:{programs}"
