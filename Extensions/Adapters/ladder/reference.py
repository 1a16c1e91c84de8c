# SPDX-License-Identifier: Apache-2.0
"""The description of a file in an activity: everything besides its name or shared folder that may lead to it on another
laptop."""

from __future__ import annotations

import os
from typing import NamedTuple

from gi.repository import Gio, GLib

from ladder import digest, git, names, origin, places, user_directories
from ladder.leaving import OpenFile

KEY = "file"  # the key in userInfo
DIRECTORY = "inode/directory"  # the MIME type of a directory
DIGEST = 32  # bytes of a SHA-256


class Reference(NamedTuple):
    """The known properties of a file. `read` checks all values from another laptop."""

    name: str  # for people
    size: int | None = None
    digest: bytes | None = None
    type: str = ""  # MIME
    home: str | None = None  # the path below home
    git: git.Place | None = None
    origin: str | None = None  # the page that it came from
    directory: user_directories.Place | None = None
    name_bytes: bytes | None = None  # if the name cannot be shown

    @staticmethod
    def of(file: OpenFile) -> Reference:
        """Returns the reference to a file on this laptop."""
        found = Reference.of_path(file.path)._replace(**_named(file.name), **file.measure()._asdict())
        return found._replace(origin=origin.of_file(file.descriptor))

    @staticmethod
    def of_path(path: str, is_directory: bool = False) -> Reference:
        """Returns the reference to a file that does not exist yet, or to a directory."""
        name, path = os.path.basename(path), os.path.realpath(path)
        home = places.below(path, os.path.realpath(places.home()))
        home = home if home and names.is_relative(home) else None
        place = git.of_directory(path) if is_directory else git.of_file(path)
        return Reference(**_named(name), home=home, git=place, directory=user_directories.of_file(path))

    @staticmethod
    def of_directory(path: str) -> Reference:
        """Returns the reference to a directory on this laptop."""
        return Reference.of_path(path, is_directory=True)._replace(type=DIRECTORY)

    @staticmethod
    def of_text(text: OpenFile) -> Reference:
        """Returns the reference to a text that has never been saved, and so has no path."""
        return Reference(**_named(text.name), **text.measure()._asdict())

    def is_same(self, path: str) -> bool:
        """Returns whether a file on this laptop has the same contents."""
        try:
            return self.digest is not None and digest.measure(path) == (self.size, self.digest)
        except OSError:
            return False

    def is_copied(self) -> bool:
        """Returns whether the file is small enough to be copied."""
        return self.size is None or self.size <= digest.LARGEST

    def variant(self) -> GLib.Variant:
        """Returns the value of `KEY`."""
        entries = {"name": GLib.Variant("s", self.name), "type": GLib.Variant("s", self.type)}
        if self.name_bytes is not None:
            entries["nameBytes"] = GLib.Variant("ay", self.name_bytes)
        if self.digest is not None:
            entries |= {"size": GLib.Variant("x", self.size), "sha256": GLib.Variant("ay", self.digest)}
        if self.home is not None:
            entries |= _path_entry("home", self.home)
        if self.git is not None:
            entries["git"] = GLib.Variant("a{sv}", {
                "remotes": GLib.Variant("as", self.git.remotes), **(_path_entry("path", self.git.path) if self.git.path else {}), "commit": GLib.Variant("s", self.git.commit)})
        if self.directory is not None:
            entries["userDirectory"] = GLib.Variant("a{sv}", {
                "directory": GLib.Variant("s", self.directory.directory), **_path_entry("path", self.directory.path)})
        if self.origin is not None:
            entries["origin"] = GLib.Variant("s", self.origin)
        return GLib.Variant("a{sv}", entries)

    @staticmethod
    def read(user_info: GLib.Variant) -> Reference | None:
        """Reads the reference in another laptop's userInfo. Invalid entries are left out.
        Without a name the reference is None."""
        return Reference.of_values(_dictionary(user_info.lookup_value(KEY, None)))

    @staticmethod
    def of_values(file: dict) -> Reference | None:
        """Returns the reference that these values describe, or None without a name."""
        name, name_bytes = _text(file, "name"), _bytes(file, "nameBytes")
        if name is None or not names.is_name(name) or not names.is_plain(name):
            return None
        size, digested = file.get("size"), _bytes(file, "sha256")
        is_measured = type(size) is int and size >= 0 and digested is not None and len(digested) == DIGEST
        return Reference(name, size if is_measured else None, digested if is_measured else None, _text(file, "type") or "", _path(file, "home"),
                         _place(file.get("git")), origin.clean(_text(file, "origin") or "", arrives=True), _directory(file.get("userDirectory")),
                         name_bytes if name_bytes and names.is_name(names.of_bytes(name_bytes)) else None)


def _named(name: str) -> dict:
    """Returns the entries that follow from a file's name."""
    plain = names.repaired(name)
    return {"name": plain, "type": _type(name), "name_bytes": names.as_bytes(name) if plain != name else None}


def _path_entry(key: str, path: str) -> dict:
    """Returns the entry for a path. A path that is not plain text is sent as bytes under a key
    of its own."""
    return {key: GLib.Variant("s", path)} if names.is_plain(path) else {f"{key}Bytes": GLib.Variant("ay", names.as_bytes(path))}


def _path(values: dict, key: str) -> str | None:
    """Reads a path that `_path_entry` wrote. The path must not lead out of its directory."""
    said, plain = _bytes(values, f"{key}Bytes"), _text(values, key)
    path = names.of_bytes(said) if said else plain if plain and names.is_plain(plain) else None
    return path if path and names.is_relative(path) else None


def _type(name: str) -> str:
    """Returns a file's MIME type according to its name."""
    return Gio.content_type_get_mime_type(Gio.content_type_guess(name, None)[0]) or ""


def _dictionary(value: GLib.Variant | None) -> dict:
    return value.unpack() if value is not None and value.is_of_type(GLib.VariantType("a{sv}")) else {}


def _text(values: dict, key: str) -> str | None:
    found = values.get(key)
    return found if isinstance(found, str) and len(found) <= names.LONGEST_PATH else None


def _bytes(values: dict, key: str) -> bytes | None:
    found = values.get(key)
    is_said = isinstance(found, (list, bytes)) and len(found) <= names.LONGEST_PATH and all(type(each) is int and 0 <= each < 256 for each in found)
    return bytes(found) if is_said else None


def _place(found) -> git.Place | None:
    if not isinstance(found, dict):
        return None
    remotes, path, commit = found.get("remotes"), _path(found, "path"), _text(found, "commit")
    if path is None and not any(key in found for key in ("path", "pathBytes")):
        path = ""  # the work tree itself, which is not a file
    if not isinstance(remotes, list) or path is None or not git.is_in_work_tree(path):
        return None
    remotes = [each for each in remotes[:git.MOST_REMOTES] if isinstance(each, str) and len(each) <= origin.LONGEST]
    return git.Place(remotes, path, commit if commit and git.COMMIT.fullmatch(commit) else "")


def _directory(found) -> user_directories.Place | None:
    if not isinstance(found, dict):
        return None
    directory, path = _text(found, "directory"), _path(found, "path")
    return user_directories.Place(directory, path) if directory in user_directories.USUAL and path else None
