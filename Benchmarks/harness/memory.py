# SPDX-License-Identifier: Apache-2.0
"""Measures the memory of batond at rest, compared with its session bus, avahi-daemon and kdeconnectd."""

import glob
import shutil
import subprocess
import time
from pathlib import Path

import own_session

from .common import BenchError, median, note, pair, private_bus, wait_until

NAME = "memory"
ROUNDS = 3
REST = 10  # seconds without a change of more than 1 % before a process counts as at rest


def pss(process):
    """Returns a process's proportional set size in bytes, and its private part."""
    values = {}
    for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, _, rest = line.partition(":")
        values[name] = int(rest.split()[0]) * 1024
    private = values["Private_Clean"] + values["Private_Dirty"]
    return values["Pss"], private


def at_rest(process, what):
    """Returns the size once it has changed by at most 1 % for a while."""
    limit = time.monotonic() + 180
    reference, since = pss(process)[0], time.monotonic()
    while time.monotonic() - since < REST:
        time.sleep(1)
        if process.poll() is not None:
            raise BenchError(f"{what} ended with status {process.returncode}")
        now = pss(process)[0]
        if abs(now - reference) > reference / 100:
            reference, since = now, time.monotonic()
        if time.monotonic() > limit:
            raise BenchError(f"{what} did not come to rest within 180 s")
    return pss(process)


def of_batond(context, number):
    """Measures batond in a circle, after one hand-over and after its peer has ended. So batond shares pages only of the
    system's libraries."""
    with context.processes() as running:
        directory = context.directory / f"memory{number}"
        desk, sofa = pair(running, context.binaries, directory)
        log = directory / "publish.log"
        publisher = desk.follow(log, "publish", "--type", "org.example.bench.rest", "--info", "key=value", "--once")
        sofa.baton("continue", "--type", "org.example.bench.rest", "--wait", "60")
        wait_until(lambda: publisher.poll() is not None, "baton publish --once ends")
        sofa.stop()
        return at_rest(desk.daemon, "batond"), pss(desk.bus)


def of_kdeconnectd(context, number):
    found = glob.glob("/usr/lib/*/libexec/kdeconnectd") + glob.glob("/usr/libexec/kdeconnectd")
    if not found:
        raise BenchError("kdeconnectd is not here; install the package kdeconnect")
    home = context.directory / f"kdeconnect{number}"
    environment = {
        **own_session.environment(home), "QT_QPA_PLATFORM": "offscreen", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    with context.processes() as running:
        _, environment["DBUS_SESSION_BUS_ADDRESS"] = private_bus(running, environment)
        log = home / "kdeconnectd.log"
        with open(log, "wb") as output:
            daemon = running.start([found[0]], env=environment, stdout=output, stderr=output)

        def owns_its_name():
            if daemon.poll() is not None:
                raise BenchError(f"kdeconnectd ended: {log.read_text(errors='replace').strip()[-300:]}")
            answer = subprocess.run(
                ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                 "org.freedesktop.DBus.GetNameOwner", "string:org.kde.kdeconnect"],
                env=environment, capture_output=True)
            return answer.returncode == 0

        wait_until(owns_its_name, "kdeconnectd is on its bus")
        return at_rest(daemon, "kdeconnectd")


def of_avahi(context, number):
    """Measures avahi-daemon on loopback without a bus, where it has nothing to announce."""
    found = shutil.which("avahi-daemon", path="/usr/sbin:/usr/bin")
    if not found:
        raise BenchError("avahi-daemon is not here; install the package of that name")
    home = context.directory / f"avahi{number}"
    home.mkdir()
    (home / "avahi.conf").write_text("[server]\nenable-dbus=no\nallow-interfaces=lo\n")
    log = home / "avahi.log"
    with context.processes() as running, open(log, "wb") as output:
        daemon = running.start(
            [found, "--file", home / "avahi.conf", "--no-drop-root", "--no-chroot", "--no-proc-title"], stdout=output, stderr=output)

        def serves():
            if daemon.poll() is not None:
                raise BenchError(f"avahi-daemon ended; it needs root: {log.read_text(errors='replace').strip()[-300:]}")
            return b"Server startup complete" in log.read_bytes()

        wait_until(serves, "avahi-daemon serves")
        return at_rest(daemon, "avahi-daemon")


def measure(context):
    ours, buses, avahis, theirs = [], [], [], []
    for number in range(ROUNDS):
        daemon, bus = of_batond(context, number)
        ours.append(daemon)
        buses.append(bus)
        avahis.append(of_avahi(context, number))
        theirs.append(of_kdeconnectd(context, number))
        note(f"round {number + 1} of {ROUNDS}: batond {ours[-1][0] / 1e6:.1f} MB, kdeconnectd {theirs[-1][0] / 1e6:.1f} MB")
    return {
        "batond": medians(ours), "dbus-daemon": medians(buses), "avahi-daemon": medians(avahis), "kdeconnectd": medians(theirs),
        "version": version(), "rounds": ROUNDS}


def medians(sizes):
    return {"pss": median([size[0] for size in sizes]), "private": median([size[1] for size in sizes])}


def version():
    answer = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", "kdeconnect"],
                            capture_output=True, text=True)
    return answer.stdout.strip() or "of unknown version"


def document(result):
    ours, theirs = result["batond"], result["kdeconnectd"]

    def row(name, size):
        return f"| {name} | {size['pss'] / 1e6:.1f} MB | {size['private'] / 1e6:.1f} MB | {size['pss'] / theirs['pss']:.2f} |"

    return [
        "## Memory at rest",
        "",
        "The table shows the proportional set size (`/proc/PID/smaps_rollup`) once it has changed by less than 1 % for 10 s. batond is in a circle of two, on the simulated radio with",
        "TCP, and has made one hand-over. kdeconnectd "
        f"{result['version']} runs headless (`QT_QPA_PLATFORM=offscreen`) on a bus of its own, without",
        f"paired devices. avahi-daemon runs on loopback without a bus. The figures are medians of {result['rounds']} alternating starts.",
        "",
        "| | PSS | private | ratio |",
        "|---|--:|--:|--:|",
        row("batond", ours),
        row("its session bus, dbus-daemon", result["dbus-daemon"]),
        row("avahi-daemon", result["avahi-daemon"]),
        row("kdeconnectd", theirs),
    ]


COMMAND = "batond --radio simulated; avahi-daemon --file FILE; QT_QPA_PLATFORM=offscreen kdeconnectd"
