# SPDX-License-Identifier: Apache-2.0
"""Tests the program of the air: controllers on sockets in real time, and the cost of a
crowd."""

import socket
import struct
import tempfile
import time
import unittest
from pathlib import Path

from .hosts import Host
from .support import Room, advertise
from host.air import hci, room
from host.air.process import CONTROL, Air, AirProcess
from host.scenarios import SCENARIOS


class Program(unittest.TestCase):
    def setUp(self):
        self.log = Path(self.enterContext(tempfile.TemporaryDirectory())) / "air"

    def start(self, **options) -> dict:
        self.air = AirProcess(Air(**options), ["one", "other"], self.log)
        self.addCleanup(self.air.stop)
        self.air.start()
        for ports in self.air.ports.values():
            for port in ports.values():
                port.settimeout(60)
        return self.air.ports

    def command(self, port: socket.socket, opcode: int, parameters: bytes = b""):
        port.sendall(struct.pack("<BHB", hci.COMMAND, opcode, len(parameters)) + parameters)

    def events(self, port: socket.socket):
        """Yields the received events without an end."""
        buffer = bytearray()
        while True:
            yield from (packet for _, packet in hci.packets(buffer))
            buffer += port.recv(4096)

    def test_two_machines_hear_each_other_and_the_program_ends_with_them(self):
        ports = self.start(options=("--seed=7", "--attenuation=70"))
        one, other = ports["one"]["hci0"], ports["other"]["hci0"]
        self.command(one, 0x2008, bytes([3, 2, 1, 6]) + bytes(28))
        self.command(one, 0x200A, b"\1")
        self.command(other, 0x200B, struct.pack("<BHHBB", 0, 96, 96, 0, 0))
        self.command(other, 0x200C, b"\1\0")
        found = next(packet for packet in self.events(other) if packet[0] == 0x3E)
        self.assertEqual(found[2], hci.LE_REPORT)
        self.assertEqual(struct.unpack("<b", found[-1:]), (-70,))
        self.air.close()
        self.assertEqual(self.air._process.wait(60), 0)
        self.assertIn("one-hci0 is unplugged: closed", self.log.read_text(encoding="utf-8"))

    def said_once(self, word: str) -> str:
        """Waits until the log contains a word, and returns the log."""
        limit = time.monotonic() + 60
        while word not in self.log.read_text(encoding="utf-8") and time.monotonic() < limit:
            time.sleep(0.05)
        return self.log.read_text(encoding="utf-8")

    def test_lines_change_the_air_while_it_runs_and_a_wrong_line_is_reported(self):
        ports = self.start()
        control = ports["one"][CONTROL]
        control.sendall(b"loss 0.1\nmurmur\n")
        said = self.said_once("murmur")
        self.assertRegex(said, r"\d the air: loss 0\.1")
        self.assertRegex(said, r"\d cannot read the line: murmur")

    def test_a_note_says_how_much_of_the_time_each_radio_was_in_use(self):
        ports = self.start(options=("--headphones=other-hci0",))
        ports["one"][CONTROL].sendall(b"note so far\n")
        self.assertRegex(self.said_once("so far"), r"so far: one-hci0 0\.0%, other-hci0 [1-9]\d*\.\d% of \d+\.\d s")

    def test_only_the_controller_of_a_host_that_sends_no_hci_is_unplugged(self):
        ports = self.start()
        ports["one"]["hci0"].sendall(b"\x77")
        self.assertEqual(ports["one"]["hci0"].recv(10), b"")
        self.command(ports["other"]["hci0"], 0x0C03)
        self.assertEqual(next(self.events(ports["other"]["hci0"])), bytes.fromhex("0e0401030c00"))


class Scenarios(unittest.TestCase):
    def test_the_program_knows_the_options_of_each_scenario(self):
        scenarios = [scenario for scenario in SCENARIOS if scenario.air]
        self.assertGreater(len(scenarios), 1)
        for scenario in scenarios:
            self.assertEqual(room.options([*scenario.air.options, "one-hci0=3"]).controllers, ["one-hci0=3"], scenario.name)


class Cost(unittest.TestCase):
    def test_a_hundred_advertisers_beside_two_laptops_take_less_than_a_third_of_a_processor(self):
        the_room = Room()
        hosts = [Host(the_room, number) for number in (1, 2)]
        for host in hosts:
            host.scan(60, 60)
            host.advertise()
        for number in range(100):
            advertise(the_room.radio(f"other{number}"), 100 + number, 100)
        the_room.run(1)
        seconds, began = 3, time.process_time()
        the_room.run(seconds)
        cost = (time.process_time() - began) / seconds
        self.assertGreater(len(hosts[0].events), 500)
        self.assertLess(cost, 1 / 3)
