# SPDX-License-Identifier: Apache-2.0
"""Measures how long an offer takes to reach another laptop: compared with an advertisement of BlueZ in one boot of the radio lab, and alone on
this machine."""

import os
import re
import subprocess
import sys

from .common import ROOT, BenchError, note, pair, spread

NAME = "offer"
SCENARIO = "offer-beside-bluez"
RUNS = 100
MEASURED = {"bluez": "BlueZ, from registering to its report", "baton": "Baton, from publishing to the offer", "heard": "of that, to bluetoothd's report",
            "end": "from an activity's end to its offer's", "vanished": "from a laptop's vanishing to its offer's end"}


def figures(said):
    """Returns the scenario's measurements. It prints them also if it fails because something took too long."""
    found = {}
    for name, words in MEASURED.items():
        match = re.search(re.escape(words) + r": ([0-9.]+) s, from ([0-9.]+) to ([0-9.]+), (\d+) times", said)
        if not match:
            raise BenchError(f"Scripts/lab/run {SCENARIO}:\n{said.strip()}")
        median, least, most = (float(number) for number in match.groups()[:3])
        found[name] = {"median": median, "least": least, "most": most, "runs": int(match[4])}
    return found


def alone(context):
    """Returns the time from publishing to the offer on the simulated radio, which the two daemons and their buses need on this machine."""
    sys.path.insert(0, str(ROOT / "Scripts" / "lab" / "guest"))
    from offers import Publisher, Watcher

    with context.processes() as running:
        desk, sofa = pair(running, context.binaries, context.directory / "pair")
        publisher, watcher = Publisher(desk.address), Watcher(sofa.address)
        watcher.learn(publisher)
        times = []
        for _ in range(RUNS):
            activity, begun = publisher.publish()
            times.append(watcher.sees() - begun)
            publisher.end(activity)
            watcher.sees_none()
    return spread(times)


def measure(context):
    result = {"alone": alone(context)}
    environment = {**os.environ, "BATON_BIN": str(context.binaries)}
    done = subprocess.run([ROOT / "Scripts" / "lab" / "run", SCENARIO], env=environment, capture_output=True, text=True)
    result |= figures(done.stdout + done.stderr)
    note(f"offer {result['baton']['median'] * 1e3:.0f} ms, BlueZ's report {result['bluez']['median'] * 1e3:.0f} ms; alone {result['alone']['median'] * 1e3:.1f} ms")
    return result


def document(result):
    ours, theirs, ends, vanished, own = (result[name] for name in ("baton", "bluez", "end", "vanished", "alone"))

    def row(name, values):
        return (f"| {name} | {values['median'] * 1e3:.0f} ms | {values['least'] * 1e3:.0f} to {values['most'] * 1e3:.0f} ms "
                f"| {values['median'] / theirs['median']:.2f} |")

    return [
        "## From publishing to the offer",
        "",
        "One time is from the call that publishes an activity on one laptop to the signal that announces the offer on the other. The program makes the activity current in between.",
        "The other time is from the call that registers an advertisement of the same length and interval with BlueZ to its report on the other adapter. One program on the buses",
        "measures both, in one boot of the radio lab, which is a virtual machine with two adapters and without hardware acceleration. The figures are medians of",
        f"{ours['runs']} alternating runs.",
        "",
        "| | median | from least to most | ratio |",
        "|---|--:|--:|--:|",
        row("Baton, publish to offer", ours),
        row("of that, to bluetoothd's report", result["heard"]),
        row("BlueZ, register to report", theirs),
        "",
        "Emulated controllers have no advertising interval, so an advertisement is heard at once, and all of these times are time on an emulated processor. The simulated radio,",
        "which also sends at once, shows what Baton adds without emulation: the same calls take",
        f"{own['median'] * 1e3:.1f} ms there ({own['least'] * 1e3:.1f} to {own['most'] * 1e3:.1f} ms, {own['runs']} runs).",
        "Real radios send an advertisement every 100 to 150 ms.",
        "",
        f"In the lab, an offer disappears {ends['median']:.1f} s after the end of its activity ({ends['most']:.1f} s at most, {ends['runs']} times). Most of this time is the pause of",
        "one second between two changes of an advertisement. If the laptop vanishes without notice, its offer disappears after",
        f"{vanished['median']:.1f} s ({vanished['most']:.1f} s at most, {vanished['runs']} times).",
    ]


COMMAND = f"Scripts/lab/run {SCENARIO}"
