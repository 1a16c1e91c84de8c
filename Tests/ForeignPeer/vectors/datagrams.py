# SPDX-License-Identifier: Apache-2.0
"""datagram.json, of Documentation/Protocol/Datagram.md."""

from foreign.beacon import epoch, epoch_keys, xor
from foreign.datagram import BEACON, HAIL, Datagram, cable, network, seal, unseal
from foreign.primitives import mac

from .beacons import DEVICE, NEXT, NOON, SECRETS
from .reading import same

ROUTER = bytes.fromhex("020000000001")
NETWORKS = [
    ("IPv4", ROUTER, bytes([192, 0, 2, 254]), 24), ("a prefix within a byte", ROUTER, bytes([198, 51, 100, 201]), 25),
    ("another router", bytes.fromhex("020000000002"), bytes([192, 0, 2, 254]), 24),
    ("IPv6", ROUTER, bytes.fromhex("fe800000000000000000000000000001"), 64),
]
HOME, OTHER = network(*NETWORKS[0][1:]), network(*NETWORKS[2][1:])

DATAGRAMS = [
    ("the first second of 1970", SECRETS[0], 0, HOME, BEACON, Datagram(0, 1)),
    ("a device", SECRETS[0], NOON, HOME, BEACON, Datagram(DEVICE, 21_740)),
    ("in another network", SECRETS[0], NOON, OTHER, BEACON, Datagram(DEVICE, 21_740)),
    ("on a cable", SECRETS[0], NOON, cable(), BEACON, Datagram(DEVICE, 21_740)),
    ("the next epoch", SECRETS[1], NEXT, HOME, BEACON, Datagram(DEVICE, 21_741)),
    ("a hail", SECRETS[1], NOON, HOME, HAIL, Datagram(DEVICE, 21_740)),
    ("largest numbers", SECRETS[1], 4_102_444_800, HOME, BEACON, Datagram(2**32 - 1, 2**16 - 1)),
]


def sealed(name: str, secret: bytes, unix_time: int, where: bytes, label: bytes, datagram: Datagram) -> dict:
    payload = seal(datagram, secret, unix_time, where, label)
    for offset in (-600, 0, 600):
        same(name, unseal(payload, secret, unix_time + offset, where, label), datagram)
    for offset in (-1_200, 1_200):
        same(f"{name}, two epochs away", unseal(payload, secret, unix_time + offset, where, label), None)
    same(f"{name}, under another secret", unseal(payload, bytes(32), unix_time, where, label), None)
    same(f"{name}, in an unknown network", unseal(payload, secret, unix_time, bytes(32), label), None)
    same(f"{name}, with the other label", unseal(payload, secret, unix_time, where, HAIL if label == BEACON else BEACON), None)
    same(f"{name}, with a bit flipped", unseal(payload[:-1] + bytes([payload[-1] ^ 1]), secret, unix_time, where, label), None)
    same(f"{name}, with a byte more", unseal(payload + b"\0", secret, unix_time, where, label), None)
    return {
        "name": name, "secret": secret.hex(), "unixTime": unix_time, "network": where.hex(), "isHail": label == HAIL,
        "device": datagram.device, "port": datagram.port, "plaintext": datagram.plaintext().hex(), "sealed": payload.hex(),
    }


def reserved_bytes() -> dict:
    """Returns a datagram whose reserved bytes are not zero. A receiver ignores them."""
    plaintext = b"\0\0\0\7" + b"\xff" * 10 + b"\x54\xec"
    mac_key, encryption_key = epoch_keys(SECRETS[0], epoch(NOON), BEACON)
    tag = mac(mac_key, b"\x02", plaintext, HOME)[:8]
    payload = b"\x02" + tag + xor(plaintext, mac(encryption_key, tag))
    same("reserved bytes", unseal(payload, SECRETS[0], NOON, HOME), Datagram(7, 21_740))
    return {
        "secret": SECRETS[0].hex(), "unixTime": NOON, "network": HOME.hex(), "sealed": payload.hex(), "device": 7,
        "port": 21_740,
    }


def vectors() -> dict:
    return {
        "networks": [
            {"name": name, "gateway": gateway.hex(), "address": address.hex(), "prefixLength": length,
             "identity": network(gateway, address, length).hex()}
            for name, gateway, address, length in NETWORKS
        ],
        "cable": cable().hex(),
        "sealed": [sealed(*each) for each in DATAGRAMS],
        "reservedBytes": reserved_bytes(),
    }
