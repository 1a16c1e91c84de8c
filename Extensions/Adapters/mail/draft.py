# SPDX-License-Identifier: Apache-2.0
"""A message that is being written, in the form in which it is sent: a line of JSON, and its attachments one after the
other. This module checks the drafts that other laptops and Thunderbird send."""

from __future__ import annotations

import json
import os
import re
import unicodedata

import contents
from ladder import names

LONGEST_HEAD = 24 << 20  # bytes of the line
# Limits of JSON before it is parsed, because a parsed value may take 24 times the memory of its bytes. A draft with the
# most recipients and attachments has 5,200 quotation marks, and 16,000 bytes outside of its strings.
MOST_QUOTES, MOST_OUTSIDE = 20_000, 64_000
LONGEST_BODY = 16 << 20  # characters, with the pictures in it
MOST_RECIPIENTS, LONGEST_RECIPIENT = 500, 1000
LONGEST_SUBJECT = 1000  # characters
MOST_ATTACHMENTS = 100
RECIPIENTS = ("to", "cc", "bcc", "replyTo")
KIND = re.compile(r"[\w.+-]{1,100}/[\w.+-]{1,100}", re.ASCII)
MESSAGE_ID = re.compile(r"[!-;=?-~]{1,900}")  # without its angle brackets
IDENTIFIER = re.compile("[0-9a-f]{32}")
UNNAMED = "attachment"


class Unreadable(Exception):
    """A draft is invalid. The message is one line."""


def pack(head: bytes, data: bytes) -> bytes:
    """Returns the bytes of a draft for another laptop. Raises Unreadable."""
    found = read(head, len(data))
    return json.dumps(found).encode() + b"\n" + data[:sum(each["size"] for each in found["attachments"])]


def unpack(path: str) -> tuple:
    """Returns the details of a draft in a file, and where the attachments begin. Raises Unreadable or OSError."""
    with open(path, "rb") as file:
        head = file.readline(LONGEST_HEAD + 1)
        return read(head, os.fstat(file.fileno()).st_size - len(head)), len(head)


def read(head: bytes, size: int) -> dict:
    """Checks the details of a draft whose attachments have `size` bytes together. Raises Unreadable."""
    if len(head) > LONGEST_HEAD:
        raise Unreadable("a draft is too long")
    _check_values(head)
    try:
        found = json.loads(head)
    except (ValueError, RecursionError):
        raise Unreadable("a draft is no JSON") from None
    if not isinstance(found, dict) or not isinstance(found.get("body"), str) or len(found["body"]) > LONGEST_BODY:
        raise Unreadable("a draft has no body, or one that is too long")
    attachments = _attachments(found.get("attachments"), size)
    related = found.get("related")
    return {**{key: _recipients(found.get(key)) for key in RECIPIENTS}, "subject": _line(found.get("subject"), LONGEST_SUBJECT),
            "isPlain": found.get("isPlain") is True, "body": _sound(found["body"]), "from": _line(found.get("from"), LONGEST_RECIPIENT),
            "caret": contents.number(found, "caret", 0, LONGEST_BODY),
            "related": related if isinstance(related, str) and MESSAGE_ID.fullmatch(related) else None,
            "isCut": found.get("isCut") is True, "attachments": attachments}


def _check_values(head: bytes):
    """Raises Unreadable if JSON has more values than a draft can have."""
    plain = head.replace(rb"\\", b"").replace(rb'\"', b"")
    if plain.count(b'"') > MOST_QUOTES or sum(map(len, plain.split(b'"')[::2])) > MOST_OUTSIDE:
        raise Unreadable("a draft has too many values")


def is_message_id(value) -> bool:
    return isinstance(value, str) and MESSAGE_ID.fullmatch(value) is not None


def _recipients(found) -> list:
    if not isinstance(found, list):
        return []
    if len(found) > MOST_RECIPIENTS:
        raise Unreadable("a draft has too many recipients")
    return [line for each in found if (line := _line(each, LONGEST_RECIPIENT))]


def _attachments(found, size: int) -> list:
    if not isinstance(found, list) or len(found) > MOST_ATTACHMENTS:
        raise Unreadable("a draft has too many attachments")
    kept = []
    for each in found:
        if not isinstance(each, dict) or type(each.get("size")) is not int or not 0 <= each["size"] <= size:
            raise Unreadable("an attachment is not complete")
        size -= each["size"]
        kind = each.get("type")
        kept.append({"name": _name(each.get("name")), "size": each["size"],
                     "type": kind if isinstance(kind, str) and KIND.fullmatch(kind) else "application/octet-stream"})
    return kept


def _name(found) -> str:
    """Returns the name of an attachment in a form that can be shown and that is valid for a file."""
    name = names.repaired(_sound(found[:names.LONGEST_NAME + 1]).replace("/", "_")) if isinstance(found, str) else ""
    return name if names.is_name(name) else UNNAMED


def _line(found, most: int) -> str:
    """Returns one line without control characters, as header fields must be."""
    if not isinstance(found, str):
        return ""
    return "".join(" " if unicodedata.category(each) in ("Cc", "Zl", "Zp") else each for each in _sound(found[:most])).strip()


def _sound(text: str) -> str:
    """Returns a text that can be encoded as UTF-8. JSON can contain unpaired surrogates, which are halves of
    characters."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
