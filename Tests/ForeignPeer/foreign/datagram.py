# SPDX-License-Identifier: Apache-2.0
"""Documentation/Protocol/Datagram.md: the beacons in local networks."""

import struct
from dataclasses import dataclass

from .beacon import epoch, epoch_keys, xor
from .primitives import mac, same

BEACON, HAIL = b"baton datagram 1", b"baton datagram hail 1"  # labels of keys: of a circle's secret, of a pairwise key
LENGTH = 25


@dataclass(frozen=True)
class Datagram:
    device: int
    port: int

    def plaintext(self) -> bytes:
        return struct.pack(">I10xH", self.device, self.port)


def _identity(fields) -> bytes:
    return mac(b"Baton datagram 1", *(bytes([len(field)]) + field for field in fields))


def network(gateway: bytes, address: bytes, prefix_length: int) -> bytes:
    """Returns the identity of the network behind a gateway, which has a link-layer address and an address."""
    bits = 8 * len(address)
    prefix = int.from_bytes(address, "big") >> (bits - prefix_length) << (bits - prefix_length)
    return _identity([b"Baton network 1", gateway, bytes([prefix_length]), prefix.to_bytes(len(address), "big")])


def cable() -> bytes:
    """Returns the identity of all networks that have only link-local addresses, and no gateway."""
    return mac(b"Baton datagram 1", b"Baton cable 1")


def _tag(key: bytes, plaintext: bytes, where: bytes) -> bytes:
    return mac(key, b"\x02", plaintext, where)[:8]


def seal(datagram: Datagram, secret: bytes, unix_time: int, where: bytes, label: bytes = BEACON) -> bytes:
    mac_key, encryption_key = epoch_keys(secret, epoch(unix_time), label)
    tag = _tag(mac_key, datagram.plaintext(), where)
    return b"\x02" + tag + xor(datagram.plaintext(), mac(encryption_key, tag))


def unseal(payload: bytes, secret: bytes, unix_time: int, where: bytes, label: bytes = BEACON):
    """Opens a datagram. Returns None for other payloads, other keys or networks, and distant epochs."""
    if len(payload) != LENGTH or payload[0] != 2:
        return None
    tag, ciphertext = payload[1:9], payload[9:]
    now = epoch(unix_time)
    for number in (now, now - 1, now + 1):
        mac_key, encryption_key = epoch_keys(secret, number, label)
        plaintext = xor(ciphertext, mac(encryption_key, tag))
        if same(_tag(mac_key, plaintext, where), tag):
            return Datagram(*struct.unpack(">I10xH", plaintext))
    return None
