# SPDX-License-Identifier: Apache-2.0
"""Sends streams over L2CAP in each direction, and compares them by SHA-256."""

import hashlib
import threading
import time

from . import HilError
from .bench import TYPE

NAME, NEEDS = "streams", ("circle",)
TITLE = "a stream each way, equal to the last byte"
READ = 65_536


class Sink:
    """Reads a stream to its end, and records when each amount came and the digest of everything."""

    def __init__(self, stream):
        self.stream, self.digest = stream, hashlib.sha256()
        self.count, self.points = 0, []
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        # read1 returns the available bytes, however few.
        while data := self.stream.read1(READ):
            self.digest.update(data)
            self.count += len(data)
            self.points.append((time.monotonic(), self.count))

    def end(self, seconds: float):
        self.thread.join(seconds)
        if self.thread.is_alive():
            raise HilError(f"the stream does not end within {seconds:.0f} s: {self.count} bytes came")

    def rate(self) -> float:
        """Returns bytes per second from the first read to the last. The bytes of the first read came before the clock
        started."""
        if len(self.points) < 2 or self.points[0][0] == self.points[-1][0]:
            raise HilError(f"{self.count} bytes came, all at once: there is no rate")
        (first, before), (last, count) = self.points[0], self.points[-1]
        return (count - before) / (last - first)

    def curve(self) -> list:
        first = self.points[0][0]
        return [(round(at - first, 3), count) for at, count in self.points]


def run(bench, result):
    both_ways(bench, result)
    result.facts.append(f"{bench.options.bytes} bytes each way, equal by SHA-256")


def both_ways(bench, result, circumstances: str = ""):
    """Sends a stream in each direction, and records the rates as figures whose names begin with the circumstances."""
    source = bench.noise("noise")
    wanted = hashlib.sha256(source.read_bytes()).hexdigest()
    desk, sofa = bench.desk, bench.sofa
    for name, move, direction in (("publisher", from_publisher, f"{desk.adapter} to {sofa.adapter}"),
                                  ("continuer", from_continuer, f"{sofa.adapter} to {desk.adapter}")):
        sink = move(bench, desk, sofa, source, f"{TYPE}.from-{name}")
        if sink.digest.hexdigest() != wanted:
            raise HilError(f"{direction}: {sink.count} bytes came that are not the {bench.options.bytes} that were sent")
        result.sample("stream", circumstances + direction, "kB/s", sink.rate() / 1000)
        result.curves[circumstances + direction] = sink.curve()


def from_publisher(bench, giver, taker, source, kind: str) -> Sink:
    with open(source, "rb") as noise:
        publisher = giver.follow("publish", "--type", kind, "--stream-from", "-", "--once", stdin=noise)
    publisher.next("publishing", lambda text: text.startswith("publishing"), bench.limit(60))
    process, errors = taker.stream("continue", "--type", kind, "--wait", bench.wait(60), "--stream-to", "-")
    return finished(bench, Sink(process.stdout), errors, publisher)


def from_continuer(bench, giver, taker, source, kind: str) -> Sink:
    process, events = giver.stream("publish", "--type", kind, "--stream-to", "-", "--once")
    sink = Sink(process.stdout)
    events.next("publishing", lambda text: text.startswith("publishing"), bench.limit(60))
    with open(source, "rb") as noise:
        continuer = taker.follow("continue", "--type", kind, "--wait", bench.wait(60), "--stream-from", "-", stdin=noise)
    return finished(bench, sink, continuer, events)


def finished(bench, sink: Sink, continuer, publisher) -> Sink:
    """Waits until the stream and both programs have ended as they should. Returns the sink."""
    # The limit allows a rate that is lower than the rate of any useful link.
    sink.end(bench.limit(120 + bench.options.bytes / 5_000))
    for program in (continuer, publisher):
        if program.ended(bench.limit(60)) != 0:
            raise HilError(f"{program.name} ended with status {program.process.returncode}: {program.last}")
    return sink
