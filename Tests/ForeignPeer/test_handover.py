# SPDX-License-Identifier: Apache-2.0
"""Tests the foreign device in one circle with a real batond: activities go in both directions.

BATON_BIN is the directory of batond and baton. The default is the debug build.
"""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("BATON_BIN") or ROOT / ".build" / "debug").resolve()
TYPE = "org.example.foreign.letter"
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from OpenSSL import SSL  # noqa: E402

from foreign.air import Radio  # noqa: E402
from foreign.beacon import STREAMS  # noqa: E402
from foreign.device import Device  # noqa: E402
from foreign.identity import Identity  # noqa: E402
from foreign.knock import knock  # noqa: E402
from foreign.messages import Activity  # noqa: E402
from foreign.primitives import Message, Refused  # noqa: E402
from foreign.frames import ATTACHED, DATA  # noqa: E402
from foreign.streams import WINDOW, attached, carry, exchange  # noqa: E402


def load(name: str):
    """Loads a script without a suffix as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "Scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


demo = load("demo")


class Liar(Device):
    """A member that hands over an activity other than the offered one, and may hide its offer."""
    comes, tells = Activity("com.bank.transfer", "Letter"), True

    def _serve(self, activity):
        return self.comes

    def _hello(self):
        hello = super()._hello()
        if not self.tells:
            hello.types = []
        return hello


class HandOver(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-foreign-")))
        self.running: list = []
        self.addCleanup(self.stop)
        self.desk = demo.Laptop("desk", self.root, BIN, self.running)
        self.desk.start(self.root / "radio")
        self.desk.baton("circle", "create", "--name", "desk")
        self.radio = Radio(self.root / "radio", "snake")
        self.addCleanup(self.radio.close)
        self.device = Device("snake", self.radio)

    def stop(self):
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            process.wait(demo.LIMIT)
            if process.stdout:
                process.stdout.close()

    def join(self, transport: str):
        self.desk.baton("circle", "invite", self.root / "invitation")
        self.device.join((self.root / "invitation").read_text(), transport)

    def test_a_foreign_device_joins_and_continues(self):
        self.join("tcp")
        devices, _ = self.desk.baton("devices")
        self.assertIn("snake", devices)
        self.assertEqual(sorted(self.device.circle.names.values()), ["desk", "snake"])
        info = {"draft": "Dear Ada,", "page": 3, "done": False, "marks": [1, None, {"a": {"$double": 0.5}}]}
        (self.root / "info.json").write_text(json.dumps(info))
        _, published = self.desk.follow(
            "publish", "--type", TYPE, "--title", "Letter", "--info-json", str(self.root / "info.json"), "--webpage",
            "https://example.org/7", "--once")
        member, heard, address = self.device.hear_offer()
        control = self.device.call(member, address, heard.psm)
        self.assertEqual(self.device.type_of(control.peer, heard.activity), ("", TYPE))
        _, activity = control.ask(heard.activity)
        control.report(True)
        # Send a ping, which is a request for the hash that means no activity.
        with self.assertRaisesRegex(Refused, "failure 6"):
            control.ask(bytes(5))
        self.assertEqual(activity, Activity(
            TYPE, "Letter", {"draft": "Dear Ada,", "page": 3, "done": False, "marks": [1, None, {"a": 0.5}]},
            "https://example.org/7"))
        demo.next_line(published, "being continued", lambda text: text == "continued on snake")
        demo.next_line(published, "the activity's end", lambda text: text.startswith("ended "))
        control.leave()

    def test_an_offer_of_a_foreign_device_is_continued(self):
        self.join("simulated")
        activity = Activity(TYPE, "Letter", {"draft": "Dear Grace,", "page": 2**40, "pair": {1: "one"}},
                            "https://example.org/8")
        server = self.device.offer("", activity)
        self.addCleanup(server.close)
        _, seen = self.desk.follow("nearby", "--watch", "--json")

        def names_type(text):
            event = json.loads(text)
            return event["event"] != "disappeared" and event["type"] == TYPE

        _, text = demo.next_line(seen, "seeing the offer", names_type)
        offer = json.loads(text)
        self.assertEqual((offer["device"], offer["deviceName"]), (self.device.identity.keys.id[:4].hex(), "snake"))
        self.assertEqual(offer["offer"].split("-")[0], self.device.identity.keys.id[:4].hex())
        answer, _ = self.desk.baton("ping", "snake", "--json")
        answer = json.loads(answer)
        self.assertEqual((answer["deviceName"], answer["answers"][0]["transport"]), ("snake", "simulated"))
        probe = json.loads(self.desk.baton("ping", "snake", "--each-way", "--json")[0])
        here, there = probe["here"], probe["there"]
        self.assertTrue(here["hears"] and there["hears"])
        self.assertEqual((there["signal"], there["muted"]), (-40, False))
        self.assertEqual([(way["transport"], way["milliseconds"], way["reason"]) for way in there["ways"]],
                         [("simulated", 0, None), ("tcp", None, "there is none here")])
        # The foreign device has answered a trial of the desk.
        self.assertEqual(here["ways"][0]["transport"], "simulated")
        self.assertIsNotNone(here["ways"][0]["milliseconds"], here)
        text, _ = self.desk.baton("continue", offer["offer"], "--json")
        result = json.loads(text)
        self.assertEqual((result["type"], result["title"]), (TYPE, "Letter"))
        self.assertEqual(
            result["userInfo"], {"draft": "Dear Grace,", "page": 2**40, "pair": {"$dictionary": [[1, "one"]]}})
        self.assertTrue(server.accepted.wait(demo.LIMIT), server.failures)

    def test_an_activity_of_another_type_than_offered_is_refused(self):
        self.offer_and_lie(tells=True)

    def test_an_activity_of_another_type_is_refused_although_the_offer_named_no_type(self):
        self.offer_and_lie(tells=False)

    def offer_and_lie(self, tells: bool):
        self.device = Liar("snake", self.radio)
        self.device.tells = tells
        self.join("simulated")
        server = self.device.offer("", Activity(TYPE, "Letter"))
        self.addCleanup(server.close)
        _, seen = self.desk.follow("nearby", "--watch", "--json")
        expected = TYPE if tells else None
        _, text = demo.next_line(seen, "seeing the offer", lambda text: json.loads(text).get("type", "") == expected)
        with self.assertRaisesRegex(demo.Failure, "sent something other than it had offered"):
            self.desk.baton("continue", json.loads(text)["offer"], "--json")
        self.assertTrue(server.refused.wait(demo.LIMIT), server.failures)
        self.assertFalse(server.accepted.is_set())

    def test_streams_of_a_continued_activity_are_complete(self):
        self.join("tcp")
        noise = random.Random(1)
        there, here = noise.randbytes(300_000), noise.randbytes(200_000)
        (self.root / "there").write_bytes(there)
        _, published = self.desk.follow(
            "publish", "--type", TYPE, "--stream-from", str(self.root / "there"), "--stream-to",
            str(self.root / "here"), "--once")
        member, heard, address = self.device.hear_offer()
        self.assertTrue(heard.flags & STREAMS)
        control = self.device.call(member, address, heard.psm)
        instance, activity = control.ask(heard.activity)
        self.assertTrue(activity.streams)
        token, endpoints = control.ask_for_streams(instance)
        transport, host, port = next(endpoint for endpoint in endpoints if endpoint[0] == "tcp")
        channel = self.device.call_for_streams(member, transport, host, port)
        # The desk ignores these requests, because none is about streams that the desk has opened.
        for wished, generation in ((bytes(16), 1), (token, 1), (token, 2)):
            control.ask_for_another_channel(wished, generation)
        self.assertEqual(exchange(channel, token, here), there)
        control.report(True)
        demo.next_line(published, "the streams' end", lambda text: text.startswith("streams finished "))
        control.leave()
        self.assertEqual((self.root / "here").read_bytes(), here)

    def test_streams_move_to_the_channel_that_a_foreign_device_requests(self):
        self.join("simulated")
        noise = random.Random(2)
        there, here = noise.randbytes(100_000), noise.randbytes(100_000)
        (self.root / "there").write_bytes(there)
        self.device.token = noise.randbytes(16)
        server = self.device.offer("", Activity(TYPE, "Letter", streams=True))
        self.addCleanup(server.close)
        continued = self.desk.spawn(
            [BIN / "baton", "continue", "--type", TYPE, "--from", "snake", "--wait", str(demo.LIMIT), "--stream-from",
             str(self.root / "there"), "--stream-to", str(self.root / "here")])
        control = server.controls.get(timeout=demo.LIMIT)
        old, first = server.attached.get(timeout=demo.LIMIT)
        self.assertEqual((first.bytes(1), first.number(2)), (self.device.token, 1))
        old.send(ATTACHED, attached(0, WINDOW))
        self.assertEqual(old.receive()[0], DATA)
        # Only a request for the present generation, which is 1, opens another channel.
        control.ask_for_another_channel(self.device.token, 2)
        control.ask_for_another_channel(self.device.token, 1)
        channel, second = server.attached.get(timeout=demo.LIMIT)
        self.assertEqual((second.bytes(1), second.number(2)), (self.device.token, 2))
        channel.send(ATTACHED, attached(0, WINDOW))
        self.assertEqual(carry(channel, here, second.number(4), is_initiator=False), there)
        self.assertEqual(continued.wait(demo.LIMIT), 0)
        self.assertEqual((self.root / "here").read_bytes(), here)
        for each in (old, channel, control.channel):
            each.close()

    def test_a_member_that_keeps_requesting_channels_is_disconnected(self):
        self.join("simulated")
        self.desk.follow("publish", "--type", TYPE)
        member, heard, address = self.device.hear_offer()
        control = self.device.call(member, address, heard.psm)
        for generation in range(1, 200):
            control.ask_for_another_channel(bytes(16), generation)
        while control.take() is not None:
            pass
        control.channel.close()
        # The desk only closes the channel of the wrong request, and still serves the device.
        control = self.device.call(member, address, heard.psm)
        control.ask(heard.activity)
        control.leave()

    def test_a_stranger_without_a_key_gets_only_sixteen_bytes(self):
        self.join("tcp")
        self.desk.follow("publish", "--type", TYPE)
        member, heard, address = self.device.hear_offer()
        with self.radio.dial(address, heard.psm) as stream:
            stream.settimeout(demo.LIMIT)
            hello = bytes([22, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3])
            stream.sendall(knock(bytes(32), "simulated", bytes(16), bytes(16), hello))
            self.assertEqual(len(b"".join(iter(lambda: stream.recv(64), b""))), 16)
        # The pairwise key does not help a device with another certificate, either.
        self.device.identity.certificate = Identity().certificate
        with self.assertRaises((Refused, SSL.Error)):
            self.device.call(member, address, heard.psm)

    def test_a_removed_device_learns_only_its_removal_and_is_refused(self):
        self.join("tcp")
        self.desk.follow("publish", "--type", TYPE)
        member, heard, address = self.device.hear_offer()
        control = self.device.call(member, address, heard.psm)
        self.desk.baton("remove", "snake")
        while control.take() is not None:
            pass
        control.channel.close()
        # The removed device learns one statement and no secret, because the new secret must keep it out.
        last = Message(control.peer.circle)
        self.assertEqual((len(last.messages(2)), last.bytes(4)), (1, bytes(32)))
        self.assertEqual((control.peer.activity, control.peer.types, control.peer.endpoints), (b"", [], []))
        with self.assertRaisesRegex(Refused, "closed"):
            self.device.call(member, address, heard.psm)
