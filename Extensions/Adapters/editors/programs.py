# SPDX-License-Identifier: Apache-2.0
"""The editors that Baton knows, and how to start one for a text from another laptop."""

import contextlib
import itertools
import re
import shutil
import subprocess

from gi.repository import Gio, GLib

import activate
import deadline
import launch
from editors import swap
from editors.place import Place
from wording import tr

# By the program's name. The words contain nothing from another laptop. The editor asks for the text
# at the socket with a ticket of 32 hexadecimal digits.
PROGRAMS = {
    "nvim": ("nvim", "-c", "BatonContinue {ticket}"),
    "vim": ("vim", "-c", "BatonContinue {ticket}"),
    "emacs": ("emacs", "--no-window-system", "--funcall", "baton-continue", "{ticket}"),
    "gedit": (),  # needs no terminal and no words, because one process has all its windows
}
# Editors without a plugin. They open a file at a line, and cannot show another text.
PLAIN = ("gnome-text-editor", "kate", "kwrite")
KATES = ("kate", "kwrite")
# Desktop ids that differ from the program's name.
APPLICATIONS = {"gedit": "org.gnome.gedit", "gnome-text-editor": "org.gnome.TextEditor", "kate": "org.kde.kate", "kwrite": "org.kde.kwrite"}
ACTION = "baton-continue"  # gedit's action that its plugin adds
# Text Editor reads the cursor from here when it opens a file: line and column from 0 on.
CURSOR = "metadata::gte-cursor"
TAKES_PLACE = 48  # the version from which a last word +LINE:COLUMN names the place; version 43 takes that for another file
PATIENCE = 2  # seconds to say the version


def application(editor: str) -> str:
    """Returns the desktop id of an editor."""
    return APPLICATIONS.get(editor, editor)


def choose(wanted: str | None) -> str:
    """Chooses the editor: the other laptop's if it is installed here, otherwise the desktop's default for texts if it
    has a plugin, otherwise any installed one."""
    here = [name for name in (*PROGRAMS, *PLAIN) if shutil.which(name)]
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


@deadline.within()
def open_plainly(connection, editor: str, path: str, place: Place, token: str | None):
    """Opens a file of this laptop at a line, in an editor without a plugin. Raises launch.NotStarted."""
    app = launch.entry(application(editor))
    if app is None:
        raise launch.NotStarted(tr("{app} cannot be started, because its desktop entry is damaged. Install it again.", app=editor))
    file = Gio.File.new_for_path(path)
    if editor in KATES:
        launch.start(connection, application(editor), launch.command(app, file.get_uri(), kates_words(path, place)), token)
        return
    with contextlib.suppress(GLib.Error):  # there is no GVfs, or it keeps nothing for this file
        file.set_attribute_string(CURSOR, f"{place.line - 1}:{place.column - 1}", Gio.FileQueryInfoFlags.NONE, None)
    words = launch.command(app, file.get_uri())
    # A window that has the file already ignores its metadata.
    if version(words[0]) >= TAKES_PLACE:
        words.append("+%d:%d" % (place.line, place.column))  # nothing but numbers can get in
    launch.start(connection, application(editor), words, token)


def kates_words(path: str, place: Place) -> tuple:
    """Returns the options that open a file at a place in Kate or KWrite, which count columns in units of UTF-16."""
    column = place.column - 1
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
        line = next(itertools.islice(file, place.line - 1, None), "")
        column += swap.column_of(line, column) - min(column, len(line))
    return ("--line", str(place.line), "--column", str(column + 1))  # nothing but numbers can get in


def version(program: str) -> int:
    """Returns the version of Text Editor, or 0 if it does not say."""
    try:
        said = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=deadline.left(PATIENCE), check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.match(rb"[^\d\n]*(\d{1,4})", said)
    return int(found[1]) if found else 0


def words(editor: str, ticket: str) -> list:
    """Returns the words that start an editor in a terminal."""
    return launch.in_terminal(*(word.format(ticket=ticket) for word in PROGRAMS[editor]))
