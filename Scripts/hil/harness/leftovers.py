# SPDX-License-Identifier: Apache-2.0
"""Directories of runs that were killed. Each directory is named after the process that should have removed it."""

import os
import shutil
import tempfile
from pathlib import Path

PREFIX = "baton-hil."


def make() -> Path:
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}."))


def remove() -> list:
    """Removes what a killed run (SIGKILL) of this user left behind. Returns the removed
    directories."""
    gone = []
    for directory in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if directory.stat().st_uid == os.getuid() and not Path("/proc", directory.name.split(".")[1]).exists():
            shutil.rmtree(directory, ignore_errors=True)
            gone.append(str(directory))
    return gone
