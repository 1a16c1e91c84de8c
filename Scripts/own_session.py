# SPDX-License-Identifier: Apache-2.0
"""A session for a program under test: directories below one home, and a bus that starts only services below it."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import threading

LIMIT = 60  # seconds that a program may take to reach an expected point
CONFIGURATION = pathlib.Path(__file__).resolve().with_name("own-session.conf")
DIRECTORIES = {"XDG_DATA_HOME": ".local/share", "XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".local/state",
               "XDG_CACHE_HOME": ".cache", "XDG_RUNTIME_DIR": "run"}


def environment(home):
    """Makes the directories, and returns this program's environment for another one, with its own home, directories and bus."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "DBUS_"))}
    own = {variable: str(pathlib.Path(home) / path) for variable, path in DIRECTORIES.items()}
    for path in own.values():
        pathlib.Path(path).mkdir(mode=0o700, parents=True, exist_ok=True)
    return {**kept, **own, "HOME": str(home)}


@contextlib.contextmanager
def limited(process, limit=LIMIT):
    """Kills a program that does not do what is expected in time, so that a reader of its output reaches the end."""
    timer = threading.Timer(limit, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def reading(process, body):
    """Lets a function read a program's output in a thread, `process.reader`. Wait for that thread before closing the output."""
    process.reader = threading.Thread(target=body, args=(process.stdout,), daemon=True)
    process.reader.start()


def start_bus(environment, start=subprocess.Popen):
    """Starts a session bus that starts only the services of `dbus-1/services` in the environment's data directory.

    Returns the process and the bus's address, which is empty if the bus did not start."""
    directory = pathlib.Path(environment["XDG_DATA_HOME"]) / "dbus-1"
    directory.mkdir(exist_ok=True)
    configuration = shutil.copy(CONFIGURATION, directory)
    bus = start(["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--nosyslog", "--print-address"],
                env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with limited(bus, LIMIT):
        return bus, bus.stdout.readline().strip()
