# SPDX-License-Identifier: Apache-2.0
"""Tests what a host sees of a controller over HCI."""

import struct
import unittest

from .hosts import DATA, NOBODY, Host, octets, pair
from .support import SECOND, Room
from host.air import hci

CENTRAL_ENDED, PERIPHERAL_ENDED = 0x16, 0x13


class Streams(unittest.TestCase):
    def test_packets_are_found_wherever_the_stream_is_split(self):
        whole = [(1, bytes([3, 12, 0])), (4, bytes([0x0E, 1, 9])), (2, bytes([42, 0, 3, 0, 7, 7, 7]))]
        stream = b"".join(bytes([kind]) + packet for kind, packet in whole)
        for cut in range(1, len(stream)):
            buffer, found = bytearray(), []
            for piece in (stream[:cut], stream[cut:]):
                buffer += piece
                found += hci.packets(buffer)
            self.assertEqual(found, whole)

    def test_bytes_that_are_no_packet_are_refused(self):
        with self.assertRaises(hci.NotHci):
            list(hci.packets(bytearray([0x77, 0, 0])))


class General(unittest.TestCase):
    def setUp(self):
        self.room = Room()
        self.host = Host(self.room, 1)

    def test_the_controller_reports_le_only_and_extended_advertising(self):
        self.assertEqual(self.host.succeeds(0x1009), self.host.address)
        self.assertEqual(self.host.succeeds(0x1003)[4] & 0x60, 0x60)
        features = int.from_bytes(self.host.succeeds(0x2003), "little")
        self.assertEqual([bit for bit in range(64) if features & 1 << bit], [3, 5, 8, 12, 14])
        self.assertEqual(struct.unpack("<HB", self.host.succeeds(0x2002)), (251, 8))

    def test_every_command_that_is_answered_is_reported_as_supported(self):
        supported = self.host.succeeds(0x1002)
        self.assertEqual(len(supported), 64)
        # As Linux requires: extended scanning, extended connecting (net/bluetooth/hci_core.h).
        self.assertEqual(supported[37] & 0xE0, 0xE0)
        # The controller has neither LE Enable Encryption nor address resolution.
        self.assertEqual((supported[28] & 1, supported[34] & 0x78), (0, 0))
        for opcode, (_, octet, bit) in self.host.controller._commands.items():
            self.assertTrue(supported[octet] & 1 << bit, hex(opcode))

    def test_a_legacy_controller_has_no_extended_commands(self):
        host = Host(self.room, 2, extended=False)
        self.assertEqual(host.succeeds(0x1002)[37], 0)
        self.assertFalse(int.from_bytes(host.succeeds(0x2003), "little") & 1 << 12)
        self.assertEqual(host.command(0x2036, "B", 0), bytes([hci.UNKNOWN_COMMAND]))

    def test_unknown_and_truncated_commands_give_an_error_code(self):
        self.assertEqual(self.host.command(0x0C52), bytes([hci.UNKNOWN_COMMAND]))
        self.assertEqual(self.host.controller.unknown, {0x0C52})
        for opcode, (_, _, _) in self.host.controller._commands.items():
            self.host.controller.receive(hci.COMMAND, struct.pack("<HB", opcode, 0))  # nothing is raised
        self.assertEqual(self.host.command(0x2036, "B", 0), bytes([hci.INVALID]))
        self.assertEqual(self.host.command(0x0406, "HB", 9, 0x13), bytes([hci.NO_CONNECTION]))

    def test_the_accept_list_is_limited(self):
        size = self.host.succeeds(0x200F)[0]
        answers = [self.host.command(0x2011, "B6s", 0, octets(number))[0] for number in range(size + 1)]
        self.assertEqual(answers, [hci.OK] * size + [0x07])
        self.host.succeeds(0x2012, "B6s", 0, octets(3))
        self.host.succeeds(0x2011, "B6s", 0, octets(99))


class Advertising(unittest.TestCase):
    def setUp(self):
        self.room = Room()
        self.one, self.other = Host(self.room, 1), Host(self.room, 2)

    def reports(self) -> list:
        """Returns event type, address type, address, RSSI and data of each extended report."""
        found = []
        for parameters in self.other.le(hci.LE_EXTENDED_REPORT):
            count, event, kind, address, _, _, _, _, rssi, _, _, _, length = struct.unpack_from("<BHB6sBBBbbHB6sB", parameters)
            self.assertEqual((count, length), (1, len(parameters) - 25))
            found.append((event, kind, address, rssi, parameters[25:]))
        return found

    def test_an_advertisement_is_reported_with_its_signal(self):
        self.room.surroundings.set_attenuation(77, "hci1", "hci2")
        self.one.advertise()
        self.other.scan()
        self.room.run(2)
        self.assertEqual(set(self.reports()), {(0x13, 0, self.one.address, -77, DATA)})

    def test_each_set_has_its_own_address(self):
        for number in (1, 2, 3):
            self.one.advertise(number, address=octets(100 + number))
        self.other.scan(60, 60)
        self.room.run(2)
        self.assertEqual({(kind, address) for _, kind, address, _, _ in self.reports()}, {(1, octets(100 + number)) for number in (1, 2, 3)})

    def test_long_data_needs_extended_packets(self):
        data = bytes([99, 0xFF]) + bytes(98)
        self.one.advertise(1, properties=0x00, data=data)
        self.other.scan(60, 60)
        self.room.run(2)
        self.assertEqual({(event, found) for event, _, _, _, found in self.reports()}, {(0, data)})
        self.one.succeeds(0x2036, "BHHBHBBBB6sBbBBBBB", 2, 0x13, 160, 0, 240, 0, 7, 0, 0, NOBODY, 0, 127, 1, 0, 1, 2, 0)
        self.assertEqual(self.one.command(0x2037, f"BBBB{len(data)}s", 2, 3, 1, len(data), data), bytes([hci.INVALID]))

    def test_duplicates_are_reported_unless_they_are_filtered(self):
        for filters, least, most in ((False, 30, 60), (True, 1, 1)):
            self.setUp()
            self.one.advertise()
            self.other.scan(60, 60, filters=filters)
            self.room.run(5)
            self.assertTrue(least <= len(self.reports()) <= most, filters)

    def test_a_disabled_set_is_not_heard_and_the_end_of_a_duration_is_reported(self):
        self.other.scan(60, 60)
        self.one.advertise()
        self.room.run(1)
        self.one.succeeds(0x2039, "BB", 0, 0)
        before = len(self.reports())
        self.room.run(1)
        self.assertEqual(len(self.reports()), before)
        self.one.succeeds(0x2039, "BBBHB", 1, 1, 1, 50, 0)
        self.room.run(1)
        self.assertEqual([(each[0], each[1]) for each in self.one.le(hci.LE_SET_TERMINATED)], [(hci.ADVERTISING_TIMEOUT, 1)])
        self.assertGreater(len(self.reports()), before)

    def test_active_scanners_get_scan_responses(self):
        self.one.advertise()
        self.one.succeeds(0x2038, "BBBB4s", 1, 3, 1, 4, b"\3\x09ab")
        self.other.scan(60, 60, active=True)
        self.room.run(2)
        self.assertIn((0x1B, 0, self.one.address, -60, b"\3\x09ab"), self.reports())

    def test_legacy_commands_advertise_and_scan(self):
        one, other = (Host(self.room, number, extended=False) for number in (3, 4))
        one.succeeds(0x2006, "HHBBB6sBB", 160, 240, 0, 0, 0, NOBODY, 7, 0)
        one.succeeds(0x2008, f"B{len(DATA)}s", len(DATA), DATA)
        one.succeeds(0x200A, "B", 1)
        other.succeeds(0x200B, "BHHBB", 0, 96, 96, 0, 0)
        other.succeeds(0x200C, "BB", 1, 0)
        self.room.run(1)
        expected = struct.pack("<BBB6sB", 1, 0, 0, one.address, len(DATA)) + DATA + struct.pack("<b", -60)
        self.assertEqual(set(other.le(hci.LE_REPORT)), {expected})
        other.succeeds(0x200C, "BB", 0, 0)
        other.succeeds(0x200D, "HHBB6sBHHHHHH", 96, 48, 0, 0, one.address, 0, 24, 40, 0, 42, 0, 0)
        self.room.run(1)
        self.assertEqual([len(host.le(hci.LE_CONNECTION_COMPLETE)) for host in (one, other)], [1, 1])


class Connections(unittest.TestCase):
    def setUp(self):
        self.room = Room()

    def reason(self, host) -> list:
        return [parameters[3] for parameters in host.of(0x05)]

    def test_both_hosts_learn_of_a_connection_and_the_set_ends(self):
        one, other, _, handle = pair(self.room)
        complete = [struct.unpack("<BHBB6sHHHB", host.le(hci.LE_CONNECTION_COMPLETE)[0]) for host in (one, other)]
        self.assertEqual([each[2:8] for each in complete], [(0, 0, other.address, 40, 0, 42), (1, 0, one.address, 40, 0, 42)])
        self.assertEqual(struct.unpack("<BBHB", other.le(hci.LE_SET_TERMINATED)[0])[:3], (hci.OK, 1, handle))

    def test_only_a_host_that_enables_the_enhanced_event_gets_it(self):
        one, other = Host(self.room, 1), Host(self.room, 2)
        one.succeeds(0x2001, "Q", 0x3FF)
        other.advertise()
        one.connect(other.address)
        self.room.run(1)
        self.assertEqual([len(host.le(hci.LE_ENHANCED_CONNECTION_COMPLETE)) for host in (one, other)], [1, 0])
        self.assertEqual(len(one.le(hci.LE_ENHANCED_CONNECTION_COMPLETE)[0]), 30)

    def test_data_arrives_complete_and_in_order_and_each_packet_is_completed_once(self):
        self.room.surroundings.set_loss(0.1)
        one, other, handle, back = pair(self.room, timeout=4_000)
        sent = [bytes([number]) * (251 if number % 2 else 20) for number in range(30)]
        for number, data in enumerate(sent):
            one.send(handle, data, starts=number % 3 == 0)
        other.send(back, b"answer")
        self.room.run(20)
        self.assertEqual(b"".join(data for _, data in other.data), b"".join(sent))
        self.assertEqual([flags for flags, _ in other.data].count(2), 10)
        self.assertEqual(sum(struct.unpack("<BHH", each)[2] for each in one.of(0x13)), 30)
        self.assertEqual(one.data, [(2, b"answer")])

    def test_a_packet_without_acknowledgement_is_not_completed(self):
        one, other, handle, _ = pair(self.room)
        self.room.surroundings.set_attenuation(200)
        one.send(handle, b"lost")
        self.room.run(0.3)
        self.assertEqual((one.of(0x13), other.data), ([], []))
        self.room.run(1)
        self.assertEqual((self.reason(one), self.reason(other)), ([0x08], [0x08]))

    def test_data_length_phy_and_parameters_are_agreed(self):
        one, other, handle, back = pair(self.room)
        one.succeeds(0x2022, "HHH", handle, 251, 2120)
        self.assertEqual(one.command(0x2032, "HBBBH", handle, 0, 2, 2, 0), bytes([hci.OK]))
        self.assertEqual(one.command(0x2013, "HHHHHHH", handle, 12, 12, 0, 400, 0, 0), bytes([hci.OK]))
        self.room.run(2)
        self.assertEqual(struct.unpack("<HHHHH", one.le(hci.LE_DATA_LENGTH)[0]), (handle, 251, 2120, 27, 328))
        self.assertEqual(struct.unpack("<HHHHH", other.le(hci.LE_DATA_LENGTH)[0]), (back, 27, 328, 251, 2120))
        for host, its in ((one, handle), (other, back)):
            self.assertEqual(host.le(hci.LE_PHY_COMPLETE), [struct.pack("<BHBB", 0, its, 2, 2)])
            self.assertEqual(host.le(hci.LE_UPDATE_COMPLETE), [struct.pack("<BHHHH", 0, its, 12, 0, 400)])

    def test_a_peripheral_that_learns_of_an_instant_too_late_ends_the_link(self):
        one, other, handle, _ = pair(self.room, timeout=4_000)
        self.room.surroundings.set_attenuation(200)
        self.assertEqual(one.command(0x2013, "HHHHHHH", handle, 12, 12, 0, 400, 0, 0), bytes([hci.OK]))
        self.room.run(0.5)  # the instant is six events of 50 ms later
        self.room.surroundings.set_attenuation(60)
        self.room.run(6)
        self.assertEqual((self.reason(one), self.reason(other)), ([0x08], [0x28]))
        self.assertEqual(one.le(hci.LE_UPDATE_COMPLETE), [])

    def test_the_controller_requests_the_default_data_length_by_itself(self):
        one, other, handle, back = pair(self.room, length=251)
        self.assertEqual(struct.unpack("<HHHHH", one.le(hci.LE_DATA_LENGTH)[0]), (handle, 251, 2120, 251, 2120))
        self.assertEqual(len(other.le(hci.LE_DATA_LENGTH)), 1)

    def test_features_and_version_are_read_and_the_read_fails_when_the_link_ends(self):
        one, other, handle, back = pair(self.room)
        self.assertEqual(one.command(0x2016, "H", handle), bytes([hci.OK]))
        self.assertEqual(other.command(0x041D, "H", back), bytes([hci.OK]))
        self.room.run(1)
        self.assertEqual(one.le(hci.LE_FEATURES), [struct.pack("<BH", 0, handle) + other.controller.features])
        self.assertEqual(other.of(0x0C), [struct.pack("<BHBHH", 0, back, *one.controller.version)])
        self.room.surroundings.set_attenuation(200)
        one.command(0x2016, "H", handle)
        self.room.run(1)
        self.assertEqual(one.le(hci.LE_FEATURES)[-1][0], 0x08)

    def test_both_hosts_learn_who_ended_a_link_and_why(self):
        for ender in (0, 1):
            self.room = Room()
            one, other, *handles = pair(self.room)
            host = (one, other)[ender]
            self.assertEqual(host.command(0x0406, "HB", handles[ender], 0x13), bytes([hci.OK]))
            self.assertEqual(host.of(0x05), [])  # ending a link takes at least one event
            self.room.run(1)
            self.assertEqual([self.reason(each) for each in (one, other)], [[0x16], [0x13]] if ender == 0 else [[0x13], [0x16]])
            self.assertEqual(host.command(0x0406, "HB", handles[ender], 0x13), bytes([hci.NO_CONNECTION]))

    def test_a_connection_whose_request_is_lost_fails_to_be_established(self):
        one, other = Host(self.room, 1), Host(self.room, 2)
        other.advertise()
        self.room.surroundings.set_loss(1, "hci1", "hci2")
        one.connect(other.address)
        self.room.run(2)
        self.assertEqual(len(one.le(hci.LE_CONNECTION_COMPLETE)), 1)
        self.assertEqual(self.reason(one), [0x3E])
        self.assertEqual((other.le(hci.LE_CONNECTION_COMPLETE), other.of(0x05)), ([], []))

    def test_a_dial_is_cancelled(self):
        one = Host(self.room, 1)
        self.assertEqual(one.command(0x200E), bytes([hci.DISALLOWED]))
        one.connect(octets(9))
        self.assertEqual(one.command(0x2043, "BBB6sBHHHHHHHH", 0, 0, 0, octets(8), 1, 96, 96, 40, 40, 0, 42, 0, 0), bytes([hci.DISALLOWED]))
        one.succeeds(0x200E)
        self.assertEqual([each[0] for each in one.le(hci.LE_CONNECTION_COMPLETE)], [hci.NO_CONNECTION])
        one.connect(octets(9))

    def test_a_device_that_is_connected_is_not_dialled_again(self):
        one, other, _, _ = pair(self.room)
        self.assertEqual(one.command(0x2043, "BBB6sBHHHHHHHH", 0, 0, 0, other.address, 1, 96, 96, 40, 40, 0, 42, 0, 0), bytes([hci.CONNECTION_EXISTS]))

    def test_two_devices_that_dial_each_other_at_once_get_one_link(self):
        for seed in range(10):
            room = Room(seed)
            hosts = [Host(room, number) for number in (1, 2)]
            for host in hosts:
                host.advertise(milliseconds=20)
            hosts[0].connect(hosts[1].address)
            hosts[1].connect(hosts[0].address)
            room.run(3)
            self.assertEqual([len(host.le(hci.LE_CONNECTION_COMPLETE)) for host in hosts], [1, 1], seed)
            # The other dial continues until its host cancels it.
            answers = sorted(host.command(0x200E)[0] for host in hosts)
            self.assertEqual(answers, [hci.OK, hci.DISALLOWED])

    def test_a_device_with_two_addresses_may_have_two_links(self):
        one, other, _, _ = pair(self.room)
        other.advertise(2, address=octets(77))
        one.connect(octets(77), kind=1)
        self.room.run(2)
        self.assertEqual([len(host.le(hci.LE_CONNECTION_COMPLETE)) for host in (one, other)], [2, 2])
        self.assertEqual((self.reason(one), self.reason(other)), ([], []))

    def test_after_a_silent_reset_the_other_end_notices_at_the_supervision_timeout(self):
        one, other, _, _ = pair(self.room)
        one.succeeds(0x0C03)
        began = self.room.timeline.now
        while not other.of(0x05):
            self.room.run(0.01)
        self.assertEqual((self.reason(one), self.reason(other)), ([], [0x08]))
        self.assertAlmostEqual((self.room.timeline.now - began) / SECOND, 0.42, delta=0.06)

    def test_many_connections_leave_nothing_behind(self):
        one, other = Host(self.room, 1), Host(self.room, 2)
        for _ in range(100):
            other.advertise(milliseconds=20)
            one.connect(other.address, interval=7.5)
            self.room.run(0.3)
            one.command(0x0406, "HB", 1, 0x13)
            self.room.run(0.1)
        self.assertGreater(len(one.of(0x05)), 95)
        self.room.run(5)
        for host in (one, other):
            host.succeeds(0x0C03)
            self.assertEqual(host.controller.connections._connections, {})
            self.assertEqual((host.radio.waiting, host.radio.user), ([], None))
        self.room.run(5)
        self.assertIsNone(self.room.timeline.next_moment)
