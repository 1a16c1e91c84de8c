# SPDX-License-Identifier: Apache-2.0
"""Packages of a Debian release other than the host's. They are verified and unpacked into the cache, never
installed."""

import re
import shutil
from pathlib import Path

from . import LabError
from .kernel import run

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# The settings of the host's apt that are used: how to download, such as a proxy, and how old lists may be.
KEPT = ("Acquire::http::", "Acquire::https::", "Acquire::ForceIPv4 ", "Acquire::Retries ", "Acquire::Check-Valid-Until ", "Acquire::Check-Date ")


def directory(cache: Path, release: str) -> Path:
    """Returns the directory with all files of a release."""
    if not re.fullmatch(r"[a-z][a-z0-9-]*", release):
        raise LabError(f"{release} is no name of a Debian release")
    return cache / f"debian-{release}"


def settings(dump: str) -> list:
    """Returns the lines of `apt-config dump` that are used. Hooks are left out, because they would act on the
    host."""
    return [line for line in dump.splitlines() if line.startswith(KEPT)]


def configuration(apt: Path, kept: list) -> str:
    """Returns an apt.conf with only one release, no installed packages, and no files outside of `apt`."""
    return "\n".join([
        'Dir::Etc::main "/dev/null";',
        'Dir::Etc::parts "/dev/null";',
        f'Dir::Etc::sourcelist "{apt}/sources.list";',
        'Dir::Etc::sourceparts "/dev/null";',
        'Dir::Etc::preferences "/dev/null";',
        'Dir::Etc::preferencesparts "/dev/null";',
        'Dir::Etc::trusted "/dev/null";',
        'Dir::Etc::trustedparts "/dev/null";',
        f'Dir::State "{apt}/state";',
        f'Dir::State::status "{apt}/status";',
        f'Dir::Cache "{apt}/cache";',
        # Do not store what apt can compute again.
        'Dir::Cache::pkgcache "";',
        'Dir::Cache::srcpkgcache "";',
        'Acquire::GzipIndexes "true";',
        # The cache belongs to the user, so apt's own user cannot write there when root runs the lab.
        'APT::Sandbox::User "root";',
        'APT::Architecture "amd64";',
        'APT::Architectures { "amd64"; };',
        'Acquire::Languages "none";',
        *kept,
    ]) + "\n"


def mirror() -> str:
    """Returns the mirror from which the host gets Debian itself."""
    addresses = run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Origin: Debian", "Label: Debian"]).split()
    if not addresses:
        raise LabError("apt knows no mirror of Debian: run `apt-get update`, then try again")
    return addresses[0]


def apt_of(cache: Path, release: str) -> dict:
    """Returns the variables with which apt uses the release's current lists. Hold the cache's lock."""
    apt = directory(cache, release) / "apt"
    if not Path(KEYRING).exists():
        raise LabError(f"{KEYRING} is missing: install debian-archive-keyring")
    for each in ("state/lists/partial", "cache/archives/partial"):
        (apt / each).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    (apt / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror()} {release} main\n", encoding="utf-8")
    (apt / "apt.conf").write_text(configuration(apt, settings(run(["apt-config", "dump"]))), encoding="utf-8")
    variables = {"APT_CONFIG": str(apt / "apt.conf")}
    run(["apt-get", "--error-on=any", "update"], variables)
    return variables


def unpack_bluetoothd(cache: Path, release: str, tree: Path):
    """Unpacks the release's bluez and all its dependencies. Hold the cache's lock."""
    variables = apt_of(cache, release)
    archives = directory(cache, release) / "apt" / "cache" / "archives"
    run(["apt-get", "install", "--download-only", "--yes", "--no-install-recommends", "bluez"], variables)
    for package in sorted(archives.glob("*.deb")):
        run(["dpkg-deb", "-x", package, tree])
    shutil.rmtree(archives)
