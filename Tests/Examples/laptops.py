# SPDX-License-Identifier: Apache-2.0
"""Two laptops of one circle on the simulated radio, each with a session bus and a daemon."""

import errno
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("BATON_BIN") or ROOT / ".build" / "debug").resolve()
LIMIT = 60  # the time limit of a step, in seconds
LAST_WORDS = 40  # how many lines of each log to show after a failure
sys.dont_write_bytecode = True


def load(name: str):
    """Returns a script without a suffix as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "Scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


demo = load("demo")
# Modules that the demo imports.
own_session = demo.own_session
limited = own_session.limited
# The demo has added the directory of its modules.
from own_display import Display  # noqa: E402, F401


def end(running: list):
    """Ends programs, the last started one first."""
    for process in reversed(running):
        if process.poll() is None:
            process.terminate()
            process.wait(LIMIT)
    # Close the pipes only now, because a program that a daemon started may still use its output until the bus ends.
    for process in running:
        # Let a reading thread reach the end first. Closing its pipe earlier would make it fail.
        if reader := getattr(process, "reader", None):
            reader.join(LIMIT)
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()


def states(session: int) -> list:
    """Returns the name, the state and the signals of each process of a session."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            number = int((place / "stat").read_text(encoding="utf-8", errors="replace").rpartition(") ")[2].split()[3])
            lines = (place / "status").read_text(encoding="utf-8", errors="replace").splitlines() if number == session else []
        except OSError:
            continue  # it has just ended
        if lines:
            found.append("; ".join(line.replace("\t", " ") for line in lines if line.startswith(("Name", "State", "Pid", "PPid", "Sig", "Shd"))))
    return found


class Logged(unittest.TestCase):
    """A test with laptops in `self.root`. If the test fails, the laptops' logs are shown."""

    def make_root(self, name: str):
        """Makes the directory of all laptops, and `self.running`, the list of their programs."""
        self.root = pathlib.Path(tempfile.mkdtemp(prefix=f"baton-{name}-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.addCleanup(self.tell_logs, self.failures())
        self.running = []

    def pair(self):
        """Makes a circle of desk and sofa."""
        self.desk.baton("circle", "create", "--name", "desk")
        self.desk.baton("circle", "invite", self.root / "invitation")
        self.sofa.baton("circle", "join", self.root / "invitation", "--name", "sofa")

    def run(self, result=None):
        self.tally = result
        return super().run(result)

    def failures(self) -> int:
        return len(self.tally.failures) + len(self.tally.errors)

    def tell_logs(self, before: int):
        """Prints the last lines of all logs if the test has failed."""
        if self.failures() > before:
            for log in sorted(self.root.glob("*/*.log")):
                lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_WORDS:]
                print("", *(f"{log.parent.name}, {log.stem}: {line}" for line in lines), sep="\n", file=sys.stderr)

    def eventually(self, condition, what: str = "it"):
        """Waits until a condition holds, and returns its value."""
        limit = time.monotonic() + LIMIT
        while not (found := condition()):
            self.assertLess(time.monotonic(), limit, f"{what} did not come to be")
            time.sleep(0.05)
        return found

    def within(self, seconds: float, condition) -> bool:
        """Returns whether a condition holds within a time, for callers that try again if not."""
        limit = time.monotonic() + seconds
        while not (holds := bool(condition())) and time.monotonic() < limit:
            time.sleep(0.05)
        return holds

    def ended(self, process) -> tuple:
        """Waits for a program to end, and returns its exit status and its output. A failure names the processes that
        the program left behind, because one of them may still hold its output."""
        try:
            said, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise AssertionError("\n".join([f"{process.args} did not end", *states(process.pid)])) from None
        return process.returncode, said

    def line(self, process: subprocess.Popen) -> str:
        """Returns the next line of a program, without its end."""
        with limited(process):
            line = process.stdout.readline()
        self.assertTrue(line, f"{process.args} said nothing more")
        return line.rstrip("\n")

    def hear(self, process: subprocess.Popen, wanted: str, begins: bool = False) -> str:
        """Waits until a program prints this line, or a line that begins with this text."""
        said = []
        with limited(process):
            for line in process.stdout:
                said.append(line.rstrip("\n"))
                if said[-1] == wanted or begins and line.startswith(wanted):
                    return said[-1]
        raise AssertionError(f"{process.args} did not say '{wanted}': {said}")

    def reload_bus(self, laptop):
        """Makes a session bus reload the services that it can start."""
        subprocess.run(["gdbus", "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus",
                        "--method", "org.freedesktop.DBus.ReloadConfig"], env=laptop.environment, check=True, timeout=LIMIT, stdout=subprocess.DEVNULL)

    def writing(self, pipe):
        """Waits until a named pipe has a reader, and returns the pipe opened for writing."""

        def opened():
            try:
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                return None

        end = self.eventually(opened)
        os.set_blocking(end, True)
        return open(end, "wb", buffering=0)


class TwoLaptops(Logged):
    """Sets up the laptops `self.desk` and `self.sofa`."""

    def setUp(self):
        self.make_root("laptops")
        self.addCleanup(self.stop)
        self.desk, self.sofa = (demo.Laptop(name, self.root, BIN, self.running) for name in ("desk", "sofa"))
        for laptop in (self.desk, self.sofa):
            self.prepare(laptop)
            laptop.start_bus()
            self.begin(laptop)
            laptop.start_daemon(self.root / "radio")
        self.pair()

    def prepare(self, laptop):
        """Prepares a laptop before its session begins."""

    def begin(self, laptop):
        """Starts programs in a laptop's session before its daemon."""

    def stop(self):
        end(self.running)
