# SPDX-License-Identifier: Apache-2.0
"""Checks in a recording of btmon that an advertisement's bytes and its address change together.

    epochs.py RECORDING ADAPTER ADDRESS BOUNDARY [linked]

ADAPTER (hci1) listens. ADDRESS is the public address of the advertising adapter. BOUNDARY is the Unix time at which an
epoch begins. Prints the findings. The exit status is 0 only if there were beacons before and after, no address had two
beacons, and no beacon had two addresses. Then neither a beacon nor an address reveals that two values of the other
belong to one device. After links a beacon may have several addresses in its epoch.
"""

import sys

from advertisement import MANUFACTURER, reports, structures
from recording import EVENT, records

# btmon counts from the year 0; this is the year 1970.
UNIX = (0x00E03AB44A676000 - 946_684_800_000_000) / 1e6


def heard(recording: str, adapter: int):
    """Yields (Unix seconds, address, beacon) of each beacon that an adapter has received."""
    with open(recording, "rb") as opened:
        data = opened.read()
    for record in records(data):
        if record.opcode != EVENT or record.adapter != adapter:
            continue
        for address, _, response, content in reports(record.payload):
            beacon = dict(structures(content)).get(MANUFACTURER, b"")[2:]
            if not response and len(beacon) == 24:
                yield record.seconds - UNIX, address[::-1].hex(":"), beacon


def main(recording: str, adapter: str, public: str, boundary: str, linked: str = "") -> int:
    first, addresses, owners = {}, {}, {}
    for seconds, address, beacon in heard(recording, int(adapter.removeprefix("hci"))):
        first.setdefault(beacon, seconds)
        addresses.setdefault(beacon, set()).add(address)
        owners.setdefault(address, set()).add(beacon)
    before = [beacon for beacon in first if first[beacon] < float(boundary)]
    after = [beacon for beacon in first if first[beacon] >= float(boundary)]
    early, late = (set().union(*(addresses[beacon] for beacon in beacons)) for beacons in (before, after))
    print(f"{len(before)} beacons by {len(early)} addresses before the epoch, {len(after)} by {len(late)} after it")
    if not before or not after:
        return 1
    if not linked and any(len(addresses[beacon]) > 1 for beacon in first):
        print("a beacon was seen with two addresses")
        return 1
    if any(len(beacons) > 1 for beacons in owners.values()):
        print("an address was seen with two beacons")
        return 1
    if public.lower() in early | late:
        print(f"the adapter's own address {public} was seen")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
