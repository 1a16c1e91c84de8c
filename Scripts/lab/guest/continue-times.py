# SPDX-License-Identifier: Apache-2.0
"""Measures hand-overs on the simulated air and on controllers without it: two pairs of daemons in one boot.

    continue-times.py ROUNDS

desk and sofa are on hci0 and hci1, on the air that takes time. plain-desk and plain-sofa are on hci2 and hci3, on an air that takes no time
(air-continue.sh). The time that both need comes from the emulated processor. Prints the measured values.
"""

import os
import statistics
import sys
import time

from bluez_links import BlueZ
from gi.repository import GLib
from offers import BATON, BATON_PATH, Publisher, Watcher

CONTENTS = 3_000  # bytes of userInfo


class Pair:
    """Two laptops, one of which offers an activity."""

    def __init__(self, desk: str, sofa: str):
        self.desk, self.sofa = Publisher(f"unix:path=/run/{desk}/bus"), Watcher(f"unix:path=/run/{sofa}/bus")
        self.sofa.learn(self.desk)

    def hand_over(self) -> float:
        """Fetches the offer without taking it over, so that it is still offered. Returns the time."""
        begun = time.monotonic()
        continuation, activity = self.sofa.call(BATON_PATH, BATON + "1.Offers", "Continue", GLib.Variant("(sa{sv})", (next(iter(self.sofa.offers)), {})))
        taken = time.monotonic() - begun
        self.sofa.call(BATON_PATH, BATON + "1.Offers", "Accept", GLib.Variant("(sb)", (continuation, False)))
        if len(activity["userInfo"]["text"]) != CONTENTS:
            sys.exit("the contents are not what was offered")
        return taken

    def measure(self, bluez: BlueZ) -> tuple:
        """Measures without a link, and then with the link that the first hand-over made."""
        bluez.unlink()
        contents = {"userInfo": GLib.Variant("a{sv}", {"text": GLib.Variant("s", os.urandom(CONTENTS // 2).hex())})}
        activity, _ = self.desk.publish(contents)
        self.sofa.sees()
        times = self.hand_over(), self.hand_over()
        self.desk.end(activity)
        self.sofa.sees_none()
        return times


def in_words(times: list) -> str:
    return f"{statistics.median(times):.3f} s, from {min(times):.3f} to {max(times):.3f}, {len(times)} times"


def main(rounds: int):
    bluez = BlueZ()
    pairs = {"the air": Pair("desk", "sofa"), "no air": Pair("plain-desk", "plain-sofa")}
    times = {name: ([], []) for name in pairs}
    for number in range(1, rounds + 1):
        for name, pair in pairs.items():
            for list_, taken in zip(times[name], pair.measure(bluez)):
                list_.append(taken)
        print(number, *(f"{name}: {taken[0][-1]:.3f} s, with a link {taken[1][-1]:.3f} s;" for name, taken in times.items()), flush=True)
    for which, words in enumerate(("without a link", "with a link")):
        air, plain = times["the air"][which], times["no air"][which]
        print(f"fact: a hand-over {words}, on the air: {in_words(air)}")
        print(f"fact: a hand-over {words}, without air: {in_words(plain)}")
        print(f"fact: a hand-over {words}, less that: {statistics.median(air) - statistics.median(plain):.3f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]))
