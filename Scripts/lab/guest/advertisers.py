# SPDX-License-Identifier: Apache-2.0
"""Prints the number of addresses from which an adapter has heard beacons, or data that looks like a beacon, in a
recording of btmon.

    advertisers.py RECORDING ADAPTER
"""

import sys

from advertisement import MANUFACTURER, reports, structures
from recording import EVENT, records

COMPANY = b"\xff\xff"


def count(recording: str, adapter: str) -> int:
    with open(recording, "rb") as opened:
        data = opened.read()
    events = [record.payload for record in records(data)
              if record.opcode == EVENT and record.adapter == int(adapter.removeprefix("hci"))]
    return len({bytes(address) for event in events for address, _, _, content in reports(event)
                if dict(structures(content)).get(MANUFACTURER, b"")[:2] == COMPANY})


if __name__ == "__main__":
    print(count(*sys.argv[1:]))
