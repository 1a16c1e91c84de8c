# SPDX-License-Identifier: Apache-2.0
"""Two laptops without Bluetooth hand over in one network, in real network namespaces.

BATON_BIN is the directory of batond and baton. The default is the debug build. The tests need root or user namespaces.
"""

import json
import pathlib
import re
import subprocess
import sys
import threading
import time

from laptops import BIN, LIMIT, Logged, demo, end
from networks import INTERFACE, Networks

TYPE = "org.example.letter"
ROUTER, OTHER_ROUTER = "02:00:00:00:00:01", "02:00:00:00:00:02"
# Listens at Baton's port of a hostile address, and prints a line for each connection.
TRAP = """
import socket
trap = socket.create_server(("", 21740), family=socket.AF_INET)
print("ready", flush=True)
while True:
    print(trap.accept()[1][0], flush=True)
"""


# Prints the datagrams that arrive for all hosts, in hexadecimal, with the address and the TTL of each.
EAR = """
import socket
ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
ear.setsockopt(socket.IPPROTO_IP, 12, 1)  # IP_RECVTTL
ear.bind(("224.0.0.1", 21740))
print("ready", flush=True)
while True:
    data, facts, _, (address, _) = ear.recvmsg(2048, 256)
    print(data.hex(), address, int.from_bytes(facts[0][2], "little"), flush=True)
"""
# Sends each datagram that it reads, in hexadecimal, to an address and with a TTL.
MOUTH = """
import socket, sys
mouth = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for line in sys.stdin:
    data, address, ttl = line.split()
    mouth.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, int(ttl))
    mouth.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, int(ttl))
    mouth.sendto(bytes.fromhex(data), (address, 21740))
"""
# Sends 10,000 datagrams of zeros in a second to all hosts of the network of an address.
FLOOD = """
import socket, time
flood = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
flood.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("198.51.100.2"))
flood.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
print("ready", flush=True)
while True:
    for _ in range(100):
        flood.sendto(bytes(25), ("224.0.0.1", 21740))
    time.sleep(0.01)
"""
# Sends each datagram of a file, in hexadecimal, to all hosts, 200 in a second. The address before it is the source.
SPOOF = """
import socket, struct, sys, time
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
for line in open(sys.argv[1], encoding="ascii"):
    source, data = line.split()
    payload = bytes.fromhex(data)
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28 + len(payload), 0, 0, 255, socket.IPPROTO_UDP, 0, socket.inet_aton(source), socket.inet_aton("224.0.0.1"))
    raw.sendto(head + struct.pack("!HHHH", 21740, 21740, 8 + len(payload), 0) + payload, ("224.0.0.1", 0))
    time.sleep(0.005)
"""
ALL_HOSTS = "224.0.0.1"
DIALS = "sends its beacon into this network"  # the log of a laptop that dials the source of a datagram
UNKNOWN = "does not look for your other laptops in this network"  # the hint of a laptop that has read its network, and does not know it


class Networked(Logged):
    """desk and sofa are paired over their network. Their simulated radios do not hear each other."""

    PREFIX = 24
    RADIO = "radio-{}"  # the air of a laptop's simulated radio

    def setUp(self):
        self.make_root("lan")
        self.networks = Networks("desk", "sofa")
        self.addCleanup(self.networks.end)
        self.addCleanup(lambda: end(self.running))
        self.join(desk="192.0.2.1", sofa="192.0.2.2")
        self.desk, self.sofa = self.laptop("desk"), self.laptop("sofa")
        self.pair()

    def laptop(self, name: str, place: str = ""):
        """Starts a laptop, in the network namespace of another one if a place is given."""
        laptop = demo.Laptop(name, self.root, BIN, self.running)
        laptop.environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nonexistent"
        laptop.binaries = laptop.home / "bin"
        laptop.binaries.mkdir()
        for program in ("batond", "baton"):
            script = self.networks.script(place or name, BIN / program)
            if program == "batond":
                # The radio is simulated because there is no bluetoothd.
                script = script.replace('"$@"', '"$@" --radio auto')
            (laptop.binaries / program).write_text(script, encoding="utf-8")
            (laptop.binaries / program).chmod(0o755)
        laptop.start(self.root / self.RADIO.format(name))
        return laptop

    def join(self, router: str = ROUTER, **addresses: str):
        """Brings laptops into the network of a router, each with an address."""
        for name, address in addresses.items():
            for command in (
                    f"ip address flush dev {INTERFACE}", f"ip link set {INTERFACE} up",
                    f"ip neigh replace 192.0.2.254 lladdr {router} dev {INTERFACE} nud permanent",
                    f"ip address add {address}/{self.PREFIX} dev {INTERFACE}",
                    "ip route replace default via 192.0.2.254"):
                self.networks.run(name, command)

    def restart(self, *laptops, meanwhile=lambda: None):
        for laptop in laptops:
            laptop.daemon.terminate()
            self.assertEqual(laptop.daemon.wait(LIMIT), 0)
        meanwhile()
        for laptop in laptops:
            laptop.start_daemon(self.root / self.RADIO.format(laptop.name))

    def publish(self, laptop, title: str, *options):
        """Publishes an activity, and returns the program once it has begun."""
        program = laptop.spawn(
            [laptop.binaries / "baton", "publish", "--type", TYPE, "--title", title, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)
        self.assertTrue(program.stdout.readline().startswith("publishing"))
        return program

    def finish(self, program):
        program.terminate()
        program.wait(LIMIT)
        program.stdout.close()

    def offers(self, laptop) -> list:
        return json.loads(laptop.baton("nearby", "--json")[0])

    def offer(self, laptop, title) -> dict:
        """Waits for an offer with a title, which is known here even before the activity was continued."""
        return self.eventually(lambda: next((offer for offer in self.offers(laptop) if offer.get("title") == title), None), f"the offer of {title}")

    def hand_over(self, origin, target, title: str):
        """Hands an activity over as the README says, and returns how long it took to be offered."""
        program = self.publish(origin, title, "--once")
        begun = time.monotonic()
        offer = self.offer(target, title)
        took = time.monotonic() - begun
        said, _ = target.baton("continue", offer["offer"])
        self.assertIn(TYPE, said)
        self.assertEqual(program.wait(LIMIT), 0)
        program.stdout.close()
        return took

    def links(self, laptop) -> int:
        return json.loads(laptop.baton("status", "--json")[0])["counts"]["lanLinks"]

    def python(self, name: str, program: str, **options):
        """Runs a Python program in a laptop's network."""
        script = self.root / f"python-{name}"
        script.write_text(self.networks.script(name, "/usr/bin/python3"), encoding="utf-8")
        script.chmod(0o755)
        process = subprocess.Popen([script, "-c", program], stdout=subprocess.PIPE, text=True, start_new_session=True, **options)
        self.running.append(process)
        return process

    def listen(self, name: str) -> list:
        """Returns the datagrams that arrive at a laptop from now on: each with its address and its TTL."""
        ear = self.ear = self.python(name, EAR)
        self.assertEqual(ear.stdout.readline(), "ready\n")
        heard = []

        def read():
            for line in ear.stdout:
                heard.append(tuple(line.split()))

        ear.reader = threading.Thread(target=read, daemon=True)
        ear.reader.start()
        return heard

    def copied(self) -> str:
        """Returns a datagram of sofa, in hexadecimal, after sofa has ended. desk is not linked any more."""
        heard = self.listen("desk")
        self.restart(self.sofa, meanwhile=lambda: self.join(sofa="192.0.2.61"))
        datagram, _, _ = self.eventually(lambda: heard, "a datagram")[0]
        # Wait for a link. After a dial that leads to no link, desk ignores further datagrams for a while.
        self.hand_over(self.desk, self.sofa, "over the link")
        self.sofa.daemon.terminate()
        self.assertEqual(self.sofa.daemon.wait(LIMIT), 0)
        self.eventually(lambda: self.links(self.desk) == 0, "the end of the link")
        self.ear.kill()
        return datagram

    def log_of_desk(self) -> str:
        return self.desk.log.read_text(encoding="utf-8")

    def nearby(self, laptop, hint: str) -> str:
        """Returns the warning of `baton nearby`, if it contains a hint."""
        done = subprocess.run([str(laptop.binaries / "baton"), "nearby"], env=laptop.environment, capture_output=True, text=True, timeout=LIMIT)
        return done.stderr if hint in done.stderr else ""


class Lan(Networked):
    """Tests that links over a network are kept, and made again at known addresses."""

    def test_paired_laptops_hand_over_both_ways_without_bluetooth(self):
        self.hand_over(self.desk, self.sofa, "one")
        self.hand_over(self.sofa, self.desk, "two")
        # From now on there is a link.
        times = sorted(self.hand_over(self.desk, self.sofa, f"letter {number}") for number in range(5))
        print(f"\nfrom publish to offer over a kept link, with the time of baton nearby: {1000 * times[2]:.0f} ms (median of 5)", file=sys.stderr)

    def test_laptops_hand_over_after_restarts_and_after_both_changed_their_addresses(self):
        self.hand_over(self.desk, self.sofa, "before")
        self.restart(self.desk, self.sofa)
        self.hand_over(self.desk, self.sofa, "after the restart")
        self.join(desk="192.0.2.11")
        self.hand_over(self.sofa, self.desk, "desk has moved")
        self.join(sofa="192.0.2.12")
        self.hand_over(self.desk, self.sofa, "sofa has moved")
        self.restart(self.desk, self.sofa)
        self.hand_over(self.sofa, self.desk, "restarted there")

    def test_a_hidden_title_is_fetched_on_request(self):
        configuration = self.desk.home / "config" / "baton"
        path = pathlib.Path(self.desk.environment.get("XDG_CONFIG_HOME", configuration.parent)) / "baton" / "baton.conf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("titles = ask\n", encoding="utf-8")
        self.restart(self.desk)
        program = self.publish(self.desk, "secret")
        offer = self.eventually(lambda: self.offers(self.sofa), "the offer")[0]
        self.assertIsNone(offer.get("title"))
        self.finish(program)

    def test_an_offer_ends_with_the_cable_the_activity_or_a_pause(self):
        program = self.publish(self.desk, "one")
        self.offer(self.sofa, "one")
        self.networks.run("desk", f"ip link set {INTERFACE} down")
        self.eventually(lambda: not self.offers(self.sofa), "the end of the offer")
        self.networks.run("desk", f"ip link set {INTERFACE} up")
        self.join(desk="192.0.2.1")
        self.offer(self.sofa, "one")
        self.desk.baton("pause")
        self.eventually(lambda: not self.offers(self.sofa), "the end of the offer")
        self.eventually(lambda: self.links(self.sofa) == 0, "the end of the link")
        self.desk.baton("resume")
        self.offer(self.sofa, "one")
        self.finish(program)
        self.eventually(lambda: not self.offers(self.sofa), "the end of the offer")

    def test_no_laptop_is_dialled_in_an_unknown_network_and_nearby_says_why(self):
        self.hand_over(self.desk, self.sofa, "at home")
        self.restart(self.desk, self.sofa, meanwhile=lambda: self.join(router=OTHER_ROUTER, desk="192.0.2.1", sofa="192.0.2.2"))
        program = self.publish(self.desk, "elsewhere")
        nearby = self.eventually(lambda: self.nearby(self.sofa, UNKNOWN), "the hint")
        self.assertIn("baton lan here", nearby)
        self.assertIn(UNKNOWN, self.sofa.baton("status", "--json")[0])
        self.assertEqual(self.links(self.sofa) + self.links(self.desk), 0)
        self.assertEqual(self.sofa.baton("lan", "here")[0], "this network is known now")
        self.assertEqual(self.sofa.baton("lan", "here")[0], "this network was known already")
        self.finish(program)
        self.restart(self.desk, self.sofa, meanwhile=lambda: self.join(desk="192.0.2.1", sofa="192.0.2.2"))
        self.hand_over(self.desk, self.sofa, "at home again")

    def test_addresses_of_others_that_a_member_tells_are_not_dialled(self):
        """sofa also has an address outside of the network. Later, another program answers at sofa's address in the
        network."""
        self.networks.run("desk", "ip link set lo up")
        self.networks.run("sofa", f"ip address add 198.51.100.7/24 dev {INTERFACE}")
        self.hand_over(self.desk, self.sofa, "one")
        status = json.loads(self.sofa.baton("status", "--json")[0])
        self.assertTrue(any("198.51.100.7" in endpoint for endpoint in status["endpoints"]), status["endpoints"])
        self.sofa.daemon.terminate()
        self.assertEqual(self.sofa.daemon.wait(LIMIT), 0)
        # The program that answers there now is not sofa's daemon.
        listener = self.python("sofa", TRAP)
        self.assertEqual(listener.stdout.readline(), "ready\n")
        self.networks.run("desk", f"ip route add 198.51.100.0/24 dev {INTERFACE}")
        self.restart(self.desk)
        # desk dials only sofa's address in the network.
        self.assertEqual(listener.stdout.readline(), "192.0.2.1\n")
        log = self.desk.log.read_text(encoding="utf-8")
        self.assertFalse(re.findall(r"dialling tcp:(?:198\.|127\.)", log))


class Beacons(Networked):
    """Tests that laptops find each other in a network by datagrams, although neither knows the other's address."""

    def move(self, number: int, **options):
        """Gives both laptops new addresses at once."""
        self.join(desk=f"192.0.2.{number}", sofa=f"192.0.2.{number + 1}", **options)

    def test_laptops_find_each_other_after_both_changed_their_addresses(self):
        self.hand_over(self.desk, self.sofa, "before")
        self.restart(self.desk, self.sofa, meanwhile=lambda: self.move(21))
        took = self.hand_over(self.desk, self.sofa, "after both were off")
        self.move(31)
        self.hand_over(self.sofa, self.desk, "while both were on")
        # sofa was off while both laptops got new addresses.
        self.restart(self.sofa, meanwhile=lambda: self.move(41))
        self.hand_over(self.desk, self.sofa, "while one was off")
        print(f"\nfrom the start of batond to the offer, with new addresses: {1000 * took:.0f} ms", file=sys.stderr)

    def test_a_laptop_that_missed_a_removal_is_found_by_a_hail(self):
        attic = self.laptop("attic", place="sofa")
        self.desk.baton("circle", "invite", self.root / "second")
        attic.baton("circle", "join", self.root / "second", "--name", "attic")
        self.eventually(lambda: len(json.loads(self.sofa.baton("devices", "--json")[0])) == 3, "the news of attic")

        def remove():
            self.desk.baton("remove", "attic")
            attic.daemon.terminate()
            self.assertEqual(attic.daemon.wait(LIMIT), 0)
            self.move(81)

        # sofa has only the former secret, and neither laptop knows the other's address.
        self.restart(self.sofa, meanwhile=remove)
        self.hand_over(self.desk, self.sofa, "after the removal")
        self.assertNotIn("attic", self.sofa.baton("devices", "--json")[0])

    def test_a_new_network_is_used_after_lan_here_on_one_laptop(self):
        self.restart(self.desk, self.sofa, meanwhile=lambda: self.move(51, router=OTHER_ROUTER))
        time.sleep(5)
        self.assertEqual(self.links(self.desk), 0)
        self.sofa.baton("lan", "here")
        self.hand_over(self.desk, self.sofa, "found by sofa's beacon")

    def test_laptops_find_each_other_by_link_local_ipv6_addresses(self):
        def only_ipv6(name, address):
            for command in (
                    f"ip address flush dev {INTERFACE}", f"ip -6 address add {address}/64 dev {INTERFACE} nodad",
                    f"ip -6 neigh replace fe80::254 lladdr {ROUTER} dev {INTERFACE} nud permanent",
                    f"ip -6 route replace default via fe80::254 dev {INTERFACE}"):
                self.networks.run(name, command)

        self.restart(self.desk, self.sofa, meanwhile=lambda: [only_ipv6("desk", "fe80::1"), only_ipv6("sofa", "fe80::2")])
        # A daemon that has just started has perhaps not read its networks.
        self.eventually(lambda: self.nearby(self.sofa, UNKNOWN), "the hint")
        self.sofa.baton("lan", "here")
        self.hand_over(self.desk, self.sofa, "without IPv4")
        self.hand_over(self.sofa, self.desk, "and back")

    def test_a_replayed_datagram_causes_one_dial_and_none_in_another_network(self):
        self.hand_over(self.desk, self.sofa, "one")
        heard = self.listen("desk")
        self.restart(self.sofa, meanwhile=lambda: self.join(sofa="192.0.2.61"))
        datagram, address, ttl = self.eventually(lambda: heard, "a datagram")[0]
        self.assertEqual((len(datagram), address, ttl), (50, "192.0.2.61", "255"))
        self.hand_over(self.desk, self.sofa, "two")
        self.sofa.daemon.terminate()
        self.assertEqual(self.sofa.daemon.wait(LIMIT), 0)
        self.eventually(lambda: self.links(self.desk) == 0, "the end of the link")
        self.restart(self.desk)
        trap = self.python("sofa", TRAP)
        self.assertEqual(trap.stdout.readline(), "ready\n")
        # desk looks for sofa at its stored address.
        self.assertEqual(trap.stdout.readline(), "192.0.2.1\n")
        self.join(sofa="192.0.2.62")
        since = len(self.desk.log.read_text(encoding="utf-8"))
        mouth = self.python("sofa", MOUTH, stdin=subprocess.PIPE)
        # Datagrams that are sent to one host, or from behind a router, or have a changed bit or another length, have no
        # effect.
        changed = datagram[:-1] + ("0" if datagram[-1] != "0" else "1")
        for line in (f"{datagram} 192.0.2.1 255", f"{datagram} {ALL_HOSTS} 254", f"{changed} {ALL_HOSTS} 255", f"{datagram}00 {ALL_HOSTS} 255"):
            mouth.stdin.write(line + "\n")
        mouth.stdin.flush()
        time.sleep(2)
        self.assertNotIn(DIALS, self.desk.log.read_text(encoding="utf-8")[since:])
        for _ in range(20):
            mouth.stdin.write(f"{datagram} {ALL_HOSTS} 255\n")
        mouth.stdin.flush()
        self.eventually(lambda: DIALS in self.desk.log.read_text(encoding="utf-8")[since:], "the dial")
        time.sleep(1)
        self.assertEqual(self.desk.log.read_text(encoding="utf-8")[since:].count(DIALS), 1)
        self.restart(self.desk, meanwhile=lambda: self.join(router=OTHER_ROUTER, desk="192.0.2.1"))
        since = len(self.desk.log.read_text(encoding="utf-8"))
        mouth.stdin.write(f"{datagram} {ALL_HOSTS} 255\n")
        mouth.stdin.flush()
        time.sleep(2)
        self.assertNotIn(DIALS, self.desk.log.read_text(encoding="utf-8")[since:])
        mouth.stdin.close()

    def test_no_datagram_is_sent_while_paused_with_lan_off_or_in_an_unknown_network(self):
        heard = self.listen("desk")
        self.restart(self.sofa, meanwhile=lambda: self.join(sofa="192.0.2.71"))
        self.eventually(lambda: heard, "a datagram")
        self.sofa.baton("pause")
        self.silence(heard, lambda: self.join(sofa="192.0.2.72"))
        self.sofa.baton("resume")
        self.restart(self.sofa, meanwhile=lambda: self.configure(self.sofa, "lan = off\n"))
        self.silence(heard, lambda: self.join(sofa="192.0.2.73"))
        self.restart(self.sofa, meanwhile=lambda: self.configure(self.sofa, "lan = known\n"))
        # With a link, sofa does not repeat the beacon of its start.
        self.eventually(lambda: self.links(self.sofa), "a link")
        self.silence(heard, lambda: self.join(sofa="192.0.2.74", router=OTHER_ROUTER))

    def test_listing_offers_sends_no_datagram_and_looking_for_offers_does(self):
        heard = self.listen("desk")
        # With a link, sofa does not repeat the beacon of its joining.
        self.eventually(lambda: self.links(self.sofa), "a link")
        self.desk.daemon.terminate()
        self.assertEqual(self.desk.daemon.wait(LIMIT), 0)
        self.eventually(lambda: self.links(self.sofa) == 0, "the end of the link")
        time.sleep(5)
        before = len(heard)
        for _ in range(3):
            subprocess.run(["gdbus", "call", "--session", "--dest", "org.batonproject.Baton", "--object-path", "/org/batonproject/Baton",
                            "--method", "org.batonproject.Baton1.Offers.List"], env=self.sofa.environment, check=True, capture_output=True, timeout=LIMIT)
        time.sleep(2)
        self.assertEqual(heard[before:], [])
        self.offers(self.sofa)
        self.eventually(lambda: heard[before:], "a datagram")

    def test_a_flood_on_one_interface_hides_nothing_on_another(self):
        datagram = self.copied()
        self.networks.run("sofa", f"ip link add flooded type veth peer name flooded netns {self.networks.keepers['desk']}")
        for name, address in (("desk", "198.51.100.1"), ("sofa", "198.51.100.2")):
            self.networks.run(name, f"ip address add {address}/24 dev flooded")
            self.networks.run(name, "ip link set flooded up")
        flood = self.python("sofa", FLOOD)
        self.assertEqual(flood.stdout.readline(), "ready\n")
        time.sleep(2)
        since = len(self.log_of_desk())
        self.join(sofa="192.0.2.62")
        mouth = self.python("sofa", MOUTH, stdin=subprocess.PIPE)
        for _ in range(3):
            mouth.stdin.write(f"{datagram} {ALL_HOSTS} 255\n")
            mouth.stdin.flush()
            time.sleep(1)
        mouth.stdin.close()
        self.eventually(lambda: DIALS in self.log_of_desk()[since:], "the dial")
        flood.kill()
        self.assertEqual(self.log_of_desk()[since:].count(DIALS), 1)

    def silence(self, heard: list, change):
        """Checks that a change of the network and `baton nearby` send nothing."""
        time.sleep(5)
        before = len(heard)
        change()
        self.offers(self.sofa)
        time.sleep(5)
        self.assertEqual(heard[before:], [])

    def configure(self, laptop, text: str):
        path = pathlib.Path(laptop.environment.get("XDG_CONFIG_HOME", laptop.home / "config")) / "baton" / "baton.conf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Crowd(Networked):
    """Hosts of a large network send datagrams. They cause only a few dials, whoever sends them."""

    PREFIX = 20

    def spoof(self, *datagrams: tuple):
        """Sends datagrams into the network, each with a source of its own."""
        program, lines = self.root / "spoof.py", self.root / "spoofed"
        program.write_text(SPOOF, encoding="utf-8")
        lines.write_text("".join(f"{source} {data}\n" for source, data in datagrams), encoding="ascii")
        self.networks.run("sofa", f"/usr/bin/python3 {program} {lines}")

    def test_spoofed_sources_cause_one_dial_inside_the_network_and_none_outside(self):
        datagram = self.copied()
        since = len(self.log_of_desk())
        # From outside of the network, from loopback, and from desk itself.
        self.spoof(*((source, datagram) for source in ("198.51.100.7", "127.0.0.1", "192.0.2.1")))
        time.sleep(1)
        self.assertEqual(self.log_of_desk()[since:].count(DIALS), 0)
        self.networks.run("sofa", f"ip address add 192.0.2.99/{self.PREFIX} dev {INTERFACE}")
        trap = self.python("sofa", TRAP.replace('""', '"192.0.2.99"'))
        self.assertEqual(trap.stdout.readline(), "ready\n")
        self.spoof(*(("192.0.2.99", datagram) for _ in range(20)))
        self.assertEqual(trap.stdout.readline(), "192.0.2.1\n")
        time.sleep(4)
        self.assertEqual(self.log_of_desk()[since:].count(DIALS), 1)

    def test_a_thousand_hosts_cause_few_dials_and_log_lines(self):
        datagram = self.copied()
        hosts = [f"192.0.{number // 250}.{number % 250 + 1}" for number in range(1_250) if number // 250 != 2]
        self.assertEqual(len(hosts), 1_000)
        since, before = len(self.log_of_desk()), self.memory()
        # Each host sends bytes that no key opens, and a copy of sofa's datagram.
        noise = ((host, f"02{number:048x}") for number, host in enumerate(hosts, 1))
        self.spoof(*(each for pair in zip(noise, ((host, datagram) for host in hosts)) for each in pair))
        counts = json.loads(self.desk.baton("status", "--json")[0])["counts"]
        log = self.log_of_desk()[since:]
        self.assertIn(log.count(DIALS), (1, 2, 3))
        self.assertLess(log.count("\n"), 60)
        self.assertLessEqual(counts["unopenedDatagrams"], 64)
        self.assertLessEqual(counts["datagramHailsTried"], 256)
        self.assertEqual(counts["lanBeaconDials"], 1)
        self.assertLess(self.memory() - before, 4_000)

    def memory(self) -> int:
        """Returns the KiB of desk's daemon that no other process shares."""
        rollup = pathlib.Path(f"/proc/{self.desk.daemon.pid}/smaps_rollup").read_text(encoding="ascii")
        return sum(int(size) for size in re.findall(r"^Private_(?:Clean|Dirty): +(\d+) kB", rollup, re.MULTILINE))


class IsolatedLaptops(Networked):
    """The laptops hear each other by radio, in a network that keeps them apart."""

    RADIO = "radio"

    def doctor(self, laptop) -> str:
        """Returns what `baton doctor network` prints. It fails if there is a finding."""
        return laptop.spawn([laptop.binaries / "baton", "doctor", "network"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True).communicate(timeout=LIMIT)[0]

    def test_doctor_says_that_the_network_keeps_the_laptops_apart(self):
        self.networks.keep_apart()
        self.join(desk="192.0.2.1", sofa="192.0.2.2")
        self.eventually(lambda: self.links(self.sofa) == 0, "the end of the link")
        letter = self.root / "letter"
        letter.write_bytes(bytes(1000))
        program = self.publish(self.desk, "apart", "--once", "--stream-from", letter)
        self.sofa.baton("continue", "--type", TYPE, "--wait", str(LIMIT), "--stream-to", str(self.root / "copy"))
        self.assertEqual(program.wait(LIMIT), 0)
        program.stdout.close()
        self.assertIn("the network passes nothing between the two laptops", self.doctor(self.sofa))
