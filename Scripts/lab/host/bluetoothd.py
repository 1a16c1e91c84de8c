# SPDX-License-Identifier: Apache-2.0
"""A bluetoothd that is not the host's, in a root directory of its own: a Debian release's or a version of BlueZ."""

import tempfile
from pathlib import Path

from . import debian, upstream

# Where the guest mounts what it shares with its own programs.
SHARED = ("dev", "proc", "run", "sys", "tmp", "etc/bluetooth", "var/lib/bluetooth")
# Debian's directories of one tree: base-files has these links, and is not among what programs depend on.
LINKS = ("bin", "lib", "lib64", "sbin")


def origin(name: str) -> str:
    """Where that of a Debian release, or of BlueZ's version, is from; nothing for the host's."""
    return "BlueZ's repository" if upstream.is_version(name) else name


def prepare(cache: Path, name: str) -> Path:
    """The root directory with that of a Debian release, as trixie, or of BlueZ's version, as 5.72; made unless the cache has it. Hold the cache's lock."""
    version = upstream.is_version(name)
    root = cache / f"bluez-{name}" / "root" if version else debian.directory(cache, name) / "root"
    if root.exists():
        return root
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent, prefix="unpacking.") as work:
        tree = Path(work) / "root"
        for link in LINKS:
            (tree / "usr" / link).mkdir(parents=True)
            (tree / link).symlink_to(f"usr/{link}")
        if version:
            upstream.unpack_bluetoothd(name, tree)
        else:
            debian.unpack_bluetoothd(cache, name, tree)
        for directory in SHARED:
            (tree / directory).mkdir(parents=True, exist_ok=True)
        tree.rename(root)
    return root
