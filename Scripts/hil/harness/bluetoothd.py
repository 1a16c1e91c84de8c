# SPDX-License-Identifier: Apache-2.0
"""Queries the running bluetoothd over the system bus and through public files."""

import re
import subprocess
from pathlib import Path

from . import HilError

CONFIGURATION = Path("/etc/bluetooth/main.conf")
ADAPTER, ADVERTISING, DEVICE = "org.bluez.Adapter1", "org.bluez.LEAdvertisingManager1", "org.bluez.Device1"
# The settings of main.conf that a report contains. The other settings do not matter to Baton and may be private.
TOLD = ("Privacy", "ControllerMode", "Channels", "Cache", "Experimental", "KernelExperimental")


def call(destination: str, path: str, member: str, *arguments: str) -> str:
    """Calls a method and returns the output of dbus-send. Raises HilError with the error of the call."""
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
    """Returns whether bluetoothd runs. Does not start bluetoothd, because the user may have stopped it on purpose."""
    return value(bus("NameHasOwner", "string:org.bluez")) is True


def get(adapter: str, interface: str, name: str):
    """Returns a property of an adapter: true, false, a number or a list of strings. Raises HilError."""
    return value(call("org.bluez", f"/org/bluez/{adapter}", "org.freedesktop.DBus.Properties.Get", f"string:{interface}", f"string:{name}"))


def linked(adapter: str) -> list:
    """Returns the D-Bus paths of an adapter's devices that are connected and not paired. Paired devices, such as headphones and a mouse, belong to the user."""
    described = call("org.bluez", f"/org/bluez/{adapter}", "org.freedesktop.DBus.Introspectable.Introspect")
    paths = [f"/org/bluez/{adapter}/{name}" for name in re.findall(r'<node name="(dev(?:_[0-9A-F]{2}){6})"/>', described)]
    return [path for path in paths if is_device(path, "Connected") and not is_device(path, "Paired")]


def is_device(path: str, name: str) -> bool:
    """Returns whether a property of a device is true. Returns False if the device has gone."""
    try:
        return value(call("org.bluez", path, "org.freedesktop.DBus.Properties.Get", f"string:{DEVICE}", f"string:{name}")) is True
    except HilError:
        return False


def disconnect(path: str):
    call("org.bluez", path, f"{DEVICE}.Disconnect")


def switch_on(adapter: str):
    """Switches an adapter on. Use it only for a bluetoothd that this program started, because a user's adapter that is off must stay
    off."""
    call("org.bluez", f"/org/bluez/{adapter}", "org.freedesktop.DBus.Properties.Set", f"string:{ADAPTER}", "string:Powered", "variant:boolean:true")


def value(reply: str):
    """Parses the output of dbus-send: a boolean, a number, a string, or a list of strings. Raises HilError for anything else.

    The function reads only the second line, or the lines of an array, because a string may contain line ends."""
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
    """Returns bluetoothd's version, its options, and the relevant lines of its configuration."""
    words = command_line()
    try:
        text = CONFIGURATION.read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    return {"version": version(words[:1]), "options": words[1:], "configuration": configuration(text)}


def command_line() -> list:
    """Returns bluetoothd's command line, or an empty text if it is hidden."""
    try:
        process = value(bus("GetConnectionUnixProcessID", "string:org.bluez"))
        return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
    except (OSError, HilError):
        return []


def version(programs: list) -> str:
    """Returns the version of the running program, or of bluetoothctl if the program cannot be run."""
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
    """Returns the settings of TOLD in a main.conf."""
    found = re.findall(r"^\s*(\w+)\s*=\s*([\w,.-]*)\s*$", text, re.M)
    return {name: setting for name, setting in found if name in TOLD}
