# SPDX-License-Identifier: Apache-2.0
"""Failures of laptops: one laptop vanishes during an offer or a stream, and the user of the other is told."""

import os
import signal
import time

from . import HilError
from .bench import TYPE
from .handover import event
from .processes import wait_until

NAME, NEEDS = "failures", ("circle",)
TITLE = "a laptop that vanishes, with an offer and in the middle of a stream"


def run(bench, result):
    offer_of_a_laptop_that_vanishes(bench, result)
    stream_of_a_laptop_that_vanishes(bench, result)
    if len(bench.desk.baton("devices").splitlines()) != 2:
        raise HilError("the circle is not what it was")


def offer_of_a_laptop_that_vanishes(bench, result):
    """Checks that the offer of a killed laptop disappears on the other laptop. When the laptop is back, the offer must
    appear again without help from the user."""
    desk, sofa = bench.desk, bench.sofa
    watch = sofa.follow("nearby", "--watch", "--json")
    publisher = desk.follow("publish", "--type", f"{TYPE}.vanishing")
    watch.next("the offer is seen", lambda text: event(text, "appeared"), bench.limit(120))
    # Wait for the publisher. The offer may be visible before the publisher knows that it is published, and the
    # publisher would then end with its daemon.
    publisher.next("publishing", lambda text: text.startswith("publishing"), bench.limit(60))
    killed = time.monotonic()
    desk.kill()
    gone, _ = watch.next("the offer goes", lambda text: event(text, "disappeared"), bench.limit(150))
    result.sample("offer of a vanished laptop gone", "", "s", gone - killed)
    back = time.monotonic()
    desk.start()
    seen, _ = watch.next("the offer comes again", lambda text: event(text, "appeared"), bench.limit(180))
    result.sample("offer again after a new start", "", "s", seen - back)
    publisher.process.send_signal(signal.SIGINT)
    publisher.ended(bench.limit(30))
    sofa.end(watch, signal.SIGINT)


def stream_of_a_laptop_that_vanishes(bench, result):
    """Checks that neither side treats a stream as complete that was cut short."""
    desk, sofa = bench.desk, bench.sofa
    reading, writing = os.pipe()
    publisher = desk.follow("publish", "--type", f"{TYPE}.cut", "--stream-from", "-", stdin=reading)
    os.close(reading)
    with open(writing, "wb", buffering=0) as pipe:
        pipe.write(bytes(4096))
        process, errors = sofa.stream("continue", "--type", f"{TYPE}.cut", "--wait", bench.wait(120), "--stream-to", "-")
        wait_until(lambda: process.stdout.read1(1), "the stream begins", bench.limit(180))
        killed = time.monotonic()
        desk.kill()
        if errors.ended(bench.limit(120)) == 0:
            raise HilError("a stream that was cut short passes for whole")
        result.sample("cut stream told", "", "s", time.monotonic() - killed)
        publisher.next("the publisher is told", lambda text: "batond has ended" in text, bench.limit(30))
        desk.start()
        publisher.next("it is published again", lambda text: text.startswith("publishing"), bench.limit(60))
        publisher.process.send_signal(signal.SIGINT)
        publisher.ended(bench.limit(30))

