# SPDX-License-Identifier: Apache-2.0
"""What a machine is asked: this one, or a peer over ssh. Arguments and answers are what JSON can have."""

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
