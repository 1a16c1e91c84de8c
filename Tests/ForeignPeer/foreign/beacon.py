# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Beacon.md: the advertisements."""

import struct
from dataclasses import dataclass

from .primitives import hkdf, mac, same

WEB_PAGE, STREAMS, ENDED, IDLE = 1, 2, 4, 8
KNOWN = WEB_PAGE | STREAMS | ENDED | IDLE
NO_ACTIVITY = bytes(5)
BEACON, HAIL = b"baton beacon 1", b"baton hail 1"  # labels of keys: of a circle's secret, of a pairwise key


@dataclass(frozen=True)
class Beacon:
    device: int
    activity: bytes
    flags: int
    sequence: int
    psm: int

    def plaintext(self) -> bytes:
        return struct.pack(">I5sBIB", self.device, self.activity, self.flags, self.sequence, self.psm)

    @property
    def offers(self) -> bool:
        return self.activity != NO_ACTIVITY and not self.flags & (ENDED | IDLE)


def epoch(unix_time: int) -> int:
    return unix_time // 600


def epoch_keys(secret: bytes, number: int, label: bytes):
    keys = hkdf(secret, b"", label + struct.pack(">q", number), 64)
    return keys[:32], keys[32:]


def xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right))


def seal(beacon: Beacon, secret: bytes, unix_time: int, label: bytes = BEACON) -> bytes:
    mac_key, encryption_key = epoch_keys(secret, epoch(unix_time), label)
    tag = mac(mac_key, b"\x01", beacon.plaintext())[:8]
    return b"\x01" + tag + xor(beacon.plaintext(), mac(encryption_key, tag))


def unseal(payload: bytes, secret: bytes, unix_time: int, label: bytes = BEACON):
    """Opens a beacon. Returns None for other payloads, and for beacons under other keys or of distant epochs."""
    if len(payload) != 24 or payload[0] != 1:
        return None
    tag, ciphertext = payload[1:9], payload[9:]
    now = epoch(unix_time)
    for number in (now, now - 1, now + 1):
        mac_key, encryption_key = epoch_keys(secret, number, label)
        plaintext = xor(ciphertext, mac(encryption_key, tag))
        if same(mac(mac_key, b"\x01", plaintext)[:8], tag):
            device, activity, flags, sequence, psm = struct.unpack(">I5sBIB", plaintext)
            return Beacon(device, activity, flags & KNOWN, sequence, psm)
    return None


def activity_hash(secret: bytes, team: str, kind: str) -> bytes:
    key = hkdf(secret, b"", b"baton activity 1", 32)
    digest = mac(key, team.encode(), b"\0", kind.encode())[:5]
    return digest if any(digest) else b"\0\0\0\0\1"
