# SPDX-License-Identifier: Apache-2.0
"""The editors that have a plugin, and how to start one for a text from another laptop."""

import shutil

from gi.repository import Gio, GLib

import activate
import launch
from wording import tr

# By the program's name. The words contain nothing from another laptop. The editor asks for the text
# at the socket with a ticket of 32 hexadecimal digits.
PROGRAMS = {
    "nvim": ("nvim", "-c", "BatonContinue {ticket}"),
    "vim": ("vim", "-c", "BatonContinue {ticket}"),
    "emacs": ("emacs", "--no-window-system", "--funcall", "baton-continue", "{ticket}"),
    "gedit": (),  # needs no terminal and no words, because one process has all its windows
}
APPLICATIONS = {"gedit": "org.gnome.gedit"}  # desktop ids that differ from the program's name
ACTION = "baton-continue"  # gedit's action that its plugin adds
# Each takes a command as its remaining words.
TERMINALS = (("xdg-terminal-exec",), ("x-terminal-emulator", "-e"))


def application(editor: str) -> str:
    """Returns the desktop id of an editor."""
    return APPLICATIONS.get(editor, editor)


def choose(wanted: str | None) -> str:
    """Chooses the editor: the other laptop's, if it is installed here; else the desktop's default
    for texts, if it has a plugin; else any that is installed."""
    here = [name for name in PROGRAMS if shutil.which(name)]
    default = Gio.AppInfo.get_default_for_type("text/plain", False)
    identifier = (default.get_id() or "").removesuffix(".desktop") if default else None
    for name in (wanted, *(name for name in here if application(name) == identifier), *here):
        if name in here:
            return name
    raise launch.NotStarted(tr("There is no editor here that Baton knows. Install one, such as Neovim."))


def start(connection, editor: str, ticket: str, token: str | None, failed):
    """Lets an editor ask for the text with this ticket. The editor is started, except for gedit,
    which may be running. Raises launch.NotStarted, or calls `failed(why)`."""
    if PROGRAMS[editor]:
        launch.start(connection, application(editor), words(editor, ticket), token)
    else:
        activate.action(connection, application(editor), ACTION, GLib.Variant("s", ticket), token, failed)


def words(editor: str, ticket: str) -> list:
    """Returns the words that start an editor in a terminal."""
    for terminal in TERMINALS:
        if shutil.which(terminal[0]):
            return [*terminal, *(word.format(ticket=ticket) for word in PROGRAMS[editor])]
    raise launch.NotStarted(tr("There is no terminal here. Install one, such as xterm."))
