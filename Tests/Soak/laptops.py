# SPDX-License-Identifier: Apache-2.0
"""Laptops for a long run. Daemons restart and programs end, and this process keeps no objects of ended programs."""

import contextlib
import importlib.machinery
import importlib.util
import json
import pathlib
import signal
import subprocess
import threading
import time

LIMIT = 120  # seconds that any one step may take
SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "Scripts"


def load(name):
    """Loads a script without a suffix as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


demo = load("demo")


class Failure(Exception):
    """The error for a failed step. Its message is one line."""


class Laptop(demo.Laptop):
    """The demo's laptop with a daemon that may restart."""

    def __init__(self, name, root, binaries, radio):
        super().__init__(name, root, binaries, [])
        self.radio = radio
        self.lives = 0
        # A laptop can advertise only one activity at a time. A use that waits until its own is continued holds this lock.
        self.air = threading.Lock()

    def start_daemon(self, radio=None):
        self.lives += 1
        with open(self.log, "ab") as log:
            self.daemon = subprocess.Popen(
                [self.binaries / "batond", "--radio", "simulated", "--radio-directory", self.radio, "--state-directory", self.home / "state"],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        limit = time.monotonic() + LIMIT
        while True:
            try:
                return self.baton("status", "--json")
            except Failure as failure:
                if self.daemon.poll() is not None:
                    raise Failure(f"batond on {self.name} ended with status {self.daemon.returncode}") from failure
                if time.monotonic() > limit:
                    raise

    @property
    def device(self):
        """Returns the laptop's id, which changes when it leaves a circle. A device that has not heard of the change
        knows two devices of this name."""
        return json.loads(self.baton("status", "--json"))["device"]

    def end_daemon(self, number=signal.SIGTERM):
        self.daemon.send_signal(number)
        self.daemon.wait(LIMIT)

    def baton(self, *arguments):
        """Runs the tool to its end, and returns its output."""
        with self.program(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
            printed, complaint = program.communicate(timeout=LIMIT)
        if program.returncode != 0:
            raise Failure(f"on {self.name}, baton {arguments[0]}: {complaint.strip()}")
        return printed

    @contextlib.contextmanager
    def program(self, *arguments, **options):
        """Runs the tool as a context. At the context's end the tool has ended."""
        options.setdefault("stdin", subprocess.DEVNULL)
        program = subprocess.Popen([self.binaries / "baton", *map(str, arguments)], env=self.environment, start_new_session=True, **options)
        try:
            yield program
        finally:
            if program.poll() is None:
                program.kill()
            program.wait()
            for pipe in (program.stdin, program.stdout, program.stderr):
                if pipe:
                    with contextlib.suppress(OSError):
                        pipe.close()

    def end(self):
        for process in [self.daemon, *self.running]:
            if process.poll() is None:
                process.terminate()
                process.wait(LIMIT)
