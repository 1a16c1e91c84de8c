# SPDX-License-Identifier: Apache-2.0
"""Both conformance suites of BatonTesting, which check every radio and every transport."""

import re
import subprocess

from . import HilError

NAME, NEEDS = "conformance", ()
MACHINES = (1,)  # one program uses both adapters
TITLE = "the conformance suites of radios and channels"
LINE = re.compile(r"(passed|FAILED) (\w+) ([\d.e-]+) seconds(?:: (.*))?")


def run(bench, result):
    command = [bench.options.binaries / "radio-conformance", *(place.adapter for place in bench.places)]
    # Use two files, so that the lines of one output do not break the lines of the other.
    said, log = bench.directory / "checks.log", bench.directory / "conformance.log"
    with open(said, "wb") as output, open(log, "wb") as errors:
        process = bench.processes.start(command, stdout=output, stderr=errors)
    seconds, late = bench.limit(800), ""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        late = f", not done after {seconds:.0f} s"
    finally:
        bench.processes.end(process)
    judge(said.read_text(encoding="utf-8", errors="replace"), process.returncode, result, late)


def judge(said: str, status: int, result, late: str = ""):
    """Converts the output to figures. Raises HilError unless both the output and the status say that all checks
    passed."""
    lines = [found for found in map(LINE.fullmatch, said.splitlines()) if found]
    for line in lines:
        result.sample(line[2], "", "s", float(line[3]))
    count = re.search(r"^checks: (\d+), failed: (\d+)$", said, re.M)
    failed = [f"{line[2]}: {line[4]}" for line in lines if line[1] == "FAILED"]
    if failed:
        raise HilError(f"{len(failed)} of {len(lines)} checks failed{late}: {'; '.join(failed)}")
    if status != 0 or not count or count[2] != "0" or int(count[1]) != len(lines) or not lines:
        raise HilError(f"radio-conformance ended with status {status} after {len(lines)} checks{late}")
    result.facts.append(f"{len(lines)} checks")
