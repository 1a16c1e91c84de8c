# SPDX-License-Identifier: Apache-2.0
"""frames.json, of Documentation/Protocol/Session.md and Streams.md."""

import struct
import uuid

from foreign import frames as wire, messages, streams
from foreign.frames import frame, framed
from foreign.messages import Activity, Hello, Offer
from foreign.primitives import Message, contents, explicit, number
from foreign.session import IDLE
from foreign.values import URL, Date, dictionary, read_dictionary, value

from .reading import refused, same

INSTANCE, TOKEN, HASH = bytes(range(16)), bytes(range(0xF0, 0x100)), bytes([1, 2, 3, 4, 5])
GRANT_ID = HASH * 3 + b"!"
ENDPOINTS = [("tcp", "192.0.2.1", 40_000)]
NOTE = Activity(
    "org.example.note", "A note",
    {
        "array": [1, None], "bool": True, "data": b"\x00\xff", "date": Date(0.1), "dictionary": {-1: "minus one"},
        "double": -0.0, "int": -(2**63), "null": None, "set": frozenset(("a", "b")), "uint": 2**64 - 1,
        "url": URL("b?c", "http://a.example/"), "uuid": uuid.UUID(bytes=INSTANCE),
    },
    "https://example.org/", streams=True, referrer="http://example.org/from", expires=Date(800_000_000.5),
    required_keys=["bool", "int"], target="target", persistent="persistent")
# Values that no frame in the file contains. The test encodes and decodes them.
MORE_VALUES = {
    "array": [1, -1, None, 2**63 - 1, 2**63], "dictionary": {"c": 0.5, 1: True}, "set": frozenset(("x", 1)),
    "data": b"", "int": 0, "string": "",
}

HELLOS = {
    "hello": Hello("Ålborg", 1_700_000_000, 7, HASH, [(HASH, "team", NOTE.kind)], ENDPOINTS, b"circle"),
    "hello of an idle device": Hello("b", -1),
    "hello of a device that keeps the link": Hello("c", 1, 2, keeps_link=True),
}
OFFERS = {
    "offer": Offer(7, HASH, 3, "A note"),
    "offer without a title": Offer(8, HASH),
    "offer of nothing": Offer(9),
}
REQUESTS = {
    "continueRequest": (wire.REQUEST, messages.request(300, HASH)),
    "continueReply": (wire.REPLY, messages.granted(300, messages.grant(INSTANCE, NOTE.encoded()))),
    "continueReply of a grant that is named": (
        wire.REPLY, messages.granted(300, messages.grant(INSTANCE, NOTE.encoded(), TOKEN, GRANT_ID))),
    "continueReply with a failure": (wire.REPLY, messages.failed(300, 6, "gone")),
    "continueReply with an unknown failure": (wire.REPLY, messages.failed(0, 4000)),
    "continued": (wire.CONTINUED, messages.continued(300, True)),
    "streamRequest": (wire.STREAM_REQUEST, messages.stream_request(301, INSTANCE)),
    "streamReply": (wire.STREAM_REPLY, messages.granted(301, messages.stream_grant(TOKEN, ENDPOINTS))),
    "streamReply with a failure": (wire.STREAM_REPLY, messages.failed(301, 7, "none")),
    "goodbye": (wire.GOODBYE, messages.goodbye(IDLE)),
}
JOINING = {
    "join": (wire.JOIN, b"j"),
    "welcome": (wire.WELCOME, b"w"),
    "joined": (wire.JOINED, b""),
}
STREAMS = {
    "attach": (wire.ATTACH, streams.attach(TOKEN, 1, 0, 65_536)),
    "attached": (wire.ATTACHED, streams.attached(5, 65_531)),
    "data": (wire.DATA, streams.data(2**40, b"bytes")),
    "data at the start": (wire.DATA, streams.data(0, b"x" * 200)),
    "ack": (wire.ACK, streams.ack(16_384, 65_536)),
    "ack of nothing": (wire.ACK, streams.ack(0, 0)),
    "end": (wire.END, streams.end(2**63)),
    "endAck": (wire.END_ACK, b""),
    "reset": (wire.RESET, streams.reset(3)),
    "reattach": (wire.REATTACH, streams.reattach(TOKEN, 2**32 - 2)),
}
ACCEPTANCES = {
    "acceptance": (wire.ACCEPTANCE, messages.acceptance(INSTANCE)),
    "acceptance of a grant that is named": (wire.ACCEPTANCE, messages.acceptance(INSTANCE, TOKEN)),
}
PROBES = {
    "probeRequest": (wire.PROBE_REQUEST, messages.probe_request(302)),
    "probeReply": (wire.PROBE_REPLY, messages.granted(302, messages.probe_report(
        messages.heard_at(-52), [messages.way("l2cap", 0), messages.closed_way("tcp", 2, "nobody answers")]))),
    "probeReply of a device that is heard, how strongly is not known": (
        wire.PROBE_REPLY, messages.granted(0, messages.probe_report(messages.heard_at()))),
    "probeReply of a device that is not heard, by one that is muted": (
        wire.PROBE_REPLY, messages.granted(0, messages.probe_report(muted=True))),
    "probeReply with a failure": (wire.PROBE_REPLY, messages.failed(302, 8, "later")),
    "trial": (wire.TRIAL, b""),
}
FRAMES = {
    **{name: (wire.HELLO, hello.encoded()) for name, hello in HELLOS.items()},
    **REQUESTS, **JOINING, **STREAMS, **ACCEPTANCES, **PROBES,
    **{name: (wire.OFFER, offer.encoded()) for name, offer in OFFERS.items()},
}

# Bytes that are not frames, and bad hellos. The foreign peer refuses these, too.
UNREADABLE = {
    "no bytes": (struct.pack(">I", 0), "empty frame"),
    "a length of 1 MiB and 1": (struct.pack(">I", 2**20 + 1), "oversize frame"),
    "cut short inside": (framed(contents(wire.GOODBYE, messages.goodbye(IDLE))[:-1]), "unparsable frame"),
    "text that is not UTF-8": (frame(wire.HELLO, number(1, 1) + contents(2, b"\xff")), "unparsable frame"),
    "a hello without a name": (frame(wire.HELLO, number(1, 1)), "invalid field"),
    "a hello of version 0": (frame(wire.HELLO, contents(2, "a")), "invalid field"),
}


def grant_of_an_int_as_uint() -> bytes:
    """Returns a grant of an activity whose userInfo has the pair "a": 1. Only a number above the largest int may be a
    uint."""
    pair = contents(1, value("a")) + contents(2, explicit(4, 1))
    return messages.grant(INSTANCE, contents(1, "t") + contents(3, contents(1, pair)))


# Frames with a missing field or one outside of its limits. The foreign peer does not check that; Baton must.
INVALID = {
    "a hash of 4 bytes": (wire.REQUEST, messages.request(1, HASH[:4])),
    "a reply without a result": (wire.REPLY, number(1, 1)),
    "a port above 65535": (
        wire.STREAM_REPLY, messages.granted(0, messages.stream_grant(TOKEN, [("tcp", "a", 65_536)]))),
    "a grant's id of 15 bytes": (
        wire.REPLY, messages.granted(0, messages.grant(INSTANCE, NOTE.encoded(), grant_id=TOKEN[:15]))),
    "an acceptance without an instance": (wire.ACCEPTANCE, b""),
    "an acceptance of a grant of 5 bytes": (wire.ACCEPTANCE, messages.acceptance(INSTANCE, HASH)),
    "a probe's reply without a result": (wire.PROBE_REPLY, number(1, 1)),
    "a probe's way without an outcome": (
        wire.PROBE_REPLY, messages.granted(0, messages.probe_report(ways=[contents(1, "tcp")]))),
    "a probe's way without a transport": (
        wire.PROBE_REPLY, messages.granted(0, messages.probe_report(ways=[explicit(2, 1)]))),
    "a signal of 128 dBm": (wire.PROBE_REPLY, messages.granted(0, messages.probe_report(messages.heard_at(128)))),
    "nine ways of a probe": (
        wire.PROBE_REPLY, messages.granted(0, messages.probe_report(ways=[messages.way("tcp", 1)] * 9))),
    "an offer with a hash of 4 bytes": (wire.OFFER, Offer(1, HASH[:4]).encoded()),
    "an offer with flags of two bytes": (wire.OFFER, Offer(1, HASH, 256).encoded()),
    "an offer with a title of 1025 bytes": (wire.OFFER, Offer(1, HASH, title="x" * 1_025).encoded()),
    "generation 0": (wire.ATTACH, streams.attach(TOKEN, 0, 0, 0)),
    "a wish for another channel than generation 0": (wire.REATTACH, streams.reattach(TOKEN, 0)),
    "a wish with a token of 15 bytes": (wire.REATTACH, streams.reattach(TOKEN[:15], 1)),
    "data without bytes": (wire.DATA, streams.data(1, b"")),
    "an int as uint": (wire.REPLY, messages.granted(0, grant_of_an_int_as_uint())),
}
PASSED_OVER = {
    "a kind of message that is unknown": frame(100, b"from the future"),
}


def read(data: bytes):
    """Reads a frame as the foreign peer does. Returns its kind and its message, or None for an unknown kind."""
    same("a frame's length", wire.length(data[:4]), len(data) - 4)
    found = wire.opened(data[4:])
    if found and found[0] == wire.HELLO:
        Hello.read(found[1])
    return found


def read_back():
    for name, (kind, message) in FRAMES.items():
        same(name, read(frame(kind, message)), (kind, message))
    for name, hello in HELLOS.items():
        same(name, Hello.read(hello.encoded()), hello)
    for name, offer in OFFERS.items():
        same(name, Offer.read(offer.encoded()), offer)
    same("the activity", Activity.read(Message(NOTE.encoded())), NOTE)
    # Equality does not tell 0.0 from -0.0.
    same("the activity's bytes", Activity.read(Message(NOTE.encoded())).encoded(), NOTE.encoded())
    same("more values", read_dictionary(Message(dictionary(MORE_VALUES))), MORE_VALUES)
    for name, (data, _) in UNREADABLE.items():
        refused(name, read, data)
    for name, data in PASSED_OVER.items():
        same(name, read(data), None)


def vectors() -> dict:
    read_back()
    bad = {**UNREADABLE, **{name: (frame(*each), "invalid field") for name, each in INVALID.items()}}
    return {
        "frames": [{"name": name, "bytes": frame(*each).hex()} for name, each in FRAMES.items()],
        "refused": [{"name": name, "bytes": data.hex(), "code": code} for name, (data, code) in bad.items()],
        "passedOver": [{"name": name, "bytes": data.hex()} for name, data in PASSED_OVER.items()],
    }
