# SPDX-License-Identifier: Apache-2.0
"""Builds a bluetoothd as BlueZ released it, from the commit of its version, into the cache. It is never installed."""

import os
import re
import shutil
import tempfile
from pathlib import Path

from . import LabError
from .kernel import run

# The repository of the versions; BATON_LAB_BLUEZ may name a copy of it.
REPOSITORY = "https://github.com/bluez/bluez"
# The commit for each version's tag, because the server could move the tags. These are the versions that Baton supports.
COMMITS = {
    "5.66": "63b01d0b0661d6a0048107dcb9e6f12ceac409e0",
    "5.67": "d4b9d89f449128fe6d7571a7ba901c7c9df37b2e",
    "5.68": "d764f78f27653bc1df71c462e9aca7a18bc75f9f",
    "5.69": "6a8f7c55dfdfed8136ba8b417d0d8ee45181001a",
    "5.70": "b05c3fbfd764a33dbaefbfb18680fa3296d4a31b",
    "5.71": "04ecf635ffaa2f7f8bca89cec3a0fbdbeb016dc9",
    "5.72": "770ad5614e7e8074133e6f563495ce4822f63fe4",
    "5.73": "19f8fcdc2084048bebe5bd9ea4fb97f7ece16df0",
    "5.74": "f1a7ab0ef75b9e11f04a028b50d4172a4b5f8601",
    "5.75": "249216dce21f97d92144f0f72cc8b97f25203184",
    "5.76": "f6241a10e460ab14fa3e2b943460673df0ded603",
    "5.77": "68864d1aa818aca00d67f7a4d6078344483e9509",
    "5.78": "e8575b6196ab8d457342c2d332bd402f2bedd9f7",
    "5.79": "0845b8f6ef2ac004b1c953cf4fe4ca3458cd8e36",
    "5.80": "9590cf12b23207af2a2cc212d808339d7ac85963",
    "5.81": "47e5d3491d373944c82704b48b3005443807fb40",
    "5.82": "0efa20cbf3fb5693c7c2f14ba8cf67053ca029e5",
    "5.83": "d97d1951b447f8575e972458d3007afcfed6cf28",
    "5.84": "da5daf532409812c41a237a6a6126868f6867079",
    "5.85": "f6f6abf8d5ccf3c4bc42cf578c4ef7ab6c2ec9d9",
    "5.86": "74770b1fd2be612f9c2cf807db81fcdcc35e6560",
    "5.87": "65d11edee469c24dcc8d075b8be9c040cebaaf98",
}
# The options of a release with its default profiles, without parts that do not belong to bluetoothd. Some releases look for ELL whatever
# they build.
OPTIONS = [
    "--prefix=/usr", "--sysconfdir=/etc", "--localstatedir=/var", "--libexecdir=/usr/libexec", "--disable-systemd", "--disable-udev", "--disable-client",
    "--disable-tools", "--disable-obex", "--disable-monitor", "--disable-manpages", "--disable-datafiles", "--enable-external-ell",
]
PROGRAM = Path("usr/libexec/bluetooth/bluetoothd")


def is_version(name: str) -> bool:
    """Returns whether a name is a version of BlueZ and not a Debian release."""
    return re.fullmatch(r"[0-9.]+", name) is not None


def fetch(version: str, target: Path):
    """Fetches the sources of a version, and checks their commit."""
    if version not in COMMITS:
        raise LabError(f"BlueZ {version} is not among the versions that the lab knows: {', '.join(COMMITS)}")
    repository = os.environ.get("BATON_LAB_BLUEZ") or REPOSITORY
    run(["git", "clone", "--quiet", "--depth=1", f"--branch={version}", "--", repository, target])
    if (commit := run(["git", "-C", target, "rev-parse", "HEAD"]).strip()) != COMMITS[version]:
        raise LabError(f"{repository} has {commit} as BlueZ {version}, and not {COMMITS[version]}")


def build(sources: Path) -> Path:
    """Builds bluetoothd, which takes half a minute."""
    run(["autoreconf", "--force", "--install"], cwd=sources)
    run(["./configure", *OPTIONS], cwd=sources)
    # Make the list of its plugins, which only `make all` would make first.
    run(["make", "src/builtin.h"], cwd=sources)
    run(["make", f"--jobs={os.cpu_count() or 1}", "src/bluetoothd"], cwd=sources)
    return sources / "src" / "bluetoothd"


def libraries(program: Path) -> list:
    """Returns the shared libraries that the program uses on this host, and their loader."""
    return [Path(path) for path in re.findall(r"(?m)^\s*(?:\S+ => )?(/\S+) \(0x", run(["ldd", program]))]


def unpack_bluetoothd(version: str, tree: Path):
    """Builds the version's bluetoothd, and puts it with its libraries where Debian has them."""
    with tempfile.TemporaryDirectory(dir=tree.parent, prefix="bluez.") as work:
        fetch(version, sources := Path(work) / "bluez")
        program = build(sources)
        for file, place in [(program, PROGRAM), *((library, library.relative_to("/")) for library in libraries(program))]:
            (tree / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, tree / place)
