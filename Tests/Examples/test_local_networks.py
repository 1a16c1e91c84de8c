# SPDX-License-Identifier: Apache-2.0
"""Tests the networks that a laptop learns from the kernel, in real network namespaces.

BATON_BIN is the directory of network-watcher, by default the debug build. The test needs root, or user namespaces.
"""

import queue
import subprocess
import threading
import unittest

from laptops import BIN, LIMIT
from networks import INTERFACE, Networks

ROUTER = "02:00:00:00:00:01"
OTHER_ROUTER = "02:00:00:00:00:02"


def plain(address: str) -> str:
    return address.replace(":", "")


class LocalNetworks(unittest.TestCase):
    """Two namespaces: desk is the laptop, and sofa is the router at the other end of its cable."""

    def setUp(self):
        self.networks = Networks("desk", "sofa")
        self.addCleanup(self.networks.end)
        self.programs = []
        # End the programs before the namespaces end.
        self.addCleanup(self.end)
        self.lines = queue.Queue()
        self.watcher = self.spawn([BIN / "network-watcher"])
        threading.Thread(target=self.read, args=(self.watcher.stdout,), daemon=True).start()
        self.last = self.said()
        self.assertEqual(self.last, "")

    def spawn(self, command):
        """Runs a program in the laptop's network."""
        script = self.networks.script("desk", command[0]).splitlines()[1]
        process = subprocess.Popen(["sh", "-c", script, "sh", *map(str, command[1:])], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.programs.append(process)
        return process

    def end(self):
        for process in self.programs:
            process.kill()
            process.wait()

    def read(self, output):
        with output:
            for line in output:
                self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def said(self) -> str:
        line = self.lines.get(timeout=LIMIT)
        self.assertIsNotNone(line, "network-watcher has ended")
        return line

    def until(self, *words: str, without=()) -> str:
        """Waits for a line with all the wanted words and none of the others, and returns it."""
        while not all(word in self.last for word in words) or any(word in self.last for word in without):
            try:
                self.last = self.said()
            except queue.Empty:
                self.fail(f"no state had {words} and lacked {without}; the last was '{self.last}'")
        return self.last

    def identity(self) -> str:
        return self.last.partition(" is ")[2].split()[0]

    def desk(self, command: str):
        self.networks.run("desk", command)

    def sofa(self, command: str):
        self.networks.run("sofa", command)

    def plug_in(self, router: str = ROUTER):
        """Connects the laptop to a network with an IPv4 router."""
        self.sofa(f"ip link set {INTERFACE} address {router}")
        self.sofa(f"ip address replace 192.0.2.1/24 dev {INTERFACE}")
        self.sofa(f"ip link set {INTERFACE} up")
        self.desk(f"ip link set {INTERFACE} up")
        self.desk(f"ip address replace 192.0.2.7/24 dev {INTERFACE}")
        self.desk("ip route replace default via 192.0.2.1")

    def resolve(self):
        """Uses the router from the laptop, so that the kernel asks for its address."""
        self.desk("python3 -c \"import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 9))\"")

    def test_a_network_appears_with_its_router_and_goes_with_its_carrier(self):
        self.plug_in()
        self.until("c0000207/24", "via c0000201/24 at unknown", without=(" is ",))
        self.resolve()
        self.until(f"via c0000201/24 at {plain(ROUTER)}", " is ")
        found = self.identity()
        self.sofa(f"ip link set {INTERFACE} down")
        self.until(without=(INTERFACE,))
        self.sofa(f"ip link set {INTERFACE} up")
        self.desk("ip route replace default via 192.0.2.1")
        self.until("via c0000201/24")
        self.resolve()
        self.until(" is ")
        self.assertEqual(self.identity(), found)

    def test_another_router_or_another_prefix_is_another_network(self):
        self.plug_in()
        self.resolve()
        self.until(" is ")
        first = self.identity()
        self.sofa(f"ip link set {INTERFACE} down")
        self.until(without=(INTERFACE,))
        self.plug_in(OTHER_ROUTER)
        self.until("via c0000201/24")
        self.resolve()
        self.until(f"at {plain(OTHER_ROUTER)}", " is ")
        self.assertNotEqual(self.identity(), first)
        second = self.identity()
        self.desk(f"ip address del 192.0.2.7/24 dev {INTERFACE}")
        self.desk(f"ip address add 192.0.2.7/25 dev {INTERFACE}")
        self.desk("ip route replace default via 192.0.2.1")
        self.until("via c0000201/25", f"at {plain(OTHER_ROUTER)}")
        self.assertNotIn(self.identity(), (first, second))

    def test_the_network_stays_the_same_after_a_change_of_the_laptops_address(self):
        self.plug_in()
        self.resolve()
        self.until(" is ")
        found = self.identity()
        self.desk(f"ip address del 192.0.2.7/24 dev {INTERFACE}")
        self.desk(f"ip address add 192.0.2.99/24 dev {INTERFACE}")
        self.desk("ip route replace default via 192.0.2.1")
        self.until("c0000263/24", "via c0000201/24", without=("c0000207",))
        # With the last address, the kernel forgets all hosts.
        self.resolve()
        self.until(" is ")
        self.assertEqual(self.identity(), found)

    def test_a_router_that_the_kernel_forgets_is_remembered_until_the_carrier_goes(self):
        self.plug_in()
        self.resolve()
        self.until(" is ")
        self.desk("ip neigh flush all")
        self.desk(f"ip address add 192.0.2.99/24 dev {INTERFACE}")
        # Do this before the router sends anything, because the router checks after 5 s whether the laptop is there.
        self.assertIn(f"at {plain(ROUTER)}", self.until("c0000263/24"))
        self.sofa(f"ip link set {INTERFACE} down")
        # The kernel does not report a carrier that comes back at once.
        self.until(without=(INTERFACE,))
        self.sofa(f"ip link set {INTERFACE} up")
        self.until("at unknown", without=(" is ",))

    def test_routes_that_vanish_without_a_report_are_noticed(self):
        """When an interface disappears, the kernel does not report its IPv4 routes."""
        self.plug_in()
        self.until("via c0000201")
        self.desk(f"ip link set {INTERFACE} down")
        self.desk(f"ip link set {INTERFACE} up")
        self.until("c0000207/24", without=("via",))

    def test_an_ipv6_router_is_recognised_by_its_link_local_address(self):
        self.sofa(f"ip link set {INTERFACE} address {ROUTER}")
        self.sofa(f"ip address add fe80::1/64 dev {INTERFACE} nodad")
        self.sofa(f"ip link set {INTERFACE} up")
        self.desk(f"ip link set {INTERFACE} up")
        self.desk(f"ip address add 2001:db8::7/64 dev {INTERFACE} nodad")
        self.desk(f"ip -6 route add default via fe80::1 dev {INTERFACE}")
        self.desk(f"ip neigh replace fe80::1 lladdr {ROUTER} dev {INTERFACE} nud stale")
        self.until("20010db8000000000000000000000007/64", f"via fe800000000000000000000000000001/64 at {plain(ROUTER)}", " is ")

    def test_a_cable_between_two_laptops_is_recognised(self):
        for end in (self.desk, self.sofa):
            end(f"ip link set {INTERFACE} up")
        self.until(INTERFACE, "cable cable fe80")
        self.desk(f"ip address add 192.0.2.7/24 dev {INTERFACE}")
        self.until("c0000207/24", without=("cable cable",))

    def test_a_bridge_of_containers_is_ignored(self):
        self.plug_in()
        self.desk("ip link add docker0 type bridge")
        self.desk("ip address add 172.17.0.1/16 dev docker0")
        self.desk("ip link set docker0 up")
        self.desk(f"ip address add 192.0.2.99/24 dev {INTERFACE}")
        self.until("c0000263/24")
        self.assertNotIn("docker0", self.last)

    def test_no_change_is_lost_in_a_flood(self):
        """While the watcher is stopped, the kernel reports more changes than the socket can hold."""
        self.plug_in()
        self.until("c0000207/24")
        self.watcher.send_signal(subprocess.signal.SIGSTOP)
        self.desk(f"sh -c 'for i in $(seq 2 250); do ip address add 10.9.$i.1/24 dev {INTERFACE}; ip address del 10.9.$i.1/24 dev {INTERFACE}; done'")
        self.desk(f"ip address add 192.0.2.99/24 dev {INTERFACE}")
        self.watcher.send_signal(subprocess.signal.SIGCONT)
        self.until("c0000263/24", "c0000207/24", without=("0a09",))
