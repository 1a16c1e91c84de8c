# SPDX-License-Identifier: Apache-2.0
"""Measures the size of the installed packages, compared with kdeconnect's."""

import subprocess

from .common import ROOT, BenchError

NAME = "weight"
PACKAGES = ROOT / ".build" / "deb"


def field(command, name):
    done = subprocess.run(command, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith(f"{name}: "):
            return line.partition(": ")[2]
    raise BenchError(f"{' '.join(map(str, command))}: no {name}")


def ours(path):
    """Returns a package's name, its size, and its installed size."""
    command = ["dpkg-deb", "--field", path]
    return field(command, "Package"), path.stat().st_size, int(field(command, "Installed-Size")) * 1024


def measure(_):
    found = sorted(path for path in PACKAGES.glob("*.deb") if "-dbgsym_" not in path.name)
    if not found:
        raise BenchError("there is no Debian package: run `make deb`")
    command = ["apt-cache", "show", "--no-all-versions", "kdeconnect"]
    theirs = "kdeconnect", int(field(command, "Size")), int(field(command, "Installed-Size")) * 1024
    return {"packages": [ours(path) for path in found], "theirs": theirs}


def document(result):
    def row(name, size, installed):
        return f"| {name} | {size / 1e6:.1f} MB | {installed / 1e6:.1f} MB |"

    return [
        "## Weight",
        "",
        "The table shows the Debian packages of this commit, as `make deb` makes them, and the package of kdeconnect without the Qt and KDE libraries that it depends on.",
        "",
        "| package | to fetch | installed |",
        "|---|--:|--:|",
        *[row(*package) for package in result["packages"]],
        row(*result["theirs"]),
    ]


COMMAND = "dpkg-deb --field .build/deb/*.deb"
