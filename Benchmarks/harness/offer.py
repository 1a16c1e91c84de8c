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
        "From the call that publishes an activity on one laptop, which is then made current, to the signal that tells of the offer on the other; and from the call that",
        "registers an advertisement of the same length and interval with BlueZ to its report on the other adapter. Both by one program on the buses, in one boot of the radio",
        f"lab: one virtual machine without hardware acceleration, two adapters. Medians of {ours['runs']} alternating runs.",
        "",
        "| | median | from least to most | ratio |",
        "|---|--:|--:|--:|",
        row("Baton, publish to offer", ours),
        row("of that, to bluetoothd's report", result["heard"]),
        row("BlueZ, register to report", theirs),
        "",
        "Emulated controllers have no advertising interval: what is advertised is heard at once, and all of these times are emulated processor time. What Baton adds without",
        f"emulation shows the simulated radio, which sends at once, too: the same calls take {own['median'] * 1e3:.1f} ms there ({own['least'] * 1e3:.1f} to {own['most'] * 1e3:.1f} ms,",
        f"{own['runs']} runs). On real radios 100 to 150 ms lie between two advertisements.",
        "",
        f"In the lab an offer goes {ends['median']:.1f} s after its activity's end ({ends['most']:.1f} s at most, {ends['runs']} times), most of which is the second that lies between two",
        f"changes of an advertisement; and {vanished['median']:.1f} s after its laptop has vanished without a word ({vanished['most']:.1f} s at most, {vanished['runs']} times).",
    ]


COMMAND = f"Scripts/lab/run {SCENARIO}"
