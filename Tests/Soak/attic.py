# SPDX-License-Identifier: Apache-2.0
"""A third laptop, whose daemon is ended and killed, and which leaves the circle and pairs again."""

import contextlib
import random
import re
import shlex
import signal
import subprocess
import threading
import time

from laptops import LIMIT, Failure
from uses import Use


class Attic:
    """The uses of attic. They need exclusive access, because nothing else may be under way while desk or sofa
    restart."""

    # A device signs at most 256 statements, and each pairing makes two of them. This number is enough for a
    # long life.
    PAIRINGS = 20

    def __init__(self, laptop, desk, sofa, root):
        self.laptop, self.others, self.root = laptop, (desk, sofa), root
        self.pairings = 0
        self.users, self.waits_to_be_alone, self.change = 0, False, threading.Condition()
        self.uses = {}

    @contextlib.contextmanager
    def quiet(self, *_):
        """A context in which no daemon may end, because an operation is under way."""
        with self.change:
            self.change.wait_for(lambda: not self.waits_to_be_alone)
            self.users += 1
        try:
            yield
        finally:
            with self.change:
                self.users -= 1
                self.change.notify_all()

    @contextlib.contextmanager
    def alone(self):
        """A context in which nothing else is under way. Other uses wait."""
        with self.change:
            self.waits_to_be_alone = True
            try:
                self.change.wait_for(lambda: self.users == 0)
                yield
            finally:
                self.waits_to_be_alone = False
                self.change.notify_all()

    def join(self, laptop):
        """Adds a laptop to desk's circle with a file."""
        invitation = self.root / f"invitation-{laptop.name}"
        invitation.unlink(missing_ok=True)
        self.others[0].baton("circle", "invite", invitation)
        laptop.baton("circle", "join", invitation, "--name", laptop.name)

    def something(self, choices):
        """Does one random use, and returns its name."""
        weights = [30, 30, 10, 10, 5 if self.pairings < self.PAIRINGS else 0]
        use = choices.choices([self.hand_over, self.receive, self.restart, self.kill, self.pair_again], weights)[0]
        with self.quiet():
            use(choices)
        # Pause between two uses, because in real life such uses are rare.
        time.sleep(0.5)
        return f"attic: {use.__name__}"

    def hand_over(self, choices):
        self.way(self.laptop, choices.choice(self.others)).hand_over_with_streams()

    def receive(self, choices):
        self.way(choices.choice(self.others), self.laptop).hand_over()

    def way(self, origin, target):
        return self.uses.setdefault((origin.name, target.name), Use(origin, target, random.Random(f"{origin.name} {target.name}")))

    def restart(self, _):
        self.laptop.end_daemon()
        self.laptop.start_daemon()

    def kill(self, _):
        self.laptop.end_daemon(signal.SIGKILL)
        self.laptop.start_daemon()

    def pair_again(self, choices):
        """Leaves, and comes back with digits or a file."""
        self.pairings += 1
        self.laptop.baton("leave")
        if choices.random() < 0.5:
            self.join(self.laptop)
        else:
            self.pair(choices.choice(self.others))

    def pair(self, other):
        """Runs `baton pair` on both laptops, with the address of one."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "bufsize": 1}
        with other.program("pair", **pipes) as host:
            (address,) = shlex.split(said(host, r"baton pair --address (.+)"))  # as a shell takes it
            with self.laptop.program("pair", "--address", address, **pipes) as guest:
                digits = [said(program, r"the digits: (.*)") for program in (host, guest)]
                if digits[0] != digits[1]:
                    raise Failure(f"the digits differ: {digits}")
                for program in (host, guest):
                    program.stdin.write("yes\n")
                for program in (host, guest):
                    text = program.stdout.read()
                    if program.wait(LIMIT) != 0:
                        raise Failure(f"baton pair: {text.strip()}")


def said(program, pattern):
    """Waits for output of a certain form, and returns it."""
    lines = []
    while line := program.stdout.readline():
        lines.append(line)
        if found := re.search(pattern, line):
            return found[1]
    raise Failure(f"baton pair ended: {''.join(lines).strip()}")
