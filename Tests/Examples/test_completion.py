# SPDX-License-Identifier: Apache-2.0
"""bash, zsh and fish, each on a terminal, complete devices, offers, types and rules of the daemon, even with hostile names."""

import fcntl
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time

from laptops import BIN, LIMIT, ROOT, TwoLaptops

SHELLS = ("bash", "zsh", "fish")
# Text that a shell interprets unless it is quoted. Each part would create a file or change the word. A name has at most
# 63 bytes.
HOSTILE = """it's "a\\b" $(touch pwned) `touch pwned`;touch pwned|#*~!:x=&"""
PROMPT = "ready> "
# Apostrophes with combining marks, which are still apostrophes for a shell.
MARKED = "it'\u0301$(touch pwned)'\u0301;touch pwned;'\u0301"
# The seconds after which the tool completes nothing, because the daemon has not answered.
PATIENCE = int(re.search(r"patience = Duration\.milliseconds\((\d+)\)", (ROOT / "Sources/baton/Completion/Completion.swift").read_text(encoding="utf-8"))[1]) / 1000
# The baton that a shell finds. It passes completions on to the real baton, and records the commands that are run. On a busy machine the daemon
# does not always answer in time, so the real baton is asked again.
STAND_IN = """#!/usr/bin/python3
import json, subprocess, sys, time
if sys.argv[1:2] == ["---completion"]:
    while True:
        began = time.monotonic()
        done = subprocess.run([{baton!r}, *sys.argv[1:]], stdout=subprocess.PIPE)
        if done.stdout or time.monotonic() - began < {patience}:
            break
    sys.stdout.buffer.write(done.stdout)
    sys.exit(done.returncode)
with open({written!r}, "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
"""


def put_stand_in(directory: pathlib.Path, written: pathlib.Path) -> pathlib.Path:
    """Makes a directory with the baton that a shell finds. Returns the program, which writes the commands that are run to a file."""
    directory.mkdir()
    program = directory / "baton"
    program.write_text(STAND_IN.format(baton=str(BIN / "baton"), patience=PATIENCE, written=str(written)), encoding="utf-8")
    program.chmod(0o755)
    return program


class Shell:
    """An interactive shell on a terminal with baton's completions."""

    def __init__(self, name: str, home: pathlib.Path, environment: dict):
        self.name, self.home, self.written = name, home, home / "written"
        home.mkdir()
        program = put_stand_in(home / "bin", self.written)
        subprocess.run([ROOT / "Packaging" / "make"], env={**os.environ, "BIN": str(BIN), "MADE": str(home)}, check=True, timeout=LIMIT)
        (home / "baton.zsh").rename(home / "_baton")
        begin, command = {
            "bash": (f". {home}/baton.bash", ["bash", "--norc", "--noprofile", "-i"]),
            "zsh": (f"fpath=({home} $fpath); autoload -Uz compinit; compinit -u -d {home}/dump", ["zsh", "-f", "-i"]),
            "fish": (f"source {home}/baton.fish", ["fish", "--no-config", "-i", "-C", f"function fish_prompt; printf '%s' '{PROMPT}'; end"]),
        }[name]
        self.terminal, its = pty.openpty()
        # The terminal is wide enough for all text to fit on one line.
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 400, 0, 0))
        self.shown, self.more = "", threading.Condition()
        own = {**environment, "PATH": f"{program.parent}:{environment['PATH']}", "PS1": PROMPT, "TERM": "xterm", "HOME": str(home),
               "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null"}
        self.process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, cwd=home, env=own, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(its)
        self.reading = threading.Thread(target=self.read, daemon=True)
        self.reading.start()
        self.until(PROMPT)
        self.type(begin + "\r", PROMPT)

    def read(self):
        while True:
            try:
                piece = os.read(self.terminal, 65_536)
            except OSError:
                return
            if not piece:
                return
            with self.more:
                self.shown += piece.decode(errors="replace")
                self.more.notify_all()

    def until(self, wanted: str):
        """Waits until the shell shows this text."""
        with self.more:
            if not self.more.wait_for(lambda: wanted in self.shown, LIMIT):
                raise AssertionError(f"{self.name} did not show {wanted!r}: {self.shown[-2000:]!r}")
            self.shown = self.shown[self.shown.index(wanted) + len(wanted):]

    def type(self, text: str, wanted: str):
        os.write(self.terminal, text.encode())
        self.until(wanted)

    def completed(self, typed: str) -> list:
        """Types a line, Tab and Enter, and returns the arguments with which baton runs."""
        before = len(self.runs())
        # One press of Tab completes the only matching word. The shell reads the next key afterwards.
        os.write(self.terminal, (typed + "\t\r").encode())
        limit = time.monotonic() + LIMIT
        while len(self.runs()) == before:
            if time.monotonic() > limit:
                raise AssertionError(f"{self.name} has not run '{typed}': {self.shown[-2000:]!r}")
            time.sleep(0.02)
        self.until(PROMPT)
        return self.runs()[before]

    def runs(self) -> list:
        if not self.written.exists():
            return []
        return [json.loads(line) for line in self.written.read_text(encoding="utf-8").splitlines(keepends=True) if line.endswith("\n")]

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(LIMIT)
        # Let the thread read to the end, which comes when no process has the terminal open any more. A descriptor
        # closed earlier might be reused by then.
        self.reading.join(LIMIT)
        if self.reading.is_alive():
            raise AssertionError(f"something of {self.name} goes on on its terminal")
        os.close(self.terminal)


NOTES = "[Desktop Entry]\nType=Application\nName=Notes\nExec=true\nX-Baton-ActivityTypes=org.example.notes.edit;\n" \
    "X-Baton-AssociatedDomains=activitycontinuation:notes.example;\n"
MAIL = "[Desktop Entry]\nType=Application\nName=Mail\nExec=true\nX-Flatpak=org.example.Mail\nX-Baton-ActivityTypes=org.example.letters;\n"
MUSIC = "[Desktop Entry]\nType=Application\nName=Music\nExec=true\nX-Baton-Adapter=mpv;\n"


class Completion(TwoLaptops):
    DEVICES = ("remove", "--", "positional@0", "2", "0", "baton", "remove", "")

    def prepare(self, laptop):
        """Installs two apps and an adapter of the user's own. One app is sandboxed and asks for a type that is not its own."""
        own, exports = pathlib.Path(laptop.environment["XDG_DATA_HOME"]), laptop.home / "exports" / "share"
        laptop.environment["XDG_DATA_DIRS"] = str(exports)
        for share, name, entry in ((own, "Notes", NOTES), (own, "Music", MUSIC), (exports, "Mail", MAIL)):
            (share / "applications").mkdir(parents=True, exist_ok=True)
            (share / "applications" / f"org.example.{name}.desktop").write_text(entry, encoding="utf-8")

    def each_shell(self, test):
        """Runs a test in each shell, on the desk, in a separate directory."""
        for name in SHELLS:
            with self.subTest(shell=name):
                shell = Shell(name, self.root / f"shell-{name}", self.desk.environment)
                try:
                    test(shell)
                finally:
                    shell.end()

    def candidates(self, *words: str, shell: str = "") -> list:
        """Returns the completions that the tool prints for a shell's script, once the daemon has answered in time."""
        def told():
            began = time.monotonic()
            found = self.candidates_in_time(*words, shell=shell)
            return (found,) if found or time.monotonic() - began < PATIENCE else None
        return self.eventually(told, "an answer in time")[0]

    def candidates_in_time(self, *words: str, shell: str = "") -> list:
        """Returns the completions that the tool prints for a shell's script. There are none if the daemon does not answer in time."""
        environment = {**self.desk.environment, **({"SAP_SHELL": shell} if shell else {})}
        done = subprocess.run([BIN / "baton", "---completion", *words], env=environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return [line for line in done.stdout.split("\n") if line]

    def devices(self) -> list:
        return self.candidates(*self.DEVICES)

    def seen(self):
        """Makes the sofa offer an activity, and waits until the desk sees it. Returns the process and the offer's id."""
        publishing = self.sofa.follow("publish", "--type", "org.example.letter", "--title", "Letter")
        offers = self.eventually(lambda: [offer for offer in json.loads(self.desk.baton("nearby", "--json")[0]) if offer["type"]])
        return publishing, offers[0]["offer"]

    def test_a_hostile_name_is_completed_literally_and_never_executed(self):
        self.assertLessEqual(len(HOSTILE.encode()), 63)
        sofa, = (member["device"] for member in json.loads(self.desk.baton("devices", "--json")[0]) if not member["thisDevice"])
        self.sofa.baton("rename", HOSTILE)
        # A new name is sent over the present or the next connection. On a slow machine the present one may have ended, so make one.
        self.desk.baton("ping", sofa)
        self.eventually(lambda: self.devices() == [HOSTILE])

        def completes(shell):
            for typed in ("baton remove ", "baton remove it", "baton remove it\\'s", "baton remove \"it", "baton continue --from ", "baton ping "):
                words = [word for word in typed.split()[1:] if "it" not in word]
                self.assertEqual(shell.completed(typed), [*words, HOSTILE], typed)
            self.assertEqual(shell.completed("baton rules add near device="), ["rules", "add", "near", f"device={HOSTILE}"])
            self.assertEqual(shell.completed("baton rules add never dev"), ["rules", "add", "never", f"device={HOSTILE}"])
            self.assertEqual([path for path in self.root.rglob("*pwned*")], [])

        self.each_shell(completes)

    def test_a_name_with_combining_marks_is_never_executed(self):
        sofa, = (member["device"] for member in json.loads(self.desk.baton("devices", "--json")[0]) if not member["thisDevice"])
        self.sofa.baton("rename", MARKED)
        self.desk.baton("ping", sofa)
        self.eventually(lambda: self.devices() == [MARKED])

        def completes(shell):
            self.assertEqual(shell.completed("baton remove "), ["remove", MARKED])
            self.assertEqual([path for path in self.root.rglob("*pwned*")], [])

        self.each_shell(completes)

    def test_offers_types_and_rules_are_completed(self):
        _, offer = self.seen()
        self.desk.baton("rules", "add", "ask", "type=org.example.letter")

        def completes(shell):
            self.assertEqual(shell.completed("baton continue s"), ["continue", "sofa"])
            self.assertEqual(shell.completed(f"baton open {offer[:2]}"), ["open", offer])
            self.assertEqual(shell.completed("baton continue --type "), ["continue", "--type", "org.example.letter"])
            self.assertEqual(shell.completed("baton continue --from=sofa --type="), ["continue", "--from=sofa", "--type=org.example.letter"])
            self.assertEqual(shell.completed("baton continue --type=org.ex"), ["continue", "--type=org.example.letter"])
            self.assertEqual(shell.completed("baton publish --type org.example.l"), ["publish", "--type", "org.example.letter"])
            self.assertEqual(shell.completed("baton rules add ask type=org.example.l"), ["rules", "add", "ask", "type=org.example.letter"])
            self.assertEqual(shell.completed("baton rules add nea"), ["rules", "add", "near"])
            self.assertEqual(shell.completed("baton rules remove "), ["rules", "remove", "1"])

        self.each_shell(completes)

    def test_apps_grants_and_the_arguments_of_help_are_completed(self):
        def completes(shell):
            for words, missing in ((["open", "--app", "org.example.Notes"], "tes"), (["serve", "--app", "org.example.Notes"], "otes"),
                                   (["rules", "add", "--first", "ask", "app=org.example.Notes"], "otes"),
                                   (["grants", "allow", "org.example.Mail"], "org.example.Mail"), (["grants", "refuse", "org.example.Mail"], "ail"),
                                   (["grants", "allow", "org.example.Mail", "org.example.letters"], "org.example.letters"),
                                   (["adapters", "allow", "org.example.Music"], "ic"), (["adapters", "off", "org.example.Music"], "usic"),
                                   (["domains", "check", "notes.example"], "tes.example"), (["help", "grants"], "nts"), (["help", "circle", "join"], "oin")):
                self.assertEqual(shell.completed("baton " + " ".join(words).removesuffix(missing)), words)

        self.each_shell(completes)

    def test_file_arguments_are_completed_with_files(self):
        def completes(shell):
            # Only a trace file can be drawn, so no other file is completed.
            for name in ("one.jsonl", "one.txt"):
                (shell.home / name).write_text("", encoding="utf-8")
            self.assertEqual(shell.completed("baton trace --draw on"), ["trace", "--draw", "one.jsonl"])
            (shell.home / "one.jsonl").unlink()
            for words in (["circle", "join"], ["publish", "--info-json"], ["trace", "--output"]):
                self.assertEqual(shell.completed(f"baton {' '.join(words)} on"), [*words, "one.txt"])
            self.assertEqual(shell.completed("baton publish --stream-from=on"), ["publish", "--stream-from=one.txt"])

        self.each_shell(completes)

    def test_the_action_of_a_rule_is_completed_first_and_once(self):
        def next_words(*words: str) -> set:
            words = ("baton", "rules", "add", *words, "")
            return {word.split("=")[0] for word in self.candidates("rules", "add", "--", "positional@0", str(len(words) - 1), "0", *words)}

        self.assertEqual(next_words(), {"ask", "never", "near", "hide"})
        self.assertEqual(next_words("--first"), {"ask", "never", "near", "hide"})
        self.assertEqual(next_words("near"), {"type", "app", "device"})
        self.assertEqual(next_words("near", "device=sofa"), {"type", "app"})
        self.assertEqual(next_words("near", "device", "=", "sofa"), {"type", "app"})
        self.assertEqual(next_words("hide"), {"type", "app"})

    def test_each_detail_of_a_trace_is_completed_after_a_comma(self):
        def completes(shell):
            self.assertEqual(shell.completed("baton trace --reveal na"), ["trace", "--reveal", "names"])
            self.assertEqual(shell.completed("baton trace --reveal types,names,ti"), ["trace", "--reveal", "types,names,titles"])
            self.assertEqual(shell.completed("baton trace --reveal=types,ti"), ["trace", "--reveal=types,titles"])

        self.each_shell(completes)

    def test_an_argument_that_was_given_is_not_completed_again(self):
        _, offer = self.seen()
        checks = self.candidates("doctor", "--", "positional@0", "3", "0", "baton", "doctor", "radio", "")
        self.assertIn("circle", checks)
        self.assertNotIn("radio", checks)
        asked = ("open", "--", "positional@0")
        self.assertIn(offer, self.candidates(*asked, "2", "0", "baton", "open", ""))
        for words in (["--type", "org.example.letter"], ["--from=sofa"]):
            self.assertEqual(self.candidates(*asked, str(2 + len(words)), "0", "baton", "open", *words, ""), [])

    def test_a_program_without_commands_has_no_help_to_complete(self):
        for shell in SHELLS:
            made = subprocess.run([ROOT / "Packaging" / "make-completion", BIN / "batond", shell], text=True, capture_output=True, timeout=LIMIT, check=True)
            self.assertIn("radio-directory", made.stdout)
            self.assertNotIn("Show subcommand help information.", made.stdout)
            self.assertNotIn("compgen -W 'help'", made.stdout)

    def test_fish_completes_without_a_terminal_too(self):
        script = self.root / "baton.fish"
        with script.open("w", encoding="utf-8") as file:
            subprocess.run([ROOT / "Packaging" / "make-completion", BIN / "baton", "fish"], stdout=file, timeout=LIMIT, check=True)
        program = put_stand_in(self.root / "bin", self.root / "written")
        own = {**self.desk.environment, "PATH": f"{program.parent}:{self.desk.environment['PATH']}", "HOME": str(self.root)}
        done = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C 'baton ping '"], env=own, stdin=subprocess.DEVNULL,
                              text=True, capture_output=True, timeout=LIMIT, check=True)
        self.assertEqual((done.stdout.split()[:1], done.stderr), (["sofa"], ""))

    def test_zsh_and_fish_get_descriptions_of_the_words(self):
        _, offer = self.seen()
        asked = ("open", "--", "positional@0", "2", "0", "baton", "open", "")
        self.assertIn(f"{offer}:from sofa, org.example.letter", self.candidates(*asked, shell="zsh"))
        self.assertIn(f"{offer}\tfrom sofa, org.example.letter", self.candidates(*asked, shell="fish"))
        self.assertEqual(self.candidates(*asked, shell="bash"), [f"'{offer}'", "'sofa'"])

    def test_completion_without_a_daemon_is_silent_and_starts_none(self):
        started = self.root / "started"
        services = pathlib.Path(self.desk.environment["XDG_DATA_HOME"]) / "dbus-1" / "services"
        services.mkdir(parents=True)
        (services / "org.batonproject.Baton.service").write_text(
            f"[D-BUS Service]\nName=org.batonproject.Baton\nExec=/usr/bin/touch {started}\n", encoding="utf-8")
        self.reload_bus(self.desk)
        self.desk.daemon.terminate()
        self.desk.daemon.wait(LIMIT)
        self.assertEqual(self.devices(), [])
        self.assertFalse(started.exists())
        # The bus starts the daemon for a command.
        subprocess.run([BIN / "baton", "devices"], env=self.desk.environment, timeout=LIMIT, check=False, capture_output=True)
        self.assertTrue(started.exists())
        # The result is the same without a bus.
        self.desk.environment["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={self.root}/nothing"
        self.assertEqual(self.devices(), [])

    def test_an_invalid_completion_request_gets_only_an_exit_status(self):
        for words in (("remove", "--", "positional@0"), ("remove", "--", "positional@9", "2", "0"), ("nosuch", "--", "--type", "0", "0"), ()):
            done = subprocess.run([BIN / "baton", "---completion", *words], env=self.desk.environment, capture_output=True, timeout=LIMIT, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (64, b"", b""), words)

    def test_completion_does_not_wait_for_a_hanging_daemon(self):
        self.desk.daemon.send_signal(signal.SIGSTOP)
        try:
            began = time.monotonic()
            self.assertEqual(self.candidates_in_time(*self.DEVICES), [])
            # Completion must not wait for a call's time limit of 25 s.
            self.assertLess(time.monotonic() - began, 20)
        finally:
            self.desk.daemon.send_signal(signal.SIGCONT)

    def test_a_device_whose_name_looks_like_an_option_is_completed_by_its_id(self):
        self.call_the_sofa("--yes")

    def test_a_device_whose_name_looks_like_a_home_directory_is_completed_by_its_id(self):
        device = self.call_the_sofa("~root")
        # fish would expand the name to another user's home.
        self.each_shell(lambda shell: self.assertEqual(shell.completed("baton remove "), ["remove", device]))

    def call_the_sofa(self, name: str) -> str:
        """Renames the sofa, and returns its id, by which it is then completed. Use it once: a device accepts one new name in ten minutes."""
        device = json.loads(self.sofa.baton("status", "--json")[0])["device"]
        self.sofa.baton("rename", "--", name)
        # The name is sent over a connection, and the present one may have ended.
        self.desk.baton("ping", device)
        self.eventually(lambda: name in self.desk.baton("devices")[0])
        self.assertEqual(self.devices(), [device])
        return device
