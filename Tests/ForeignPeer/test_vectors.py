# SPDX-License-Identifier: Apache-2.0
"""The reader in Python against the vectors.

    /usr/bin/python3 -m unittest discover -s Tests/ForeignPeer
"""

import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: E402
from foreign import beacon, knock, session  # noqa: E402
from foreign.circle import pairwise  # noqa: E402
from foreign.primitives import Message, Refused, hkdf  # noqa: E402

VECTORS = pathlib.Path(__file__).resolve().parents[1] / "Vectors"


def read(name: str) -> dict:
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


class Beacons(unittest.TestCase):
    def test_beacons_are_made_and_opened(self):
        vectors = read("beacon.json")["sealed"]
        self.assertGreater(len(vectors), 5)
        for each in vectors:
            with self.subTest(each["name"]):
                made = beacon.Beacon(each["device"], bytes.fromhex(each["activity"]), each["flags"], each["sequence"],
                                     each["psm"])
                secret, sealed, time = bytes.fromhex(each["secret"]), bytes.fromhex(each["sealed"]), each["unixTime"]
                self.assertEqual(beacon.seal(made, secret, time), sealed)
                for offset in (-600, 0, 600):
                    self.assertEqual(beacon.unseal(sealed, secret, time + offset), made)
                self.assertIsNone(beacon.unseal(sealed, secret, time + 1_200))
                self.assertIsNone(beacon.unseal(sealed, bytes(32), time))
                self.assertIsNone(beacon.unseal(sealed[:-1] + bytes([sealed[-1] ^ 1]), secret, time))

    def test_flags_that_are_not_known_are_ignored(self):
        each = read("beacon.json")["unknownFlags"]
        opened = beacon.unseal(bytes.fromhex(each["sealed"]), bytes.fromhex(each["secret"]), each["unixTime"])
        self.assertEqual((opened.device, opened.flags), (each["device"], each["flags"]))

    def test_activities_have_their_hashes(self):
        for each in read("beacon.json")["activities"]:
            self.assertEqual(
                beacon.activity_hash(bytes.fromhex(each["secret"]), each["team"], each["type"]).hex(), each["hash"])


class Knocks(unittest.TestCase):
    def test_keys_are_agreed_on(self):
        vectors = read("knock.json")
        pair = {name: bytes.fromhex(text) for name, text in vectors["pairwise"].items()}
        for own, peer in (("A", "B"), ("B", "A")):
            private = X25519PrivateKey.from_private_bytes(pair[f"private{own}"])
            self.assertEqual(pairwise(private, pair[f"public{peer}"], pair["circle"]), pair["key"])
        invitation = vectors["invitation"]
        self.assertEqual(
            hkdf(bytes.fromhex(invitation["secret"]), b"", b"baton invitation 1", 32).hex(), invitation["key"])

    def test_knocks_are_made_opened_and_answered(self):
        vectors = read("knock.json")["knocks"]
        self.assertGreater(len(vectors), 3)
        for each in vectors:
            with self.subTest(each["name"]):
                key, responder, initiator, hello, whole, answer = (
                    bytes.fromhex(each[name])
                    for name in ("key", "responderNonce", "initiatorNonce", "clientHello", "knock", "answer"))
                transport = each["transport"]
                self.assertEqual(knock.knock(key, transport, responder, initiator, hello), whole)
                self.assertEqual(knock.length(whole), len(hello))
                self.assertEqual(knock.open_knock(whole, transport, responder, [bytes(32), key]), (key, answer, hello))
                for wrong in ([bytes(32)], []):
                    with self.assertRaises(Refused):
                        knock.open_knock(whole, transport, responder, wrong)
                with self.assertRaises(Refused):
                    knock.open_knock(whole, transport, bytes(16), [key])
                with self.assertRaises(Refused):
                    knock.open_knock(whole, "another", responder, [key])


class Frames(unittest.TestCase):
    def frames(self) -> dict:
        return {each["name"]: Message(bytes.fromhex(each["bytes"])[4:]) for each in read("frames.json")["frames"]}

    def test_hello_is_read_and_written(self):
        whole = self.frames()["hello"].bytes(1)
        hello = session.Hello.read(whole)
        self.assertEqual((hello.name, hello.unix_time, hello.sequence), ("Ålborg", 1_700_000_000, 7))
        self.assertEqual(hello.types, [(hello.activity, "team", "org.example.note")])
        self.assertEqual(hello.endpoints, [("tcp", "192.0.2.1", 40_000)])
        self.assertEqual(hello.encoded(), whole)

    def test_every_kind_of_value_is_read(self):
        state = self.frames()["continueReply"].message(3).message(2).message(2)
        activity = session.Activity.read(state)
        self.assertEqual(activity.kind, "org.example.note")
        self.assertEqual(activity.user_info, {
            "array": [1, None], "bool": True, "data": b"\x00\xff", "date": ("date", session.EPOCH + 0.1),
            "dictionary": {-1: "minus one"}, "double": -0.0, "int": -(2**63), "null": None,
            "set": frozenset(("a", "b")), "uint": 2**64 - 1, "url": ("url", "b?c"),
            "uuid": ("uuid", bytes(range(16)).hex())})

    def test_values_are_written_as_they_are_read(self):
        info = {"a": [1, -1, None, 2**64 - 1], "b": {"c": 0.5, 1: True}, "d": frozenset(("x", 1)), "e": b"", "f": 0}
        self.assertEqual(session.read_dictionary(Message(session.dictionary(info))), info)


if __name__ == "__main__":
    unittest.main()
