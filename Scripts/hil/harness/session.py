# SPDX-License-Identifier: Apache-2.0
"""A session for a laptop: directories below one home, and a bus."""

import sys
from pathlib import Path

from . import HilError

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import own_session  # noqa: E402


def start(home: Path, start_process) -> dict:
    """Makes the session and starts its bus. Returns the environment of its programs.
    Raises HilError."""
    home.mkdir(mode=0o700)
    environment = own_session.environment(home)
    _, address = own_session.start_bus(environment, start_process)
    if not address:
        raise HilError("dbus-daemon did not start")
    return {**environment, "DBUS_SESSION_BUS_ADDRESS": address}
