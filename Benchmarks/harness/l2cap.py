# SPDX-License-Identifier: Apache-2.0
"""Measures a stream over L2CAP, compared with l2test, in one boot of the radio lab."""

import os
import re
import subprocess

from .common import ROOT, BenchError, note, spread

NAME = "l2cap"
SCENARIO = "stream-beside-l2test"


def measure(context):
    environment = {**os.environ, "BATON_BIN": str(context.binaries)}
    done = subprocess.run([ROOT / "Scripts" / "lab" / "run", SCENARIO], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchError(f"Scripts/lab/run {SCENARIO}:\n{done.stdout.strip()}\n{done.stderr.strip()}")
    rates = {name: [float(rate) for rate in re.findall(rf"{name}: ([0-9.]+) bytes/s", done.stdout)]
             for name in ("stream", "l2test")}
    if len(rates["stream"]) < 3 or len(rates["stream"]) != len(rates["l2test"]):
        raise BenchError(f"the lab reported {rates}")
    for ours, theirs in zip(rates["stream"], rates["l2test"]):
        note(f"stream {ours / 1e3:.0f} kB/s, l2test {theirs / 1e3:.0f} kB/s")
    return {name: spread(values) for name, values in rates.items()}


def document(result):
    ours, theirs = result["stream"], result["l2test"]

    def row(name, values):
        return (f"| {name} | {values['median'] / 1e3:,.0f} kB/s | {values['least'] / 1e3:,.0f} to {values['most'] / 1e3:,.0f} kB/s "
                f"| {values['median'] / theirs['median']:.2f} |")

    return [
        "## Stream throughput over L2CAP",
        "",
        "A continuation stream carries 300 kB one way between two daemons on two emulated controllers. For comparison, `l2test` sends SDUs of the same size over a channel of its own.",
        "Both run in one boot of the radio lab, which is a virtual machine without hardware acceleration. BlueZ has one ATT channel. Only the ratio means something, because emulation",
        "takes processor time. TLS 1.3 and the frames, which l2test does not have, take processor time, too. The figures are medians of",
        f"{ours['runs']} alternating runs.",
        "",
        "| | median | from least to most | ratio |",
        "|---|--:|--:|--:|",
        row("continuation stream", ours),
        row("l2test", theirs),
        "",
        "With two tasks for each channel in place of `SDURelay`'s thread ([decision](Decisions/0084-nio-has-no-l2cap-sockets.md)), the ratio was 0.29. With NIO on the channel",
        "itself, it was 0.87, but any stranger could have ended the process. The ratio on real radios, where LE 1M carries 1 Mbit/s including all headers, was not measured yet.",
    ]


COMMAND = f"Scripts/lab/run {SCENARIO}"
