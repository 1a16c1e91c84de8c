# SPDX-License-Identifier: Apache-2.0
"""Tests which addresses of pages and songs go from laptop to laptop, with the table that batond and the browser extension use,
too."""

import ipaddress
import json
import socket
import types
import unittest
from unittest import mock

from apps import EXTENSION, ROOT, sys
from library import introspected

introspected()
sys.path.insert(0, str(EXTENSION))

from gi.repository import GLib  # noqa: E402

import addresses  # noqa: E402
import contents  # noqa: E402
import machine  # noqa: E402
import media  # noqa: E402
from adapter import Refused  # noqa: E402
from ladder import KEY, Missing, Page, Reference, origin  # noqa: E402
from ladder.find import _rest  # noqa: E402

TABLE = json.loads((ROOT / "Tests" / "Browsers" / "addresses.json").read_text(encoding="utf-8"))
UNCLEAR = [*TABLE["loopbackInDisguise"], *TABLE["readInTwoWays"]]
OWN = ("http://desk/", "http://DESK.:8080/admin", "https://desk.example.net/", "http://desk.local/", "http://192.168.178.20:631/",
       "http://[2001:db8::20]/", "http://[2001:0db8:0:0::20]:80/", "http://[::ffff:192.168.178.20]/", "http://[::ffff:c0a8:b214]/", "http://[fe80::1]/")
OTHERS = ("http://sofa/", "http://desk.example.org/", "http://desk2.local/", "http://a.desk/", "http://192.168.178.2/", "http://[2001:db8::21]/")
FIB_TRIE = """Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     |-- 192.168.178.0
        /24 link UNICAST
     |-- 192.168.178.20
        /32 link UNICAST
        /32 host LOCAL
     |-- 192.168.178.255
        /32 link BROADCAST
Local:
     |-- 127.0.0.0
        /8 host LOCAL
     |-- 127.0.0.1
        /32 host LOCAL
"""
IF_INET6 = "20010db8000000000000000000000020 02 40 00 80     eth0\nfe800000000000000000000000000001 02 40 20 80     eth0\nnonsense\n"


def arriving(address: str) -> Reference:
    """Returns what another laptop sends about a file that came from a page."""
    file = GLib.Variant("a{sv}", {"name": GLib.Variant("s", "a.pdf"), "origin": GLib.Variant("s", address)})
    return Reference.read(GLib.Variant("a{sv}", {KEY: file}))


class Table(unittest.TestCase):
    def test_addresses_in_the_table_are_accepted_or_refused_with_the_reason(self):
        for arrives in (False, True):
            for address in TABLE["taken"]:
                self.assertIsNone(addresses.refusal(address, arrives), address)
            for reason, refused in TABLE["refused"].items():
                for address in refused:
                    self.assertEqual(addresses.refusal(address, arrives), reason, address)

    def test_ambiguous_hosts_and_disguised_loopback_are_refused(self):
        for address in UNCLEAR:
            self.assertIsNotNone(addresses.refusal(address), address)

    def test_characters_that_browsers_leave_are_encoded_once(self):
        for address, encoded in TABLE["encoded"].items():
            self.assertEqual(addresses.encoded(address), encoded)
            self.assertEqual(addresses.encoded(encoded), encoded)
        self.assertEqual(addresses.encoded('https://example.org/100%?a|b^"<>`{}%20%zz#x#y'),
                         "https://example.org/100%25?a%7Cb%5E%22%3C%3E%60%7B%7D%20%25zz#x%23y")

    def test_address_is_visible_ascii_of_8192_bytes(self):
        for address in ("http://example.org/\n", "http://example.org/\0", "http://example.org/\t", "http://bücher.de/", "http://example.org/ü"):
            self.assertEqual(addresses.refusal(address), addresses.UNCLEAR, address)
        longest = "https://example.org/" + (8192 - 20) * "a"
        self.assertIsNone(addresses.refusal(longest))
        self.assertEqual(addresses.refusal(longest + "a"), addresses.TOO_LONG)
        self.assertEqual(addresses.refusal("https://example.org/?" + 4000 * "|"), addresses.TOO_LONG)

    def test_song_addresses_follow_the_table(self):
        for address in TABLE["taken"]:
            self.assertEqual(contents.web_address(address), addresses.encoded(address))
        for address in (*(each for refused in TABLE["refused"].values() for each in refused), *UNCLEAR):
            self.assertIsNone(contents.web_address(address), address)
            self.assertFalse(media.can_go(address, None), address)

    def test_origin_addresses_of_files_follow_the_table(self):
        """A user name and a password are removed, and are not a reason to refuse the address."""
        for address in TABLE["taken"]:
            self.assertIsNotNone(origin.clean(address), address)
        for reason, refused in TABLE["refused"].items():
            for address in refused:
                found = origin.clean(address)
                self.assertTrue(found is None or reason == addresses.USER and "@" not in found and addresses.refusal(found) is None, address)
        for address in (*UNCLEAR, "http://example.org\\@localhost/", "http://example.org\\@evil.example/", "http://a@b@localhost/"):
            self.assertIsNone(origin.clean(address), address)


class ThisMachine(unittest.TestCase):
    """This computer is called desk, in a network."""

    def setUp(self):
        files = {machine.IPV4: FIB_TRIE, machine.IPV6: IF_INET6}
        for patch in (mock.patch.object(socket, "gethostname", lambda: "Desk.Example.net"), mock.patch.object(machine, "_read", files.get)):
            self.enterContext(patch)

    def test_own_names_and_addresses_may_leave_but_are_refused_on_arrival(self):
        for address in OWN:
            self.assertEqual(addresses.refusal(address, arrives=True), addresses.THIS_MACHINE, address)
            self.assertIsNone(addresses.refusal(address), address)
        for address in OTHERS:
            self.assertIsNone(addresses.refusal(address, arrives=True), address)

    def test_song_at_an_address_of_this_computer_is_not_played(self):
        played = []
        adapter = types.SimpleNamespace(play=lambda *arguments: played.append(arguments[0]))
        for address in (*OWN, *TABLE["refused"][addresses.THIS_MACHINE]):
            with mock.patch.object(contents, "read", lambda _: {"url": address}), self.assertRaisesRegex(Refused, "leads to the other laptop itself"):
                media.Media.take(adapter, None, None)
        for address in OTHERS:
            with mock.patch.object(contents, "read", lambda _: {"url": address}):
                media.Media.take(adapter, None, None)
        self.assertEqual(played, list(OTHERS))

    def test_origin_page_at_an_address_of_this_computer_is_not_opened(self):
        for address in (*OWN, *TABLE["refused"][addresses.THIS_MACHINE], "http://ada:pw@desk/"):
            self.assertIsInstance(_rest(arriving(address), "sofa"), Missing, address)
        for address in OTHERS:
            self.assertIsInstance(_rest(arriving(address), "sofa"), Page, address)

    def test_names_are_not_resolved(self):
        with mock.patch.object(socket, "getaddrinfo", side_effect=AssertionError), mock.patch.object(socket, "gethostbyname", side_effect=AssertionError):
            self.assertIsNone(addresses.refusal("http://leads-to-loopback.example.org/", arrives=True))


class Kernel(unittest.TestCase):
    def test_own_host_name_and_addresses_come_from_the_kernel(self):
        self.assertTrue(machine.is_own(socket.gethostname().lower()))
        self.assertIn(ipaddress.ip_address("127.0.0.1"), machine.addresses())
        self.assertFalse(machine.is_own("example.org"))

    def test_computer_without_a_name_or_a_network_has_no_own_address(self):
        with mock.patch.object(socket, "gethostname", lambda: ""), mock.patch.object(machine, "IPV4", "/nowhere"), mock.patch.object(machine, "IPV6", "/nowhere"):
            self.assertEqual((machine.names(), machine.addresses()), (set(), set()))
