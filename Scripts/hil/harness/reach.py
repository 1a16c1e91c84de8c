# SPDX-License-Identifier: Apache-2.0
"""Measures the RSSI while somebody carries one of the laptops away, or puts something between them. It runs only on request because
it needs a person.

One laptop offers something all the time, and the other reports the signal. An offer that is out of range disappears, and appears
again later.
"""

import json
import signal
import statistics
import time

from . import HilError
from .bench import TYPE

NAME, NEEDS = "range", ("circle",)
TITLE = "how strong an offer is heard while one laptop is carried away (by hand)"
BY_HAND = True
SECONDS = 120


def run(bench, result):
    giver, taker = bench.desk, bench.sofa
    watch = taker.follow("nearby", "--watch", "--json")
    publisher = giver.follow("publish", "--type", f"{TYPE}.range", "--title", "Range")
    watch.next("the offer is seen", lambda text: json.loads(text)["event"] == "appeared", bench.limit(120))
    print(f"hil: carry one of the two away, and back, within {SECONDS} s; RSSI as {taker.adapter} hears it:", flush=True)
    begun, points = time.monotonic(), []
    while time.monotonic() < begun + SECONDS:
        signal_now = strength(taker.baton("nearby", "--json"))
        points.append((round(time.monotonic() - begun, 1), signal_now))
        print(f"hil: {points[-1][0]:6.1f} s  {'not heard' if signal_now is None else f'{signal_now} dBm'}", flush=True)
        time.sleep(1)
    publisher.process.send_signal(signal.SIGINT)
    publisher.ended(bench.limit(30))
    taker.end(watch, signal.SIGINT)
    judge(points, result, f"{giver.adapter} to {taker.adapter}")


def strength(text: str):
    """Returns the RSSI of the offer in dBm, or None if there is no offer or the radio does not report it."""
    return next((offer["signal"] for offer in json.loads(text) if offer["type"] in (None, f"{TYPE}.range")), None)


def judge(points: list, result, direction: str):
    """Converts the measurements to figures. Raises HilError if nothing was heard."""
    heard = [value for _, value in points if value is not None]
    if not heard:
        raise HilError("no RSSI was told: emulated radios have none")
    for value in heard:
        result.sample("RSSI while carried", direction, "dBm", value)
    result.facts.append(f"from {max(heard)} to {min(heard)} dBm, median {statistics.median(heard):g}; not heard in {len(points) - len(heard)} of {len(points)}")
