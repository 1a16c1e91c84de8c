# SPDX-License-Identifier: Apache-2.0
"""The lab's kernel: the one that Debian's linux-image-amd64 depends on. It is unpacked into the cache, never
installed."""

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
    """A kernel in the cache."""

    release: str  # as uname -r prints it
    image: Path
    tree: Path  # the directory that contains lib/modules/RELEASE

    @property
    def modules(self) -> Path:
        return self.tree / "lib" / "modules" / self.release


def environment() -> dict:
    """Returns the caller's environment, with the directories of Debian's depmod and modprobe in PATH."""
    path = os.environ.get("PATH", "/usr/bin:/bin")
    return {**os.environ, "PATH": f"{path}:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8"}


def run(arguments, variables=None, **options) -> str:
    """Runs a command that must succeed, and returns its standard output. `variables` are added to its environment."""
    done = subprocess.run(
        [str(a) for a in arguments], env={**environment(), **(variables or {})}, text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise LabError(f"{arguments[0]} failed with status {done.returncode}: {' | '.join(last)}")
    return done.stdout


@contextlib.contextmanager
def locked(cache: Path):
    """Locks the cache, so that two labs that start at once prepare it one after the other."""
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def package_names(variables: dict) -> list:
    """Returns the package that linux-image-amd64 depends on today, and those with its files in releases after Debian
    13."""
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
    """Returns the kernel, which is downloaded and unpacked unless the cache has one. Hold the cache's lock.

    `apt` returns the variables with which apt uses a release other than the host's. It is called only for a download.
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
        if not (tree / "lib").exists():  # releases after Debian 12 have /usr/lib only
            (tree / "lib").symlink_to("usr/lib")
        kernel = unpacked(tree)
        run(["depmod", "-b", tree, kernel.release])
        (tree / "complete").touch()
        place = cache / names[0]
        shutil.rmtree(place, ignore_errors=True)
        tree.rename(place)
    return unpacked(place)
