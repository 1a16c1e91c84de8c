# SPDX-License-Identifier: Apache-2.0
"""Checks a recording of btmon against Documentation/Protocol/Beacon.md, "On the air".

    advertisement.py RECORDING ADDRESS

The program reads the receiving controller's reports of ADDRESS and the advertising controller's commands. It prints the
findings. The exit status is 0 only if there were beacons, and every report of ADDRESS follows the specification.
"""

import struct
import sys

from recording import COMMAND, EVENT, records

LE_META, REPORT, EXTENDED_REPORT = 0x3E, 0x02, 0x0D
SET_PARAMETERS, SET_EXTENDED_PARAMETERS = 0x2006, 0x2036
FLAGS, SHORT_NAME, NAME, MANUFACTURER = 0x01, 0x08, 0x09, 0xFF
LEGACY_CONNECTABLE = (0x00, 0x01)  # ADV_IND, ADV_DIRECT_IND
EXTENDED_CONNECTABLE, EXTENDED_SCAN_RESPONSE = 0x01, 0x08


def reports(payload: bytes):
    """Yields (address, connectable, scan response, data) of each advertising report in an HCI event."""
    if len(payload) < 4 or payload[0] != LE_META:
        return
    kind, count, offset = payload[2], payload[3], 4
    for _ in range(count):
        if kind == REPORT:
            event, address, length = payload[offset], payload[offset + 2:offset + 8], payload[offset + 8]
            content = payload[offset + 9:offset + 9 + length]
            yield address, event in LEGACY_CONNECTABLE, event == 0x04, content
            offset += 10 + length
        elif kind == EXTENDED_REPORT:
            event, address, length = payload[offset], payload[offset + 3:offset + 9], payload[offset + 23]
            content = payload[offset + 24:offset + 24 + length]
            yield address, bool(event & EXTENDED_CONNECTABLE), bool(event & EXTENDED_SCAN_RESPONSE), content
            offset += 24 + length


def structures(data: bytes):
    """Yields (type, value) of each AD structure."""
    offset = 0
    while offset < len(data) and data[offset]:
        length = data[offset]
        if offset + 1 + length > len(data):
            raise ValueError(f"an AD structure runs over the end: {data.hex()}")
        yield data[offset + 1], data[offset + 2:offset + 1 + length]
        offset += 1 + length


def faults(connectable: bool, response: bool, data: bytes):
    """Yields the ways in which a report differs from Beacon.md."""
    found = dict(structures(data))
    if SHORT_NAME in found or NAME in found:
        yield "there is a name"
    if response:
        if data:
            yield f"there is a scan response: {data.hex()}"
        return
    if not connectable:
        yield "it is not connectable"
    if len(data) > 31:
        yield f"it has {len(data)} bytes"
    if not found.keys() <= {FLAGS, MANUFACTURER}:
        yield f"it has AD types {[hex(t) for t in found]}"
    value = found.get(MANUFACTURER, b"")
    if len(value) != 26 or value[:2] != b"\xff\xff":
        yield f"manufacturer data is {value.hex()}, not ffff and 24 bytes"
    elif value[2] != 1:
        yield f"the beacon's version is {value[2]}"


def intervals(opcode: int, payload: bytes):
    """Returns the shortest and longest advertising interval, in milliseconds, that a command sets."""
    command = struct.unpack_from("<H", payload)[0] if len(payload) >= 3 else 0
    if opcode == COMMAND and command == SET_PARAMETERS:
        return tuple(units * 0.625 for units in struct.unpack_from("<HH", payload, 3))
    if opcode == COMMAND and command == SET_EXTENDED_PARAMETERS:
        least, most = payload[6:9], payload[9:12]
        return tuple(int.from_bytes(units, "little") * 0.625 for units in (least, most))
    return None


def main(recording: str, address: str) -> int:
    wanted = bytes.fromhex(address.replace(":", ""))[::-1]
    beacons, problems, asked, count = set(), set(), set(), 0
    with open(recording, "rb") as opened:
        data = opened.read()
    for _, opcode, _, payload in records(data):
        interval = intervals(opcode, payload)
        if interval:
            asked.add("%g-%g ms" % interval)
        if opcode != EVENT:
            continue
        for sender, connectable, response, content in reports(payload):
            if sender != wanted:
                continue
            count += 1
            problems.update(faults(connectable, response, content))
            if not response:
                beacons.add(dict(structures(content)).get(MANUFACTURER, b"")[2:])
    if not count:
        problems.add(f"no report of {address} was recorded")
    print(f"{count} reports, {len(beacons)} beacons, interval {', '.join(sorted(asked)) or 'not recorded'}")
    print("\n".join(sorted(problems)), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
