# SPDX-License-Identifier: Apache-2.0
"""Ends links without channels, many times.

    unlinks.py ROUNDS

Prints how many links have ended. The exit status is 0 only if the laptops found each other each time.
"""

import sys

from bluez_links import BlueZ
from offers import until
from pinging import Pinging


def main(rounds: int) -> int:
    bluez, desk, sofa = BlueZ(), Pinging("desk", "sofa"), Pinging("sofa", "desk")
    # A laptop can be dialled only while it advertises, so desk offers something.
    desk.publish()
    for number in range(1, rounds + 1):
        sofa.ping()
        until("an answer", sofa.is_done)
        if sofa.error is not None:
            sys.exit(f"round {number}: {sofa.error}")
        bluez.unlink()
        print(number, f"{sofa.took:.3f} s", flush=True)
    print(f"fact: {rounds} links were ended once no channel was on them")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
