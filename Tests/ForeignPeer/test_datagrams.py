# SPDX-License-Identifier: Apache-2.0
"""Tests the foreign peer's datagrams with two real batonds, in real network namespaces.

BATON_BIN is the directory of batond and baton. The default is the debug build. The tests need root or user namespaces.
"""

import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "Examples")]

from foreign.datagram import HAIL, Datagram, network, seal, unseal  # noqa: E402
from foreign.primitives import Message  # noqa: E402
from test_lan import ALL_HOSTS, DIALS, LIMIT, MOUTH, ROUTER, TRAP, Networked  # noqa: E402

HOME = network(bytes.fromhex(ROUTER.replace(":", "")), bytes([192, 0, 2, 254]), 24)
TRAP_PORT = 21_740
STATE_HEAD = len(b"BATON STATE\n") + 32  # a digest of the rest


class Datagrams(Networked):

    def secret(self, laptop) -> bytes:
        """Returns the secret of a laptop's circle."""
        state = (laptop.home / "state" / "state").read_bytes()
        return Message(state[STATE_HEAD:]).message(6).bytes(4)

    def opened(self, heard: list, laptop) -> list:
        """Returns the datagrams that the secret of a laptop's circle opens."""
        all_opened = [unseal(bytes.fromhex(data), self.secret(laptop), int(time.time()), HOME) for data, _, _ in heard]
        return [each for each in all_opened if each]

    def test_the_foreign_peer_opens_the_datagrams_of_a_laptop(self):
        heard = self.listen("desk")
        self.restart(self.sofa, meanwhile=lambda: self.join(sofa="192.0.2.81"))
        datagram = self.eventually(lambda: self.opened(heard, self.desk), "a datagram that opens")[0]
        self.assertEqual(datagram.port, 21_740)

    def test_a_laptop_dials_the_source_of_the_foreign_peers_datagram(self):
        heard = self.listen("desk")
        self.restart(self.sofa, meanwhile=lambda: self.join(sofa="192.0.2.81"))
        device = self.eventually(lambda: self.opened(heard, self.desk), "a datagram that opens")[0].device
        # Wait for a link. After a dial that leads to no link, desk ignores further datagrams for a while.
        self.hand_over(self.desk, self.sofa, "over the link")
        self.sofa.daemon.terminate()
        self.assertEqual(self.sofa.daemon.wait(LIMIT), 0)
        self.eventually(lambda: self.links(self.desk) == 0, "the end of the link")
        # No program listened at this address before, so only the datagram can lead there.
        self.join(sofa="192.0.2.82")
        trap = self.python("sofa", TRAP)
        self.assertEqual(trap.stdout.readline(), "ready\n")
        mouth = self.python("sofa", MOUTH, stdin=subprocess.PIPE)
        secret, now = self.secret(self.desk), int(time.time())
        wrong = [seal(Datagram(device, TRAP_PORT), secret, now, bytes(32)), seal(Datagram(device, TRAP_PORT), secret, now, HOME, HAIL),
                 seal(Datagram(device, TRAP_PORT), bytes(32), now, HOME), seal(Datagram(device ^ 1, TRAP_PORT), secret, now, HOME)]
        since = len(self.log_of_desk())
        for payload in [*wrong, seal(Datagram(device, TRAP_PORT), secret, now, HOME)]:
            mouth.stdin.write(f"{payload.hex()} {ALL_HOSTS} 255\n")
        mouth.stdin.close()
        self.assertEqual(trap.stdout.readline(), "192.0.2.1\n")
        self.eventually(lambda: DIALS in self.log_of_desk()[since:], "the line about the dial")
        self.assertEqual(self.log_of_desk()[since:].count(DIALS), 1)
