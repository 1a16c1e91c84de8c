# SPDX-License-Identifier: Apache-2.0
"""Tests the lab's own checks: what passes, and what does not."""

import importlib.util
import json
import os
import sys
import tempfile
import threading
import unittest
from pathlib import Path

GUEST = Path(__file__).resolve().parents[2] / "Scripts" / "lab" / "guest"
sys.dont_write_bytecode = True
sys.path.insert(0, str(GUEST))


def load(name: str):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), GUEST / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check, advertisement, bridge = load("check"), load("advertisement"), load("hci-bridge")
signalling, contacts = load("signalling"), load("contacts")
recording, recorder, advertisers = load("recording"), load("recorder"), load("advertisers")
offer_times = load("offer-times")
BEACON = bytes([27, 0xFF, 0xFF, 0xFF, 1]) + bytes(23)


class UserInfo(unittest.TestCase):
    def test_numbers_and_booleans_of_equal_value_differ(self):
        self.assertEqual(len({check.canonical(v) for v in (1, 1.0, True, "1", {"$double": 1})}), 5)

    def test_the_order_of_arrays_counts_and_that_of_sets_and_keys_does_not(self):
        self.assertEqual(check.canonical({"$set": [1, "a"]}), check.canonical({"$set": ["a", 1]}))
        self.assertEqual(check.canonical({"a": 1, "b": 2}), check.canonical({"b": 2, "a": 1}))
        self.assertNotEqual(check.canonical([1, 2]), check.canonical([2, 1]))

    def test_a_lost_an_added_and_a_changed_entry_are_each_reported(self):
        expected = json.loads((GUEST / "userinfo.json").read_text(encoding="utf-8"))
        self.assertEqual(list(check.differences(expected, dict(expected))), [])
        for changed in ({**expected, "more": 1}, {**expected, "int": -43}, dict(list(expected.items())[1:])):
            self.assertEqual(len(list(check.differences(expected, changed))), 1)


class Contacts(unittest.TestCase):
    def test_the_order_of_contacts_counts_and_that_of_fields_does_not(self):
        one, two = {"firstname": "Ada", "email": "a"}, {"email": "a", "firstname": "Ada"}
        self.assertEqual(contacts.canonical([one]), contacts.canonical([two]))
        self.assertEqual(contacts.canonical([{"firstname": "Ada", "lastname": None}]), contacts.canonical([{"firstname": "Ada"}]))
        self.assertNotEqual(contacts.canonical([one, {}]), contacts.canonical([{}, one]))

    def test_a_lost_and_a_changed_contact_are_each_reported(self):
        made = contacts.made(500)
        whole = contacts.canonical(made)
        self.assertEqual(len(whole.splitlines()), 500)
        self.assertNotEqual(contacts.canonical(made[:-1]), whole)
        self.assertNotEqual(contacts.canonical(made[:-1] + [{"firstname": "First 500"}]), whole)


class Advertisement(unittest.TestCase):
    def test_a_beacon_passes_with_flags_or_without(self):
        self.assertEqual(list(advertisement.faults(True, False, BEACON)), [])
        self.assertEqual(list(advertisement.faults(True, False, bytes([2, 1, 6]) + BEACON)), [])
        self.assertEqual(list(advertisement.faults(True, True, b"")), [])

    def test_every_deviation_from_the_specification_is_reported(self):
        name = bytes([3, 9, 0x68, 0x69])
        other_company = bytes([27, 0xFF, 0x4C, 0, 1]) + bytes(23)
        other_version = BEACON[:4] + bytes([2]) + BEACON[5:]
        short = bytes([26, 0xFF, 0xFF, 0xFF, 1]) + bytes(22)
        for connectable, response, data in [
            (False, False, BEACON), (True, True, name), (True, False, name), (True, False, other_company),
            (True, False, other_version), (True, False, short), (True, False, b""), (True, False, BEACON + name),
        ]:
            self.assertTrue(list(advertisement.faults(connectable, response, data)), data.hex())


class Advertising(unittest.TestCase):
    def test_the_interval_is_read_from_the_command_that_sets_it(self):
        extended = bytes.fromhex("3620 19 01 1300 a00000 f00000") + bytes(14)
        self.assertEqual(advertisement.intervals(advertisement.COMMAND, extended), (100.0, 150.0))


class Bridge(unittest.TestCase):
    def test_packets_are_found_wherever_the_stream_is_split(self):
        whole = [bytes([1, 3, 12, 0]), bytes([4, 0x0E, 1, 9]), bytes([2, 42, 0, 3, 0, 7, 7, 7])]
        for cut in range(1, sum(map(len, whole))):
            stream, buffer, found = b"".join(whole), bytearray(), []
            for piece in (stream[:cut], stream[cut:]):
                buffer += piece
                found += bridge.packets(buffer)
            self.assertEqual(found, whole)

    def test_a_port_is_written_to_until_it_has_taken_all_bytes(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        port, data, received = bridge.Port(writer), bytes(300_000), bytearray()
        sender = threading.Thread(target=lambda: (port.sendall(data), os.close(writer)))
        sender.start()
        while piece := os.read(reader, 65_536):
            received += piece
        sender.join()
        self.assertEqual(received, data)

    def test_bytes_that_are_no_packet_end_the_bridge(self):
        with self.assertRaises(SystemExit):
            list(bridge.packets(bytearray([0x77, 0, 0])))


class Signalling(unittest.TestCase):
    def test_a_refused_connection_is_reported_with_its_result(self):
        packet = bytes.fromhex("2a20 1200 0e00 0500 1507 0a00 0000 0000 0000 0000 0a00")
        self.assertEqual(signalling.of_packet(packet), "connection response 7: to 0x0 mtu 0x0 mps 0x0 credits 0x0 result 0xa")

    def test_the_end_of_a_link_is_reported_with_its_reason(self):
        self.assertEqual(signalling.of_event(bytes.fromhex("0504 00 2a00 13")), "link 42 ended, reason 0x13, status 0x00")

    def test_truncated_packets_and_packets_of_other_channels_are_skipped(self):
        for packet in (b"", bytes(11), bytes.fromhex("2a20 0700 0300 4000 0100 00"), bytes.fromhex("2a20 0800 0400 0500 1601 0400")):
            self.assertIsNone(signalling.of_packet(packet))


def beacon_of(number: int) -> bytes:
    """Returns an advertising report of a beacon, with an address that ends in a
    number."""
    report = bytes([0x13, 0, 1]) + bytes([number, 0, 0, 0, 0, 0xC0]) + bytes(14) + bytes([len(BEACON)]) + BEACON
    return bytes([0x3E, 2 + len(report), 0x0D, 1]) + report


class Recorder(unittest.TestCase):
    def recorded(self, packets) -> bytes:
        pieces = [recorder.record(recorder.HEADER.pack(opcode, adapter, len(payload)) + payload, 1_700_000_000.25)
                  for opcode, adapter, payload in packets]
        return recorder.BEGINNING + b"".join(pieces)

    def test_a_recording_is_read_as_it_was_written(self):
        packets = [(recording.EVENT, 0, b"\x05\x04"), (recording.ACL_SENT, 2, bytes(700)), (recording.COMMAND, 1, b"")]
        found = list(recording.records(self.recorded(packets)))
        self.assertEqual([(record.opcode, record.adapter, record.payload) for record in found], packets)
        unix = found[0].seconds - recorder.YEAR_0 / 1e6
        self.assertAlmostEqual(unix, 1_700_000_000.25, places=3)

    def test_each_address_of_one_adapter_is_counted_once(self):
        packets = [(recording.EVENT, adapter, beacon_of(number)) for adapter, number in [(0, 1), (0, 2), (0, 2), (1, 3)]]
        with tempfile.NamedTemporaryFile() as file:
            file.write(self.recorded(packets))
            file.flush()
            self.assertEqual(advertisers.count(file.name, "hci0"), 2)


class OfferTimes(unittest.TestCase):
    def test_medians_are_compared_and_the_longest_ends_count(self):
        self.assertEqual(offer_times.verdict([0.1, 0.1, 5], [0.1, 0.1, 5], [0.119, 0.119, 9], [1, 9.9], [30, 39.9]), [])

    def test_times_are_longer_only_if_that_is_hardly_chance(self):
        crowd = [1.369, 0.923, 7.833, 1.352, 2.936, 1.374, 1.1, 1.2, 3.5, 1.9] * 2
        for factor, is_longer in ((1, False), (1.15, False), (3, True)):
            self.assertEqual(offer_times.are_longer([time * factor for time in crowd], crowd), is_longer, factor)

    def test_times_that_are_too_long_are_reported(self):
        good = {"bare": [0.1] * 20, "heard": [0.1] * 20, "ours": [0.1], "ends": [1], "vanishings": [30]}
        for name, times in (("heard", [0.121] * 20), ("ours", [0.121]), ("ends", [1, 1, 10.1]), ("vanishings", [30, 40.1])):
            self.assertEqual(len(offer_times.verdict(**{**good, name: times})), 1, name)

    def test_a_median_is_printed_with_its_range(self):
        self.assertEqual(offer_times.in_words([0.3, 0.1, 0.2]), "0.200 s, from 0.100 to 0.300, 3 times")
