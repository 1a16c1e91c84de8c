# SPDX-License-Identifier: Apache-2.0
"""Sends the streams of `streams` between two machines with TCP switched on. The streams must use TCP."""

import json

from . import HilError
from .bench import TYPE
from .streams import both_ways

NAME, NEEDS = "tcp", ("circle",)
TITLE = "a stream each way with TCP switched on"
MACHINES = (2,)


def run(bench, result):
    laptops = (bench.desk, bench.sofa)
    for laptop in laptops:
        laptop.stop()
    for laptop in laptops:
        laptop.start(tcp="on")
    chosen(bench)
    both_ways(bench, result)
    result.facts.append(f"{bench.options.bytes} bytes each way, equal by SHA-256")


def chosen(bench):
    """Raises HilError unless streams between the two laptops use TCP. If TCP does not work, streams use the radio,
    which counts as a failure here."""
    kind = f"{TYPE}.by-tcp"
    with open(bench.noise("noise"), "rb") as noise:
        publisher = bench.desk.follow("publish", "--type", kind, "--stream-from", "-", "--once", stdin=noise)
    publisher.next("publishing", lambda text: text.startswith("publishing"), bench.limit(60))
    target = bench.sofa.home / "by-tcp"
    told = json.loads(bench.sofa.baton("continue", "--type", kind, "--wait", bench.wait(120), "--json", "--stream-to", target, seconds=240))
    if told["streamTransport"] != "tcp":
        raise HilError(f"the streams went over {told['streamTransport']}: a firewall, or networks that differ? baton doctor says more")
    if publisher.ended(bench.limit(60)) != 0:
        raise HilError(f"baton publish ended with status {publisher.process.returncode}: {publisher.last}")
