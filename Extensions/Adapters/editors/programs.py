# SPDX-License-Identifier: Apache-2.0
"""The editors that have a plugin, and how one is started for what comes from another laptop."""

import shutil

from gi.repository import Gio, GLib

import activate
import launch

# By the name of the program. Nothing of another laptop's is among the words: the editor asks for it
# at the socket, by a ticket of 32 hexadecimal digits.
PROGRAMS = {
    "nvim": ("nvim", "-c", "BatonContinue {ticket}"),
    "vim": ("vim", "-c", "BatonContinue {ticket}"),
    "emacs": ("emacs", "--no-window-system", "--funcall", "baton-continue", "{ticket}"),
    "gedit": (),  # in no terminal, and not by words: it is one program for all its windows
}
APPLICATIONS = {"gedit": "org.gnome.gedit"}  # desktop ids that are not the program's name
ACTION = "baton-continue"  # of gedit, by its plugin
# Each takes a command as its further words.
TERMINALS = (("xdg-terminal-exec",), ("x-terminal-emulator", "-e"))


def application(editor: str) -> str:
    """The desktop id of an editor."""
    return APPLICATIONS.get(editor, editor)


def choose(wanted: str | None) -> str:
    """The editor that goes on: that of the other laptop, if it is here; else the desktop's default
    for texts, if it has a plugin; else any that is here."""
    here = [name for name in PROGRAMS if shutil.which(name)]
    default = Gio.AppInfo.get_default_for_type("text/plain", False)
    identifier = (default.get_id() or "").removesuffix(".desktop") if default else None
    for name in (wanted, *(name for name in here if application(name) == identifier), *here):
        if name in here:
            return name
    raise launch.NotStarted("there is no editor here that Baton knows; install one, such as neovim")


def start(connection, editor: str, ticket: str, token: str | None, failed):
    """Has an editor ask for the text with this ticket: one that is started, or gedit, running or
    not. Raises launch.NotStarted, or calls `failed(why)`."""
    if PROGRAMS[editor]:
        launch.start(connection, application(editor), words(editor, ticket), token)
    else:
        activate.action(connection, application(editor), ACTION, GLib.Variant("s", ticket), token, failed)


def words(editor: str, ticket: str) -> list:
    """The words that start an editor in a terminal."""
    for terminal in TERMINALS:
        if shutil.which(terminal[0]):
            return [*terminal, *(word.format(ticket=ticket) for word in PROGRAMS[editor])]
    raise launch.NotStarted("there is no terminal here; install xdg-terminal-exec, or any x-terminal-emulator")
