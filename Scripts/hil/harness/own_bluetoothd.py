# SPDX-License-Identifier: Apache-2.0
"""Runs a bluetoothd with other options instead of the system's, which is restored however this program ends.

A separate program, `Scripts/hil/give-back`, restores the system's bluetoothd. That program starts before the system's
bluetoothd is stopped, and acts when its input ends: when this program ends, is killed, or closes the input. The other
bluetoothd ends with this program.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from . import HilError, bluetoothd
from .processes import wait_until

UNIT = "bluetooth.service"
DROP_INS = (Path(__file__).resolve().parents[3] / "Systemd/bluetooth.service.d/baton.conf", Path("/usr/share/baton/bluetooth.service.d/baton.conf"))


def drop_in_options() -> list:
    """Returns bluetoothd's options in Baton's drop-in, without the configuration file. Raises HilError."""
    for path in DROP_INS:
        found = re.search(r"^ExecStart=/\S+ (.*) --configfile=\S+$", path.read_text(encoding="utf-8"), re.M) if path.exists() else None
        if found:
            return found[1].split()
    raise HilError("Baton's drop-in for bluetooth.service is not there")


def system_daemon() -> dict:
    """Returns how the running bluetoothd was started: by systemd's unit, or its command line. Raises HilError."""
    process = owner()
    program = os.readlink(f"/proc/{process}/exe")
    asked = ["systemctl", "show", UNIT, "--property=MainPID", "--value"]
    done = subprocess.run(asked, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False) if shutil.which("systemctl") else None
    return {"process": process, "program": program, "unit": bool(done and done.stdout.strip() == str(process)), "command": bluetoothd.command_line()}


def owner() -> int:
    return bluetoothd.value(bluetoothd.bus("GetConnectionUnixProcessID", "string:org.bluez"))


def is_free() -> bool:
    return not bluetoothd.runs()


def stop(daemon: dict, seconds: float):
    """Ends the system's bluetoothd."""
    if daemon["unit"]:
        subprocess.run(["systemctl", "stop", UNIT], stdin=subprocess.DEVNULL, timeout=seconds, check=False)
    else:
        os.kill(daemon["process"], signal.SIGTERM)
    wait_until(is_free, "the system's bluetoothd ends", seconds)


def give_back(daemon: dict, adapters: list, seconds: float):
    """Waits until the other bluetoothd has ended, starts the system's bluetoothd as before, and switches on the
    adapters that were on. Does nothing if the system's bluetoothd has never ended."""
    if not is_free() and owner() == daemon["process"]:
        return
    wait_until(is_free, "the other bluetoothd ends", seconds)
    if daemon["unit"]:
        subprocess.run(["systemctl", "start", UNIT], stdin=subprocess.DEVNULL, timeout=seconds, check=False)
    else:
        with open(os.devnull, "r+b") as null:
            subprocess.Popen(daemon["command"], executable=daemon["program"], cwd="/", stdin=null, stdout=null, stderr=null, start_new_session=True)
    power_on(adapters, seconds)


def power_on(adapters: list, seconds: float):
    """Waits until bluetoothd has each adapter, and switches it on."""
    for adapter in adapters:
        wait_until(lambda adapter=adapter: is_on(adapter), f"bluetoothd has {adapter}, which is on", seconds)


def is_on(adapter: str) -> bool:
    try:
        if bluetoothd.get(adapter, bluetoothd.ADAPTER, "Powered"):
            return True
        bluetoothd.switch_on(adapter)
    except HilError:
        pass  # bluetoothd does not have this adapter yet
    return False


class OwnBluetoothd:
    """A second bluetoothd for two adapters of this machine. Only root may run it."""

    LIMIT = 60

    @staticmethod
    def lacking(with_peer: bool) -> list:
        """Returns what is missing for a second bluetoothd, with advice."""
        lines = ["OWN_BLUETOOTHD is for two adapters of one machine: leave PEER out"] if with_peer else []
        return lines + (["OWN_BLUETOOTHD needs root, to end bluetoothd and to give it back: sudo, with BATON_BIN and the same options"] if os.geteuid() else [])

    def __init__(self, adapters: list, directory: Path, processes):
        self.adapters, self.directory, self.processes = adapters, directory, processes
        self.daemon = system_daemon()
        self.process = self.giver = None

    def run(self, options: list, settings: str, limit: float):
        """Ends the running bluetoothd, and starts one with these options and this configuration. Raises HilError."""
        if self.giver is None:
            given = json.dumps([self.daemon, self.adapters])
            self.giver = subprocess.Popen([sys.executable, str(Path(__file__).resolve().parents[1] / "give-back"), given],
                                          stdin=subprocess.PIPE, start_new_session=True)
            stop(self.daemon, limit)
        self.kill(signal.SIGTERM)
        configuration = self.directory / "bluetoothd.conf"
        configuration.write_text(settings, encoding="utf-8")
        with open(self.directory / "bluetoothd.log", "ab") as log:
            self.process = self.processes.start([self.daemon["program"], "-n", *options, f"--configfile={configuration}"], stdout=log, stderr=log)
        wait_until(lambda: self.process.poll() is not None or bluetoothd.runs(), "bluetoothd starts", limit)
        if self.process.poll() is not None:
            raise HilError(f"bluetoothd {' '.join(options)} ended with status {self.process.returncode}")
        power_on(self.adapters, limit)

    def kill(self, number: int):
        """Ends the second bluetoothd with a signal."""
        if self.process:
            self.processes.end(self.process, number)
            wait_until(is_free, "bluetoothd ends", self.LIMIT)
            self.process = None

    def give_back(self, limit: float):
        """Restores the system's bluetoothd and waits for it. Raises HilError."""
        self.kill(signal.SIGTERM)
        if self.giver:
            self.giver.stdin.close()
            try:
                status = self.giver.wait(2 * limit)
            except subprocess.TimeoutExpired:
                raise HilError("the system's bluetoothd does not come back: sudo systemctl start bluetooth") from None
            self.giver = None
            if status != 0:
                raise HilError("the system's bluetoothd did not come back: sudo systemctl start bluetooth")
