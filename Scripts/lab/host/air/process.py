# SPDX-License-Identifier: Apache-2.0
"""The air of a scenario: a program beside the machines, whose serial ports lead to its controllers."""

import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ..machine import die_with_parent

LAB = Path(__file__).resolve().parents[2]
# The port over which a machine changes the air. The other ports are hci0, hci1 and so on.
CONTROL = "air"


@dataclass(frozen=True)
class Air:
    """The air that a scenario needs: the number of controllers for each machine, and the options of
    `room`."""

    controllers: int = 1
    options: tuple = ()


class AirProcess:
    """Runs `room`. For each machine, `ports` has the sockets that become its ports, by their names."""

    def __init__(self, air: Air, machines: list, log: Path):
        self._air, self._log, self._process = air, log, None
        self.ports = {machine: {} for machine in machines}
        self._inner = {}
        for machine in machines:
            for name in [f"hci{number}" for number in range(air.controllers)] + [CONTROL]:
                self.ports[machine][name], self._inner[machine, name] = socket.socketpair()

    def start(self):
        arguments = [f"--control={end.fileno()}" for (_, name), end in self._inner.items() if name == CONTROL]
        arguments += [f"{machine}-{name}={end.fileno()}" for (machine, name), end in self._inner.items() if name != CONTROL]
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-B", "-m", "host.air.room", *self._air.options, *arguments], cwd=LAB, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                pass_fds=[end.fileno() for end in self._inner.values()], preexec_fn=die_with_parent)
        for end in self._inner.values():
            end.close()

    def close(self):
        """Closes this program's copies of the sockets after the machines have got them."""
        for ports in self.ports.values():
            for end in ports.values():
                end.close()

    def stop(self):
        self.close()
        for end in self._inner.values():
            end.close()
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
