# SPDX-License-Identifier: Apache-2.0
"""Uses of two laptops by people, programs and accidents. Each use is a function of where an activity begins, where it is continued, and a random
source."""

import json
import re
import signal
import subprocess
import tempfile
import threading

from laptops import LIMIT, Failure
from pattern import BLOCK, Pattern


class Use:
    """One worker's way from `origin` to `target`. After each of its uses nothing is left running."""

    def __init__(self, origin, target, choices):
        self.origin, self.target, self.choices = origin, target, choices
        self.number = 0
        self.type = f"org.example.soak.{origin.name}.{target.name}"

    def published(self, *options, **streams):
        """Returns a program that has published."""
        return Published(self, options, streams)

    def hand_over(self):
        with self.published("--once") as published:
            activity = json.loads(self.target.baton("continue", "--type", self.type, "--from", self.origin.device, "--wait", LIMIT, "--json"))
            published.arrived(activity)
            published.ended()

    def hand_over_with_streams(self):
        there, back = (self.choices.choice([0, 1, self.choices.randrange(3 * BLOCK)]) for _ in range(2))
        self.stream(there, back)

    def stream(self, there, back):
        """Hands over an activity with streams of `there` bytes in one direction and `back` bytes in the other, which must arrive unchanged."""
        patterns = Pattern(self.choices.random()), Pattern(self.choices.random())
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        streams = ["--stream-from", "-", "--stream-to", "-"]
        with self.published("--once", *streams, **pipes) as published, self.continuing(*streams, **pipes) as other:
            wrong = []
            moves = [
                threading.Thread(target=patterns[0].write, args=(Unbuffered(published.program.stdin), there)),
                threading.Thread(target=patterns[1].write, args=(Unbuffered(other.stdin), back)),
                threading.Thread(target=lambda: wrong.append(patterns[0].check(other.stdout, there))),
                threading.Thread(target=lambda: wrong.append(patterns[1].check(published.program.stdout, back)))]
            for move in moves:
                move.daemon = True
                move.start()
            # A long stream has no time limit, but one that has failed makes no more progress.
            while other.poll() is None:
                moves[2].join(1)
            if other.returncode != 0:
                raise Failure(f"a stream of {there} bytes to {self.target.name}, and {back} back: {other.stderr.read().decode().strip()}")
            published.ended()
            for move in moves:
                move.join(LIMIT)
            if wrong != [None, None]:
                raise Failure(f"a stream of {there} bytes to {self.target.name}, and {back} back: {wrong}")

    def break_publisher(self):
        self.broken(lambda published, other: published.program.kill())

    def break_continuer(self):
        self.broken(lambda published, other: other.kill())

    def give_up(self):
        self.broken(lambda published, other: other.send_signal(signal.SIGINT))

    def broken(self, accident):
        """Causes an accident while streams are under way. The continuing program ends."""
        pipes = {"stdin": subprocess.PIPE}
        pattern = Pattern(0)
        with self.published("--once", "--stream-from", "-", "--stream-to", "/dev/null", **pipes) as published, \
                self.continuing("--stream-from", "/dev/zero", "--stream-to", "-", **pipes, stdout=subprocess.PIPE) as other:
            feed = threading.Thread(target=feed_until_broken, args=(pattern, published.program.stdin))
            feed.start()
            if len(other.stdout.read(BLOCK)) != BLOCK:
                other.terminate()
                raise Failure(f"a stream that was to be broken ended before: {other.stderr.read().decode().strip()}")
            accident(published, other)
            other.stdout.close()
            other.wait(LIMIT)
            # The publisher's activity may be continued again.
            published.program.terminate()
            published.program.wait(LIMIT)
            feed.join(LIMIT)

    def come_and_go(self):
        with self.published() as published:
            if self.choices.random() < 0.5:
                self.target.baton("nearby", "--wait", LIMIT)
            published.program.send_signal(self.choices.choice([signal.SIGTERM, signal.SIGINT, signal.SIGKILL]))
            published.program.wait(LIMIT)

    def kill_a_watcher(self):
        with self.published() as published, \
                self.target.program("nearby", "--watch", "--json", stdout=subprocess.PIPE, text=True) as watcher:
            if not watcher.stdout.readline():
                raise Failure("baton nearby --watch has ended")
            watcher.kill()
            published.program.send_signal(signal.SIGTERM)
            published.program.wait(LIMIT)

    def ping(self):
        self.target.baton("ping", self.origin.device)

    def look_for_each_other(self):
        """Looks for the other device. A device does that ten times in a row, and then once in ten minutes."""
        with self.target.program("ping", self.origin.device, "--each-way", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
            printed, complaint = program.communicate(timeout=LIMIT)
        if program.returncode == 0:
            probe = json.loads(printed)
            if unreached := [way for side in ("here", "there") for way in probe[side]["ways"] if way["reason"]]:
                raise Failure(f"{self.target.name} and {self.origin.name} do not reach each other: {unreached}")
        elif not re.search("asked too often|is being asked already", complaint):
            raise Failure(f"on {self.target.name}, baton ping --each-way: {complaint.strip()}")

    def record(self):
        """Records a trace for a second."""
        with self.published() as published, tempfile.TemporaryDirectory() as directory:
            self.target.baton("trace", "--for", 1, "--output", f"{directory}/trace")
            published.program.send_signal(signal.SIGTERM)
            published.program.wait(LIMIT)

    def continuing(self, *options, **pipes):
        return self.target.program(
            "continue", "--type", self.type, "--from", self.origin.device, "--wait", LIMIT, *options, **pipes, stderr=subprocess.PIPE)

    USES = [(hand_over, 45), (hand_over_with_streams, 30), (break_publisher, 4), (break_continuer, 4), (give_up, 4), (come_and_go, 9),
            (kill_a_watcher, 4), (ping, 4), (look_for_each_other, 1), (record, 1)]

    def choose(self):
        """Returns the next use, which depends only on the seed."""
        uses, weights = zip(*self.USES)
        return self.choices.choices(uses, weights)[0]


class Published:
    """A context of `baton publish` that holds its laptop's air. It is entered when the activity is offered, and left when the program has ended."""

    def __init__(self, use, options, streams):
        self.use, self.options, self.streams = use, options, streams
        use.number += 1
        self.text = f"{use.number}"

    def __enter__(self):
        use = self.use
        use.origin.air.acquire()
        self.errors = {} if "stdout" in self.streams else {"stdout": subprocess.PIPE}
        self.context = use.origin.program("publish", "--type", use.type, "--title", "A letter", "--info", f"text={self.text}", *self.options,
                                          **self.streams, **self.errors, stderr=subprocess.PIPE)
        self.program = self.context.__enter__()
        self.lines = self.program.stderr if "stdout" in self.streams else self.program.stdout
        while line := self.lines.readline():
            if line.startswith(b"publishing "):
                return self
        self.__exit__(None, None, None)
        raise Failure(f"on {use.origin.name}, baton publish ended before it published")

    def __exit__(self, *problem):
        try:
            self.context.__exit__(*problem)
        finally:
            self.use.origin.air.release()

    def arrived(self, activity):
        if activity["userInfo"] != {"text": self.text}:
            raise Failure(f"{activity['userInfo']} came instead of {self.text}")

    def ended(self):
        """Waits for the program, which ends by itself when everything has been transferred."""
        self.program.wait(LIMIT)
        if self.program.returncode != 0:
            raise Failure(f"baton publish on {self.use.origin.name}: status {self.program.returncode}, {self.lines.read().decode().strip()}")


class Unbuffered:
    """The writing end of a program's pipe, for `pattern.Pattern.write`. A program that has ended accepts nothing more."""

    def __init__(self, pipe):
        self.pipe = pipe

    def write(self, data):
        try:
            return self.pipe.raw.write(data) if hasattr(self.pipe, "raw") else self.pipe.write(data)
        except (BrokenPipeError, ValueError):  # the program has gone, or its use has failed
            return len(data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.pipe.close()
        except BrokenPipeError:
            pass


def feed_until_broken(pattern, pipe):
    """Writes until nobody reads any more."""
    number = 0
    try:
        while True:
            pipe.write(pattern.block(number))
            number += 1
    except (BrokenPipeError, ValueError, OSError):
        pass
