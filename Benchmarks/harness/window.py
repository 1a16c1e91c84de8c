# SPDX-License-Identifier: Apache-2.0
"""Measures the start, the memory and the wake-ups of Baton's window, compared with an empty window of libadwaita."""

import os
import subprocess
import time

from .common import LIMIT, ROOT, BenchError, Display, note, pair, spread
from .idle import wakeups
from .memory import at_rest

NAME = "window"
ROUNDS = 7
WATCHED = 60  # seconds in which wake-ups are counted
SETTLING = 10  # seconds after the window was hidden
SOURCE = ROOT / "Benchmarks" / "harness" / "empty-window.c"


def build_empty(directory):
    """Compiles the empty window."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libadwaita-1"], capture_output=True, text=True, check=True).stdout.split()
    program = directory / "empty-window"
    if subprocess.run(["gcc", "-O2", "-o", program, SOURCE, *flags]).returncode != 0:
        raise BenchError("the empty window cannot be compiled")
    return program


def first_frame(display, process, begun):
    """Returns the seconds until a window of the process shows its first frame."""
    from Xlib import X, display as connections, error

    connection = connections.Display(display)
    root = connection.screen().root
    try:
        while time.monotonic() - begun < LIMIT:
            if process.poll() is not None:
                raise BenchError(f"the window's program ended with status {process.returncode}")
            try:
                pixel = root.get_image(500, 450, 1, 1, X.ZPixmap, 0xFFFFFFFF).data
            except error.XError:
                pixel = b""
            if any(pixel[:3]):
                return time.monotonic() - begun
            time.sleep(0.002)
    finally:
        connection.close()
    raise BenchError(f"no window within {LIMIT} s")


def run_once(running, display, environment, program, counts_wakeups=False):
    """Returns the seconds to the first frame, the PSS and its private part, and the wake-ups a minute at rest and while hidden."""
    begun = time.monotonic()
    process = running.start([program], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        took = first_frame(display, process, begun)
        total, private = at_rest(process, program.name)
        woken = (a_minute(process), hidden(display, process)) if counts_wakeups else None
        return took, total, private, woken
    finally:
        running.end(process)
        time.sleep(0.5)


def a_minute(process):
    """Returns the wake-ups a minute."""
    before = wakeups(process)
    time.sleep(WATCHED)
    return (wakeups(process) - before) * 60 / WATCHED


def hidden(display, process):
    """Minimizes the window, and returns the wake-ups a minute."""
    subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(process.pid), "windowminimize", "%@"],
                   env={**os.environ, "DISPLAY": display}, check=True, timeout=LIMIT, stdout=subprocess.DEVNULL)
    time.sleep(SETTLING)
    return a_minute(process)


def measure(context):
    ours = context.binaries / "baton-gtk"
    if not os.access(ours, os.X_OK):
        raise BenchError(f"{ours} is missing")
    empty = build_empty(context.directory)
    found = {"empty": [], "baton": []}
    with context.processes() as running:
        _, sofa = pair(running, context.binaries, context.directory / "window")
        screen = Display("1000x900")
        screen.manage()
        running.all += screen.processes
        display = screen.name
        environment = {**sofa.environment, "DISPLAY": display, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none",
                       "GSETTINGS_BACKEND": "memory", "GTK_USE_PORTAL": "0", "LC_ALL": "C.UTF-8"}
        # The first start of each program reads its files from the disk, so it is not counted.
        for number in range(ROUNDS + 1):
            for name, program in (("empty", empty), ("baton", ours)):
                values = run_once(running, display, environment, program, counts_wakeups=number == ROUNDS)
                if number:
                    found[name].append(values)
    result = {}
    for name, runs in found.items():
        result[name] = {"start": spread([run[0] for run in runs]), "pss": spread([run[1] for run in runs]),
                        "private": spread([run[2] for run in runs]), "wakeups": runs[-1][3][0], "hidden": runs[-1][3][1]}
        note(f"{name}: {result[name]['start']['median'] * 1e3:.0f} ms, {result[name]['pss']['median'] / 1e6:.1f} MB PSS, "
             f"{result[name]['wakeups']:.0f} wake-ups a minute at rest and {result[name]['hidden']:.0f} while hidden")
    return result


def document(result):
    ours, empty = result["baton"], result["empty"]

    def row(name, values):
        start, ratio = values["start"], values["start"]["median"] / empty["start"]["median"]
        more = (values["pss"]["median"] - empty["pss"]["median"]) / 1e6
        return (f"| {name} | {start['median'] * 1e3:.0f} ms | {start['least'] * 1e3:.0f} to {start['most'] * 1e3:.0f} ms | {ratio:.2f} "
                f"| {values['pss']['median'] / 1e6:.1f} MB | {more:.1f} MB "
                f"| {values['wakeups']:.0f} | {values['hidden']:.0f} |")

    return [
        "## The window",
        "",
        "The table shows the time from the start of the program to the first frame on the screen, the proportional set size at rest, and the wake-ups a minute (voluntary context "
        f"switches of all threads, {WATCHED} s) while the window is shown, and while it is minimized. Baton's window shows the first page of a laptop in a circle of two. For comparison, there is an empty "
        f"window of libadwaita in C. Both run on Xvfb with `GSK_RENDERER=cairo`. The figures are medians of {ours['start']['runs']} alternating starts. The goal is a ratio of at most "
        "1.5, and at most 12 MB more. Of the wake-ups, about 60 a minute come from libdispatch, as in every Swift program ([decision](Decisions/0079-what-wakes-an-idle-daemon.md)). "
        "The goal is that the minimized window has no others.",
        "",
        "| | start | from least to most | ratio | PSS | more | wake-ups shown | minimized |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
        row("baton-gtk", ours),
        row("an empty AdwApplicationWindow", empty),
    ]


COMMAND = "baton-gtk; gcc Benchmarks/harness/empty-window.c"
