# SPDX-License-Identifier: Apache-2.0
"""Starts and watches one virtual machine of the lab. Limits its time, and never leaves it running."""

import ctypes
import re
import signal
import subprocess
import time
from pathlib import Path

from . import LabError
from .kernel import Kernel, environment

QEMU = "qemu-system-x86_64"
PR_SET_PDEATHSIG = 1
# The kernel waits 2 s for its controller, which is a program of the lab. If the answer takes longer, the machine was
# too slow. Source: Linux, net/bluetooth/hci_core.c.
GAVE_UP = re.compile(r"Bluetooth: (hci\d+: (?:command .*tx timeout|link tx timeout|killing stalled connection|Opcode 0x *\w+ failed: -110).*)")


def die_with_parent():
    """Runs in the child before exec. The kernel then kills the child when the lab ends for any reason."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def share(tag: str, path: Path, readonly: bool) -> list:
    """Returns QEMU's options for a host directory that the guest mounts as `tag`."""
    escaped = str(path).replace(",", ",,")
    options = f"local,path={escaped},mount_tag={tag},security_model=none,multidevs=remap"
    return ["-virtfs", options + (",readonly=on" if readonly else "")]


class Machine:
    """A laptop of the lab.

    The machine runs `guest/SCRIPT` of the shared directory as root and powers itself off. `NAME/` in that directory has its console, the script's output and
    its exit status.
    """

    def __init__(self, name: str, script: str, directory: Path, variables: dict, memory: int = 1024, processors: int = 1):
        self.name, self.script, self.memory, self.processors = name, script, memory, processors
        self.directory, self.logs = directory, directory / name
        self.logs.mkdir()
        quoted = {**variables, "LAB_SCRIPT": script}
        lines = ["export %s='%s'" % (key, str(value).replace("'", "'\\''")) for key, value in sorted(quoted.items())]
        (self.logs / "environment").write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.process = None

    def start(self, kernel: Kernel, initramfs: Path, network=None, bluetoothd=None, ports=None):
        """Starts the machine.

        `network` is one end of a socket pair, which is the cable to the other laptop. `bluetoothd` is the root directory of the bluetoothd that runs
        instead of the host's. `ports` maps names of serial ports to their sockets.
        """
        command = [
            QEMU, "-accel", "tcg,thread=multi", "-cpu", "max", "-m", str(self.memory), "-smp", str(self.processors), "-no-reboot",
            "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none",
            "-serial", f"file:{str(self.logs / 'console').replace(',', ',,')}",
            "-kernel", str(kernel.image), "-initrd", str(initramfs),
            "-append", f"console=ttyS0 quiet panic=-1 mitigations=off lab.name={self.name}",
            *share("root", Path("/"), readonly=True),
            *share("modules", kernel.modules, readonly=True),
            *share("bin", self.directory / "bin", readonly=True),
            *share("lab", self.directory, readonly=False),
        ]
        if bluetoothd is not None:
            command += share("bluetoothd", bluetoothd, readonly=True)
        descriptors = ()
        if ports:
            descriptors += tuple(port.fileno() for port in ports.values())
            command += ["-device", "virtio-serial-pci"]
            for name, port in ports.items():
                command += ["-chardev", f"socket,id={name},fd={port.fileno()}", "-device", f"virtserialport,chardev={name},name={name}"]
        if network is not None:
            descriptors += (network.fileno(),)
            address = "52:54:00:09:00:%02x" % (1 + sum(self.name.encode()) % 250)
            command += ["-netdev", f"socket,id=cable,fd={network.fileno()}",
                        "-device", f"virtio-net-pci,netdev=cable,mac={address},romfile="]
        with open(self.logs / "qemu", "wb") as log:
            try:
                self.process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=descriptors,
                    env=environment(), preexec_fn=die_with_parent, start_new_session=True)
            except FileNotFoundError as error:
                raise LabError(f"{QEMU} is missing: install qemu-system-x86") from error

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self):
        if self.running:
            self.process.kill()
            self.process.wait()

    @property
    def status(self):
        """Returns the script's exit status, or None if the machine ended without one. A machine whose disks did not survive its sleep prints the
        status on the console."""
        try:
            return int((self.logs / "status").read_text(encoding="ascii"))
        except (OSError, ValueError):
            said = re.findall(r"(?m)^lab: status (\d+)\s*$", self.text("console"))
            return int(said[-1]) if said else None

    @property
    def limits_passed(self) -> list:
        """Returns the kernel's messages about controllers that it has given up."""
        return [line.strip() for line in GAVE_UP.findall(self.text("console"))]

    def last_lines(self, count: int = 12) -> list:
        """Returns the last lines of output: the script's with the lines that explain it, or the console's and QEMU's if the script did not run."""
        output = self.tail("output", count)
        if output:
            explaining = [f.name for f in sorted(self.logs.iterdir()) if f.match("batond-*") or f.suffix == ".signalling"]
            return output + [line for name in explaining for line in self.tail(name, count)]
        return self.tail("console", count) or self.tail("qemu", count) or [f"{self.name}: it said nothing"]

    @property
    def facts(self) -> list:
        """Returns the facts in the script's output and on the console."""
        lines = (self.text("output") + self.text("console")).splitlines()
        return [line.removeprefix("fact: ") for line in lines if line.startswith("fact: ")]

    def tail(self, name: str, count: int) -> list:
        """Returns the last lines of a log, each with its source."""
        return [f"{self.name} {name}: {line}" for line in self.text(name).strip().splitlines()[-count:]]

    def text(self, name: str) -> str:
        """Returns a log, or an empty text if the log does not exist."""
        file = self.logs / name
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""


def wait(machines: list, limit: float, may_give_up: bool = False):
    """Waits at most `limit` seconds until every machine is off. Kills the others when one has failed.

    Raises LabError with the reason and the last lines of the failed machines. A machine whose kernel gave up waiting for its controller has failed,
    and its results do not count. This does not apply if the scenario removes the controller (`may_give_up`). Writes NAME.off when NAME is off,
    because a laptop that lends its controller waits for that.
    """
    deadline = time.monotonic() + limit
    try:
        left = list(machines)
        while left:
            for machine in [m for m in left if not m.running]:
                left.remove(machine)
                (machine.directory / f"{machine.name}.off").touch()
                if machine.limits_passed and not may_give_up:
                    fail(f"the kernel of {machine.name} gave up waiting: {'; '.join(machine.limits_passed)}", [machine])
                if machine.status is None:
                    fail(f"{machine.name} ended without a status", [machine], console=True)
                if machine.status != 0:
                    fail(f"{machine.name} failed with status {machine.status}", [machine])
            if left and time.monotonic() > deadline:
                names = ", ".join(m.name for m in left)
                fail(f"{names} not done after {limit:.0f} s: killed", left, console=True)
            if left:
                try:
                    left[0].process.wait(timeout=0.2)
                except subprocess.TimeoutExpired:
                    pass
    finally:
        for machine in reversed(machines):
            machine.kill()


def fail(reason: str, machines: list, console: bool = False):
    lines = [line for machine in machines for line in machine.last_lines()]
    if console:
        lines += [line for machine in machines for line in machine.tail("console", 12)]
    raise LabError("\n    ".join([reason, *dict.fromkeys(lines)]))
