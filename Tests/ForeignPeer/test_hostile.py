# SPDX-License-Identifier: Apache-2.0
"""Tests that the hostile device's messages are exactly as wrong as intended."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from hostile import wire  # noqa: E402
from hostile.wire import Command, Endpoint  # noqa: E402


def says_the_truth(command: Command) -> bool:
    return command.length in (-1, len(command.body))


class Wire(unittest.TestCase):
    def test_a_written_command_is_read_back_unchanged(self):
        command = Command(wire.CONNECT, 7, wire.connect(0x81, 0x40, 23, 24, 25))
        self.assertEqual(bytes(command).hex(), "14070a00810040001700180019" "00")
        self.assertEqual(Command.read(bytes(command)).words(), (0x81, 0x40, 23, 24, 25))

    def test_bytes_that_are_not_a_command_are_not_read_as_one(self):
        for data in (b"", b"\x14", b"\x14\x01\x00"):
            self.assertIsNone(Command.read(data))

    def test_headers_are_wrong_only_on_request(self):
        self.assertEqual(wire.packet(5, b"abc").hex(), "03000500616263")
        self.assertEqual(wire.packet(5, b"abc", 0xFFFF).hex(), "ffff0500616263")
        self.assertEqual(wire.first_frame(b"ab").hex(), "02006162")
        self.assertEqual(wire.first_frame(b"ab", 9).hex(), "09006162")

    def test_an_endpoint_is_read_from_the_status(self):
        self.assertEqual(Endpoint.read("l2cap:00:AA:01:00:00:00/public:128"), Endpoint("00:AA:01:00:00:00", 128))
        for text in ("tcp:10.0.0.1:1", "l2cap:F1:5A:7E:00:00:01/random:128", ""):
            with self.assertRaises(ValueError):
                Endpoint.read(text)


class Attacks(unittest.TestCase):
    def test_every_known_command_is_truncated_at_every_byte(self):
        cut = list(wire.cut_short())
        self.assertEqual({command.code for command in cut}, set(wire.BODIES))
        for command in cut:
            self.assertLess(len(command.body), len(wire.BODIES[command.code]))
        self.assertTrue(any(says_the_truth(command) for command in cut) and not all(says_the_truth(command) for command in cut))

    def test_wrong_lengths_differ_from_the_real_ones(self):
        self.assertFalse(any(says_the_truth(command) for command in wire.of_wrong_length()
                             if command.length != len(command.body)))
        self.assertGreater(len(list(wire.of_wrong_length())), 100)

    def test_oversized_commands_are_longer_than_every_device_takes(self):
        for command in wire.oversized():
            self.assertTrue(says_the_truth(command))
            self.assertGreater(len(bytes(command)), wire.COMMAND_MTU)

    def test_unknown_commands_have_unassigned_codes(self):
        self.assertFalse({command.code for command in wire.unknown()} & set(wire.BODIES))

    def test_responses_are_of_every_kind_and_identifier(self):
        found = {(command.code, command.identifier) for command in wire.unasked()}
        self.assertEqual(len(found), len(wire.RESPONSES) * 255)
