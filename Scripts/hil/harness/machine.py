# SPDX-License-Identifier: Apache-2.0
"""Describes the machine and its controllers for a report."""

import platform
import re
import subprocess

from . import bluetoothd, controllers


def described(adapter: str) -> dict:
    """Describes a machine and one of its controllers."""
    return {
        "kernel": {"release": platform.release(), "machine": platform.machine()},
        "bluetoothd": bluetoothd.described(),
        "controller": {**controllers.described(adapter), "kernelSays": of_firmware(kernel_log(), adapter)},
    }


def kernel_log() -> str:
    """Returns the kernel's log, or an empty text if users may not read it."""
    try:
        return subprocess.run(["dmesg"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def of_firmware(log: str, adapter: str) -> list:
    """Returns the drivers' messages about a controller's firmware: the last lines that name it."""
    lines = re.findall(rf"Bluetooth: {adapter}: (.*(?:[Ff]irmware|[Bb]uild|[Vv]ersion|rom_version|fw_version).*)", log)
    return [re.sub(r"[^\x20-\x7e]", "?", line)[:120] for line in lines[-4:]]


def firmware(controller: dict) -> str:
    """Describes a controller's firmware in a few words, so that people with the same controller
    recognise it."""
    version = controller["firmware"]
    if "unknown" in version:
        return "unknown"
    return f"HCI revision {version['hciRevision']:#06x}, LMP subversion {version['lmpSubversion']:#06x}"


def name(controller: dict) -> str:
    """Describes a controller in a few words."""
    kind = "emulated" if controller["emulated"] else " ".join(filter(None, (controller["bus"], controller["identifier"])))
    return f"{controller['manufacturer']} {controller['bluetooth']} ({kind})"
