# SPDX-License-Identifier: Apache-2.0
"""Tests a hostile member, which is the foreign device and adds devices with keys of another member. Real daemons still
hand over."""

import json
import math
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from foreign.air import Radio  # noqa: E402
from foreign.circle import add, statement  # noqa: E402
from foreign.device import Device  # noqa: E402
from foreign.identity import Identity, Keys, Proof  # noqa: E402
from foreign.messages import Activity  # noqa: E402
from foreign.primitives import contents  # noqa: E402
from foreign.values import value  # noqa: E402
import test_handover  # noqa: E402
from test_handover import BIN, TYPE, demo  # noqa: E402

MARKS = "a" + "\u0301\u0316" * 8_000
# Values that take seconds or more to look up or compare, within the size of a userInfo.
COSTLY = {
    "a set of NaNs": contents(12, b"".join(contents(1, value(math.nan)) for _ in range(4_000))),
    "a set of NaNs in a set": contents(12, contents(1, contents(12, contents(1, value(math.nan)) * 2))),
    "a text of combining marks": value(MARKS),
    "a URL of combining marks": contents(10, contents(1, "x:" + MARKS)),
}
FORGERIES = 2  # of each kind, because chance decides which of two keys counts if both fit a knock


class Costly(Activity):
    """An activity with one value, as bytes."""
    info = b""

    def encoded(self) -> bytes:
        pair = contents(1, value("k")) + contents(2, self.info)
        return contents(1, self.kind) + contents(3, contents(1, pair))


class HostileMember(unittest.TestCase):
    """desk and sofa are real daemons, and snake is the third member of their circle."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-hostile-")))
        self.running: list = []
        self.addCleanup(self.stop)
        self.desk, self.sofa = (demo.Laptop(name, self.root, BIN, self.running) for name in ("desk", "sofa"))
        for laptop in (self.desk, self.sofa):
            laptop.start(self.root / "radio")
        self.desk.baton("circle", "create", "--name", "desk")
        self.desk.baton("circle", "invite", self.root / "invitation")
        self.sofa.baton("rename", "sofa")
        self.sofa.baton("circle", "join", self.root / "invitation")
        self.radio = Radio(self.root / "radio", "snake")
        self.addCleanup(self.radio.close)
        self.snake = Device("snake", self.radio)
        self.desk.baton("circle", "invite", self.root / "second")
        self.snake.join((self.root / "second").read_text(), "tcp")

    stop = test_handover.HandOver.stop

    def told(self, *forged: bytes):
        """Tells desk about the circle with these Adds. Waits until desk has merged the Adds and said hello."""
        circle = self.snake.circle
        circle.encoded += b"".join(contents(2, each) for each in forged)
        _, published = self.desk.follow("publish", "--type", TYPE, "--once")
        member, heard, address = self.snake.hear_offer()
        control = self.snake.call(member, address, heard.psm)
        # desk's answer comes after the hello.
        control.ask(heard.activity)
        control.leave()
        return published

    def add(self, name: str, keys: Keys, identity: Identity) -> bytes:
        """Returns an Add by snake of keys, proved with an identity's keys as far as it has them."""
        proof = Proof.made(identity, keys.id, self.snake.circle.id)
        return statement(self.snake.identity, self.snake.circle.id, add(keys, name, proof))

    def hands_over(self, published):
        """Checks that sofa continues desk's activity, and that desk names sofa as the taker."""
        _, seen = self.sofa.follow("nearby", "--watch", "--json")

        def names_type(text):
            event = json.loads(text)
            return event["event"] != "disappeared" and event["type"] == TYPE

        _, text = demo.next_line(seen, "seeing the offer", names_type)
        self.sofa.baton("continue", json.loads(text)["offer"], "--json")
        _, text = demo.next_line(published, "being continued", lambda text: text.startswith("continued on "))
        self.assertEqual(text, "continued on sofa")

    def devices(self) -> str:
        return self.desk.baton("devices")[0]

    def forged(self, certificate=False, signing=False, agreement=False):
        """Tells desk, while sofa is off, about devices with some of sofa's keys. snake chooses their other keys."""
        self.sofa.daemon.terminate()
        self.sofa.daemon.wait(demo.LIMIT)
        sofa = self.snake.circle.named("sofa")
        statements, identities = [], [Identity() for _ in range(FORGERIES)]
        for number, identity in enumerate(identities):
            own = identity.keys
            keys = Keys(
                sofa.certificate if certificate else own.certificate, sofa.signing if signing else own.signing,
                sofa.agreement if agreement else own.agreement)
            statements.append(self.add(f"forged {number}", keys, identity))
        published = self.told(*statements)
        self.sofa.start_daemon(self.root / "radio")
        return published

    def test_a_device_with_a_members_certificate_and_agreement_key_is_not_added(self):
        """If the Add were accepted, desk would mistake sofa for the forged device."""
        self.hands_over(self.forged(certificate=True, agreement=True))
        self.assertNotIn("forged", self.devices())

    def test_a_copied_agreement_key_does_not_shut_its_owner_out(self):
        """The copy is proved as far as possible. Desk must not mistake sofa for the copy and refuse sofa's
        certificate."""
        self.hands_over(self.forged(agreement=True))
        self.assertIn("forged 0", self.devices())

    def test_a_device_with_a_members_certificate_key_is_not_added(self):
        """If the Add were accepted and snake relayed messages, desk would mistake sofa for the forged device."""
        self.hands_over(self.forged(certificate=True))
        self.assertNotIn("forged", self.devices())

    def test_a_device_with_a_members_signing_key_is_not_added(self):
        self.hands_over(self.forged(signing=True))
        self.assertNotIn("forged", self.devices())

    def test_a_device_with_its_own_keys_is_added(self):
        """A device with keys of its own is added, so the other tests' devices are refused because of their keys."""
        self.forged()
        self.assertIn("forged 0", self.devices())

    def test_values_that_are_costly_to_look_up_are_refused(self):
        activity = Costly(TYPE)
        server = self.snake.offer("", activity)
        self.addCleanup(server.close)
        for what, info in COSTLY.items():
            with self.subTest(what):
                activity.info = info
                with self.assertRaisesRegex(demo.Failure, "sent something that this laptop does not understand"):
                    self.desk.baton("continue", "--type", TYPE, "--from", "snake", "--wait", str(demo.LIMIT), "--json")
                self.assertFalse(server.accepted.is_set(), server.failures)
        self.assertIn("snake", self.devices())
