# SPDX-License-Identifier: Apache-2.0
"""Compares what the foreign peer reads from a vector with what was written into it."""

from foreign.primitives import Refused


class Misread(Exception):
    """The error for a vector that the foreign peer reads differently from what was written."""


def same(vector: str, read, written):
    if read != written:
        raise Misread(f"{vector}: the foreign peer reads {read!r}, not {written!r}")


def refused(vector: str, reader, *arguments):
    """Checks that a reader refuses its arguments."""
    try:
        read = reader(*arguments)
    except Refused:
        return
    raise Misread(f"{vector}: the foreign peer should refuse it, and reads {read!r}")
