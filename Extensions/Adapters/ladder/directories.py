# SPDX-License-Identifier: Apache-2.0
"""Directories that a user works in. Only a directory's name is sent, and the other laptop finds its own directory:
in the same shared folder, in the same clone, or at the same path below home (Documentation/Terminals.md)."""

from __future__ import annotations

import os
from typing import NamedTuple

from gi.repository import Baton, Gio, GLib

from ladder import git, layout, names, never, places, reasons, user_directories
from ladder.leaving import Stays
from ladder.reference import Reference
from wording import Sentence, tr

KEY, FOLDER = "directory", "folder"  # keys of userInfo, for the reference and for the URL in a shared folder


class Directory(NamedTuple):
    """The description of a directory for another laptop."""

    reference: Reference
    folder: str | None = None  # the directory's URL in a shared folder

    @staticmethod
    def of(path: str) -> Directory:
        return Directory(Reference.of_directory(path), _url(path))

    @staticmethod
    def read(values: dict) -> Directory | None:
        """Reads a description from another laptop's values. Returns None if the description has no name."""
        found, folder = values.get(KEY), values.get(FOLDER)
        reference = Reference.of_values(found) if isinstance(found, dict) else None
        is_url = isinstance(folder, str) and len(folder) <= names.LONGEST_PATH
        return Directory(reference, folder if is_url else None) if reference else None

    def can_be_found(self) -> bool:
        """Returns whether another laptop may have the directory."""
        of = self.reference
        return bool(of.home or of.git or of.directory or self.folder)

    def values(self) -> dict:
        """Returns the directory's entries in an activity."""
        return {KEY: self.reference.variant(), FOLDER: GLib.Variant("s", self.folder) if self.folder else None}


class Found(NamedTuple):
    """A directory on this laptop."""

    path: str
    note: str  # what the user should know, or an empty text


def why_it_stays(path: str) -> Stays | None:
    """Returns why other laptops are not told about a directory, or None if they are."""
    real, homes = os.path.realpath(path), layout.current().homes
    if reason := names.refusal(path) or never.why(path, real):
        return Stays(reason)
    # git is asked only about a directory outside of home, because this runs at a prompt.
    is_found = real not in homes and (any(layout.below(real, home) for home in homes) or Directory.of(path).can_be_found())
    return None if is_found else Stays(reasons.NO_WAY)


class Clones:
    """The clones on this laptop, which are searched once for each repository."""

    def __init__(self):
        self.known = {}

    def of(self, place: git.Place, first: str | None) -> list:
        key = tuple(place.remotes), first
        if key not in self.known:
            self.known[key] = git.clones(place, first)
        return self.known[key]


def find(directory: Directory, clones: Clones | None = None) -> Found | None:
    """Finds the directory of another laptop on this one. The search may run git, and may wait for a network."""
    of = directory.reference
    return _in_folder(directory.folder) or _in_clone(of, clones or Clones()) or _below(layout.home(), of.home) or _in_user_directory(of)


def _in_folder(url: str | None) -> Found | None:
    try:
        path = Baton.folders_find_directory(url).get_path() if url else None
    except GLib.Error:
        return None
    return Found(path, "") if path and not never.holds(path) else None


def _in_clone(of: Reference, clones: Clones) -> Found | None:
    """Finds the directory in a clone of the same repository. The clone at the same path below home comes first."""
    if of.git is None:
        return None
    first = os.path.join(layout.home(), of.home.removesuffix(of.git.path).rstrip("/")) if of.home else None
    for clone in clones.of(of.git, first):
        if found := _below(clone, of.git.path) if of.git.path else _itself(clone):
            return Found(found.path, git.distance(clone, of.git.commit))
    return None


def _below(directory: str, path: str | None) -> Found | None:
    found = places.inside(directory, path, os.path.isdir) if path else None
    return Found(found, "") if found else None


def _itself(path: str) -> Found | None:
    return None if never.holds(path) else Found(path, "")


def _in_user_directory(of: Reference) -> Found | None:
    """Finds the directory in one of the user's directories, such as Videos, whatever that one is called here."""
    place = of.directory or user_directories.of_usual(of.home or "")
    found = (_below(each, place.path) for each in user_directories.directories(place.directory)) if place else ()
    return next(filter(None, found), None)


def _url(path: str) -> str | None:
    try:
        return Baton.folders_find_url(Gio.File.new_for_path(path))
    except GLib.Error:
        return None


def why_missing(directory: Directory, laptop: str) -> Sentence:
    return tr('The folder "{name}" of "{laptop}" is not on this laptop.', name=directory.reference.name, laptop=laptop)
