# SPDX-License-Identifier: Apache-2.0
"""Checks in a recording of btmon that an advertisement's bytes and address change together at an epoch.

    epochs.py RECORDING ADAPTER ADDRESS BOUNDARY [LEAST]

ADAPTER (hci1) is the one that listens, ADDRESS the public address of the one that advertises, BOUNDARY the Unix time at which the epoch
begins. Prints what it found; exit status 0 only when there were beacons before and after, no address has been seen with both, and some
beacon has been seen with LEAST addresses (1): by its bytes these can be told to be one device's.
"""

import sys

from advertisement import MANUFACTURER, reports, structures
from recording import EVENT, records

# btmon counts from the year 0; this is the year 1970.
UNIX = (0x00E03AB44A676000 - 946_684_800_000_000) / 1e6


def heard(recording: str, adapter: int):
    """(Unix seconds, address, beacon) of each beacon that an adapter has received."""
    with open(recording, "rb") as opened:
        data = opened.read()
    for record in records(data):
        if record.opcode != EVENT or record.adapter != adapter:
            continue
        for address, _, response, content in reports(record.payload):
            beacon = dict(structures(content)).get(MANUFACTURER, b"")[2:]
            if not response and len(beacon) == 24:
                yield record.seconds - UNIX, address[::-1].hex(":"), beacon


def main(recording: str, adapter: str, public: str, boundary: str, least: str = "1") -> int:
    first, addresses = {}, {}
    for seconds, address, beacon in heard(recording, int(adapter.removeprefix("hci"))):
        first.setdefault(beacon, seconds)
        addresses.setdefault(beacon, set()).add(address)
    before = [beacon for beacon in first if first[beacon] < float(boundary)]
    after = [beacon for beacon in first if first[beacon] >= float(boundary)]
    early, late = (set().union(*(addresses[beacon] for beacon in beacons)) for beacons in (before, after))
    most = max((len(addresses[beacon]) for beacon in first), default=0)
    print(f"{len(before)} beacons by {len(early)} addresses before the epoch, {len(after)} by {len(late)} after it, one by up to {most}")
    if not before or not after or most < int(least):
        return 1
    if early & late:
        print(f"{', '.join(early & late)} was seen in both")
        return 1
    if public.lower() in early | late:
        print(f"the adapter's own address {public} was seen")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
