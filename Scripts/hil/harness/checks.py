# SPDX-License-Identifier: Apache-2.0
"""What has to be there before anything runs. All of it is looked at, so that nobody has to come back five times."""

import os
import re
import shutil
from pathlib import Path

from . import HilError, bluetoothd, controllers

PROGRAMS = ("batond", "baton", "radio-conformance")
TOOLS = {"dbus-daemon": "dbus", "dbus-send": "dbus"}
NO_ADAPTERS = "ADAPTERS names no adapters: make hil ADAPTERS=hci0,hci1"


def names(given: str) -> list:
    """The adapters that were named; empty when these are not two different ones."""
    found = [name for name in re.split(r"[,\s]+", given) if name]
    return found if len(found) == 2 == len(set(found)) and all(re.fullmatch(r"hci\d{1,3}", name) for name in found) else []


def missing(given: str, binaries: Path) -> list:
    """A line for each thing that is missing, with what to do; empty when everything is there."""
    adapters = names(given)
    lines = not_there() + programs(binaries) + tools()
    if not given.strip():
        lines.append(f"{NO_ADAPTERS} ({there()})")
    elif not adapters:
        lines.append(f"ADAPTERS={given} names no two adapters, as hci0,hci1 does ({there()})")
    without = [name for name in adapters if name not in controllers.numbers()]
    lines += [f"{name} is not there: {there()}" for name in without]
    lines += daemon()
    if lines:
        return lines
    return [f"{name} {fault}" for name in adapters for fault in faults(name)]


def not_there() -> list:
    """What was asked for and is not there yet: it is refused, and not passed over."""
    return [f"{name} is not there yet: leave it out" for name in ("PEER", "OWN_BLUETOOTHD") if os.environ.get(name)]


def programs(binaries: Path) -> list:
    return [f"{binaries / name} is missing: run make, or set BATON_BIN to the directory of the programs" for name in PROGRAMS
            if not os.access(binaries / name, os.X_OK)]


def tools() -> list:
    return [f"{name} is missing: install {package}" for name, package in TOOLS.items() if not shutil.which(name)]


def there() -> str:
    """What this machine has, and whether that is enough."""
    found = controllers.numbers()
    if not found:
        return "this machine has no Bluetooth adapter"
    return f"this machine has {', '.join(found)}" + ("; a second one, on USB, costs little" if len(found) == 1 else "")


def daemon() -> list:
    try:
        return [] if bluetoothd.runs() else ["bluetoothd does not run: sudo systemctl start bluetooth"]
    except HilError as error:
        return [f"{error}: the system bus must run, and let you ask"]


def faults(adapter: str) -> list:
    """Why an adapter cannot be used, if it cannot. It is neither unblocked nor switched on: that is its user's decision."""
    block = controllers.blocked(adapter)
    if block:
        return [f"is blocked by rfkill ({block}): " + ("rfkill unblock bluetooth" if block == "soft" else "use the machine's switch")]
    try:
        known = controllers.ask_kernel(adapter)
        if "le" not in known["supported"]:
            return ["has no Bluetooth LE"]
        if "powered" not in known["current"]:
            return [f"is off: bluetoothctl, select {known['address']}, power on"]
        roles = bluetoothd.get(adapter, bluetoothd.ADAPTER, "Roles")
        bluetoothd.get(adapter, bluetoothd.ADVERTISING, "SupportedInstances")
    except HilError as error:
        return [f"cannot be used: {error}"]
    lacking = [f"is no LE {role}: bluetoothd says {', '.join(roles) or 'nothing'}" for role in ("central", "peripheral") if role not in roles]
    count = controllers.connections(adapter)
    if count:
        lacking.append(f"has {count} connection{'s' * (count > 1)}: bluetoothctl, select {known['address']}, disconnect; or name another adapter")
    return lacking


class State:
    """How an adapter was found, so that it is left so."""

    PROPERTIES = {"Powered": bluetoothd.ADAPTER, "Discovering": bluetoothd.ADAPTER, "Discoverable": bluetoothd.ADAPTER,
                  "Pairable": bluetoothd.ADAPTER, "ActiveInstances": bluetoothd.ADVERTISING}

    def __init__(self, adapter: str):
        self.adapter = adapter
        self.values = {name: bluetoothd.get(adapter, interface, name) for name, interface in self.PROPERTIES.items()}
        self.values["connections"] = controllers.connections(adapter)

    def notes(self) -> list:
        """What of it may disturb the figures."""
        found = [(self.values["ActiveInstances"], "advertises for another program"), (self.values["Discovering"], "scans for another program")]
        return [f"{self.adapter} {what}: figures may be worse than without" for is_so, what in found if is_so]

    def differences(self) -> list:
        """What is not as it was, in words."""
        now = State(self.adapter).values
        return [f"{self.adapter}: {name} is {now[name]}, and was {was}" for name, was in self.values.items() if now[name] != was]
