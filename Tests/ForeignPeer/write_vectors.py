#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the vectors of Tests/Vectors with the code of the foreign peer, and reads each one back with it.

    write_vectors.py [--check]

With --check it writes nothing, and fails if a file is not what it would write. It needs python3-cryptography.
"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from vectors import beacons, circles, datagrams, frames, knocks, pairings  # noqa: E402
from vectors.reading import Misread  # noqa: E402

DIRECTORY = pathlib.Path(__file__).resolve().parents[1] / "Vectors"
FILES = {
    "beacon.json": beacons, "datagram.json": datagrams, "knock.json": knocks, "pairing.json": pairings, "circle.json": circles,
    "frames.json": frames,
}


def text(name: str) -> str:
    """Returns the content of a file. Ends the program if the foreign peer does not read a vector as it was
    written."""
    try:
        return json.dumps(FILES[name].vectors(), indent=2, ensure_ascii=False) + "\n"
    except Misread as misread:
        sys.exit(f"write_vectors.py: {name}: {misread}")


def differs(path: pathlib.Path) -> bool:
    return not path.exists() or path.read_text(encoding="utf-8") != text(path.name)


def check():
    wrong = [name for name in FILES if differs(DIRECTORY / name)]
    if wrong:
        sys.exit(f"write_vectors.py: the foreign peer would write other vectors: {', '.join(wrong)}\n"
                 "To write them, run Tests/ForeignPeer/write_vectors.py. Then review each changed vector by hand "
                 "(Tests/Vectors/README.md).")


def write():
    for name in FILES:
        (DIRECTORY / name).write_text(text(name), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: write_vectors.py [--check]")
    check() if sys.argv[1:] else write()
