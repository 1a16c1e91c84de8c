# SPDX-License-Identifier: Apache-2.0
"""Real editors in a real terminal, operated with keys, and two laptops with them and the adapters' plugins."""

import json
import os
import pathlib
import subprocess
import time

from apps import EXTENSION, LIMIT, Adapted

TYPE = "org.batonproject.document.edit"
NORMAL = "\x1c\x0e"  # to Vim's normal mode from any other, and from a prompt
# A line that editors count differently: é of two bytes, e with a combining accent, a smiley of four bytes.
ODD = "né e\u0301té 😀 here"
TEXT = "".join(f"{number}: {ODD}\n" for number in range(1, 201))


class Terminal:
    """A terminal of a laptop without a window, in tmux. The adapters start programs in the terminal called tmux."""

    def __init__(self, test, laptop, name: str = "tmux"):
        self.test, self.laptop = test, laptop
        self.socket = laptop.home / name
        test.addCleanup(self.tmux, "kill-server")

    def tmux(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-u", "-S", str(self.socket), "-f", "/dev/null", *words], env=self.laptop.environment, text=True, check=False,
                              timeout=LIMIT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return done.stdout

    def start(self, *words: str):
        self.tmux("new-session", "-d", "-x", "100", "-y", "30", "-c", str(self.laptop.home), "--", *map(str, words))

    def type(self, *keys: str):
        """Types keys by tmux's names. Other words are typed literally."""
        self.tmux("send-keys", *keys)

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def shows(self, text: str):
        self.test.eventually(lambda: text in self.screen())


class Vim:
    """Vim or Neovim, operated with keys."""

    PREFIX: tuple = ()  # of the command that starts it
    WORDS: tuple = ()

    def __init__(self, terminal: Terminal, program: str):
        self.terminal, self.program = terminal, program
        self.probe = terminal.laptop.home / "probe"

    def start(self, *words):
        self.terminal.start(*self.PREFIX, self.program, *self.WORDS, *words)

    def go(self, line: int, column: int, top: int):
        """Goes to a line and a column, which is counted in Unicode scalars."""
        self.type(f":call winrestview({{'topline': {top}, 'lnum': {line}, 'col': byteidxcomp(getline({line}), {column - 1})}})\r")

    def type(self, text: str):
        # Wait for the editor, because before it reads keys the terminal turns some into signals.
        self.terminal.test.eventually(lambda: self.terminal.screen().strip())
        if "Press ENTER" in self.terminal.screen():
            self.terminal.type("Enter")
        self.terminal.tmux("send-keys", "-l", text)

    def insert(self, text: str):
        self.type(f"ggO{text}")
        self.terminal.type("Escape")

    def look(self) -> dict | None:
        """Returns the editor's own state, or None if the editor does not answer."""
        self.probe.unlink(missing_ok=True)
        self.type(NORMAL + ":call writefile([json_encode({'file': expand('%:p'), 'line': line('.'), 'top': line('w0'), 'lines': getline(1, '$'), "
                  "'column': strchars(strpart(getline('.'), 0, col('.') - 1)) + 1, 'unsaved': &modified, 'readonly': &readonly || !&modifiable, "
                  f"'modeline': &l:modeline, 'type': &filetype}})], '{self.probe}')\r")
        return self.read()

    def read(self) -> dict | None:
        try:
            return self.terminal.test.eventually_soon(lambda: json.loads(self.probe.read_text(encoding="utf-8")) if self.probe.exists() else None)
        except ValueError:
            return None


class Emacs(Vim):
    WORDS = ("--no-window-system",)

    def evaluate(self, code: str):
        """Evaluates code with M-:. Keys that come before the prompt would go into the text, or would be lost with a
        C-g."""
        self.terminal.shows("-UU")  # its mode line
        if self.asks():
            self.terminal.type("C-g")  # drops what was typed before Emacs read keys
            self.terminal.test.eventually(lambda: not self.asks())
        self.terminal.type("M-:")
        self.terminal.test.eventually(self.asks)
        self.type(code)
        self.terminal.type("Enter")
        self.terminal.test.eventually(lambda: not self.asks())

    def asks(self) -> bool:
        return "Eval:" in self.terminal.screen()  # a blank at its end is not shown

    def go(self, line: int, column: int, top: int):
        self.evaluate(f"(progn (goto-char (point-min)) (forward-line {top - 1}) (set-window-start nil (point)) (goto-char (point-min))"
                      f" (forward-line {line - 1}) (forward-char {column - 1}))")

    def insert(self, text: str):
        self.evaluate("(progn (goto-char (point-min)) (insert \"\\n\") (backward-char))")
        self.type(text)

    def look(self) -> dict | None:
        self.probe.unlink(missing_ok=True)
        self.evaluate("(let ((it (json-serialize (list :file (or buffer-file-name \"\") :line (line-number-at-pos) :top (line-number-at-pos"
                      " (window-start)) :lines (vconcat (split-string (buffer-string) \"\\n\")) :column (1+ (- (point) (line-beginning-position)))"
                      " :unsaved (if (buffer-modified-p) 1 0) :readonly (if buffer-read-only 1 0) :type (symbol-name major-mode)))))"
                      f" (let ((coding-system-for-write 'utf-8-unix) (create-lockfiles nil)) (with-temp-file \"{self.probe}\" (insert it))))")
        return self.read()


KINDS = {"nvim": Vim, "vim": Vim, "emacs": Emacs}


def install_plugins(environment: dict):
    """Installs the plugins in a home, with settings that keep the screen quiet."""
    home, site = (pathlib.Path(environment[name]) for name in ("HOME", "XDG_DATA_HOME"))
    (home / ".vim").symlink_to(EXTENSION / "Vim")
    (site / "nvim").mkdir(parents=True)
    (site / "nvim" / "site").symlink_to(EXTENSION / "Vim")
    (home / ".vimrc").write_text("set nocompatible\nset directory=~\nfiletype on\nset laststatus=2\n", encoding="utf-8")
    (home / ".emacs.d").mkdir()
    emacs = EXTENSION / "Emacs"
    (home / ".emacs.d" / "init.el").write_text(f"(add-to-list 'load-path \"{emacs}\")\n(load \"{emacs / '50baton'}\")\n"
                                               "(setq inhibit-startup-screen t)\n", encoding="utf-8")


class Edited(Adapted):
    def setUp(self):
        super().setUp()
        self.terminals = {laptop: Terminal(self, laptop) for laptop in (self.desk, self.sofa)}

    def prepare(self, laptop):
        super().prepare(laptop)
        programs = laptop.home / "bin"
        programs.mkdir()
        terminal = programs / self.TERMINAL
        terminal.write_text(f'#!/bin/sh\n[ "$1" != -e ] || shift\nexec tmux -u -S "{laptop.home}/tmux" -f /dev/null new-session -d -x 100 -y 30 -- "$@"\n',
                            encoding="utf-8")
        terminal.chmod(0o755)
        laptop.environment |= {"PATH": f"{programs}:{laptop.environment['PATH']}", "TERM": "xterm-256color", "SHELL": "/bin/sh"}
        install_plugins(laptop.environment)

    TERMINAL = "xdg-terminal-exec"

    def eventually_soon(self, condition):
        try:
            return self.eventually(condition)
        except AssertionError:
            return None

    def home(self, laptop) -> pathlib.Path:
        return pathlib.Path(laptop.environment["HOME"])

    def write(self, laptop, name: str, text: str) -> pathlib.Path:
        path = self.home(laptop) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def editor(self, laptop, program: str):
        return KINDS[program](self.terminals[laptop], program)

    def edit(self, program: str, *words):
        """Starts an editor on the desk, and waits until its text is offered."""
        editor = self.editor(self.desk, program)
        editor.start(*words)
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        return editor

    def carry_on(self, program: str):
        """Clicks on the offer, and returns the editor that was started for it on the sofa."""
        began = time.monotonic()
        self.sofa.baton("open", "--type", TYPE)  # the call for the click ends when the editor has the text
        if os.environ.get("BATON_TIMES"):
            print(f"{program}: {time.monotonic() - began:.2f} s")
        return self.editor(self.sofa, program)

    def at(self, editor, **expected) -> dict:
        """Waits until an editor's state is as expected, and returns it."""
        def told(found):
            return f"{found | {'lines': found.get('lines', [])[:5]}}\n{editor.terminal.screen()}"
        return self.until_shown(editor.look, expected, told)

    def texts(self) -> list:
        """Returns the unsaved texts that the sofa's adapters have left behind."""
        return list((pathlib.Path(self.sofa.environment["XDG_DATA_HOME"]) / "baton" / "documents").glob("*"))
