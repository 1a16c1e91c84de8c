# SPDX-License-Identifier: Apache-2.0
"""Changes of attenuation and loss. Each change is a line that a scenario or a test writes.

    [SECONDS] attenuation DB [ONE OTHER]
    [SECONDS] attenuation DB..DB over SECONDS [ONE OTHER]
    [SECONDS] loss SHARE [ONE OTHER]
    [SECONDS] silence SECONDS [ONE OTHER]

SECONDS count from the beginning. Without SECONDS, the change happens at once. ONE and OTHER are names of radios. Loss affects packets from ONE to OTHER, and
attenuation both directions. Without names a change affects all radios. During a silence, receivers hear nothing.
Afterwards, everything is as before.
"""

from .events import SECOND

# The attenuation after which no receiver hears a signal.
SILENT = 200
# The seconds between the steps of a gradual change.
STEP = 0.25


class BadLine(Exception):
    """A line is invalid."""


class Script:
    """Makes changes on a timeline."""

    def __init__(self, timeline, surroundings):
        self._timeline, self._surroundings = timeline, surroundings

    def read(self, line: str):
        """Reads one line. Empty lines and lines that begin with # are ignored."""
        words = line.split()
        if not words or words[0].startswith("#"):
            return
        try:
            begins = float(words[0]) * SECOND if words[0][0].isdigit() else self._timeline.now
            name, *arguments = words[1:] if words[0][0].isdigit() else words
            self._change(round(begins), name, arguments)
        except (ValueError, IndexError) as error:
            raise BadLine(f"cannot read the line: {line.strip()}") from error

    def _change(self, begins: int, name: str, arguments: list):
        s = self._surroundings
        if name == "loss":
            share, pair = self._share(arguments[0]), self._pair(arguments[1:])
            self._timeline.at(begins, lambda: s.set_loss(share, *pair))
        elif name == "silence":
            duration, pair = float(arguments[0]), self._pair(arguments[1:])
            self._timeline.at(begins, lambda: self._silence(duration, pair))
        elif name == "attenuation" and ".." in arguments[0]:
            first, last = (float(each) for each in arguments[0].split(".."))
            if arguments[1] != "over":
                raise ValueError(arguments[1])
            duration, pair = float(arguments[2]), self._pair(arguments[3:])
            steps = max(1, round(duration / STEP))
            for step in range(steps + 1):
                value = first + (last - first) * step / steps
                self._timeline.at(begins + round(duration * SECOND * step / steps), lambda value=value: s.set_attenuation(value, *pair))
        elif name == "attenuation":
            value, pair = float(arguments[0]), self._pair(arguments[1:])
            self._timeline.at(begins, lambda: s.set_attenuation(value, *pair))
        else:
            raise ValueError(name)

    def _silence(self, duration: float, pair: tuple):
        s = self._surroundings
        before = s.attenuations()
        s.set_attenuation(SILENT, *pair)
        self._timeline.after(round(duration * SECOND), lambda: s.restore_attenuations(before))

    @staticmethod
    def _share(text: str) -> float:
        value = float(text)
        if not 0 <= value <= 1:
            raise ValueError(text)
        return value

    @staticmethod
    def _pair(names: list) -> tuple:
        if len(names) not in (0, 2):
            raise ValueError(names)
        return tuple(names)
