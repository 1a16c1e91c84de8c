# SPDX-License-Identifier: Apache-2.0
"""A laptop: one adapter, a session bus and directories of its own, and a batond that uses only the radio."""

import io
import json
import subprocess
from pathlib import Path

from . import HilError
from .places import Place
from .processes import Lines, wait_until


class Silent(HilError):
    """baton failed without a word: it has crashed, or was killed."""


class Laptop:
    """One of the two laptops. `patience` multiplies every limit, in seconds."""

    def __init__(self, name: str, place: Place, directory: Path, patience: float):
        self.name, self.place, self.adapter, self.patience = name, place, place.label, patience
        self.binaries, self.processes = place.machine.binaries, place.machine.processes
        self.home, self.environment = place.machine.session(name)
        self.log = directory / f"{name}-batond.log"
        self.daemon = None
        self.start()

    def start(self, tcp: str = "off"):
        """Starts batond and waits until its radio is ready."""
        with open(self.log, "ab") as log:
            self.daemon = self.processes.start(
                [self.binaries / "batond", "--radio", "bluez", "--adapter", self.place.adapter, "--tcp", tcp, "--log-level", "debug",
                 "--state-directory", self.home / "state"], env=self.environment, stdout=log, stderr=log)
        status = wait_until(self.answers, f"batond on {self.adapter} answers", 60 * self.patience)
        if status["radio"] != "bluez" or status["tcp"] != (tcp == "on") or status["adapters"] != [self.place.adapter]:
            raise HilError(f"batond uses {status['radio']}, adapters {status['adapters']}, TCP {status['tcp']}: not what was asked for")

    def answers(self) -> dict | None:
        """Returns the daemon's status, or None until it has an adapter."""
        if self.daemon.poll() is not None:
            last = (self.log.read_text(errors="replace").strip().splitlines() or ["it said nothing"])[-1]
            raise HilError(f"batond on {self.adapter} ended: {last}")
        try:
            status = json.loads(self.baton("status", "--json"))
        except Silent:
            raise
        except HilError:
            return None
        return status if status["adapters"] else None

    def kill(self):
        """Kills the daemon, as if the laptop had vanished."""
        self.processes.end(self.daemon, 9)

    def stop(self):
        """Ends the daemon as at the end of a session."""
        self.processes.end(self.daemon)

    def end(self, program: Lines, number: int):
        """Sends a signal to a program whose lines are read, and waits until the program has ended."""
        self.processes.end(program.process, number)

    def baton(self, *arguments, seconds: float = 60, **options) -> str:
        """Runs baton and returns its output. Raises HilError if baton fails."""
        done = self.processes.run([self.binaries / "baton", *arguments], seconds * self.patience, env=self.environment, **options)
        if done.returncode != 0:
            lines, what = done.stderr.strip().splitlines(), f"baton {arguments[0]} on {self.adapter}"
            if not lines:
                raise Silent(f"{what}: status {done.returncode} after {len(done.stdout)} characters of output, and nothing was said")
            raise HilError(f"{what}: {lines[-1]}")
        return done.stdout

    def follow(self, *arguments, **options) -> Lines:
        """Starts baton. Returns its lines with their times."""
        process = self.processes.start(
            [self.binaries / "baton", *arguments], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            bufsize=1, errors="replace", **options)
        return Lines(f"baton {arguments[0]}", process, process.stdout)

    def stream(self, *arguments) -> tuple:
        """Starts baton with a stream as its standard output. Returns the process and its lines on standard
        error."""
        process = self.processes.start([self.binaries / "baton", *arguments], env=self.environment, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
        return process, Lines(f"baton {arguments[0]}", process, io.TextIOWrapper(process.stderr, encoding="utf-8", errors="replace"))

    def peer(self) -> dict:
        """Returns what this laptop knows about the other one."""
        return next((device for device in json.loads(self.baton("devices", "--json")) if not device["thisDevice"]), {})

    def connected(self) -> bool:
        return bool(self.peer().get("transports"))
