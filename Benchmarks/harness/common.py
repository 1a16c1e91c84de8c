# SPDX-License-Identifier: Apache-2.0
"""Shared code: medians, processes that end with the benchmark, and a laptop with a bus and a
daemon."""

import json
import os
import queue
import signal
import statistics
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Scripts"))

import own_session  # noqa: E402
from own_display import Display  # noqa: E402, F401

LIMIT = 120  # seconds that one step may take


class BenchError(Exception):
    """A step has failed. The message is one line."""


def note(text):
    print(f"  {text}", flush=True)


def median(values):
    return statistics.median(values)


def spread(values):
    """Returns the median, the smallest and the largest value."""
    return {"median": median(values), "least": min(values), "most": max(values), "runs": len(values)}


def wait_until(condition, what, seconds=LIMIT, step=0.05):
    """Waits for a condition and returns its result."""
    limit = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > limit:
            raise BenchError(f"{what}: not within {seconds} s")
        time.sleep(step)


class Processes:
    """The programs that were started, and that must be ended."""

    def __init__(self):
        self.all = []

    def start(self, command, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        try:
            process = subprocess.Popen([str(part) for part in command], start_new_session=True, **options)
        except FileNotFoundError as error:
            raise BenchError(f"cannot run {command[0]}: {error.strerror}") from error
        self.all.append(process)
        return process

    def end(self, process):
        """Asks a process to end, as systemd does, and kills it after 10 s."""
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process in self.all:
            self.all.remove(process)

    def end_all(self):
        for process in reversed(list(self.all)):
            self.end(process)


@contextmanager
def processes():
    running = Processes()
    try:
        yield running
    finally:
        running.end_all()


class Conversation:
    """A program that answers each line with a line of JSON."""

    def __init__(self, running, command, log):
        self.name = Path(str(command[0])).name + " " + str(command[1])
        self.log = log
        with open(log, "wb") as errors:
            self.process = running.start(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def hear(self):
        try:
            line = self.lines.get(timeout=LIMIT)
        except queue.Empty:
            raise BenchError(f"{self.name} did not answer within {LIMIT} s") from None
        if line is None:
            raise BenchError(f"{self.name} ended: {last_line(self.log)}")
        return json.loads(line)

    def ask(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return self.hear()


def last_line(path):
    lines = Path(path).read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


class Laptop:
    """A session bus, and a daemon on the simulated radio with a state directory of its own."""

    def __init__(self, running, binaries, home, radio):
        self.running, self.binaries, self.home = running, binaries, Path(home)
        self.home.mkdir(mode=0o700)
        self.environment = own_session.environment(self.home)
        self.bus, self.address = private_bus(running, self.environment)
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.address
        self.radio = radio
        self.start()

    def start(self):
        log = self.home / "batond.log"
        with open(log, "ab") as output:
            self.daemon = self.running.start(
                [self.binaries / "batond", "--radio", "simulated", "--radio-directory", self.radio,
                 "--state-directory", self.home / "state"], env=self.environment, stdout=output, stderr=output)

        def answers():
            if self.daemon.poll() is not None:
                raise BenchError(f"batond ended: {last_line(log)}")
            return subprocess.run([str(self.binaries / "baton"), "status"], env=self.environment,
                                  capture_output=True, timeout=LIMIT).returncode == 0

        wait_until(answers, "batond answers")

    def stop(self):
        self.running.end(self.daemon)

    def baton(self, *arguments):
        done = subprocess.run([str(self.binaries / "baton"), *map(str, arguments)], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT)
        if done.returncode != 0:
            raise BenchError(f"baton {' '.join(map(str, arguments[:2]))}: {done.stderr.strip()}")
        return done.stdout

    def follow(self, log, *arguments):
        """Starts the tool, whose output goes to a file."""
        with open(log, "wb") as output:
            return self.running.start([self.binaries / "baton", *arguments], env=self.environment,
                                      stdout=output, stderr=output)

    def sockets(self):
        """Returns how many sockets the daemon has."""
        count = 0
        for entry in Path(f"/proc/{self.daemon.pid}/fd").iterdir():
            try:
                count += os.readlink(entry).startswith("socket:")
            except FileNotFoundError:
                pass  # closed meanwhile
        return count


def private_bus(running, environment):
    """Starts a session bus. Returns it and its address."""
    bus, address = own_session.start_bus(environment, running.start)
    if not address:
        raise BenchError("dbus-daemon did not start; install the package dbus")
    return bus, address


def pair(running, binaries, directory):
    """Returns two laptops of one circle, out of reach of any other."""
    directory = Path(directory)
    directory.mkdir()
    desk, sofa = (Laptop(running, binaries, directory / name, directory / "radio") for name in ("desk", "sofa"))
    desk.baton("circle", "create", "--name", "desk")
    desk.baton("circle", "invite", directory / "invitation")
    sofa.baton("circle", "join", directory / "invitation")
    return desk, sofa


def said(log, text):
    return text in Path(log).read_text(errors="replace")


def certificate(directory):
    """Makes a self-signed P-256 certificate and its key, like those of Baton's devices."""
    paths = Path(directory) / "certificate.pem", Path(directory) / "key.pem"
    done = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1", "-out", paths[0], "-keyout", paths[1]],
        capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchError(f"openssl req: {done.stderr.strip()}")
    return paths
