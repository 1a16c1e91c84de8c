# SPDX-License-Identifier: Apache-2.0
"""The parts of HMAC, HKDF and protobuf's wire format that the protocol needs."""

import hashlib
import hmac
import struct


class Refused(Exception):
    """The error for input that a compatible device must not accept."""


class Broken(Refused):
    """The error for a connection that has ended, or on which nothing came in time."""


def mac(key: bytes, *parts: bytes) -> bytes:
    return hmac.new(key, b"".join(parts), hashlib.sha256).digest()


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def hkdf(key: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """Derives a key by RFC 5869 with SHA-256."""
    pseudo_random_key = mac(salt or bytes(32), key)
    output, block = b"", b""
    for counter in range(1, -(-length // 32) + 1):
        block = mac(pseudo_random_key, block, info, bytes([counter]))
        output += block
    return output[:length]


def same(left: bytes, right: bytes) -> bool:
    return hmac.compare_digest(left, right)


def varint(value: int) -> bytes:
    value &= 2**64 - 1
    output = bytearray()
    while value > 0x7F:
        output.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(output) + bytes([value])


def number(field: int, value: int) -> bytes:
    """Encodes a number. Zero is left out, as in proto3."""
    return varint(field << 3) + varint(value) if value else b""


def explicit(field: int, value: int) -> bytes:
    """Encodes a number even if it is zero: a member of a oneof, or an optional field."""
    return varint(field << 3) + varint(value)


def zigzag(value: int) -> int:
    """Returns the number that stands for a sint64 on the wire."""
    return (value << 1) ^ (value >> 63)


def signed(field: int, value: int) -> bytes:
    """Encodes a sint64. Zero is left out."""
    return number(field, zigzag(value))


def double(field: int, value: float) -> bytes:
    """Encodes a double with all its bits, even if it is zero."""
    return varint(field << 3 | 1) + struct.pack("<d", value)


def contents(field: int, value) -> bytes:
    """Encodes bytes, a text or a message, even if it is empty."""
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def filled(field: int, value) -> bytes:
    """Encodes bytes, a text or a message, unless it is empty."""
    return contents(field, value) if value else b""


class Message:
    """A decoded message: the values of each field in order. 64- and 32-bit values are bytes,
    little-endian."""

    def __init__(self, data: bytes):
        self.fields: dict = {}
        position = 0
        while position < len(data):
            tag, position = self._varint(data, position)
            kind = tag & 7
            if kind == 0:
                value, position = self._varint(data, position)
            else:
                if kind == 2:
                    length, position = self._varint(data, position)
                elif kind in (1, 5):
                    length = 8 if kind == 1 else 4
                else:
                    raise Refused(f"a field of wire type {kind}")
                if position + length > len(data):
                    raise Refused("a message that is cut short")
                value, position = data[position:position + length], position + length
            if tag >> 3 == 0:
                raise Refused("a field of number 0")
            self.fields.setdefault(tag >> 3, []).append(value)

    @staticmethod
    def _varint(data: bytes, position: int):
        value = 0
        for shift in range(0, 70, 7):
            if position >= len(data):
                raise Refused("a message that is cut short")
            byte, position = data[position], position + 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & (2**64 - 1), position
        raise Refused("a number of more than ten bytes")

    def has(self, field: int) -> bool:
        return field in self.fields

    def number(self, field: int) -> int:
        value = self.fields.get(field, [0])[-1]
        if not isinstance(value, int):
            raise Refused(f"field {field} is no number")
        return value

    def signed(self, field: int) -> int:
        value = self.number(field)
        return (value >> 1) ^ -(value & 1)

    def double(self, field: int) -> float:
        value = self.bytes(field)
        if len(value) != 8:
            raise Refused(f"field {field} is no double")
        return struct.unpack("<d", value)[0]

    def bytes(self, field: int) -> bytes:
        value = self.fields.get(field, [b""])[-1]
        if not isinstance(value, bytes):
            raise Refused(f"field {field} has no length")
        return value

    def text(self, field: int) -> str:
        return self._text(self.bytes(field))

    def texts(self, field: int) -> list:
        return [self._text(value) for value in self.fields.get(field, [])]

    @staticmethod
    def _text(value) -> str:
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise Refused("text that is not UTF-8") from error

    def message(self, field: int) -> "Message":
        return Message(self.bytes(field))

    def messages(self, field: int) -> list:
        return [Message(value) for value in self.fields.get(field, [])]
