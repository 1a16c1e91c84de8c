# SPDX-License-Identifier: Apache-2.0
"""Where adapters are: in this machine, or in a peer, which is asked the same over ssh."""

from dataclasses import dataclass
from pathlib import Path

from . import asked, session


class Here:
    """This machine. Sessions have their directories below `directory`."""

    is_peer = False

    def __init__(self, directory: Path, binaries: Path, processes):
        self.directory, self.binaries, self.processes = directory, binaries, processes

    def ask(self, function: str, *arguments):
        """One of the functions of `asked`. Raises HilError."""
        return asked.FUNCTIONS[function](*arguments)

    def session(self, name: str) -> tuple:
        """The home directory of a session of its own, and the environment of its programs. Raises HilError."""
        home = self.directory / name
        return home, session.start(home, self.processes.start)


@dataclass
class Place:
    """An adapter of a machine."""

    machine: object
    adapter: str

    @property
    def label(self) -> str:
        return f"the peer's {self.adapter}" if self.machine.is_peer else self.adapter

    def ask(self, function: str, *arguments):
        """A function of `asked` whose first argument is an adapter: this one. Raises HilError."""
        return self.machine.ask(function, self.adapter, *arguments)


class State:
    """How an adapter was found, so that it is left so."""

    def __init__(self, place: Place):
        self.place = place
        self.values = place.ask("state")

    def notes(self) -> list:
        """What of it may disturb the figures."""
        found = [("ActiveInstances", "advertises for another program"), ("Discovering", "scans for another program"), ("connections", "has connections")]
        return [f"{self.place.label} {what}: figures may be worse than without" for name, what in found if self.values[name]]

    def differences(self) -> list:
        """What is not as it was, in words."""
        now = self.place.ask("state")
        return [f"{self.place.label}: {name} is {now[name]}, and was {was}" for name, was in self.values.items() if now[name] != was]
