# SPDX-License-Identifier: Apache-2.0
"""The options and results of the parts, and the adapters that they use."""

import os
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import HilError
from .places import State

TYPE = "org.batonproject.hil.edit"
PASSED, FAILED, NOT_RUN = "passed", "failed", "not run"


@dataclass
class Options:
    """The user's options. Times apply to each direction. `patience` multiplies every limit."""

    binaries: Path
    parts: list  # the names of the requested parts
    usual: list  # the names of the parts that run by default; a report that lacks one has not passed
    machines: int = 1
    times: int = 6
    bytes: int = 1_000_000
    patience: float = 1


@dataclass
class Figure:
    """Samples of one measurement under the same conditions."""

    name: str
    series: str
    unit: str
    samples: list = field(default_factory=list)

    @property
    def median(self):
        return statistics.median(self.samples)


@dataclass
class Result:
    """The result of a part."""

    name: str
    title: str
    status: str = NOT_RUN
    reason: str = ""
    seconds: float = 0
    figures: list = field(default_factory=list)
    facts: list = field(default_factory=list)
    curves: dict = field(default_factory=dict)

    def sample(self, name: str, series: str, unit: str, value: float):
        for figure in self.figures:
            if (figure.name, figure.series) == (name, series):
                break
        else:
            figure = Figure(name, series, unit)
            self.figures.append(figure)
        figure.samples.append(round(value, 4))


class Bench:
    """Two adapters and the laptops on them."""

    def __init__(self, options: Options, directory: Path, places: list):
        self.options, self.directory, self.places = options, directory, places
        self.processes = places[0].machine.processes
        self.found = [State(place) for place in places]
        self.desk = self.sofa = None  # set by the part "circle"

    def end_all(self):
        """Ends all started programs on both machines."""
        for place in self.places:
            place.machine.processes.end_all()

    def limit(self, seconds: float) -> float:
        return seconds * self.options.patience

    def wait(self, seconds: float) -> str:
        """Returns the limit as an argument of baton."""
        return f"{self.limit(seconds):.0f}"

    def directions(self) -> list:
        """Returns each laptop as giver and taker, with the direction's name in figures."""
        return [(giver, taker, f"{giver.adapter} to {taker.adapter}") for giver, taker in ((self.desk, self.sofa), (self.sofa, self.desk))]

    def noise(self, name: str) -> Path:
        """Writes a file that does not compress."""
        file = self.directory / name
        if not file.exists():
            file.write_bytes(os.urandom(self.options.bytes))
        return file


def play(part, bench: Bench, results: dict, say):
    """Runs a part, unless it was not requested or a part that it needs has not passed. The part's result is in
    `results` afterwards."""
    result = results[part.NAME] = Result(part.NAME, part.TITLE)
    try:
        result.reason = obstacle(part, bench.options, results)
        if not result.reason:
            attempt(part, bench, result)
    finally:
        say(result)


def machines(part) -> tuple:
    """Returns the numbers of machines with which a part can run."""
    return getattr(part, "MACHINES", (1, 2))


def usual(part, count: int) -> bool:
    """Returns whether a part runs by default with this number of machines."""
    return count in machines(part) and not getattr(part, "BY_HAND", False) and not getattr(part, "OWN", False)


def obstacle(part, options: Options, results: dict) -> str:
    """Returns why a part does not run, or an empty text if it runs."""
    if options.machines not in machines(part):
        return "needs both adapters in one machine" if options.machines > 1 else "needs two machines (PEER)"
    if part.NAME not in options.parts:
        return "is by hand, and was not asked for" if getattr(part, "BY_HAND", False) else "was not asked for"
    failed = [name for name in part.NEEDS if results[name].status != PASSED]
    return f"needs {failed[0]}, which has not passed" if failed else ""


def attempt(part, bench: Bench, result: Result):
    begun = time.monotonic()
    result.status = FAILED
    try:
        part.run(bench, result)
        result.status = PASSED
    except HilError as error:
        result.reason = str(error)
    except (OSError, ValueError, KeyError) as error:
        result.reason = f"{type(error).__name__}: {error}"
    except KeyboardInterrupt:
        result.reason = "was interrupted"
        raise
    finally:
        result.seconds = round(time.monotonic() - begun, 1)
