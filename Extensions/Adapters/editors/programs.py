# SPDX-License-Identifier: Apache-2.0
"""The editors that have a plugin, and how one is started for what comes from another laptop."""

import shutil

from gi.repository import Gio

import launch

# By the name of the program. Nothing of another laptop's is among the words: the editor asks for it
# at the socket, by a ticket of 32 hexadecimal digits.
PROGRAMS = {
    "nvim": ("nvim", "-c", "BatonContinue {ticket}"),
    "vim": ("vim", "-c", "BatonContinue {ticket}"),
    "emacs": ("emacs", "--no-window-system", "--funcall", "baton-continue", "{ticket}"),
}
# Each takes a command as its further words.
TERMINALS = (("xdg-terminal-exec",), ("x-terminal-emulator", "-e"))


def application(editor: str) -> str:
    """The desktop id of an editor."""
    return editor


def choose(wanted: str | None) -> str:
    """The editor that goes on: that of the other laptop, if it is here; else the desktop's default
    for texts, if it has a plugin; else any that is here."""
    here = [name for name in PROGRAMS if shutil.which(name)]
    default = Gio.AppInfo.get_default_for_type("text/plain", False)
    preferred = (wanted, (default.get_id() or "").removesuffix(".desktop") if default else None, *here)
    for name in preferred:
        if name in here:
            return name
    raise launch.NotStarted("there is no editor here that Baton knows; install one, such as neovim")


def words(editor: str, ticket: str) -> list:
    """The words that start an editor in a terminal."""
    for terminal in TERMINALS:
        if shutil.which(terminal[0]):
            return [*terminal, *(word.format(ticket=ticket) for word in PROGRAMS[editor])]
    raise launch.NotStarted("there is no terminal here; install xdg-terminal-exec, or any x-terminal-emulator")
