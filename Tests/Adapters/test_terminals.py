# SPDX-License-Identifier: Apache-2.0
"""Hands terminals over between real shells in a real terminal, on two laptops with the simulated radio."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

from apps import EXTENSION, Adapted, Display
import strangers
from editing import Terminal
from laptops import BIN, LIMIT
from library import introspected

introspected()
sys.path.insert(0, str(EXTENSION))

from gi.repository import GLib  # noqa: E402

from ladder import directories, git  # noqa: E402
from terminals import adapter, arrival, line, remote, tmux  # noqa: E402
from terminals.adapter import Terminals  # noqa: E402
from terminals.shell import Shell  # noqa: E402
from terminals.shells import MOST, Shells  # noqa: E402
from terminals.state import State  # noqa: E402

TYPE = "org.batonproject.terminal.work"
START = {"zsh": ("zsh", "-i"), "bash": ("bash", "-i"), "fish": ("fish", "-i")}
SETTINGS = {"zsh": (".zshrc", 'PS1="<%1~> "\neval "$(baton shell zsh)"\n'), "bash": (".bashrc", 'PS1="<\\W> "\neval "$(baton shell bash)"\n'),
            "fish": (".config/fish/config.fish", "function fish_prompt; echo -n '<'(basename $PWD)'> '; end\nset fish_greeting\nbaton shell fish | source\n")}


class WithShells(Adapted):
    """Each laptop has the hooks of all shells, and one terminal in tmux without the variables of tmux."""

    SHELL = "zsh"  # of the user on the sofa

    def prepare(self, laptop):
        super().prepare(laptop)
        programs = laptop.home / "bin"
        programs.mkdir()
        terminal = programs / "xdg-terminal-exec"
        terminal.write_text(f'#!/bin/sh\nexec tmux -u -S "{laptop.home}/tmux" -f /dev/null new-session -d -x 100 -y 30 -- env -u TMUX -u TMUX_PANE "$@"\n',
                            encoding="utf-8")
        terminal.chmod(0o755)
        laptop.environment |= {"PATH": f"{programs}:{BIN}:{laptop.environment['PATH']}", "TERM": "xterm-256color", "TMUX_TMPDIR": str(laptop.home), "SHELL": f"/usr/bin/{self.SHELL}"}
        for name, text in SETTINGS.values():
            (laptop.home / name).parent.mkdir(parents=True, exist_ok=True)
            (laptop.home / name).write_text(text, encoding="utf-8")

    def setUp(self):
        super().setUp()
        self.terminals = {laptop: Terminal(self, laptop) for laptop in (self.desk, self.sofa)}
        self.known = [*self.terminals.values()]
        for laptop in (self.desk, self.sofa):
            self.eventually((laptop.home / "run" / "baton" / "shells" / "socket").exists)

    def eventually(self, condition):
        try:
            return super().eventually(condition)
        except AssertionError as error:
            logs = [laptop.adapters_log.read_text(encoding="utf-8") for laptop in self.terminals]
            raise AssertionError("\n".join([str(error), *(each.screen() for each in self.known), *logs])) from None

    def make(self, name: str, *laptops) -> str:
        for laptop in laptops or (self.desk, self.sofa):
            (laptop.home / name).mkdir(parents=True)
        return name

    def shell(self, program: str, directory: str = "", laptop=None, name: str = "tmux") -> Terminal:
        """Starts a shell in a directory below home, and waits for its prompt."""
        laptop = laptop or self.desk
        terminal = self.terminals[laptop] if name == "tmux" else self.other_terminal(laptop, name)
        terminal.start("env", "-u", "TMUX", "-u", "TMUX_PANE", "-C", laptop.home / directory, *START[program])
        terminal.shows(f"<{pathlib.PurePath(directory).name or '~'}>" if program != "fish" or directory else "<desk>")
        return terminal

    def other_terminal(self, laptop, name: str) -> Terminal:
        self.known.append(Terminal(self, laptop, name))
        return self.known[-1]

    def say(self, terminal, *keys: str):
        """Types a command, and Enter."""
        terminal.tmux("send-keys", "-l", keys[0])
        terminal.type("Enter")

    def carry_on(self) -> Terminal:
        self.sofa.baton("open", "--type", TYPE, "--wait", "60")
        return self.terminals[self.sofa]

    def where(self, terminal, laptop, name: str = "where") -> str:
        """Returns the directory of the shell in a terminal, as the shell itself reports it."""
        told = laptop.home / name
        self.say(terminal, f"pwd >{told}.part && mv {told}.part {told}")
        self.eventually(told.exists)
        found = told.read_text(encoding="utf-8").rstrip("\n")
        told.unlink()
        return found

    def offered(self):
        return self.offer(self.sofa, TYPE)


class Sessions(WithShells):
    def test_directory_and_half_typed_line_continue_and_nothing_runs(self):
        self.make("src/engine")
        terminal = self.shell("zsh", "src/engine")
        self.say(terminal, "true")  # the shell answers questions from its second prompt on
        trap = f"touch {self.sofa.home}/run-by-itself; echo 'é \"two\"'"
        terminal.tmux("send-keys", "-l", trap)
        terminal.shows("run-by-itself")
        self.eventually(self.offered)
        there = self.carry_on()
        there.shows("<engine>")
        there.shows("\"two\"'")
        self.assertFalse((self.sofa.home / "run-by-itself").exists())
        there.type("C-u")
        self.assertEqual(self.where(there, self.sofa), str(self.sofa.home / "src" / "engine"))
        left = [path for path in (self.sofa.home / "run" / "baton" / "shells").iterdir() if len(path.name) == 32]
        self.assertEqual([path.read_bytes() for path in left], [b""])  # the shell has emptied the file with the line

    def test_shell_that_showed_its_prompt_last_is_in_front_until_it_ends(self):
        self.make("one")
        self.make("two")
        first, second = self.shell("bash", "one"), self.shell("fish", "two", name="tmux2")
        there = self.carry_on()
        there.shows("<two>")
        self.say(there, "exit")
        self.say(first, "true")
        self.eventually(self.offered)
        self.carry_on().shows("<one>")
        self.say(second, "true")
        self.eventually(self.offered)
        self.say(second, "exit")
        self.say(first, "true")
        self.eventually(self.offered)
        self.say(first, "exit")
        self.eventually(lambda: not self.offered())

    def test_directory_is_found_in_a_clone_at_another_place(self):
        for laptop, place in ((self.desk, "work/engine"), (self.sofa, "mill")):
            clone = laptop.home / place
            (clone / "src").mkdir(parents=True)
            for words in (("init", "-q"), ("remote", "add", "origin", "https://example.org/ada/engine.git")):
                subprocess.run(["git", "-C", clone, *words], check=True, env=laptop.environment)
        terminal = self.shell("bash", "work/engine/src")
        self.eventually(self.offered)
        there = self.carry_on()
        there.shows("<src>")
        self.assertEqual(self.where(there, self.sofa), str(self.sofa.home / "mill" / "src"))
        self.say(terminal, "cd ..")
        terminal.shows("<engine>")
        self.eventually(self.offered)
        self.sofa.baton("open", "--type", TYPE)
        self.eventually(lambda: "<mill>" in self.terminals[self.sofa].screen())

    def test_folder_in_a_shared_folder_is_found(self):
        for laptop, place in ((self.desk, "Sync"), (self.sofa, "Shared")):
            self.make(f"{place}/plans/mill", laptop)
            configuration = laptop.home / ".config" / "baton" / "folders"
            configuration.parent.mkdir(parents=True, exist_ok=True)
            configuration.write_text(f"common = {laptop.home / place}\n", encoding="utf-8")
        self.shell("bash", "Sync/plans/mill")
        self.eventually(self.offered)
        there = self.carry_on()
        there.shows("<mill>")
        self.assertEqual(self.where(there, self.sofa), str(self.sofa.home / "Shared" / "plans" / "mill"))

    def test_missing_folder_is_declined_with_a_reason(self):
        self.make("only/here", self.desk)
        self.shell("bash", "only/here")
        self.eventually(self.offered)
        with self.assertRaisesRegex(Exception, 'The folder "here" of "desk" is not on this laptop'):
            self.carry_on()

    def test_baton_here_offers_without_a_hook_and_explains_a_refusal(self):
        self.make("plain")
        terminal = self.terminals[self.desk]
        terminal.start("sh", "-c", f"cd {self.desk.home}/plain; baton here; cd /tmp; baton here; cd {self.desk.home}/plain; baton here; exec sleep 600")
        terminal.shows("offering plain")
        terminal.shows("Temporary files never leave their laptop.")
        self.eventually(self.offered)
        self.carry_on().shows("<plain>")

    def test_running_shell_changes_its_directory_itself(self):
        self.make("src/engine")
        for program in START:
            with self.subTest(program):
                here = self.shell("zsh", "src/engine", name=f"desk-{program}")
                self.say(here, "true")
                here.tmux("send-keys", "-l", "echo half")
                there = self.other_terminal(self.sofa, f"sofa-{program}")
                there.start("env", "-u", "TMUX", "-u", "TMUX_PANE", "-C", self.sofa.home, *START[program])
                there.shows(">")
                self.say(there, "baton-cd")
                there.shows("<engine>")
                there.shows("echo half")
                there.type("C-u")
                self.assertEqual(self.where(there, self.sofa), str(self.sofa.home / "src" / "engine"))
                self.assertEqual(self.terminals[self.sofa].screen(), "")  # no other terminal was opened
                self.say(there, "exit")
                here.type("C-u")
                self.say(here, "exit")

    def test_next_prompt_reports_to_restarted_adapters(self):
        self.make("src")
        terminal = self.shell("zsh", "src")
        self.eventually(self.offered)
        self.desk.adapters.send_signal(signal.SIGKILL)
        self.desk.adapters.wait()
        self.eventually(lambda: not self.offered())
        self.say(terminal, "true")
        self.start_adapters(self.desk)
        self.eventually(lambda: self.say(terminal, "true") or self.offered())
        self.say(terminal, "true")
        terminal.tmux("send-keys", "-l", "echo again")
        self.carry_on().shows("echo again")
        self.assertEqual([text for text in terminal.screen().splitlines() if "rror" in text or "baton" in text], [])

    def test_windows_of_tmux_continue_with_their_panes(self):
        for name in ("one", "two", "three"):
            self.make(name)
        terminal = self.other_terminal(self.desk, "inner")
        terminal.tmux("new-session", "-d", "-x", "100", "-y", "30", "-c", str(self.desk.home / "one"), "bash -i")
        terminal.tmux("split-window", "-h", "-l", "30", "-c", str(self.desk.home / "two"), "bash -i")
        terminal.tmux("new-window", "-c", str(self.desk.home / "three"), "bash -i")
        self.eventually(self.offered)
        terminal.shows("<three>")
        self.carry_on()

        def panes():
            found = subprocess.run(["tmux", "list-panes", "-a", "-F", "#{pane_width} #{window_active} #{pane_current_path}"], env=self.sofa.environment,
                                   text=True, check=False, timeout=LIMIT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            return found.splitlines()
        self.addCleanup(lambda: subprocess.run(["tmux", "kill-server"], env=self.sofa.environment, check=False, stderr=subprocess.DEVNULL))
        there = [str(self.sofa.home / name) for name in ("one", "two", "three")]
        self.eventually(lambda: [each.split(" ")[2] for each in panes()] == there)
        self.eventually(lambda: panes()[2].split(" ")[1] == "1" and panes()[1].split(" ")[0] == "30")


class InWindow(WithShells):
    """The user's terminal is an xterm window."""

    def setUp(self):
        self.display = Display()
        self.addCleanup(self.display.end)
        super().setUp()

    def prepare(self, laptop):
        super().prepare(laptop)
        programs = laptop.home / "bin"
        (programs / "xdg-terminal-exec").unlink()
        (programs / "x-terminal-emulator").symlink_to("/usr/bin/xterm")
        laptop.environment |= {"DISPLAY": self.display.name, "XTERM_SHELL": "/usr/bin/zsh"}

    def press(self, key: str):
        """Presses a key in the window."""
        for words in (("search", "--sync", "--class", "xterm", "windowfocus"), ("key", key)):
            subprocess.run(["xdotool", *words], env=self.sofa.environment, check=True, timeout=LIMIT, stdout=subprocess.DEVNULL)

    def test_terminal_opens_in_the_folder_and_return_runs_the_half_typed_line(self):
        self.make("src/engine")
        terminal = self.shell("zsh", "src/engine")
        self.say(terminal, "true")
        terminal.tmux("send-keys", "-l", "pwd >~/ran")
        self.eventually(self.offered)
        self.sofa.baton("open", "--type", TYPE)
        shells = self.sofa.home / "run" / "baton" / "shells"
        self.eventually(lambda: [path for path in shells.iterdir() if path.name.isdigit()])
        self.assertFalse((self.sofa.home / "ran").exists())
        self.eventually(lambda: self.press("Return") or self.within(2, (self.sofa.home / "ran").exists))
        self.assertEqual((self.sofa.home / "ran").read_text(encoding="utf-8"), f"{self.sofa.home}/src/engine\n")


class InRealTerminals(WithShells):
    """The user works in a real terminal on both laptops, by the keyboard."""

    SERVICE = "org.gnome.Terminal.service"
    QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

    def prepare(self, laptop):
        super().prepare(laptop)
        display = Display()
        self.addCleanup(display.end)
        (laptop.home / "bin" / "xdg-terminal-exec").unlink()
        laptop.environment |= {"DISPLAY": display.name, "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory",
                               "LANG": "C.UTF-8"}
        services = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "dbus-1" / "services"
        services.mkdir(parents=True, exist_ok=True)
        shutil.copy(f"/usr/share/dbus-1/services/{self.SERVICE}", services)

    def begin(self, laptop):
        laptop.spawn(["openbox"], **self.QUIET)
        super().begin(laptop)

    def use(self, program: str):
        for laptop in (self.desk, self.sofa):
            (laptop.home / "bin" / "x-terminal-emulator").symlink_to(f"/usr/bin/{program}")

    def keys(self, laptop, *words: str) -> str:
        return subprocess.run(["xdotool", *words], env=laptop.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=LIMIT,
                              check=False).stdout

    def shells(self, laptop) -> list:
        return [path for path in (laptop.home / "run" / "baton" / "shells").iterdir() if path.name.isdigit()]

    def run_in_window(self, laptop, command: str, sign: str):
        """Types a command that creates a file, until the file exists."""
        def is_there():
            self.keys(laptop, "type", f"{command} && touch ~/{sign}")
            self.keys(laptop, "key", "Return")
            return self.within(5, (laptop.home / sign).exists)
        self.eventually(is_there)

    def assert_goes_on(self, program: str):
        self.use(program)
        self.make("src/engine")
        self.desk.spawn(["x-terminal-emulator", "-e", "zsh"], **self.QUIET)
        self.eventually(lambda: self.shells(self.desk))
        self.run_in_window(self.desk, "cd ~/src/engine", "is-there")
        self.eventually(self.offered)
        self.keys(self.desk, "type", "pwd >~/ran")
        began = time.monotonic()
        self.sofa.baton("open", "--type", TYPE)
        self.eventually(lambda: self.shells(self.sofa))
        if "BATON_TIMES" in os.environ:
            print(f"{program}: {time.monotonic() - began:.2f} s from the click to the prompt", flush=True)
        self.assertFalse((self.sofa.home / "ran").exists())
        self.eventually(lambda: self.keys(self.sofa, "key", "Return") or self.within(2, (self.sofa.home / "ran").exists))
        self.assertEqual((self.sofa.home / "ran").read_text(encoding="utf-8"), f"{self.sofa.home}/src/engine\n")

    def test_folder_and_half_typed_line_continue_in_konsole(self):
        self.assert_goes_on("konsole")

    def test_folder_and_half_typed_line_continue_in_gnome_terminal(self):
        self.assert_goes_on("gnome-terminal.wrapper")

    def test_folder_and_half_typed_line_continue_in_xfce_terminal(self):
        self.assert_goes_on("xfce4-terminal.wrapper")


class Outside(unittest.TestCase):
    """The hooks in a session without adapters."""

    def run_shell(self, program: str, commands: str, **environment) -> str:
        done = subprocess.run([*START[program][:1], "-i", "-c", commands], env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", **environment}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
        return done.stdout

    def test_hooks_are_silent_and_write_nothing_without_adapters(self):
        with Place() as place:
            for program, load in (("zsh", 'eval "$(baton shell zsh)"'), ("bash", 'eval "$(baton shell bash)"'), ("fish", "baton shell fish | source")):
                said = self.run_shell(program, f"{load}; _baton_prompt; echo done", XDG_RUNTIME_DIR=str(place))
                self.assertEqual([each for each in said.splitlines() if "job control" not in each and "process group" not in each], ["done"], program)
            self.assertEqual(list(place.iterdir()), [])

    def test_directory_of_another_user_is_not_used(self):
        place = self.enterContext(Place())
        strangers.give(self, place)
        for program, load in (("zsh", 'eval "$(baton shell zsh)"; typeset -f _baton_prompt'), ("bash", 'eval "$(baton shell bash)"; declare -F _baton_prompt'),
                              ("fish", "baton shell fish | source; functions _baton_prompt")):
            self.assertNotIn("_baton_prompt ()", self.run_shell(program, load, XDG_RUNTIME_DIR=str(place)).replace("function _baton_prompt", "_baton_prompt ()"), program)

    def test_prompt_costs_less_than_a_tenth_of_a_program_start(self):
        with Place() as place:
            (place / "baton" / "shells").mkdir(parents=True)
            for program, load, loop in (
                    ("zsh", 'zmodload zsh/datetime; eval "$(baton shell zsh)"', "repeat 2000 { %s }"),
                    ("bash", 'eval "$(baton shell bash)"', "for ((i = 0; i < 2000; i++)); do %s; done")):
                timed = "; ".join(f"a=$EPOCHREALTIME; {loop % each}; b=$EPOCHREALTIME; echo took $a $b" for each in (":", "_baton_prompt", "/bin/true"))
                said = [each.split()[1:] for each in self.run_shell(program, f"{load}; _baton_prompt; {timed}", XDG_RUNTIME_DIR=str(place)).splitlines()
                        if each.startswith("took ")]
                nothing, prompt, start = ((float(end) - float(begin)) / 2000 * 1e6 for begin, end in said)
                print(f"{program}: a prompt costs {prompt - nothing:.0f} us; a program's start {start:.0f} us", flush=True)
                self.assertLess(prompt - nothing, start / 10)


class Place:
    """A directory that is removed after its use."""

    def __enter__(self) -> pathlib.Path:
        import tempfile
        self.directory = tempfile.TemporaryDirectory()
        return pathlib.Path(self.directory.name)

    def __exit__(self, *_):
        self.directory.cleanup()


class Processes(unittest.TestCase):
    """Tests which processes count as shells."""

    def process(self, *words: str) -> subprocess.Popen:
        process = subprocess.Popen([*words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_process_in_another_mount_namespace_is_refused(self):
        inside = self.process("bwrap", "--bind", "/", "/", "--dev", "/dev", "sh", "-c", "readlink /proc/self/ns/mnt; exec sleep 600")
        self.assertNotEqual(inside.stdout.readline().decode().strip(), os.readlink("/proc/self/ns/mnt"))
        child = next(int(each) for each in pathlib.Path(f"/proc/{inside.pid}/task/{inside.pid}/children").read_text(encoding="ascii").split())
        with self.assertRaises(PermissionError):
            Shell(child, lambda _: None)

    def test_process_that_has_ended_is_forgotten(self):
        gone = []
        process = self.process("sleep", "600")
        shell = Shell(process.pid, gone.append)
        self.assertEqual((shell.directory(), shell.name(), shell.in_front()), (os.getcwd(), "sleep", shell.in_front()))
        process.kill()
        while not gone:
            GLib.MainContext.default().iteration(True)
        self.assertEqual(gone, [shell])
        process.wait()
        with self.assertRaises(OSError):
            Shell(process.pid, gone.append)

    def test_number_of_shells_is_limited_and_the_oldest_prompt_is_forgotten(self):
        with Place() as place:
            shells = Shells(str(place), lambda: None, lambda: None, lambda _: None)
            processes = [self.process("sleep", "600") for _ in range(MOST + 2)]
            for process in processes:
                self.assertTrue(shells.show(process.pid))
            self.assertEqual(list(shells.by_number), [process.pid for process in processes[2:]])
            shells.end()
            for number in (0, -1, 2**31, 2**70):
                self.assertFalse(shells.show(number), number)

    def test_silent_shell_causes_no_wait_for_its_line(self):
        with Place() as place:
            question = place / "1.ask"
            self.assertIsNone(line.ask(str(place), str(question)))  # there is none
            question.write_text("", encoding="ascii")
            self.assertIsNone(line.ask(str(place), str(question)))  # no pipe
            self.assertEqual(question.read_text(encoding="ascii"), "")
            question.unlink()
            os.mkfifo(question)
            self.assertIsNone(line.ask(str(place), str(question)))  # nobody reads
            end = os.open(question, os.O_RDWR | os.O_NONBLOCK)
            self.addCleanup(os.close, end)
            began = time.monotonic()
            self.assertIsNone(line.ask(str(place), str(question)))  # nobody answers
            self.assertLess(time.monotonic() - began, 10)
            self.assertEqual([path.name for path in place.iterdir()], ["1.ask"])


class Rules(unittest.TestCase):
    def test_line_with_control_characters_is_refused(self):
        for bad in ("ls\n", "ls\r", "a\x1b[2J", "a\x03", "a\u202eb", "a\u2028b", "a\x9b", "", "   ", "x" * 4097, "é" * 2049, None, 1, "a\udce9"):
            self.assertIsNone(line.plain(bad), repr(bad))
        for good in ("ls -l", "git commit -m 'é 😀'", "x" * 4096, "rm -rf ~; $(:)"):
            self.assertEqual(line.plain(good), good)

    def test_host_of_an_ssh_session_is_read_from_its_arguments(self):
        for words, host in ((["ssh", "ada@mill"], "ada@mill"), (["/usr/bin/ssh", "-vp", "22", "-J", "gate", "mill.example.org", "ls"], "mill.example.org"),
                            (["ssh", "-p22", "::1"], None), (["ssh", "-oProxyCommand=x", "mill"], "mill"), (["ssh", "-4C", "mill"], "mill"),
                            (["ssh", "-p"], None), (["ssh"], None), (["vim", "mill"], None), ([], None), (["ssh", "--", "-oProxyCommand=x"], None),
                            (["ssh", "mill;reboot"], None), (["ssh", "$(reboot)"], None), (["ssh", "x" * 300], None)):
            self.assertEqual(remote.host(words), host, words)

    def test_invalid_lines_of_tmux_are_ignored(self):
        good = "0\t1\tc1d2,80x24,0,0,1\t1\t/home/ada"
        self.assertEqual(tmux.read(f"{good}\nnonsense\n0\t1\tx\t1\t/y\n0\t1\tc1d2,80x24,0,0,1\t0\trelative\n")[0].panes, ["/home/ada"])
        self.assertEqual(tmux.read(""), [])
        self.assertEqual(len(tmux.read("\n".join(good.replace("0", str(at), 1) for at in range(40)))), tmux.MOST_WINDOWS)
        for bad in ("c1d2,80x24;#(reboot)", "#(reboot)", "c1d2," + "1" * 2001):
            self.assertIsNone(tmux.LAYOUT.fullmatch(bad))

    def test_tmux_layout_with_a_size_that_crashes_the_server_is_refused(self):
        for good in ("80x24,0,0,1", "80x24,0,0,123456789", "80x24,0,0{40x24,0,0,0,39x24,41,0[39x12,41,0,1,39x11,41,13,20456]}", "9999x9999,9999,9999"):
            self.assertIsNotNone(tmux.LAYOUT.fullmatch(f"c1d2,{good}"), good)
        for bad in ("1x4294967295,0,0,0", "4294967295x1,0,0,0", "10000x24,0,0,0", "80x24,0,0{40x24,0,0,0,39x99999,41,0,1}", "80x24,0,0,40x99999,0,0,1",
                    "80x24,10000,0,0", "0x24,0,0,0", "80x24", "1" * 9, "80x24,0,0,1\n", "80x24,0,0,1," * 200):
            self.assertIsNone(tmux.LAYOUT.fullmatch(f"c1d2,{bad}"), bad)

    def test_ambiguous_tmux_layout_is_checked_quickly(self):
        """The search runs in its own process, because only killing the process ends a search that never ends."""
        layout = "abcd,1x1,1," + "111111x1,1," * 180 + "1z"
        program = "import re, sys; sys.exit(re.fullmatch(sys.argv[1], sys.argv[2]) is not None)"
        done = subprocess.run([sys.executable, "-c", program, tmux.LAYOUT.pattern, layout], timeout=LIMIT, check=False)
        self.assertLessEqual(len(layout), 2005)
        self.assertEqual(done.returncode, 0)

    def test_values_of_another_laptop_are_checked(self):
        name = {"directory": {"name": "engine", "home": "src/engine"}}
        self.assertIsNone(State.read({}))
        self.assertIsNone(State.read({"directory": {"name": "../x"}}))
        self.assertEqual(State.read(name).directory.reference.home, "src/engine")
        for key, bad in (("line", "a\nb"), ("line", 7), ("host", "-oProxyCommand=x"), ("host", ["a"]), ("windows", "x"), ("windows", [1, {}, {"panes": 5}])):
            self.assertEqual(State.read(name | {key: bad}), State.read(name), (key, bad))
        panes = State.read(name | {"windows": [{"panes": [name] * 40, "layout": "#(reboot)", "active": 99}] * 3}).windows
        self.assertEqual([(len(each.panes), each.layout, each.active) for each in panes], [(tmux.MOST_PANES, None, 0)])
        self.assertIsNone(State.read({"directory": {"name": "engine", "home": "../x", "git": {"remotes": ["a"], "path": "../x"}}}).directory.reference.home)

    def test_panes_beyond_the_common_time_limit_open_in_the_terminals_folder(self):
        """Each folder of a clone that is not here takes as long as git's search."""
        asked, clock = [], mock.Mock(monotonic=lambda: len(asked))

        def clones(place, first):
            asked.append(place)
            return []
        pane = {"directory": {"name": "x", "git": {"remotes": ["example.org/x"], "path": "x"}}}
        panes = [{"directory": {"name": "x", "git": {"remotes": [f"example.org/{number}"], "path": "x"}}} for number in range(tmux.MOST_PANES - 2)]
        home = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=pathlib.Path.home())))
        state = State.read({"directory": {"name": home.name, "home": home.name}, "windows": [{"panes": [pane, pane, *panes]}]})
        with mock.patch.object(git, "clones", clones), mock.patch.object(arrival, "time", clock):
            found = arrival.find(state)
        self.assertEqual((found.path, {*found.windows[0].panes}), (str(home), {str(home)}))
        self.assertEqual(len(asked), arrival.PANES_PATIENCE)
        self.assertEqual(len({*(place.remotes[0] for place in asked)}), len(asked))  # once for the two panes of the same repository

    def test_running_searches_count_towards_the_limit_of_terminals(self):
        service, waiting, refused = Terminals.__new__(Terminals), threading.Event(), []
        service.shells, service.arrivals, service.searches = object(), {}, 0
        service.decline = lambda _, why, detail="": refused.append(why)
        values = GLib.Variant("a{sv}", {"directory": GLib.Variant("a{sv}", {"name": GLib.Variant("s", "engine")})})
        continuation = mock.Mock(props=mock.Mock(user_info=values, device_name="desk"))
        with mock.patch.object(adapter, "find", lambda _: waiting.wait(LIMIT) and None):
            for _ in range(adapter.MOST_ARRIVALS):
                service.take(continuation, None)
            with self.assertRaises(adapter.Refused):
                service.take(continuation, None)
            waiting.set()
            while service.searches:
                GLib.MainContext.default().iteration(True)
            service.take(continuation, None)
            while service.searches:
                GLib.MainContext.default().iteration(True)
        self.assertEqual(len(refused), adapter.MOST_ARRIVALS + 1)

    def test_private_temporary_and_home_folders_are_not_offered(self):
        home = pathlib.Path.home()
        for path in ("/tmp", "/run", home / ".ssh", home / ".config" / "baton", home / ".password-store" / "bank", home, "/usr"):
            self.assertIsNotNone(directories.why_it_stays(str(path)), path)

    def test_private_folder_is_not_found_for_another_laptop(self):
        ssh = pathlib.Path.home() / ".ssh"
        was_there = ssh.exists()
        ssh.mkdir(exist_ok=True)
        try:
            self.assertIsNone(directories.find(State.read({"directory": {"name": ".ssh", "home": ".ssh"}}).directory))
        finally:
            if not was_there:
                ssh.rmdir()
