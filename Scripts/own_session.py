# SPDX-License-Identifier: Apache-2.0
"""A session of its own for a program under trial: directories below one home, and a bus that starts nothing but what is below it."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import threading

LIMIT = 60  # seconds that a program may take to say what it is waited for
CONFIGURATION = pathlib.Path(__file__).resolve().with_name("own-session.conf")
DIRECTORIES = {"XDG_DATA_HOME": ".local/share", "XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".local/state",
               "XDG_CACHE_HOME": ".cache", "XDG_RUNTIME_DIR": "run"}


def environment(home):
    """This program's environment for another whose home, directories and bus are its own; the directories are made."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "DBUS_"))}
    own = {variable: str(pathlib.Path(home) / path) for variable, path in DIRECTORIES.items()}
    for path in own.values():
        pathlib.Path(path).mkdir(mode=0o700, parents=True, exist_ok=True)
    return {**kept, **own, "HOME": str(home)}


@contextlib.contextmanager
def limited(process, limit=LIMIT):
    """A program that has not done in time what it is waited for is killed: who reads from it comes to the end."""
    timer = threading.Timer(limit, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def reading(process, body):
    """Has a function read a program's output, in a thread: `process.reader`. Who closes that output waits for it first."""
    process.reader = threading.Thread(target=body, args=(process.stdout,), daemon=True)
    process.reader.start()


def start_bus(environment, start=subprocess.Popen):
    """Starts a session bus, which starts what `dbus-1/services` in the environment's data directory names, and nothing else.

    Gives the process, and the address at which the bus listens: empty when it did not start."""
    directory = pathlib.Path(environment["XDG_DATA_HOME"]) / "dbus-1"
    directory.mkdir(exist_ok=True)
    configuration = shutil.copy(CONFIGURATION, directory)
    bus = start(["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--nosyslog", "--print-address"],
                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with limited(bus, LIMIT):
        return bus, bus.stdout.readline().strip()
