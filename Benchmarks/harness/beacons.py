# SPDX-License-Identifier: Apache-2.0
"""Measures opened beacons per second, compared with the HMACs that they need."""

import json
import re
import subprocess

from .common import BenchError, median, note

NAME = "beacons"
ROUNDS = 9


def measure(context):
    done = subprocess.run([context.bench, "beacons", "--rounds", str(ROUNDS)], capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchError(f"baton-bench beacons: {done.stderr.strip()}")
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    opened, refused, pairs = (median([r[key] for r in rounds]) for key in ("opened", "refused", "hmacPairs"))
    speed = openssl_hmacs()
    note(f"opened {opened:,.0f}/s, noise refused {refused:,.0f}/s, HMAC pairs {pairs:,.0f}/s, openssl {speed:,.0f} HMACs/s")
    return {"opened": opened, "refused": refused, "pairs": pairs, "openssl": speed, "rounds": len(rounds)}


def openssl_hmacs():
    """Returns how many HMAC-SHA256 of 16 bytes `openssl speed` computes per second."""
    done = subprocess.run(["openssl", "speed", "-seconds", "2", "-bytes", "16", "-hmac", "sha256"],
                          capture_output=True, text=True)
    found = re.search(r"Doing hmac\(sha256\) ops for [0-9.]+s on 16 size blocks: (\d+) \S+ ops in ([0-9.]+)s",
                      done.stderr) or re.search(
        r"Doing \S+ for [0-9.]+s on 16 size blocks: (\d+) .* in ([0-9.]+)s", done.stderr)
    if done.returncode != 0 or not found:
        raise BenchError(f"openssl speed: {done.stderr.strip() or done.stdout.strip()}")
    return int(found[1]) / float(found[2])


def document(result):
    opened, refused, pairs = result["opened"], result["refused"], result["pairs"]
    return [
        "## Beacons opened per second",
        "",
        "To open a beacon of the circle takes two HMAC-SHA256 (decrypt, then check). To refuse noise takes six, because the keys of three epochs are tried. For comparison, the table shows",
        "pairs of the same two HMACs by the same library (swift-crypto) with prepared keys, and `openssl speed`'s HMACs of 16 bytes. The figures are for one core, and medians of "
        f"{result['rounds']} alternating runs.",
        "",
        "| | per second | of what its HMACs alone would allow |",
        "|---|--:|--:|",
        f"| beacons of the circle opened | {opened:,.0f} | {opened / pairs:.2f} |",
        f"| noise refused | {refused:,.0f} | {refused / (pairs / 3):.2f} |",
        f"| pairs of HMACs, swift-crypto | {pairs:,.0f} | 1 |",
        f"| single HMACs, `openssl speed` | {result['openssl']:,.0f} | |",
        "",
        f"Refusing 1,000 advertisements of strangers a second takes {100 * 1000 / refused:.2f} % of one core.",
    ]


COMMAND = f"baton-bench beacons --rounds {ROUNDS}; openssl speed -seconds 2 -bytes 16 -hmac sha256"
