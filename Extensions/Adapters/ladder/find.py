# SPDX-License-Identifier: Apache-2.0
"""Finds the file that a continuation is about, rung by rung."""

import os
import threading
import time
from typing import NamedTuple

from gi.repository import Baton, Gio, GLib

from journal import JOURNAL
from ladder import git, hidden, never, places, user_directories
from ladder.reference import Reference
from wording import Sentence, joined, tr

PATIENCE = 5  # seconds that a synchronisation may take
STEP = 0.1  # seconds between two looks


class File(NamedTuple):
    """The file itself."""

    path: str
    is_same: bool  # the file is the same as on the other laptop, byte for byte
    note: str  # what the user should know, in whole sentences, or an empty text


class Copy(NamedTuple):
    """A copy of the other laptop's file. Changes to the copy do not go back."""

    path: str
    note: str


class Page(NamedTuple):
    """The page that the file came from."""

    url: str
    note: str


class Missing(NamedTuple):
    """Says that nothing was found, and why."""

    reason: str


def find(continuation, done, copies: bool = True):
    """Calls `done` with a File, Copy, Page or Missing, in the caller's main context. This never happens before the
    function has returned.

    `copies` is False if the contents that can be fetched are not a copy of the file, such as unsaved text.
    """
    reference = Reference.read(continuation.props.user_info)
    url, device = continuation.props.document_url, continuation.props.device_name

    def searched(found: File | None):
        if found is None and copies and reference.is_copied() and url and continuation.props.supports_continuation_streams:
            continuation.load_contents_async(None, loaded)
        else:
            done(found or _rest(reference, device))

    def loaded(_, result):
        try:
            path = continuation.load_contents_finish(result).get_path()
        except GLib.Error as error:
            JOURNAL.write(f"a copy did not come from {device}: {error.message}")
            done(_rest(reference, device, has_failed=True))
        else:
            done(Copy(path, tr('This is a copy from "{laptop}". Changes stay on this laptop.', laptop=device)))

    def work():
        found = None
        try:
            found = search(url or "", reference, device)
        finally:  # whatever goes wrong, the next rungs are tried
            GLib.idle_add(searched, found)

    def unnamed():
        done(Missing(tr("The other laptop does not say which file it is.")))

    if reference is None:
        GLib.idle_add(unnamed)
    else:
        threading.Thread(target=work, daemon=True).start()


def search(url: str, reference: Reference, device: str, patience: float = PATIENCE) -> File | None:
    """Finds the file on this laptop. The search may take as long as a synchronisation."""
    return _in_folder(url, reference, device, patience) or _below_home(reference) or _in_user_directory(reference) or _in_clone(reference, device)


def _in_folder(url: str, reference: Reference, device: str, patience: float) -> File | None:
    """Finds the file in a shared folder, which may still be synchronising it."""
    end, seen, is_same, path = time.monotonic() + patience, None, False, None
    while url.startswith("baton-folder:"):
        try:
            path = Baton.folders_find_file(url).get_path()
            status = os.stat(path)
        except GLib.Error as error:
            path = None
            if not error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.NOT_FOUND):
                return None
        else:
            # Hash it again only if it was written.
            now = (status.st_ino, status.st_size, status.st_mtime_ns)
            is_same = is_same if now == seen else reference.is_same(path)
            seen = now
        # A file without a digest is not on the other laptop yet, so nothing can become the same.
        if path and (is_same or reference.digest is None) or time.monotonic() > end:
            break
        time.sleep(STEP)
    if path is None or never.holds(path) or not is_same and _is_hidden_in_folder(url, path):
        return None
    note = "" if is_same else tr('The file on "{laptop}" differs. It may not be synchronised yet.', laptop=device)
    return File(path, is_same, note)


def _is_hidden_in_folder(url: str, path: str) -> bool:
    """Returns whether a file's path below its shared folder is hidden. The user did not choose such a file to be seen
    elsewhere, and the folder's program may leave it out."""
    depth = url.partition("?")[0].count("/") - 1  # the URL has the folder's name, and the path below it
    return any(part.startswith(".") for part in path.split("/")[-depth:])


def _below_home(reference: Reference) -> File | None:
    """Finds a file with the same contents at the same path below home."""
    return _same_inside(places.home(), reference.home, reference) if reference.home else None


def _in_user_directory(reference: Reference) -> File | None:
    """Finds the file in one of the user's directories, such as Videos, whatever that one is called here. If the other
    laptop does not name the kind of directory, the directory's usual name counts."""
    place = reference.directory or user_directories.of_usual(reference.home or "")
    found = (_same_inside(directory, place.path, reference) for directory in user_directories.directories(place.directory)) if place else ()
    return next(filter(None, found), None)


def _same_inside(directory: str, path: str, reference: Reference) -> File | None:
    """Finds the same contents at a path below a directory. Hidden files are left out, because they configure programs
    and often have well-known contents. Otherwise a member could get its text written into such a file."""
    if not _visible(os.path.join(directory, path)):
        return None
    found = (each for each in places.every_inside(directory, path) if _visible(each) and reference.is_same(each))
    return next((File(each, True, "") for each in found), None)


def _in_clone(reference: Reference, device: str) -> File | None:
    """Finds the file in a clone of the same repository. A clone with the same contents comes first. The repository must
    contain the file, or the file must have the same contents and not be hidden."""
    if reference.git is None:
        return None
    first = reference.home.removesuffix(reference.git.path).rstrip("/") if reference.home else None
    found = []
    for clone in git.clones(reference.git, _visible(os.path.join(places.home(), first)) if first else None):
        if path := places.inside(clone, reference.git.path):
            is_same = reference.is_same(path)
            # If other files counted, a member could have any file of the clone opened, and then fetch it.
            if not (git.is_tracked(clone, path) or is_same and _visible(path)):
                continue
            difference = "" if is_same else tr('The file on "{laptop}" differs.', laptop=device)
            found.append(File(path, is_same, joined((difference, git.distance(clone, reference.git.commit)))))
    return next((file for file in found if file.is_same), found[0] if found else None)


def _visible(path: str | None) -> str | None:
    """Returns the path, or None if it leads to something hidden."""
    return path if path and not any(hidden.is_hidden(form) for form in (path, os.path.realpath(path))) else None


def _rest(reference: Reference, device: str, has_failed: bool = False) -> Page | Missing:
    """Returns what remains if neither the file nor its contents can be found: the page that the file came from, or the
    reason why it is missing."""
    reason = _why_missing(reference, device, has_failed)
    return Page(reference.origin, joined((reason, tr("This is the page that it came from.")))) if reference.origin else Missing(reason)


def _why_missing(reference: Reference, device: str, has_failed: bool) -> Sentence:
    places = {"name": reference.name, "laptop": device}
    if not reference.is_copied():
        size = GLib.format_size(reference.size)
        return tr('"{name}" is not on this laptop. It is too large to be copied from "{laptop}": {size}.', **places, size=size)
    if has_failed:
        return tr('"{name}" is not on this laptop, and copying it from "{laptop}" failed. Try again.', **places)
    return tr('"{name}" is not on this laptop, and "{laptop}" does not send it.', **places)
