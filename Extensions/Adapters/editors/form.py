# SPDX-License-Identifier: Apache-2.0
"""The form in which a file has its text: encoding, byte order mark and line ends. Editors get texts in UTF-8 with line
feeds, and are told the form that they save. Files travel between laptops as they are saved."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

import contents

ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}
MARKS = {"utf-8": codecs.BOM_UTF8, "utf-16le": codecs.BOM_UTF16_LE, "utf-16be": codecs.BOM_UTF16_BE}
# As IANA names them: Vim, Emacs, gedit and Python know each by this name.
ENCODINGS = {"utf-8", "utf-16le", "utf-16be", "koi8-r", "koi8-u", "shift_jis", "euc-jp", "euc-kr", "big5", "gbk",
             "gb18030", *(f"iso-8859-{number}" for number in (*range(1, 11), *range(13, 17))),
             *(f"windows-{number}" for number in range(1250, 1259))}
ALIASES = {"latin1": "iso-8859-1", "us-ascii": "utf-8", "utf-16": "utf-16be", "ucs-2": "utf-16be",
           "ucs-2le": "utf-16le", "sjis": "shift_jis", "cp932": "shift_jis", "cp936": "gbk", "euc-cn": "gbk",
           "gb2312": "gbk", "koi8r": "koi8-r", "koi8u": "koi8-u", "cp949": "euc-kr", "cp950": "big5"}
OLD = "iso-8859-15"  # of a text that is in no other encoding: each byte is a character


class Form(NamedTuple):
    """What an editor keeps when it saves a file. The last line's end is in the text itself."""

    encoding: str | None = None  # an IANA name; None for one that is not known here
    has_mark: bool = False
    ends: str = "lf"

    @staticmethod
    def read(values: dict) -> Form:
        """What an editor or another laptop says. What is not known is left out."""
        ends = contents.text(values, "ends")
        encoding = known(contents.text(values, "encoding"))
        return Form(encoding, values.get("mark") is True, ends if ends in ENDS else "lf")


def known(name: str | None) -> str | None:
    """The IANA name of an encoding that editors call so; None for one that is not known here."""
    name = (name or "").lower()
    name = ALIASES.get(name) or re.sub(r"^(?:8bit-)?cp(?=125\d$)", "windows-", name)
    return name if name in ENCODINGS else None


def saved(text: bytes, form: Form) -> tuple:
    """The file as an editor saves it, and its encoding: UTF-8 where the form's has no place for the text."""
    said = text.decode("utf-8", "surrogateescape").replace("\n", ENDS[form.ends])
    encoding = form.encoding or "utf-8"
    try:
        found = said.encode(encoding)
    except UnicodeError:  # a byte that is in no encoding stays what it is
        encoding, found = "utf-8", said.encode("utf-8", "surrogateescape")
    return (MARKS.get(encoding, b"") if form.has_mark else b"") + found, encoding


def read(file: bytes, encoding: str | None) -> tuple:
    """The text of a file, and its form. The encoding that another laptop names counts if the file is in it."""
    marked = [(name, mark) for name, mark in MARKS.items() if file.startswith(mark)]
    for name, mark in (*marked, *((name, b"") for name in (encoding, "utf-8", OLD) if name)):
        try:
            said = file[len(mark):].decode(name)
            if said.encode(name) != file[len(mark):]:  # the file would be another one when it is saved
                continue
        except UnicodeError:
            continue
        ends = ends_of(said)
        return said.replace(ENDS[ends], "\n").encode(), Form(name, bool(mark), ends)
    raise ValueError(f"{OLD} has no place for a byte")


def ends_of(said: str) -> str:
    """How all lines of a text end. Where some end in another way, the others' ends are characters of the text."""
    feeds, both = said.count("\n"), said.count("\r\n")
    if feeds == 0:
        return "cr" if "\r" in said else "lf"
    return "crlf" if feeds == both else "lf"
