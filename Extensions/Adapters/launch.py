# SPDX-License-Identifier: Apache-2.0
"""Starts apps by their desktop entries, outside of this service: its end is not theirs."""

import os
import secrets
import shutil
import string

import gi
from gi.repository import GLib

import bus

try:
    gi.require_version("GioUnix", "2.0")
    from gi.repository.GioUnix import DesktopAppInfo
except (ImportError, ValueError):  # GLib before 2.80
    from gi.repository.Gio import DesktopAppInfo

SYSTEMD, SYSTEMD_PATH = "org.freedesktop.systemd1", "/org/freedesktop/systemd1"
MANAGER = "org.freedesktop.systemd1.Manager"
FIELD_CODES = ("%f", "%F", "%u", "%U")
DESKTOP_KEYS = ("X-Flatpak", "X-SnapInstanceName", "X-SnapAppName")  # those of apps in sandboxes


class NotStarted(Exception):
    """Why an app was not started: one line for the user."""


def entry(identifier: str):
    """The desktop entry of an app that is installed here, or None."""
    try:
        return DesktopAppInfo.new(f"{identifier}.desktop")
    except TypeError:  # there is none
        return None


def is_sandboxed(app) -> bool:
    """Whether it is a Flatpak's or a snap's. These see other files than their user, who decides by
    `baton grants` what they hand over: nobody speaks for them."""
    return any(app.has_key(key) for key in DESKTOP_KEYS)


def command(app, address: str, options=()) -> list:
    """The words that start an app with an absolute address (`file:///…`, `https://…`), which is no
    option, and options of the adapter's own before it."""
    words = []
    for word in GLib.shell_parse_argv(app.get_commandline())[1]:
        if word in FIELD_CODES:
            word = address
        elif word.startswith("%") and len(word) == 2 and word != "%%":
            continue
        words.append(word.replace("%%", "%") if word != address else word)
    if address not in words:
        words.append(address)
    return [words[0], *options, *words[1:]]


def start(connection, identifier: str, words: list, token: str | None):
    """Starts a program as the app with this id: a transient unit of the user's systemd, or a child
    where there is none. `token` lets its window come to the front."""
    program = shutil.which(words[0])
    if program is None:
        raise NotStarted(f"there is no program {words[0]}; is the app installed?")
    environment = {"XDG_ACTIVATION_TOKEN": token, "DESKTOP_STARTUP_ID": token} if token else {}
    if bus.ask_bus(connection, "NameHasOwner", SYSTEMD):
        _start_unit(connection, identifier, [program, *words[1:]], environment)
    else:
        _start_child([program, *words[1:]], environment)


def escaped(identifier: str) -> str:
    """As systemd-escape(1) does."""
    allowed = string.ascii_letters + string.digits + "_."
    return "".join(chr(byte) if chr(byte) in allowed else f"\\x{byte:02x}" for byte in identifier.encode())


def _start_unit(connection, identifier: str, words: list, environment: dict):
    # systemd would replace what looks like a variable in the words, such as $$ in an address.
    properties = [
        ("Description", GLib.Variant("s", "An app that Baton started")),
        ("Type", GLib.Variant("s", "exec")),
        ("ExitType", GLib.Variant("s", "cgroup")),
        ("CollectMode", GLib.Variant("s", "inactive-or-failed")),
        ("Slice", GLib.Variant("s", "app.slice")),
        ("ExecStartEx", GLib.Variant("a(sasas)", [(words[0], words, ["no-env-expand"])])),
        ("Environment", GLib.Variant("as", [f"{key}={value}" for key, value in environment.items()])),
    ]
    unit = f"app-{escaped(identifier)}@{secrets.token_hex(8)}.service"
    if bus.ask(connection, SYSTEMD, SYSTEMD_PATH, MANAGER, "StartTransientUnit",
               GLib.Variant("(ssa(sv)a(sa(sv)))", (unit, "fail", properties, []))) is None:
        raise NotStarted(f"systemd did not start {identifier}")


def _start_child(words: list, environment: dict):
    everything = [f"{key}={value}" for key, value in {**os.environ, **environment}.items()]
    try:
        GLib.spawn_async(words, envp=everything, flags=GLib.SpawnFlags.STDOUT_TO_DEV_NULL)
    except GLib.Error as error:
        raise NotStarted(f"{words[0]} was not started: {error.message}") from None
