# SPDX-License-Identifier: Apache-2.0
"""A scenario: its machines, their variables, and its time limit."""

import os
import shutil
import socket
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from . import LabError, bluetoothd, debian, initramfs, kernel
from .air.process import Air, AirProcess
from .machine import Machine, wait

LAB = Path(__file__).resolve().parent.parent
ROOT = LAB.parent.parent
# Variables that the machines inherit from this program: the mutant that is on (Tests/Mutants), and the rounds of one-laptop-recovery.
HANDED_ON = ("BATON_MUTANT", "LAB_ROUNDS")


@dataclass(frozen=True)
class Scenario:
    """`machines` maps names to scripts in guest/. Two machines are connected by a cable, in this order."""

    name: str
    machines: dict
    variables: dict = field(default_factory=dict)
    product: bool = False  # needs batond and baton
    programs: tuple = ()  # also needs these programs
    scripts: tuple = ()  # needs these of Scripts/, which become /lab/NAME
    bumble: bool = False  # needs Bumble, which is in the cache
    air: Air = None  # has controllers on this air, and none of btvirt
    package: bool = False  # needs the Debian package instead, with systemd as process 1
    always: bool = True  # part of `run` without names
    loses_controllers: bool = False  # removes controllers, so that the kernel gives up waiting for them
    limit: float = 400
    memory: int = 1024  # of each machine, in MiB; half of it is for files
    processors: int = 1  # of each machine; a second one doubles the emulator's cost for the same work

    @property
    def executables(self) -> tuple:
        """Returns the built programs that the scenario needs."""
        return (("batond", "baton") if self.product else ()) + self.programs


@dataclass(frozen=True)
class Releases:
    """The sources of bluetoothd and the kernel: Debian releases, or a version of BlueZ. An empty text stands for the host's bluetoothd or kernel."""

    bluetoothd: str = ""  # such as trixie or 5.72
    kernel: str = ""  # such as trixie
    only: str = ""  # the machine that uses them, or empty for all

    def of(self, machine: str) -> "Releases":
        """Returns the releases for one machine."""
        return self if self.only in ("", machine) else Releases()


def cache() -> Path:
    """Returns the directory with the kernel and the initramfs: BATON_LAB_CACHE, or .build/lab of the package."""
    return Path(os.environ.get("BATON_LAB_CACHE") or ROOT / ".build" / "lab").resolve()


def bumble() -> Path:
    """Returns the virtual environment with Bumble."""
    environment = cache() / "bumble"
    if not (environment / "bin" / "python").exists():
        raise LabError(f"{environment} is missing: make lab-foreign installs Bumble there")
    return environment


def patience() -> float:
    """Returns the factor for every time limit, BATON_LAB_PATIENCE, for slow or busy machines."""
    return float(os.environ.get("BATON_LAB_PATIENCE") or 1)


def package() -> Path:
    """Returns the Debian package: BATON_DEB, or the one from `make deb`."""
    given = os.environ.get("BATON_DEB")
    found = [Path(given)] if given else sorted((ROOT / ".build" / "deb").glob("baton_*.deb"))
    if not found or not found[-1].exists():
        raise LabError("there is no Debian package: run `make deb`, or set BATON_DEB")
    return found[-1].resolve()


def executables(directory: Path, target: Path, names: tuple):
    """Copies the programs, so that a build that runs meanwhile does not change them."""
    for name in names:
        shutil.copy2(directory / name, target / name)


def copy_scripts(target: Path, names: tuple):
    """Copies scripts and directories of scripts, so that an edit meanwhile does not change them."""
    for name in names:
        source = LAB.parent / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target / name)


def ingredients(base: Path, releases: Releases) -> tuple:
    """Returns the kernel, the initramfs, and the root directory of another bluetoothd or None. Missing parts are downloaded and built."""
    with kernel.locked(base):
        if releases.kernel:
            home = debian.directory(base, releases.kernel)
            the_kernel = kernel.prepare(home, lambda: debian.apt_of(base, releases.kernel))
        else:
            home, the_kernel = base, kernel.prepare(base)
        image = initramfs.prepare(home, the_kernel, LAB / "guest" / "init")
        return the_kernel, image, bluetoothd.prepare(base, releases.bluetoothd) if releases.bluetoothd else None


def play(scenario: Scenario, logs: Path, binaries=None, releases: Releases = Releases()) -> list:
    """Runs the scenario once and returns the facts that it printed as `fact: …`. Raises LabError if it failed.

    In any case the logs of every machine are in `logs` afterwards, and everything else is removed.
    """
    if scenario.package and releases.bluetoothd:
        raise LabError("systemd starts the host's bluetoothd there, no other")
    if releases.only and releases.only not in scenario.machines:
        raise LabError(f"{scenario.name} has no machine {releases.only}: {', '.join(scenario.machines)}")
    base = cache()
    needed = {name: ingredients(base, releases.of(name)) for name in scenario.machines}
    remove_leftovers(base)
    directory = Path(tempfile.mkdtemp(dir=base, prefix=f"run.{os.getpid()}."))
    ends, machines, air = [], [], None
    try:
        shutil.copytree(LAB / "guest", directory / "guest")
        shutil.copy(LAB.parent / "own-session.conf", directory / "guest")
        shutil.copy(ROOT / "Systemd" / "bluetooth.service.d" / "baton.conf", directory / "guest" / "bluetooth.conf")
        shutil.copy(ROOT / "Systemd" / "bluetooth.conf", directory / "guest" / "main.conf")
        copy_scripts(directory, scenario.scripts)
        (directory / "exchange").mkdir()
        (directory / "bin").mkdir()
        if scenario.executables:
            executables(binaries, directory / "bin", scenario.executables)
        if scenario.package:
            shutil.copy2(package(), directory / "bin" / "baton.deb")
        if scenario.bumble:
            shutil.copytree(bumble(), directory / "bin" / "bumble", symlinks=True)
            shutil.copytree(ROOT / "Tests" / "ForeignPeer", directory / "bin" / "ForeignPeer")
        if len(scenario.machines) == 2:
            ends = list(socket.socketpair())
        limit = scenario.limit * patience()
        variables = {**scenario.variables, "LAB_PATIENCE": f"{patience():g}"}
        variables.update({name: os.environ[name] for name in HANDED_ON if name in os.environ})
        if scenario.package:
            variables["LAB_SYSTEMD"] = 1
        if scenario.air:
            variables["LAB_AIR"] = 1
        for name, script in scenario.machines.items():
            own = {**variables, "LAB_OTHER_BLUETOOTHD": bluetoothd.origin(releases.of(name).bluetoothd)}
            machines.append(Machine(name, script, directory, own, scenario.memory, scenario.processors))
        if scenario.air:
            air = AirProcess(scenario.air, list(scenario.machines), machines[0].logs / "air")
            air.start()
        for machine, end in zip(machines, ends or [None] * len(machines)):
            the_kernel, image, root = needed[machine.name]
            machine.start(the_kernel, image, end, root, air and air.ports[machine.name])
        if air:
            air.close()
        for end in ends:
            end.close()
        wait(machines, limit, may_give_up=scenario.loses_controllers)
        return [line for machine in machines for line in machine.facts]
    finally:
        for machine in reversed(machines):
            machine.kill()
        if air:
            air.stop()
        for end in ends:
            end.close()
        keep(directory, machines, logs)


def remove_leftovers(base: Path):
    """Removes what a killed lab (SIGKILL) could not remove."""
    for directory in base.glob("run.*"):
        if not Path("/proc", directory.name.split(".")[1]).exists():
            shutil.rmtree(directory, ignore_errors=True)


def keep(directory: Path, machines: list, logs: Path):
    """Moves the machines' logs to `logs`, where they replace the previous ones, and removes the rest."""
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    for machine in machines:
        shutil.move(str(machine.logs), str(logs / machine.name))
    shutil.rmtree(directory, ignore_errors=True)
