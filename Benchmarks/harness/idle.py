# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of an unused batond, its start and its wakeups, compared with dbus-daemon."""

import os
import re
import socket
import subprocess
import time
from pathlib import Path

import own_session

from .common import LIMIT, ROOT, BenchError, Conversation, Laptop, median, note, private_bus

NAME = "idle"
SCENARIO = "rest-on-bluez"
STARTS = 10
SETTLING, WATCHED = 30, 120  # seconds


def wakeups(process):
    """Returns how often all of the process's threads together have waited and woken up."""
    total = 0
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                total += int(line.split()[1])
    return total


def a_minute(processes):
    """Returns how often each process wakes up per minute, once it is at rest."""
    time.sleep(SETTLING)
    before = [wakeups(process) for process in processes]
    time.sleep(WATCHED)
    return [(wakeups(process) - first) * 60 / WATCHED for process, first in zip(processes, before)]


def ready(context, number):
    """Returns the seconds from the start to READY=1."""
    with context.processes() as running:
        home = context.directory / f"start{number}"
        environment = own_session.environment(home)
        _, environment["DBUS_SESSION_BUS_ADDRESS"] = private_bus(running, environment)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
            notified.bind(str(home / "notify"))
            notified.settimeout(LIMIT)
            environment["NOTIFY_SOCKET"] = str(home / "notify")
            begun = time.monotonic()
            running.start([context.binaries / "batond", "--radio", "simulated", "--radio-directory", home / "radio",
                           "--state-directory", home / "state"], env=environment)
            while b"READY=1" not in notified.recv(4_096):
                pass
            return time.monotonic() - begun


def on_bluez(context):
    """Returns how often a batond wakes a virtual machine of the radio lab per minute."""
    environment = {**os.environ, "BATON_BIN": str(context.binaries)}
    done = subprocess.run([ROOT / "Scripts" / "lab" / "run", SCENARIO], env=environment, capture_output=True, text=True)
    found = re.search(r"batond on BlueZ wakes: (\d+) times a minute", done.stdout)
    if done.returncode != 0 or not found:
        raise BenchError(f"Scripts/lab/run {SCENARIO}:\n{(done.stdout + done.stderr).strip()}")
    return float(found[1])


def measure(context):
    bluez = on_bluez(context)
    starts = [ready(context, number) for number in range(STARTS)]
    note(f"{STARTS} starts: {median(starts) * 1e3:.0f} ms until READY=1")
    with context.processes() as running:
        desk = Laptop(running, context.binaries, context.directory / "desk", context.directory / "radio")
        desk.baton("circle", "create", "--name", "desk")
        swift = Conversation(running, [context.bench, "rest"], context.directory / "rest.log")
        swift.hear()
        ours, theirs, bus = a_minute([desk.daemon, swift.process, desk.bus])
        if desk.daemon.poll() is not None:
            raise BenchError("batond ended")
    note(f"batond wakes {ours:.1f} times a minute, on BlueZ {bluez:.1f}, a Swift program that waits {theirs:.1f}, the bus {bus:.1f}")
    return {"starts": starts, "batond": ours, "bluez": bluez, "swift": theirs, "dbus-daemon": bus}


def document(result):
    starts = [seconds * 1e3 for seconds in result["starts"]]
    return [
        "## At rest",
        "",
        f"The time from the start to `READY=1` is {median(starts):.0f} ms ({min(starts):.0f} to {max(starts):.0f}, {len(starts)} starts).",
        "",
        f"The table shows the wake-ups a minute: the voluntary context switches of all threads, counted for {WATCHED} s, from {SETTLING} s after the last use. The programs are a batond in a",
        "circle on the simulated radio, with no other device near, a batond on BlueZ in the radio lab, a Swift program that only waits (`baton-bench rest`), and the session bus, which only",
        "batond uses. There is no watchdog. In every Swift program, libdispatch checks once a second whether its threads are blocked",
        "([decision](Decisions/0079-what-wakes-an-idle-daemon.md)).",
        "",
        "| | wake-ups a minute |",
        "|---|--:|",
        f"| batond | {result['batond']:.1f} |",
        f"| batond on BlueZ | {result['bluez']:.1f} |",
        f"| a Swift program that waits | {result['swift']:.1f} |",
        f"| dbus-daemon | {result['dbus-daemon']:.1f} |",
    ]


COMMAND = f"batond --radio simulated; Scripts/lab/run {SCENARIO}; baton-bench rest; /proc/PID/task/*/status"
