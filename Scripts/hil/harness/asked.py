# SPDX-License-Identifier: Apache-2.0
"""The functions that a run calls on a machine: on this one, or on a peer over ssh. Arguments and results
are JSON values."""

from pathlib import Path

from . import checks, controllers, leftovers, left, machine

FUNCTIONS = {
    "lacking": checks.lacking,
    "state": checks.state,
    "described": machine.described,
    "connections": controllers.connections,
    "end links": left.end_links,
    "remove leftovers": leftovers.remove,
    "home": lambda: str(Path.home()),
}
