# SPDX-License-Identifier: Apache-2.0
"""What travels of a file beside its name or shared folder: all that may lead to it on another
laptop."""

from __future__ import annotations

import os
from typing import NamedTuple

from gi.repository import Gio, GLib

from ladder import digest, git, origin, places
from ladder.leaving import OpenFile

KEY = "file"  # of userInfo


class Reference(NamedTuple):
    """What is known of a file. All of another laptop's has been looked at by `read`."""

    name: str
    size: int | None = None
    digest: bytes | None = None
    type: str = ""  # MIME
    home: str | None = None  # the path below home
    git: git.Place | None = None
    origin: str | None = None  # the page that it came from

    @staticmethod
    def of(file: OpenFile) -> Reference:
        """Of a file of this laptop."""
        found = Reference.of_path(file.path)._replace(name=file.name, type=_type(file.name), **file.measure()._asdict())
        return found._replace(origin=origin.of_file(file.descriptor))

    @staticmethod
    def of_path(path: str) -> Reference:
        """Of a file that is not there yet."""
        name, path = os.path.basename(path), os.path.realpath(path)
        home = places.below(path, os.path.realpath(places.home()))
        home = home if home and places.is_relative(home) else None
        return Reference(name, type=_type(name), home=home, git=git.of_file(path))

    @staticmethod
    def of_text(text: OpenFile) -> Reference:
        """Of a text that has never been saved, and so is nowhere."""
        return Reference(text.name, *text.measure(), _type(text.name))

    def is_same(self, path: str) -> bool:
        """Whether a file of this laptop has the same contents."""
        try:
            return self.digest is not None and digest.measure(path) == (self.size, self.digest)
        except OSError:
            return False

    def is_copied(self) -> bool:
        """Whether it is small enough to be copied."""
        return self.size is None or self.size <= digest.LARGEST

    def variant(self) -> GLib.Variant:
        """As the value of `KEY`."""
        entries = {"name": GLib.Variant("s", self.name), "type": GLib.Variant("s", self.type)}
        if self.digest is not None:
            entries |= {"size": GLib.Variant("x", self.size), "sha256": GLib.Variant("ay", self.digest)}
        if self.home is not None:
            entries["home"] = GLib.Variant("s", self.home)
        if self.git is not None:
            entries["git"] = GLib.Variant("a{sv}", {
                "remotes": GLib.Variant("as", self.git.remotes), "path": GLib.Variant("s", self.git.path), "commit": GLib.Variant("s", self.git.commit)})
        if self.origin is not None:
            entries["origin"] = GLib.Variant("s", self.origin)
        return GLib.Variant("a{sv}", entries)

    @staticmethod
    def read(user_info: GLib.Variant) -> Reference | None:
        """Of another laptop's userInfo. What is not as `variant` makes it is left out; without a
        name there is none."""
        file = _dictionary(user_info.lookup_value(KEY, None))
        name, type_, home = (_text(file, key) for key in ("name", "type", "home"))
        if name is None or not places.is_name(name):
            return None
        size, digested = file.get("size"), file.get("sha256")
        digested = bytes(digested) if isinstance(digested, (list, bytes)) and len(digested) == 32 and all(isinstance(each, int) for each in digested) else None
        is_measured = type(size) is int and size >= 0 and digested is not None
        return Reference(name, size if is_measured else None, digested if is_measured else None, type_ or "",
                         home if home is not None and places.is_relative(home) else None, _place(file.get("git")), origin.clean(_text(file, "origin") or "", arrives=True))


def _type(name: str) -> str:
    """The MIME type that a file has by its name."""
    return Gio.content_type_get_mime_type(Gio.content_type_guess(name, None)[0]) or ""


def _dictionary(value: GLib.Variant | None) -> dict:
    return value.unpack() if value is not None and value.is_of_type(GLib.VariantType("a{sv}")) else {}


def _text(values: dict, key: str) -> str | None:
    found = values.get(key)
    return found if isinstance(found, str) and len(found) <= places.LONGEST_PATH else None


def _place(found) -> git.Place | None:
    if not isinstance(found, dict):
        return None
    remotes, path, commit = found.get("remotes"), _text(found, "path"), _text(found, "commit")
    if not isinstance(remotes, list) or path is None or not places.is_relative(path) or not git.is_in_work_tree(path):
        return None
    remotes = [each for each in remotes[:git.MOST_REMOTES] if isinstance(each, str) and len(each) <= origin.LONGEST]
    return git.Place(remotes, path, commit if commit and git.COMMIT.fullmatch(commit) else "")
