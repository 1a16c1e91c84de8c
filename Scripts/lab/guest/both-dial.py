# SPDX-License-Identifier: Apache-2.0
"""Two laptops that dial each other at the same moment.

    both-dial.py ROUNDS

Prints the measured values. The exit status is 0 only if every ping was answered.
"""

import statistics
import sys

from bluez_links import BlueZ
from offers import until
from pinging import Pinging

NAMES = ("desk", "sofa")


def main(rounds: int) -> int:
    bluez, both = BlueZ(), [Pinging(*NAMES), Pinging(*reversed(NAMES))]
    for each in both:
        # A laptop can be dialled only while it advertises, so both offer something.
        each.publish()
    times, errors = [], []
    for number in range(1, rounds + 1):
        bluez.unlink()
        for each in both:
            each.ping()
        until("both answers", lambda: all(each.is_done() for each in both))
        times += [each.took for each in both if each.took is not None]
        errors += [each.error for each in both if each.error is not None]
        print(number, *(each.error or f"{each.took:.3f} s" for each in both), flush=True)
    if times:
        print(f"fact: both dial: {statistics.median(times):.3f} s, from {min(times):.3f} to {max(times):.3f}, {len(times)} answers, {len(errors)} failures")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
