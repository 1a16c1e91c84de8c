# SPDX-License-Identifier: Apache-2.0
"""Tests the TCP ports at which the daemons of one machine listen, in a real network namespace in which all ports are free.

BATON_BIN is the directory of batond and baton, by default the debug build. It needs root, or user namespaces.
"""

import json
import pathlib
import re
import shutil
import tempfile
import unittest

from laptops import BIN, ROOT, demo, end
from networks import Networks

SOURCE = (ROOT / "Sources/TransportModel/FixedPorts.swift").read_text(encoding="utf-8")
FIRST, LAST = (int(number.replace("_", "")) for number in re.search(r"= ([\d_]+)\.\.\.([\d_]+)\n", SOURCE).groups())
# Listens at a port, only on IPv4 like many programs, and prints a line when it listens.
KEEP = "import socket,time; kept=socket.create_server(('0.0.0.0',{port})); print('kept',flush=True); time.sleep(1e6)"


class Ports(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="baton-ports-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.networks = Networks("desk", "sofa")
        self.addCleanup(self.networks.end)
        self.running = []
        self.addCleanup(end, self.running)

    def user(self, name: str, *options) -> "demo.Laptop":
        """A user of desk with a running daemon. Without bluetoothd, the daemon uses the simulated radio."""
        user = demo.Laptop(name, self.root, BIN, self.running)
        user.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nonexistent"
        user.binaries = user.home / "bin"
        user.binaries.mkdir()
        for program in ("batond", "baton"):
            script = self.networks.script("desk", BIN / program)
            if program == "batond":
                script = script.replace('"$@"', " ".join(('"$@"', *options)))
            (user.binaries / program).write_text(script, encoding="utf-8")
            (user.binaries / program).chmod(0o755)
        user.start(self.root / f"radio-{name}")
        return user

    def endpoints(self, user) -> list:
        return [endpoint for endpoint in json.loads(user.baton("status", "--json")[0])["endpoints"] if endpoint.startswith("tcp:")]

    def ports(self, user) -> set:
        return {int(endpoint.rpartition(":")[2]) for endpoint in self.endpoints(user)}

    def stop(self, user):
        user.daemon.terminate()
        self.assertEqual(user.daemon.wait(60), 0)

    def keep(self, port: int):
        """Lets another program listen at a port."""
        script = self.root / f"keep-{port}"
        script.write_text(self.networks.script("desk", "/usr/bin/python3"), encoding="utf-8")
        script.chmod(0o755)
        holder = demo.Laptop(f"keeper-{port}", self.root, BIN, self.running).spawn([script, "-c", KEEP.format(port=port)], stdout=-1, text=True)
        self.assertEqual(holder.stdout.readline(), "kept\n")

    def test_each_user_of_a_machine_gets_the_next_port_and_the_fifth_user_any_port(self):
        self.networks.join(desk="10.77.0.1", sofa="10.77.0.2")
        users = [self.user(name, "--radio auto") for name in ("ada", "bob", "cyd", "dan", "eve")]
        found = [self.ports(user) for user in users]
        self.assertEqual(found[:4], [{port} for port in range(FIRST, LAST + 1)])
        self.assertEqual(len(found[4]), 1)
        self.assertFalse(found[4] & set(range(FIRST, LAST + 1)))

    def test_a_restarted_daemon_gets_its_port_again(self):
        self.networks.join(desk="10.77.0.1", sofa="10.77.0.2")
        ada, bob = self.user("ada", "--radio auto"), self.user("bob", "--radio auto")
        self.assertEqual((self.ports(ada), self.ports(bob)), ({FIRST}, {FIRST + 1}))
        self.stop(ada)
        ada.start_daemon(self.root / "radio-ada")
        self.assertEqual(self.ports(ada), {FIRST})

    def test_a_port_in_use_by_another_program_is_skipped(self):
        self.networks.join(desk="10.77.0.1", sofa="10.77.0.2")
        self.keep(FIRST)
        self.assertEqual(self.ports(self.user("ada", "--radio auto")), {FIRST + 1})

    def test_a_network_with_only_ipv6_uses_the_same_port(self):
        self.networks.run("desk", "ip address add fd77::1/64 dev cable nodad")
        self.networks.run("desk", "ip link set cable up")
        self.networks.run("sofa", "ip link set cable up")
        self.assertEqual(self.endpoints(self.user("ada", "--radio auto")), [f"tcp:[fd77::1]:{FIRST}"])

    def test_daemons_with_the_simulated_radio_use_other_ports(self):
        self.networks.join(desk="10.77.0.1", sofa="10.77.0.2")
        self.assertFalse(self.ports(self.user("ada")) & set(range(FIRST, LAST + 1)))

    def test_no_loopback_address_is_sent_without_bluetooth(self):
        self.networks.run("desk", "ip link set lo up")
        self.networks.join(desk="10.77.0.1", sofa="10.77.0.2")
        self.assertEqual(self.endpoints(self.user("ada", "--radio auto")), [f"tcp:10.77.0.1:{FIRST}"])
