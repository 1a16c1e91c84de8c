# SPDX-License-Identifier: Apache-2.0
"""The bluetoothd that runs, asked over the system bus and by what everybody may read."""

import re
import subprocess
from pathlib import Path

from . import HilError

CONFIGURATION = Path("/etc/bluetooth/main.conf")
ADAPTER, ADVERTISING, DEVICE = "org.bluez.Adapter1", "org.bluez.LEAdvertisingManager1", "org.bluez.Device1"
# What a report says of main.conf: the rest of it changes nothing for Baton, and may be private.
TOLD = ("Privacy", "ControllerMode", "Channels", "Cache", "Experimental", "KernelExperimental")


def call(destination: str, path: str, member: str, *arguments: str) -> str:
    """What dbus-send prints of the answer. Raises HilError with the error that came instead."""
    command = ["dbus-send", "--system", "--print-reply", "--reply-timeout=10000", f"--dest={destination}", path, member, *arguments]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HilError(f"the system bus cannot be asked: {error}") from error
    if done.returncode != 0:
        raise HilError((done.stderr.strip().splitlines() or ["dbus-send failed"])[-1])
    return done.stdout


def bus(member: str, *arguments: str) -> str:
    return call("org.freedesktop.DBus", "/org/freedesktop/DBus", f"org.freedesktop.DBus.{member}", *arguments)


def runs() -> bool:
    """Whether one runs. It is not started: whoever has stopped it may have had a reason."""
    return value(bus("NameHasOwner", "string:org.bluez")) is True


def get(adapter: str, interface: str, name: str):
    """A property of an adapter: true, false, a number or a list of strings. Raises HilError."""
    return value(call("org.bluez", f"/org/bluez/{adapter}", "org.freedesktop.DBus.Properties.Get", f"string:{interface}", f"string:{name}"))


def linked(adapter: str) -> list:
    """The D-Bus paths of an adapter's devices that are connected and not paired with it: no headphones and no mouse of the user's."""
    described = call("org.bluez", f"/org/bluez/{adapter}", "org.freedesktop.DBus.Introspectable.Introspect")
    paths = [f"/org/bluez/{adapter}/{name}" for name in re.findall(r'<node name="(dev(?:_[0-9A-F]{2}){6})"/>', described)]
    return [path for path in paths if is_device(path, "Connected") and not is_device(path, "Paired")]


def is_device(path: str, name: str) -> bool:
    """Whether a device has a property that is true. One that has gone meanwhile has none."""
    try:
        return value(call("org.bluez", path, "org.freedesktop.DBus.Properties.Get", f"string:{DEVICE}", f"string:{name}")) is True
    except HilError:
        return False


def disconnect(path: str):
    call("org.bluez", path, f"{DEVICE}.Disconnect")


def switch_on(adapter: str):
    """Only of a bluetoothd that was started here: a user's adapter that is off stays so."""
    call("org.bluez", f"/org/bluez/{adapter}", "org.freedesktop.DBus.Properties.Set", f"string:{ADAPTER}", "string:Powered", "variant:boolean:true")


def value(reply: str):
    """What dbus-send has printed: a boolean, a number, a string, or a list of strings. Raises HilError on anything else.

    Only the line after the answer's first one is looked at, or those of an array: a string may hold line ends."""
    lines = reply.split("\n")[1:]
    first = re.sub(r"^\s*(variant\s+)?", "", lines[0]) if lines else ""
    if first.startswith("array ["):
        return [found[1] for found in (re.fullmatch(r'\s*string "([\w-]*)"', line) for line in lines[1:]) if found]
    kind, _, rest = first.partition(" ")
    if kind == "boolean" and rest in ("true", "false"):
        return rest == "true"
    if kind in ("byte", "int16", "uint16", "int32", "uint32") and re.fullmatch(r"-?\d+", rest):
        return int(rest)
    if kind == "string":
        return rest[1:].removesuffix('"')
    raise HilError(f"the system bus answers with {first[:60]!r}")


def described() -> dict:
    """Its version and options, and the lines of its configuration that matter here."""
    words = command_line()
    try:
        text = CONFIGURATION.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    return {"version": version(words[:1]), "options": words[1:], "configuration": configuration(text)}


def command_line() -> list:
    """How it was started; empty where that is hidden."""
    try:
        process = value(bus("GetConnectionUnixProcessID", "string:org.bluez"))
        return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
    except (OSError, HilError):
        return []


def version(programs: list) -> str:
    """What the program that runs says; the tool that comes with it when it cannot be asked."""
    for program in [*programs, "bluetoothctl"]:
        try:
            done = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=10, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        number = re.search(r"\d+\.\d+", done.stdout)
        if done.returncode == 0 and number:
            return number[0]
    return "unknown"


def configuration(text: str) -> dict:
    """The settings of TOLD that a main.conf has."""
    found = re.findall(r"^\s*(\w+)\s*=\s*([\w,.-]*)\s*$", text, re.M)
    return {name: setting for name, setting in found if name in TOLD}
