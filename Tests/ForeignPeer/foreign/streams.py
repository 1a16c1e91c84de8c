# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Streams.md: its messages, and both sides of a pair of streams on one channel."""

from .frames import ACK, ATTACH, ATTACHED, DATA, END, END_ACK
from .primitives import Message, Refused, contents, filled, number

WINDOW = 65_536
CHUNK = 16_384


def attach(token: bytes, generation: int, next_offset: int, window: int) -> bytes:
    return contents(1, token) + number(2, generation) + number(3, next_offset) + number(4, window)


def attached(next_offset: int, window: int) -> bytes:
    return number(1, next_offset) + number(2, window)


def data(offset: int, piece: bytes) -> bytes:
    return number(1, offset) + filled(2, piece)


def ack(offset: int, window: int) -> bytes:
    return number(1, offset) + number(2, window)


def end(offset: int) -> bytes:
    return number(1, offset)


def reset(reason: int) -> bytes:
    return number(1, reason)


def reattach(token: bytes, generation: int) -> bytes:
    return contents(1, token) + number(2, generation)


def exchange(channel, token: bytes, outgoing: bytes) -> bytes:
    """Sends all of `outgoing` and its end as the initiator. Returns the received bytes when both streams have ended."""
    channel.send(ATTACH, attach(token, 1, 0, WINDOW))
    frame = channel.receive()
    if frame is None or frame[0] != ATTACHED or Message(frame[1]).number(1) != 0:
        raise Refused(f"not attached: {frame}")
    incoming = carry(channel, outgoing, Message(frame[1]).number(2), is_initiator=True)
    channel.close()
    return incoming


def carry(channel, outgoing: bytes, limit: int, is_initiator: bool) -> bytes:
    """Sends all of `outgoing` and its end on an attached channel. Returns the received bytes when both streams have
    ended."""
    sent, incoming, ended, acknowledged = 0, b"", False, False
    said_end = said_end_ack = False
    while not (said_end_ack and acknowledged):
        while sent < min(limit, len(outgoing)):
            piece = outgoing[sent:min(sent + CHUNK, limit)]
            channel.send(DATA, data(sent, piece))
            sent += len(piece)
        if sent == len(outgoing) and not said_end:
            said_end = True
            channel.send(END, end(sent))
        # The initiator's EndAck comes first. The responder waits for it before it sends its own.
        if ended and not said_end_ack and (is_initiator or acknowledged):
            said_end_ack = True
            channel.send(END_ACK, b"")
            continue
        frame = channel.receive()
        if frame is None:
            raise Refused("the streams broke")
        kind, message = frame[0], Message(frame[1])
        if kind == DATA:
            if message.number(1) != len(incoming):
                raise Refused("a gap")
            incoming += message.bytes(2)
            channel.send(ACK, ack(len(incoming), WINDOW))
        elif kind == ACK:
            limit = max(limit, message.number(1) + message.number(2))
        elif kind == END:
            if message.number(1) != len(incoming):
                raise Refused("an end that is not where the stream is")
            ended = True
        elif kind == END_ACK and said_end:
            acknowledged = True
        else:
            raise Refused(f"frame {kind} on streams")
    return incoming
