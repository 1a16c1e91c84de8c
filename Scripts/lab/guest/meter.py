# SPDX-License-Identifier: Apache-2.0
"""Reads a pipe to its end and prints the rate from its first byte to its last, in bytes per
second.

    meter.py PIPE BYTES

The exit status is 0 only if exactly BYTES came. If the pipe has no writer yet, the program waits for one.
"""

import os
import sys
import time


def main(path: str, expected: int) -> int:
    first = b""
    while not first:
        # A writer may open the pipe as a test and close it again.
        descriptor = os.open(path, os.O_RDONLY)
        first = os.read(descriptor, 262_144)
    begun = last = time.monotonic()
    count = len(first)
    while True:
        data = os.read(descriptor, 262_144)
        if not data:
            break
        count += len(data)
        last = time.monotonic()
    if count != expected:
        print(f"{count} bytes came, not {expected}", file=sys.stderr)
        return 1
    if last == begun:
        print("all of it came at once: there is no rate", file=sys.stderr)
        return 1
    # The bytes of the first read came before the clock started.
    print(f"{(count - len(first)) / (last - begun):.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
