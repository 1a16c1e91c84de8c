# SPDX-License-Identifier: Apache-2.0
"""beacon.json, of Documentation/Protocol/Beacon.md."""

from foreign.beacon import (
    ENDED, IDLE, KNOWN, NO_ACTIVITY, STREAMS, WEB_PAGE, Beacon, activity_hash, epoch, seal, unseal)

from .reading import same
from .sample import sample

SECRETS = [bytes(range(32)), sample("secret", 32)]
NOON, NEXT = 1_795_230_000, 1_795_230_600  # the first seconds of two consecutive epochs
DEVICE = 0x0A1B2C3D
KINDS = [
    ("org.example", "org.example.reading"), ("", "org.example.reading"), ("org.example", "x"),
    ("équipe", "org.example.日本語"),
]
READING = activity_hash(SECRETS[0], *KINDS[0])

BEACONS = [
    ("the first second of 1970", SECRETS[0], 0, Beacon(0, NO_ACTIVITY, IDLE, 0, 0)),
    ("before 1970", SECRETS[0], -1, Beacon(1, READING, 0, 1, 0x80)),
    ("an activity", SECRETS[0], NOON, Beacon(DEVICE, READING, 0, 1025, 0xC1)),
    ("all of its flags", SECRETS[1], NEXT - 1, Beacon(DEVICE, READING, WEB_PAGE | STREAMS, 1026, 0xC1)),
    ("the next epoch", SECRETS[1], NEXT, Beacon(DEVICE, READING, WEB_PAGE | STREAMS, 1026, 0xC1)),
    ("ended", SECRETS[0], NOON, Beacon(DEVICE, READING, ENDED, 1027, 0xC1)),
    ("idle", SECRETS[0], NOON, Beacon(DEVICE, NO_ACTIVITY, IDLE, 1028, 0xC1)),
    ("largest numbers", SECRETS[1], 4_102_444_800, Beacon(2**32 - 1, b"\xff" * 5, KNOWN, 2**32 - 1, 255)),
]


def sealed(name: str, secret: bytes, unix_time: int, beacon: Beacon) -> dict:
    payload = seal(beacon, secret, unix_time)
    for offset in (-600, 0, 600):
        same(name, unseal(payload, secret, unix_time + offset), beacon)
    for offset in (-1_200, 1_200):
        same(f"{name}, two epochs away", unseal(payload, secret, unix_time + offset), None)
    same(f"{name}, under another secret", unseal(payload, bytes(32), unix_time), None)
    same(f"{name}, with a bit flipped", unseal(payload[:-1] + bytes([payload[-1] ^ 1]), secret, unix_time), None)
    return {
        "name": name, "secret": secret.hex(), "unixTime": unix_time, "epoch": epoch(unix_time), "device": beacon.device,
        "activity": beacon.activity.hex(), "flags": beacon.flags, "sequence": beacon.sequence, "psm": beacon.psm,
        "plaintext": beacon.plaintext().hex(), "sealed": payload.hex(),
    }


def unknown_flags() -> dict:
    """Returns a beacon with unknown flags. A receiver ignores the upper four flags, which
    have no meaning yet."""
    payload = seal(Beacon(7, READING, 0xF0 | WEB_PAGE, 5, 0x80), SECRETS[0], NOON)
    same("unknown flags", unseal(payload, SECRETS[0], NOON), Beacon(7, READING, WEB_PAGE, 5, 0x80))
    return {
        "secret": SECRETS[0].hex(), "unixTime": NOON, "sealed": payload.hex(), "device": 7, "flags": WEB_PAGE,
    }


def vectors() -> dict:
    return {
        "sealed": [sealed(*each) for each in BEACONS],
        "unknownFlags": unknown_flags(),
        "activities": [
            {"secret": secret.hex(), "team": team, "type": kind, "hash": activity_hash(secret, team, kind).hex()}
            for secret in SECRETS for team, kind in KINDS
        ],
    }
