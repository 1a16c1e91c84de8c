# SPDX-License-Identifier: Apache-2.0
"""Checks the requirements before anything runs. All requirements are checked, so that the user sees everything that is
missing at once."""

import os
import re
import shutil
from pathlib import Path

from . import HilError, bluetoothd, controllers

HERE = ("batond", "baton", "radio-conformance")
THERE = ("batond", "baton")
TOOLS = {"dbus-daemon": "dbus", "dbus-send": "dbus"}
NO_ADAPTERS = "ADAPTERS names no adapters: make hil ADAPTERS=hci0,hci1"
PROPERTIES = {"Powered": bluetoothd.ADAPTER, "Discovering": bluetoothd.ADAPTER, "Discoverable": bluetoothd.ADAPTER,
              "Pairable": bluetoothd.ADAPTER, "ActiveInstances": bluetoothd.ADVERTISING}


def names(given: str, with_peer: bool = False) -> list:
    """Returns the two named adapters, which must differ. One name may stand for the adapters of this machine and of its peer. Returns an empty list
    if the names are wrong."""
    found = [name for name in re.split(r"[,\s]+", given) if name]
    if with_peer and len(found) == 1:
        found *= 2
    if len(found) != 2 or not all(re.fullmatch(r"hci\d{1,3}", name) for name in found):
        return []
    return found if with_peer or found[0] != found[1] else []


def unnamed(given: str) -> str:
    """Returns the error for names that are not two adapters."""
    return f"{NO_ADAPTERS} ({there()})" if not given.strip() else f"ADAPTERS={given} names no two adapters, as hci0,hci1 does ({there()})"


def lacking(adapters: list, binaries: str, wanted: list, beside_connections: bool = False) -> list:
    """Returns a line with advice for each missing requirement."""
    lines = programs(Path(binaries), wanted) + tools()
    lines += [f"{name} is not there: {there()}" for name in adapters if name not in controllers.numbers()]
    lines += daemon()
    return lines or [f"{name} {fault}" for name in adapters for fault in faults(name, beside_connections)]


def programs(binaries: Path, wanted: list) -> list:
    return [f"{binaries / name} is missing: run make, or set BATON_BIN to the directory of the programs" for name in wanted
            if not os.access(binaries / name, os.X_OK)]


def tools() -> list:
    return [f"{name} is missing: install {package}" for name, package in TOOLS.items() if not shutil.which(name)]


def there() -> str:
    """Describes which adapters this machine has, and whether they are enough."""
    found = controllers.numbers()
    if not found:
        return "this machine has no Bluetooth adapter"
    return f"this machine has {', '.join(found)}" + ("; a second one, on USB, costs little" if len(found) == 1 else "")


def daemon() -> list:
    try:
        return [] if bluetoothd.runs() else ["bluetoothd does not run: sudo systemctl start bluetooth"]
    except HilError as error:
        return [f"{error}: the system bus must run, and let you ask"]


def faults(adapter: str, beside_connections: bool = False) -> list:
    """Returns the reasons why an adapter cannot be used. The adapter is neither unblocked nor switched on, because its user
    decides that."""
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
    found = [f"is no LE {role}: bluetoothd says {', '.join(roles) or 'nothing'}" for role in ("central", "peripheral") if role not in roles]
    count = controllers.connections(adapter)
    if count and not beside_connections:
        found.append(f"has {count} connection{'s' * (count > 1)}: bluetoothctl, select {known['address']}, disconnect; or name another adapter")
    return found


def state(adapter: str) -> dict:
    """Returns the properties of an adapter that must be the same after a run."""
    return {**{name: bluetoothd.get(adapter, interface, name) for name, interface in PROPERTIES.items()},
            "connections": controllers.connections(adapter), "settings": controllers.ask_kernel(adapter)["current"]}
