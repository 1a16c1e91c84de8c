# SPDX-License-Identifier: Apache-2.0
"""The reader in Python against the vectors.

    /usr/bin/python3 -m unittest discover -s Tests/ForeignPeer
"""

import json
import pathlib
import sys
import unittest
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, derive_private_key  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: E402
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey  # noqa: E402
from foreign import beacon, knock, messages, pairing, values  # noqa: E402
from foreign.circle import Circle  # noqa: E402
from foreign.identity import Identity, Keys, Proof, pairwise  # noqa: E402
from foreign.invitation import Invitation  # noqa: E402
from foreign.names import is_name  # noqa: E402
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
            devices = pair[f"device{own}"], pair[f"device{peer}"]
            self.assertEqual(pairwise(private, pair[f"public{peer}"], devices, pair["circle"]), pair["key"])
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


def identities(vectors: dict) -> dict:
    """The devices of a file, by name; their public keys must be those that the file has."""
    devices = {}
    for each in vectors["devices"]:
        certificate, signing, agreement = (
            bytes.fromhex(each[f"{name}Private"]) for name in ("certificate", "signing", "agreement"))
        device = Identity(
            derive_private_key(int.from_bytes(certificate, "big"), SECP256R1()),
            Ed25519PrivateKey.from_private_bytes(signing), X25519PrivateKey.from_private_bytes(agreement))
        keys = device.keys
        assert [keys.certificate.hex(), keys.signing.hex(), keys.agreement.hex(), keys.id.hex(), keys.number] == [
            each[name] for name in ("certificateKey", "signingKey", "agreementKey", "id", "number")]
        devices[each["name"]] = device
    return devices


class Pairings(unittest.TestCase):
    def test_pairings_are_made_and_read_by_both_sides(self):
        vectors = read("pairing.json")
        devices = identities(vectors)
        self.assertEqual(len(vectors["pairings"]), 2)
        for each in vectors["pairings"]:
            with self.subTest(each["name"]):
                given = {name: bytes.fromhex(text) for name, text in each.items()
                         if name not in ("name", "transport", "initiator", "responder", "digits")}
                shares = {side: pairing.Share(
                    given[f"random{side}"], X25519PrivateKey.from_private_bytes(given[f"ephemeral{side}"])) for side in "IR"}
                messages = given["m1"], given["m2"], given["m3"]
                self.assertEqual(
                    (pairing.commitment(shares["I"].encoded), pairing.reply(shares["R"].encoded), shares["I"].encoded), messages)
                transcript = given["transcript"]
                for share in shares.values():
                    known = pairing.secrets(share, *messages, each["transport"])
                    self.assertEqual(
                        known, pairing.Secrets(transcript, each["digits"], given["KI"], given["KR"], given["knockKey"]))
                with self.assertRaises(Refused):
                    pairing.secrets(shares["R"], messages[0][:-1] + b"\0", *messages[1:], each["transport"])
                for role, side, who, circle in ((0, "I", "initiator", given["circle"]), (1, "R", "responder", b"")):
                    key, device = given[f"K{side}"], devices[each[who]]
                    plaintext = pairing.introduce(device, each[who], circle, role, transcript)
                    self.assertEqual(plaintext, given[f"plaintext{side}"])
                    self.assertEqual(pairing.seal(key, transcript, plaintext), given[f"answer{side}"])
                    opened = pairing.unseal(given[f"answer{side}"], key, transcript)
                    self.assertEqual(pairing.introduced(opened, role, transcript), (device.keys, each[who], circle))
                    for changed in ((1 - role, transcript), (role, bytes(32))):
                        with self.assertRaises(Refused):
                            pairing.introduced(opened, *changed)
                    self.assertEqual(pairing.seal(key, transcript, b""), given[f"no{side}"])
                    self.assertIsNone(pairing.introduced(pairing.unseal(given[f"no{side}"], key, transcript), role, transcript))
                with self.assertRaises(Refused):
                    pairing.unseal(given["answerI"], given["KR"], transcript)


class Circles(unittest.TestCase):
    def setUp(self):
        self.vectors = read("circle.json")
        self.devices = identities(self.vectors)
        self.circle = bytes.fromhex(self.vectors["circle"])

    def test_statements_make_members_in_any_order(self):
        self.assertGreater(len(self.vectors["memberships"]), 20)
        for each in self.vectors["memberships"]:
            statements = [(bytes.fromhex(one["body"]), bytes.fromhex(one["signature"])) for one in each["statements"]]
            members = {one["id"]: one["name"] for one in each["members"]}
            for order in (statements, statements[::-1]):
                with self.subTest(each["name"]):
                    judged = Circle.judged(self.circle, order)
                    self.assertEqual({device.hex(): judged.names[device] for device in judged.members}, members)
                    self.assertEqual(judged.removals_digest.hex(), each["removalsDigest"])

    def test_names_are_those_that_may_be_shown(self):
        for each in self.vectors["names"]:
            with self.subTest(each["name"]):
                self.assertEqual(is_name(each["name"]), each["isValid"])

    def test_secrets_are_taken_from_members_who_know_the_removals(self):
        usable = 0
        for each in self.vectors["states"]:
            with self.subTest(each["name"]):
                state = bytes.fromhex(each["state"])
                if each["isUsable"]:
                    usable += 1
                    self.assertEqual(Circle(state).secret.hex(), each["secret"])
                else:
                    with self.assertRaises(Refused):
                        Circle(state)
        self.assertEqual((usable, len(self.vectors["states"])), (3, 9))

    def test_an_invitation_is_read_and_answered(self):
        each = self.vectors["invitation"]
        invitation = Invitation.read(each["text"], each["expires"] - 1)
        self.assertEqual(
            [invitation.secret.hex(), invitation.pin.hex(), invitation.circle.hex(), invitation.inviter, invitation.expires,
             invitation.key.hex()],
            [each[name] for name in ("secret", "certificatePin", "circle", "inviterName", "expires", "key")])
        self.assertEqual(
            invitation.endpoints, [(one["transport"], one["address"], one["port"]) for one in each["endpoints"]])
        join = each["join"]
        joiner = self.devices[join["device"]].keys
        # The certificate key's signature differs each time.
        for request in (bytes.fromhex(join["request"]), invitation.request(self.devices[join["device"]], join["name"])):
            message = Message(request)
            self.assertEqual((Keys.read(message.message(1)), message.text(2)), (joiner, join["name"]))
            self.assertTrue(Proof.read(message.message(4)).holds(joiner, self.circle))
        with self.assertRaises(Refused):
            Invitation.read(each["text"], each["expires"])

    def test_hails_are_made_and_opened_by_the_other_of_the_two(self):
        self.assertEqual(len(self.vectors["hails"]), 3)
        for each in self.vectors["hails"]:
            with self.subTest(each["name"]):
                sender, receiver = self.devices[each["from"]], self.devices[each["to"]]
                key, time = receiver.pairwise(sender.keys, self.circle), each["unixTime"]
                self.assertEqual(key.hex(), each["key"])
                made = beacon.Beacon(sender.keys.number, bytes(5), 0, 0, each["psm"])
                self.assertEqual(beacon.seal(made, key, time, b"baton hail 1").hex(), each["sealed"])
                sealed = bytes.fromhex(each["sealed"])
                self.assertEqual(beacon.unseal(sealed, key, time + 600, b"baton hail 1"), made)
                self.assertIsNone(beacon.unseal(sealed, key, time))


class Frames(unittest.TestCase):
    def frames(self) -> dict:
        return {each["name"]: Message(bytes.fromhex(each["bytes"])[4:]) for each in read("frames.json")["frames"]}

    def test_hello_is_read_and_written(self):
        whole = self.frames()["hello"].bytes(1)
        hello = messages.Hello.read(whole)
        self.assertEqual((hello.name, hello.unix_time, hello.sequence), ("Ålborg", 1_700_000_000, 7))
        self.assertEqual(hello.types, [(hello.activity, "team", "org.example.note")])
        self.assertEqual(hello.endpoints, [("tcp", "192.0.2.1", 40_000)])
        self.assertEqual(hello.encoded(), whole)

    def test_every_kind_of_value_is_read(self):
        state = self.frames()["continueReply"].message(3).message(2).message(2)
        activity = messages.Activity.read(state)
        self.assertEqual(activity.kind, "org.example.note")
        self.assertEqual(activity.user_info, {
            "array": [1, None], "bool": True, "data": b"\x00\xff", "date": values.Date(0.1),
            "dictionary": {-1: "minus one"}, "double": -0.0, "int": -(2**63), "null": None,
            "set": frozenset(("a", "b")), "uint": 2**64 - 1, "url": values.URL("b?c", "http://a.example/"),
            "uuid": uuid.UUID(bytes=bytes(range(16)))})

    def test_values_are_written_as_they_are_read(self):
        info = {"a": [1, -1, None, 2**64 - 1], "b": {"c": 0.5, 1: True}, "d": frozenset(("x", 1)), "e": b"", "f": 0}
        self.assertEqual(values.read_dictionary(Message(values.dictionary(info))), info)


if __name__ == "__main__":
    unittest.main()
