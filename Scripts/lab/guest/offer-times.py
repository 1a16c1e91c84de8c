# SPDX-License-Identifier: Apache-2.0
"""Measures how long an offer takes to appear and disappear on another laptop, compared with an advertisement of BlueZ: two daemons on two
adapters.

    offer-times.py ADDRESS ROUNDS

ADDRESS is the address of hci0, on which desk's daemon advertises. sofa's daemon listens on hci1 (baton.sh). It prints facts. BlueZ's report of an
advertisement of the same length and interval is the measure. The exit status is 0 only if offers are not slower, and disappear soon enough.
"""

import math
import statistics
import sys
import time

# The greatest allowed ratio of a time to another: the report of a beacon to the report of BlueZ's own advertisement,
# and the offer to the report of its beacon.
ALLOWED = 1.2
# In a crowd, times differ by a factor of ten. Times of the same distribution count as longer once in a thousand comparisons.
UNLIKELY = statistics.NormalDist().inv_cdf(0.999)
GONE_AFTER_END, GONE_AFTER_VANISHING = 10, 40  # seconds
VANISHINGS = 2
EPOCH = 600  # seconds


def are_longer(times: list, others: list) -> bool:
    """Returns whether times are longer than others, and hardly by chance (the rank test of Mann and Whitney)."""
    pairs = len(times) * len(others)
    longer = sum((time > other) + (time == other) / 2 for time in times for other in others)
    return longer > pairs / 2 + UNLIKELY * math.sqrt(pairs * (len(times) + len(others) + 1) / 12)


def verdict(bare: list, heard: list, ours: list, ends: list, vanishings: list) -> list:
    """Returns the faults of these times, which are in seconds."""
    found = []
    if are_longer(heard, [ALLOWED * time for time in bare]):
        found.append(f"bluetoothd takes more than {ALLOWED} times as long to report a beacon as to report BlueZ's own advertisement")
    ratio = statistics.median(ours) / statistics.median(heard)
    if ratio > ALLOWED:
        found.append(f"an offer takes {ratio:.2f} times what bluetoothd takes to report its beacon, and not {ALLOWED} at most")
    if max(ends) > GONE_AFTER_END:
        found.append(f"an offer was there for {max(ends):.1f} s after its activity's end, and not {GONE_AFTER_END} at most")
    if max(vanishings) > GONE_AFTER_VANISHING:
        found.append(f"an offer was there for {max(vanishings):.1f} s after its laptop had vanished, and not {GONE_AFTER_VANISHING} at most")
    return found


def in_words(times: list) -> str:
    """Returns a median and its range in the form that Benchmarks/harness/offer.py reads."""
    return f"{statistics.median(times):.3f} s, from {min(times):.3f} to {max(times):.3f}, {len(times)} times"


def main(address: str, rounds: int) -> int:
    # Import this module only here, because the test of `verdict` runs without D-Bus.
    from offers import Air, Publisher, Watcher, until

    air, desk, sofa = Air(address), Publisher("unix:path=/run/desk/bus"), Watcher("unix:path=/run/sofa/bus")
    sofa.learn(desk)
    air.wait_for_silence()
    air.unlink()

    vanishings = []
    with air.heard_again():
        for number in range(VANISHINGS):
            # batond changes its advertisement when an epoch begins (Beacon.md), which must not happen during a
            # measurement.
            until("an epoch that lasts for a while", lambda: time.time() % EPOCH < EPOCH - 100)
            activity, _ = desk.publish()
            sofa.sees()
            # The offer must stay for as long as it could if its laptop had vanished at once.
            sofa.sees_for(GONE_AFTER_VANISHING if number == 0 else 0)
            begun = air.vanish()
            vanishings.append(sofa.sees_none() - begun)
            print(f"vanished: {vanishings[-1]:.3f} s", flush=True)
            desk.end(activity)
            air.wait_for_silence()

    bare, ours, heard, ends = [], [], [], []
    for number in range(1, rounds + 1):
        bare.append(air.measure())
        air.reports.clear()
        activity, begun = desk.publish()
        ours.append(sofa.sees() - begun)
        # The report comes over another bus, and may be read after the offer.
        until("bluetoothd's report of the beacon", lambda: air.reports)
        heard.append(min(air.reports.values()) - begun)
        begun = desk.end(activity)
        ends.append(sofa.sees_none() - begun)
        print(f"{number}: BlueZ {bare[-1]:.3f} s, Baton {ours[-1]:.3f} s, to bluetoothd's report {heard[-1]:.3f} s, end {ends[-1]:.3f} s", flush=True)
        # batond advertises the end of an offer for a while.
        air.wait_for_silence()

    print(f"fact: BlueZ, from registering to its report: {in_words(bare)}")
    print(f"fact: Baton, from publishing to the offer: {in_words(ours)}")
    print(f"fact: of that, to bluetoothd's report: {in_words(heard)}")
    print(f"fact: ratio {statistics.median(ours) / statistics.median(bare):.2f}")
    print(f"fact: from an activity's end to its offer's: {in_words(ends)}")
    print(f"fact: from a laptop's vanishing to its offer's end: {in_words(vanishings)}")
    problems = verdict(bare, heard, ours, ends, vanishings)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
