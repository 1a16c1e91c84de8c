# SPDX-License-Identifier: Apache-2.0
"""An editor with Baton's plugin, with a test in place of the adapters."""

import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import tempfile
import time
import types

import strangers
from apps import EXTENSION, WORK, own_session, processes_of
from editing import KINDS, Terminal, install_plugins


GEDIT = EXTENSION / "gedit" / "baton"
# The part of gedit's plugin that connects, without gedit.
CONNECT = f"""
import sys, types
from gi.repository import GLib
package = types.ModuleType("baton")
package.__path__ = [{str(GEDIT)!r}]
sys.modules["baton"] = package
from baton import lines
connection = lines.connect({{}}, print, print)
print("connected" if connection else "stays away", flush=True)
if connection:
    GLib.MainLoop().run()
"""


class GeditsConnection:
    """The part of gedit's plugin that connects, in a separate program."""

    PREFIX: tuple = ()

    def __init__(self, test):
        self.test, self.process = test, None

    def start(self, _):
        self.process = subprocess.Popen([*self.PREFIX, "/usr/bin/python3", "-c", CONNECT], stdout=subprocess.PIPE,
                                        text=True, env=self.test.laptop.environment, cwd=self.test.root)
        self.test.addCleanup(self.stop)

    def stop(self):
        self.process.kill()
        self.process.communicate()

    def said(self) -> str:
        return self.process.stdout.readline().rstrip()


LIMIT = 20  # seconds within which an editor must answer


class Listener:
    """A socket to which an editor can connect."""

    def __init__(self, test, directory: pathlib.Path):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.test, self.path = test, directory / "socket"
        self.path.unlink(missing_ok=True)
        self.end = socket.socket(socket.AF_UNIX)
        test.addCleanup(self.end.close)
        self.end.bind(str(self.path))
        self.path.chmod(0o600)
        self.end.listen()
        self.end.settimeout(LIMIT)

    def has_been_asked(self) -> bool:
        """Returns whether a program has connected."""
        return bool(select.select([self.end], [], [], 0)[0])

    def accept(self):
        return Line(self.test, self.end.accept()[0])


class Line:
    """An editor's connection. It receives and sends objects as lines of JSON."""

    def __init__(self, test, end: socket.socket):
        self.end = end
        test.addCleanup(end.close)
        end.settimeout(LIMIT)
        self.file = end.makefile("rw", encoding="utf-8")
        test.addCleanup(self.file.close)

    def hear(self) -> dict | None:
        line = self.file.readline()
        return json.loads(line) if line else None

    def until(self, is_it) -> dict:
        """Returns the next line for which a condition holds."""
        while not is_it(found := self.hear()):
            pass
        return found

    def say(self, **message):
        self.file.write(json.dumps(message) + "\n")
        self.file.flush()


def make(path: pathlib.Path, contents: bytes = b""):
    """Creates a file as the adapters do."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(contents)


class Exchanging:
    """Tests of the exchange of texts in both directions, by the names of files in the socket's directory. A subclass
    defines `directory`; another directory, `elsewhere`; `has_text_to_send()`; `send(name)`, which returns whether the
    editor says that it wrote its text to the file; and `receive(name)`, which returns the editor's answer to a copy."""

    def test_text_is_received_by_the_name_of_a_file_in_the_directory(self):
        make(self.directory / "file", b"Dear Bob,\n")
        self.assertEqual(self.receive("file"), {"opened": True})

    def test_text_is_sent_by_the_name_of_a_file_in_the_directory(self):
        make(self.directory / "file")
        self.has_text_to_send()
        self.assertTrue(self.send("file"))
        self.assertTrue((self.directory / "file").read_bytes().startswith(b"more\n"))

    def assert_refused(self, *names: str, file: pathlib.Path | None = None):
        """Checks that the editor neither reads nor writes files with these names, and still answers."""
        for name in names:
            self.assertIn("failed", self.receive(name), name)
        self.has_text_to_send()
        for name in names:
            self.assertFalse(self.send(name), name)
        if file:
            self.assertEqual(file.read_bytes(), b"secret\n")

    def test_name_with_a_slash_is_refused(self):
        file = self.elsewhere / "file"
        make(file, b"secret\n")
        self.assert_refused(str(file), os.path.relpath(file, self.directory), file=file)

    def test_symbolic_link_is_refused(self):
        make(self.elsewhere / "file", b"secret\n")
        (self.directory / "link").symlink_to(self.elsewhere / "file")
        self.assert_refused("link", file=self.elsewhere / "file")

    def test_pipe_is_refused_without_a_wait(self):
        os.mkfifo(self.directory / "pipe", 0o600)
        self.assert_refused("pipe")

    def test_file_of_another_user_is_refused(self):
        make(self.directory / "file", b"secret\n")
        (self.directory / "file").chmod(0o666)
        strangers.give(self, self.directory / "file")
        self.assert_refused("file", file=self.directory / "file")

    def test_name_of_a_directory_is_refused(self):
        (self.directory / "directory").mkdir()
        self.assert_refused("directory", ".", "..", "")


def copy_named(name: str, **more) -> dict:
    """Returns the adapters' message about a copy of a letter."""
    return {"line": 1, "column": 1, "top": 1, "name": "letter.txt", "device": "sofa", "file": None, "isSame": False,
            "isCopy": True, "fileForm": None, "text": name, "encoding": "utf-8", "mark": False, "ends": "lf", "hasLastEnd": True, "note": "",
            **more}


class Plugged:
    """One editor in a terminal. `self.directory` is the directory of its socket."""

    PROGRAM: str

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-plugin-", dir=WORK)))
        self.addCleanup(self.stop)
        environment = {**own_session.environment(self.root / "home"), "TERM": "xterm-256color", "SHELL": "/bin/sh",
                       "LC_ALL": "C.UTF-8"}
        install_plugins(environment)
        self.home = self.root / "home"
        self.runtime = pathlib.Path(environment["XDG_RUNTIME_DIR"])
        self.directory = self.runtime / "baton" / "editors"
        self.listener = Listener(self, self.directory)
        self.laptop = types.SimpleNamespace(home=self.root, environment=environment)
        self.editor = self.make_editor()
        self.letter = self.home / "letter.txt"
        self.letter.write_text("Dear Ada,\n", encoding="utf-8")

    def make_editor(self):
        return KINDS[self.PROGRAM](Terminal(self, self.laptop), self.PROGRAM)

    def stop(self):
        for process in processes_of(self.root):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.eventually(lambda: not processes_of(self.root))

    def eventually(self, condition):
        limit = time.monotonic() + LIMIT
        while not (found := condition()):
            self.assertLess(time.monotonic(), limit, f"it did not come to be")
            time.sleep(0.05)
        return found

    def eventually_soon(self, condition):
        return self.eventually(condition)

    def start(self) -> Line:
        """Starts the editor with a letter. Returns its connection."""
        self.editor.start(self.letter)
        line = self.listener.accept()
        self.assertEqual(line.hear()["editor"], self.PROGRAM)
        return line

    def assert_stays_away(self):
        """Checks that the editor does not connect, although it runs and has something to report."""
        self.editor.start(self.letter)
        self.look_for_socket()
        self.assertFalse(self.listener.has_been_asked())

    def look_for_socket(self):
        """Makes the editor look for the socket, and waits until the editor has looked."""
        raise NotImplementedError
