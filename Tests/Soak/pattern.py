# SPDX-License-Identifier: Apache-2.0
"""Streams with known bytes: a source that makes them and a target that checks them, of any length, with little memory."""

import random

BLOCK = 1 << 20


class Pattern:
    """Bytes that differ from block to block, so that lost, repeated or swapped data is noticed."""

    def __init__(self, seed):
        self.rest = random.Random(seed).randbytes(BLOCK - 8)

    def block(self, number):
        return number.to_bytes(8, "big") + self.rest

    def write(self, file, length):
        """Writes `length` bytes to an unbuffered file, and closes it."""
        with file:
            for number in range(length // BLOCK):
                send(file, self.block(number))
            send(file, self.block(length // BLOCK)[:length % BLOCK])

    def check(self, file, length):
        """Reads a buffered file to its end. Returns what is wrong with it, or None."""
        with file:
            for number in range(length // BLOCK):
                if file.read(BLOCK) != self.block(number):
                    return f"differs in MiB {number}"
            rest = file.read()
        return None if rest == self.block(length // BLOCK)[:length % BLOCK] else "differs in its last MiB, or goes on"


def send(file, data):
    """Sends all of the data, however little is accepted at once."""
    view = memoryview(data)
    while view:
        view = view[file.write(view):]
