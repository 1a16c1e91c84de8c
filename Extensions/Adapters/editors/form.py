# SPDX-License-Identifier: Apache-2.0
"""The form of a text file: its encoding, byte order mark and line ends. Laptops exchange files as they are saved.
Editors exchange texts with line feeds and without a mark, and UTF-16 as UTF-8. The editors convert all other encodings
themselves, because two programs seldom have the same table for an encoding."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

import contents

ENDS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}
# The encodings of Unicode, and their byte order marks.
MARKS = {"utf-8": codecs.BOM_UTF8, "utf-16le": codecs.BOM_UTF16_LE, "utf-16be": codecs.BOM_UTF16_BE}
# Names of IANA, or code pages. Vim and Emacs know each of these names. In all of these encodings the bytes of a line
# end have no other meaning.
OTHERS = {"koi8-r", "koi8-u", "shift_jis", "euc-jp", "iso-2022-jp", "euc-kr", "big5", "gb2312", "gbk",
          "gb18030", "tis-620", "macintosh", *(f"iso-8859-{number}" for number in (*range(1, 11), *range(13, 17))),
          *(f"windows-{number}" for number in range(1250, 1259)),
          *(f"cp{number}" for number in (437, 850, 852, 855, 857, 862, 866, 874, 932, 949, 950))}
ALIASES = {"latin1": "iso-8859-1", "us-ascii": "utf-8", "utf-16": "utf-16be", "ucs-2": "utf-16be",
           "ucs-2le": "utf-16le", "sjis": "shift_jis", "windows-31j": "cp932", "japanese-cp932": "cp932",
           "cp936": "gbk", "euc-cn": "gb2312", "cn-gb-2312": "gb2312", "koi8r": "koi8-r", "koi8u": "koi8-u",
           "uhc": "cp949", "korean-cp949": "cp949", "thai-tis620": "tis-620", "macroman": "macintosh"}
LONGEST_END = 4  # bytes: CRLF in UTF-16
OLD = "iso-8859-15"  # for a text that is in no other encoding: each byte is a character


class Form(NamedTuple):
    """The properties that an editor keeps when it saves a file. None stands for a property that nobody has named."""

    encoding: str | None = None  # a name in MARKS or OTHERS
    has_mark: bool | None = None
    ends: str | None = None
    has_last_end: bool | None = None  # the last line ends with a line end, or there is no line

    @staticmethod
    def read(values: dict) -> Form:
        """Reads the form in a message of an editor or another laptop. Unknown values are left out."""
        ends = contents.text(values, "ends")
        return Form(known(contents.text(values, "encoding")), _boolean(values, "mark"), ends if ends in ENDS else None,
                    _boolean(values, "hasLastEnd"))

    def values(self) -> dict:
        """Returns the form's entries in messages to editors and other laptops."""
        found = {"encoding": self.encoding, "mark": self.has_mark, "ends": self.ends, "hasLastEnd": self.has_last_end}
        return {key: value for key, value in found.items() if value is not None}


def known(name: str | None) -> str | None:
    """Returns this module's name for the encoding that an editor names, or None if the encoding is unknown here."""
    name = re.sub(r"^(?:8bit-|2byte-)?(?:cp|ibm)(?=\d+$)", "cp", (name or "").lower())
    name = ALIASES.get(name) or re.sub(r"^cp(?=125\d$)", "windows-", name)
    return name if name in MARKS or name in OTHERS else None


def saved(text: bytes, form: Form) -> tuple:
    """Returns the file that an editor would save, and its form."""
    encoding, ends = form.encoding or "utf-8", form.ends or "lf"
    found = text.replace(b"\n", ENDS[ends])
    try:
        found = _recoded(found, "utf-8", encoding)
    except UnicodeError:  # keeps a byte that is invalid in the encoding
        encoding = "utf-8"
    has_mark = form.has_mark is True and encoding in MARKS
    return (MARKS[encoding] if has_mark else b"") + found, Form(encoding, has_mark, ends, _has_last_end(text))


def read(file: bytes, named: Form) -> tuple:
    """Returns a file's text for editors, and its form. The form that another laptop names counts if the file is valid
    in it."""
    encoding, mark = _encoding(file, named)
    text = _recoded(file[len(mark):], encoding, "utf-8")
    ends = named.ends if named.ends and _can_end(text, named.ends) else ends_of(text)
    text = text.replace(ENDS[ends], b"\n")
    return text, Form(encoding, bool(mark), ends, _has_last_end(text))


def tail_has_end(tail: bytes, form: Form) -> bool:
    """Returns whether a file with these last bytes ends with a line end."""
    encoding = form.encoding if form.encoding in MARKS else "utf-8"
    return not tail or tail.endswith(tuple(end.decode().encode(encoding) for end in (b"\n", ENDS[form.ends or "lf"])))


def ends_of(text: bytes) -> str:
    """Returns the line end of a text: "lf", "crlf" or "cr". Returns "lf" if the lines end in several ways. Each CR is
    then part of the text."""
    return next((ends for ends in ("crlf", "cr") if ENDS[ends] in text and _can_end(text, ends)), "lf")


def _can_end(text: bytes, ends: str) -> bool:
    """Returns whether every line of a text ends in this way, so that these line ends can represent all."""
    return text.count(b"\n") == {"lf": text.count(b"\n"), "crlf": text.count(b"\r\n"), "cr": 0}[ends]


def _encoding(file: bytes, named: Form) -> tuple:
    """Returns the encoding of a file, and its byte order mark."""
    marked = [(name, mark) for name, mark in MARKS.items() if file.startswith(mark)]
    plain = [(name, b"") for name in (named.encoding, "utf-8") if name]
    if named.encoding and named.has_mark is not None:
        marked.insert(0, (named.encoding, MARKS.get(named.encoding, b"") if named.has_mark else b""))
    for name, mark in (*marked, *plain):
        if file.startswith(mark) and _is_in(file[len(mark):], name):
            return name, mark
    return OLD, b""


def _is_in(file: bytes, encoding: str) -> bool:
    """Returns whether saving the file in this encoding would keep its bytes. Returns True for an encoding in OTHERS,
    because only editors can check these."""
    try:
        return encoding in OTHERS or file.decode(encoding).encode(encoding) == file
    except UnicodeError:
        return False


def _recoded(text: bytes, before: str, after: str) -> bytes:
    """Converts between UTF-8 and UTF-16. Any other text stays unchanged."""
    return text.decode(before).encode(after) if {before, after} <= MARKS.keys() and before != after else text


def _has_last_end(text: bytes) -> bool:
    return not text or text.endswith(b"\n")


def _boolean(values: dict, key: str) -> bool | None:
    value = values.get(key)
    return value if isinstance(value, bool) else None
