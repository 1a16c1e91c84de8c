# SPDX-License-Identifier: Apache-2.0
"""Starts apps by their desktop entries, outside of this service, so that they outlive it."""

import os
import re
import secrets
import shutil
import string

import gi
from gi.repository import Gio, GLib

import bus
import deadline
from wording import Told, tr

# Call the methods of DesktopAppInfo, but not those of AppInfo, by the class: GLib 2.84 (Debian 13) describes them as
# functions.
try:
    gi.require_version("GioUnix", "2.0")
    from gi.repository.GioUnix import DesktopAppInfo
except (ImportError, ValueError):  # GLib before 2.80
    from gi.repository.Gio import DesktopAppInfo

SYSTEMD, SYSTEMD_PATH = "org.freedesktop.systemd1", "/org/freedesktop/systemd1"
MANAGER = "org.freedesktop.systemd1.Manager"
FIELD_CODE = re.compile("%(.)", re.DOTALL)
LONGEST_LINE = 1 << 20  # characters of a command with its field codes replaced; many codes and a long name take up any memory
# The terminals. Each terminal takes a command as its remaining words.
TERMINALS = (("xdg-terminal-exec",), ("x-terminal-emulator", "-e"))
DESKTOP_KEYS = ("X-Flatpak", "X-SnapInstanceName", "X-SnapAppName")  # keys in entries of sandboxed apps
SANDBOX_PLACES = ("/exports/share/applications/", "/export/share/applications/", "/snapd/desktop/applications/",
                  "/xdg-desktop-portal/applications/")  # directories with entries of sandboxed apps


class NotStarted(Told):
    """The reason why an app was not started."""


def entry(identifier: str):
    """Returns the desktop entry of an installed app, or None."""
    try:
        app = DesktopAppInfo.new(f"{identifier}.desktop")
    except TypeError:  # no such app is installed
        return None
    return app if is_app(app) else None


def is_app(app) -> bool:
    """Returns whether batond also counts GIO's entry as an app: it is not hidden, and it says how to
    start the app. GIO opens files with other entries, too."""
    by_name = (DesktopAppInfo.get_boolean(app, "DBusActivatable")
               and Gio.dbus_is_name(os.path.basename(DesktopAppInfo.get_filename(app)).removesuffix(".desktop")))
    return not DesktopAppInfo.get_is_hidden(app) and bool(app.get_commandline() or by_name)


def default(kind: str, takes_addresses: bool):
    """Returns the app with which the desktop opens a MIME type, or None.

    With `takes_addresses` the app must accept addresses, not only paths of files."""
    found = [Gio.AppInfo.get_default_for_type(kind, takes_addresses), *Gio.AppInfo.get_recommended_for_type(kind)]
    return next((app for app in found if app and is_app(app) and (app.supports_uris() or not takes_addresses)), None)


def is_sandboxed(app) -> bool:
    """Returns whether the app is a Flatpak or a snap, by batond's rule: by the entry's directory, or
    a key anywhere in it. These apps see other files than their user. The user decides with `baton
    grants` what they hand over, so no adapter speaks for them."""
    path, keys = DesktopAppInfo.get_filename(app), GLib.KeyFile()
    if any(place in each for each in (path, os.path.realpath(path)) for place in SANDBOX_PLACES):
        return True
    try:
        keys.load_from_file(path, GLib.KeyFileFlags.KEEP_TRANSLATIONS)
    except GLib.Error:  # the entry has changed meanwhile
        return True
    return any(key.partition("[")[0] in DESKTOP_KEYS for group in keys.get_groups()[0] for key in keys.get_keys(group)[0])


def command(app, address: str, options=()) -> list:
    """Returns the words that start an app with an absolute address (`file:///…`, `https://…`). The
    adapter's own options go before it. An address is never read as an option.

    As in GIO, field codes are replaced before the line is split. `%f` is replaced with the path of a
    file."""
    line = app.get_commandline()
    if not line:
        raise NotStarted(tr("{app} cannot be started, because its desktop entry has no Exec line. Install it again.", app=app.get_name()))
    if not any(code in "fFuU" for code in FIELD_CODE.findall(line)):
        line += " %u"
    path = None if "#" in address else Gio.File.new_for_uri(address).get_path()
    icon, file = DesktopAppInfo.get_string(app, "Icon"), DesktopAppInfo.get_filename(app)
    codes = {"%": "%", "c": GLib.shell_quote(app.get_name()), "k": GLib.shell_quote(file) if file else "",
             "i": f"--icon {GLib.shell_quote(icon)}" if icon else "",
             **dict.fromkeys("uU", GLib.shell_quote(address)), **dict.fromkeys("fF", GLib.shell_quote(path or address))}
    damaged = tr("{app} cannot be started, because its desktop entry is damaged. Install it again.", app=app.get_name())
    if len(line) + sum(len(codes.get(code, "")) for code in FIELD_CODE.findall(line)) > LONGEST_LINE:
        raise NotStarted(damaged, "its command is too long")
    try:
        words = GLib.shell_parse_argv(FIELD_CODE.sub(lambda match: codes.get(match[1], ""), line))[1]
    except GLib.Error as error:
        raise NotStarted(damaged, error.message) from None
    return [words[0], *options, *words[1:]]


def in_terminal(*command: str) -> list:
    """Returns the words that run a command in the user's terminal."""
    for terminal in TERMINALS:
        if shutil.which(terminal[0]):
            return [*terminal, *command]
    raise NotStarted(tr("There is no terminal here. Install one, such as xterm."))


@deadline.within()
def start(connection, identifier: str, words: list, token: str | None):
    """Starts a program as the app with this id, in a transient unit of the user's systemd, or as a
    child if there is no systemd. `token` lets the app's window come to the front."""
    program = shutil.which(words[0])
    if program is None:
        raise NotStarted(tr('There is no program "{program}". Check that the app is installed.', program=words[0]))
    environment = {"XDG_ACTIVATION_TOKEN": token, "DESKTOP_STARTUP_ID": token} if token else {}
    if bus.ask_bus(connection, "NameHasOwner", SYSTEMD):
        _start_unit(connection, identifier, [program, *words[1:]], environment)
    else:
        _start_child([program, *words[1:]], environment)


def escaped(identifier: str) -> str:
    """Escapes an id as systemd-escape(1) does."""
    allowed = string.ascii_letters + string.digits + "_."
    return "".join(chr(byte) if chr(byte) in allowed else f"\\x{byte:02x}" for byte in identifier.encode())


def _start_unit(connection, identifier: str, words: list, environment: dict):
    # systemd would expand text in the words that looks like a variable, such as $$ in an address.
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
        raise NotStarted(tr('"{program}" was not started. The log of this laptop says why.', program=os.path.basename(words[0])),
                         f"systemd did not start {identifier}")


def _start_child(words: list, environment: dict):
    everything = [f"{key}={value}" for key, value in {**os.environ, **environment}.items()]
    try:
        GLib.spawn_async(words, envp=everything, flags=GLib.SpawnFlags.STDOUT_TO_DEV_NULL)
    except GLib.Error as error:
        raise NotStarted(tr('"{program}" was not started. The log of this laptop says why.', program=os.path.basename(words[0])),
                         error.message) from None
