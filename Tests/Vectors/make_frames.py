#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes frames.json from Documentation/Protocol/Session.md and Streams.md, with an encoder of its own: no code of the
product and no protobuf library. With --check it fails when the file is not what it would write."""

import json
import pathlib
import struct
import sys


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def given(field, value):
    """A number that is written even when it is 0: a member of a oneof, or an optional field."""
    return varint(field << 3) + varint(value)


def signed(value):
    return (value << 1) ^ (value >> 63) if value < 0 else value << 1


def double(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def message(field, *parts):
    body = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def framed(body):
    return struct.pack(">I", len(body)) + body



def pair(key, item):
    return message(1, message(1, key), message(2, item))


def dictionary(*pairs):
    return b"".join(sorted(pairs, key=lambda p: p[2:] if p[1] < 0x80 else p[3:]))


string = lambda text: message(6, text)
INSTANCE = bytes(range(16))
TOKEN = bytes(range(0xF0, 0x100))
HASH = bytes.fromhex("0102030405")

user_info = dictionary(
    pair(string("array"), message(11, message(1, given(3, signed(1))), message(1, message(1)))),
    pair(string("bool"), given(2, 1)),
    pair(string("data"), message(7, b"\x00\xff")),
    pair(string("date"), double(8, 0.1)),
    pair(string("dictionary"), message(13, pair(given(3, signed(-1)), string("minus one")))),
    pair(string("double"), double(5, -0.0)),
    pair(string("int"), given(3, signed(-(2**63)) & (2**64 - 1))),
    pair(string("null"), message(1)),
    pair(string("set"), message(12, message(1, string("a")), message(1, string("b")))),
    pair(string("uint"), given(4, 2**64 - 1)),
    pair(string("url"), message(10, message(1, "b?c"), message(2, "http://a.example/"))),
    pair(string("uuid"), message(9, INSTANCE)),
)
state = b"".join([
    message(1, "org.example.note"), message(2, "A note"), message(3, user_info),
    message(4, message(1, "https://example.org/")), message(5, message(1, "http://example.org/from")),
    double(6, 800000000.5), message(7, "bool"), message(7, "int"), message(8, "target"), message(9, "persistent"),
    number(10, 1),
])
endpoint = message(1, "tcp") + message(2, "192.0.2.1") + number(3, 40000)

frames = {
    "hello": message(
        1, number(1, 1), message(2, "Ålborg"), number(3, signed(1_700_000_000)), number(4, 7), message(5, HASH),
        message(6, message(1, HASH), message(2, "team"), message(3, "org.example.note")), message(7, endpoint),
        message(8, b"circle")),
    "hello of an idle device": message(1, number(1, 1), message(2, "b"), number(3, signed(-1))),
    "continueRequest": message(2, number(1, 300), message(2, HASH)),
    "continueReply": message(3, number(1, 300), message(2, message(1, INSTANCE), message(2, state))),
    "continueReply of a grant that is named": message(
        3, number(1, 300), message(2, message(1, INSTANCE), message(2, state), message(3, TOKEN), message(4, HASH * 3 + b"!"))),
    "continueReply with a failure": message(3, number(1, 300), message(3, number(1, 6), message(2, "gone"))),
    "continueReply with an unknown failure": message(3, message(3, number(1, 4000))),
    "continued": message(4, number(1, 300), number(2, 1)),
    "streamRequest": message(5, number(1, 301), message(2, INSTANCE)),
    "streamReply": message(6, number(1, 301), message(2, message(1, TOKEN), message(2, endpoint))),
    "streamReply with a failure": message(6, number(1, 301), message(3, number(1, 7), message(2, "none"))),
    "goodbye": message(7, number(1, 1)),
    "join": message(8, b"j"),
    "welcome": message(9, b"w"),
    "joined": message(10),
    "attach": message(11, message(1, TOKEN), number(2, 1), number(4, 65536)),
    "attached": message(12, number(1, 5), number(2, 65531)),
    "data": message(13, number(1, 2**40), message(2, b"bytes")),
    "data at the start": message(13, message(2, b"x" * 200)),
    "ack": message(14, number(1, 16384), number(2, 65536)),
    "ack of nothing": message(14),
    "end": message(15, number(1, 2**63)),
    "endAck": message(16),
    "reset": message(17, number(1, 3)),
    "acceptance": message(18, message(1, INSTANCE)),
    "acceptance of a grant that is named": message(18, message(1, INSTANCE), message(2, TOKEN)),
    "probeRequest": message(19, number(1, 302)),
    "probeReply": message(
        20, number(1, 302), message(
            2, message(1, given(1, signed(-52))), message(2, message(1, "l2cap"), given(2, 0)),
            message(2, message(1, "tcp"), message(3, number(1, 2), message(2, "nobody answers"))))),
    "probeReply of a device that is heard, how strongly is not known": message(20, message(2, message(1))),
    "probeReply of a device that is not heard, by one that is muted": message(20, message(2, number(3, 1))),
    "probeReply with a failure": message(20, number(1, 302), message(3, number(1, 8), message(2, "later"))),
    "trial": message(21),
}

refused = {
    "no bytes": (struct.pack(">I", 0), "empty frame"),
    "a length of 1 MiB and 1": (struct.pack(">I", 2**20 + 1), "oversize frame"),
    "cut short inside": (framed(message(7, number(1, 1))[:-1]), "unparsable frame"),
    "text that is not UTF-8": (framed(message(1, number(1, 1), message(2, b"\xff"))), "unparsable frame"),
    "a hello without a name": (framed(message(1, number(1, 1))), "invalid field"),
    "a hello of version 0": (framed(message(1, message(2, "a"))), "invalid field"),
    "a hash of 4 bytes": (framed(message(2, number(1, 1), message(2, HASH[:4]))), "invalid field"),
    "a reply without a result": (framed(message(3, number(1, 1))), "invalid field"),
    "a port above 65535": (
        framed(message(6, message(2, message(1, TOKEN), message(2, message(1, "tcp"), message(2, "a"),
                                                                   number(3, 65536))))), "invalid field"),
    "a grant's id of 15 bytes": (
        framed(message(3, message(2, message(1, INSTANCE), message(2, state), message(4, TOKEN[:15])))), "invalid field"),
    "an acceptance without an instance": (framed(message(18)), "invalid field"),
    "an acceptance of a grant of 5 bytes": (framed(message(18, message(1, INSTANCE), message(2, HASH))), "invalid field"),
    "a probe's reply without a result": (framed(message(20, number(1, 1))), "invalid field"),
    "a probe's way without an outcome": (framed(message(20, message(2, message(2, message(1, "tcp"))))), "invalid field"),
    "a probe's way without a transport": (framed(message(20, message(2, message(2, given(2, 1))))), "invalid field"),
    "a signal of 128 dBm": (framed(message(20, message(2, message(1, given(1, signed(128)))))), "invalid field"),
    "nine ways of a probe": (
        framed(message(20, message(2, *[message(2, message(1, "tcp"), given(2, 1))] * 9))), "invalid field"),
    "generation 0": (framed(message(11, message(1, TOKEN))), "invalid field"),
    "data without bytes": (framed(message(13, number(1, 1))), "invalid field"),
    "an int as uint": (
        framed(message(3, message(2, message(1, INSTANCE), message(
            2, message(1, "t"), message(3, pair(string("a"), given(4, 1))))))), "invalid field"),
}

passed_over = {
    "a kind of message that is unknown": framed(message(100, b"from the future")),
}

contents = {
    "frames": [{"name": name, "bytes": framed(body).hex()} for name, body in frames.items()],
    "refused": [{"name": name, "bytes": data.hex(), "code": code} for name, (data, code) in refused.items()],
    "passedOver": [{"name": name, "bytes": data.hex()} for name, data in passed_over.items()],
}
text = json.dumps(contents, indent=2, ensure_ascii=False) + "\n"
path = pathlib.Path(__file__).with_name("frames.json")
if sys.argv[1:] == ["--check"]:
    sys.exit(0 if path.read_text() == text else "frames.json is not what make_frames.py writes")
path.write_text(text)
