# SPDX-License-Identifier: Apache-2.0
"""The lab's kernel: the one that Debian's linux-image-amd64 depends on, unpacked into the cache and never installed."""

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import LabError


@dataclass(frozen=True)
class Kernel:
    """A kernel unpacked in the cache."""

    release: str  # as uname -r says it
    image: Path
    tree: Path  # what holds lib/modules/RELEASE

    @property
    def modules(self) -> Path:
        return self.tree / "lib" / "modules" / self.release


def environment() -> dict:
    """The caller's environment, with the directories where Debian keeps depmod and modprobe."""
    path = os.environ.get("PATH", "/usr/bin:/bin")
    return {**os.environ, "PATH": f"{path}:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8"}


def run(arguments, variables=None, **options) -> str:
    """Standard output of a command that must succeed; `variables` are added to its environment."""
    done = subprocess.run(
        [str(a) for a in arguments], env={**environment(), **(variables or {})}, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise LabError(f"{arguments[0]} failed with status {done.returncode}: {' | '.join(last)}")
    return done.stdout


@contextlib.contextmanager
def locked(cache: Path):
    """Two labs that start at once prepare the cache one after the other."""
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def package_names(variables: dict) -> list:
    """The package that linux-image-amd64 depends on today, and those that hold its files in releases after Debian 13."""
    found = re.search(r"Depends: (linux-image-\S+)", run(["apt-cache", "depends", "linux-image-amd64"], variables))
    if not found:
        raise LabError("apt knows no linux-image-amd64: run `apt-get update`, then try again")
    name = found.group(1)
    return [name, *re.findall(r"Depends: (linux-(?:base|binary|modules)-[0-9]\S*)", run(["apt-cache", "depends", name], variables))]


def unpacked(tree: Path) -> Kernel:
    release = next((tree / "lib" / "modules").iterdir()).name
    places = [tree / "boot" / f"vmlinuz-{release}", tree / "lib" / "modules" / release / "vmlinuz"]
    return Kernel(release=release, image=next(place for place in places if place.exists()), tree=tree)


def prepare(cache: Path, apt=dict) -> Kernel:
    """The kernel, downloaded and unpacked unless the cache has one. Hold the cache's lock.

    `apt` gives the variables with which apt knows another release than the host's, and is called only when it is to
    be downloaded.
    """
    existing = sorted(cache.glob("linux-image-*"))
    existing = [tree for tree in existing if (tree / "complete").exists()]
    if existing:
        return unpacked(existing[-1])
    cache.mkdir(exist_ok=True)
    variables = apt()
    names = package_names(variables)
    with tempfile.TemporaryDirectory(dir=cache, prefix="unpacking.") as work:
        run(["apt-get", "download", *names], variables, cwd=work)
        tree = Path(work) / "tree"
        for package in Path(work).glob("*.deb"):
            run(["dpkg-deb", "-x", package, tree])
        if not (tree / "lib").exists():  # releases after Debian 12 ship /usr/lib only
            (tree / "lib").symlink_to("usr/lib")
        kernel = unpacked(tree)
        run(["depmod", "-b", tree, kernel.release])
        (tree / "complete").touch()
        place = cache / names[0]
        shutil.rmtree(place, ignore_errors=True)
        tree.rename(place)
    return unpacked(place)
