# SPDX-License-Identifier: Apache-2.0
"""The machines of the adapters: this one, or a peer that gets the same calls over ssh."""

from dataclasses import dataclass
from pathlib import Path

from . import asked, session


class Here:
    """This machine. Sessions have their directories below `directory`."""

    is_peer = False

    def __init__(self, directory: Path, binaries: Path, processes):
        self.directory, self.binaries, self.processes = directory, binaries, processes

    def ask(self, function: str, *arguments):
        """Calls a function of `asked`. Raises HilError."""
        return asked.FUNCTIONS[function](*arguments)

    def session(self, name: str) -> tuple:
        """Starts a session. Returns its home directory and the environment of its programs. Raises
        HilError."""
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
        """Calls a function of `asked` with this adapter as its first argument. Raises HilError."""
        return self.machine.ask(function, self.adapter, *arguments)


class State:
    """The state of an adapter before a run, which must be the same afterwards."""

    def __init__(self, place: Place):
        self.place = place
        self.values = place.ask("state")

    def notes(self) -> list:
        """Returns notes about the parts of the state that may disturb the figures."""
        found = [("ActiveInstances", "advertises for another program"), ("Discovering", "scans for another program"), ("connections", "has connections")]
        return [f"{self.place.label} {what}: figures may be worse than without" for name, what in found if self.values[name]]

    def differences(self) -> list:
        """Describes how the present state differs from this one."""
        now = self.place.ask("state")
        return [f"{self.place.label}: {name} is {now[name]}, and was {was}" for name, was in self.values.items() if now[name] != was]
