# SPDX-License-Identifier: Apache-2.0
"""Programs that end when this program ends for any reason, and that leave nothing behind."""

import ctypes
import os
import queue
import signal
import subprocess
import threading
import time

from . import HilError

PR_SET_PDEATHSIG = 1
LIBRARY = ctypes.CDLL(None)


def die_with_parent():
    """Runs in the child before exec. The kernel then kills the child when this program is killed. Only the main thread may
    start it."""
    LIBRARY.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


class Processes:
    """The programs that were started, and that must be ended."""

    def __init__(self, kind=subprocess.Popen):
        self.kind, self.all = kind, []

    def start(self, command, **options) -> subprocess.Popen:
        options.setdefault("stdin", subprocess.DEVNULL)
        try:
            process = self.kind([str(part) for part in command], start_new_session=True, preexec_fn=die_with_parent, **options)
        except OSError as error:
            raise HilError(f"cannot run {command[0]}: {error.strerror}") from error
        self.all.append(process)
        return process

    def run(self, command, seconds: float, **options) -> subprocess.CompletedProcess:
        """Runs a program, which must end within a number of seconds."""
        process = self.start(command, **options, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        try:
            out, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise HilError(f"{os.path.basename(command[0])} {command[1]}: not done within {seconds:.0f} s") from None
        finally:
            self.end(process, signal.SIGKILL)
            for stream in (process.stdout, process.stderr):
                stream.close()
        return subprocess.CompletedProcess(command, process.returncode, out, errors)

    def end(self, process: subprocess.Popen, number: int = signal.SIGTERM):
        """Asks a process to end, and kills it after 10 s."""
        if process.poll() is None:
            process.send_signal(number)
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


class Lines:
    """The lines that a running program writes, each with its time."""

    def __init__(self, name: str, process: subprocess.Popen, stream):
        self.name, self.process, self.last = name, process, "it said nothing"
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream):
        for text in stream:
            self.lines.put((time.monotonic(), text.rstrip("\n")))
        self.lines.put((time.monotonic(), None))

    def next(self, what: str, wanted, seconds: float) -> tuple:
        """Returns the time and the result of `wanted` for the first line for which it returns one. Raises HilError."""
        limit = time.monotonic() + seconds
        while True:
            try:
                at, text = self.lines.get(timeout=max(0, limit - time.monotonic()))
            except queue.Empty:
                raise HilError(f"{what}: not within {seconds:.0f} s") from None
            if text is None:
                raise HilError(f"{what}: {self.name} ended before: {self.last}")
            self.last = text
            found = wanted(text)
            if found:
                return at, found

    def ended(self, seconds: float) -> int:
        """Waits until the program has ended, and returns its status."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise HilError(f"{self.name} does not end within {seconds:.0f} s") from None


def wait_until(condition, what: str, seconds: float, step: float = 0.2):
    """Waits for a condition and returns its result. Raises HilError."""
    limit = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > limit:
            raise HilError(f"{what}: not within {seconds:.0f} s")
        time.sleep(step)
