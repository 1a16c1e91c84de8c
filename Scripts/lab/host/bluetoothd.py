# SPDX-License-Identifier: Apache-2.0
"""Makes the root directory of a bluetoothd that differs from the host's bluetoothd: from a Debian release or a version of BlueZ."""

import tempfile
from pathlib import Path

from . import debian, upstream

# Directories that the guest shares between its own programs and this root.
SHARED = ("dev", "proc", "run", "sys", "tmp", "etc/bluetooth", "var/lib/bluetooth")
# Debian merges these directories into /usr. The links are in base-files, on which no package depends.
LINKS = ("bin", "lib", "lib64", "sbin")


def origin(name: str) -> str:
    """Returns where the bluetoothd comes from: a Debian release, or BlueZ's repository for a version. The result is
    empty for the host's bluetoothd."""
    return "BlueZ's repository" if upstream.is_version(name) else name


def prepare(cache: Path, name: str) -> Path:
    """Returns the root directory with the bluetoothd of a Debian release, such as trixie, or of a BlueZ version, such as 5.72. It is made unless the
    cache has it. Hold the cache's lock."""
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
