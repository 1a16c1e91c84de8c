# SPDX-License-Identifier: Apache-2.0
"""Hand-overs with a second bluetoothd: with its defaults, with Baton's drop-in, with enhanced ATT channels or with
privacy, and after it was killed.

The daemons of both laptops keep running. They notice that bluetoothd ends and starts again, and recover without help.
"""

import json
import signal
import time

from . import HilError, own_bluetoothd
from .bench import TYPE
from .handover import event
from .processes import wait_until
from .streams import both_ways

NAME, NEEDS = "bluetoothd", ("circle",)
TITLE = "hand-overs with bluetoothd's other options, and after it was killed"
MACHINES = (1,)
OWN = True

PLAIN = ""
ENHANCED = "[GATT]\nChannels = 3\n"
SINGLE = "[GATT]\nChannels = 1\n"
PRIVATE = "[General]\nPrivacy = device\n\n" + SINGLE


def run(bench, result):
    usual = own_bluetoothd.drop_in_options()
    own = own_bluetoothd.OwnBluetoothd([place.adapter for place in bench.places], bench.directory, bench.processes)
    try:
        for name, options, settings in (("as built", [], PLAIN), ("three ATT channels", usual, ENHANCED), ("by the drop-in", usual, PRIVATE),
                                        ("without privacy", usual, SINGLE)):
            try:
                own.run(options, settings, bench.limit(own.LIMIT))
                hand_over(bench, result, name)
            except HilError as error:
                raise HilError(f"{name}: {error}") from None
            result.facts.append(name)
        killed(bench, result, own, usual)
    finally:
        own.give_back(bench.limit(own.LIMIT))
    result.facts.append("the system's is back")


def hand_over(bench, result, name: str):
    """Hands over one activity in each direction, with a stream. Records the time from bluetoothd's start to the first offer."""
    begun = time.monotonic()
    for laptop in (bench.desk, bench.sofa):
        wait_until(lambda laptop=laptop: works(laptop), f"batond on {laptop.adapter} goes on", bench.limit(120), step=1)
    result.sample("works again", name, "s", time.monotonic() - begun)
    both_ways(bench, result, f"{name}, ")


def works(laptop) -> bool:
    status = json.loads(laptop.baton("status", "--json"))
    return status["radioCondition"] == "ready"


def killed(bench, result, own, options: list):
    """Kills bluetoothd while something is offered. The offer must appear again by itself when bluetoothd runs again."""
    watch = bench.sofa.follow("nearby", "--watch", "--json")
    publisher = bench.desk.follow("publish", "--type", f"{TYPE}.again")
    watch.next("the offer is seen", lambda text: event(text, "appeared"), bench.limit(120))
    own.kill(signal.SIGKILL)
    watch.next("the offer goes", lambda text: event(text, "disappeared"), bench.limit(150))
    begun = time.monotonic()
    own.run(options, SINGLE, bench.limit(own.LIMIT))
    seen, _ = watch.next("the offer comes again", lambda text: event(text, "appeared"), bench.limit(180))
    result.sample("offer after bluetoothd was killed", "", "s", seen - begun)
    publisher.process.send_signal(signal.SIGINT)
    publisher.ended(bench.limit(30))
    bench.sofa.end(watch, signal.SIGINT)
    result.facts.append("killed")
