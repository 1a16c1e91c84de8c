# SPDX-License-Identifier: Apache-2.0
"""The network between two laptops fails, or comes back with other addresses, while streams run, in real network namespaces.

BATON_BIN is the directory of batond and baton. The default is the debug build. The tests need root or user namespaces.
"""

import json
import os
import re
import threading

from laptops import BIN, LIMIT, TwoLaptops
from networks import Networks

TYPE = "org.example.letter"
HALF = 300_000  # bytes, more than a pipe holds
# The kernel abandons a connection after 20 s (VanishedPeer), and batond abandons streams that have none after 60 s (Streams.md).
PATIENCE = 20 + 60 + LIMIT


class Laptops(TwoLaptops):
    def setUp(self):
        self.networks = Networks("desk", "sofa")
        self.addCleanup(self.networks.end)
        super().setUp()
        self.networks.join(desk="10.77.0.1", sofa="10.77.0.2")

    def prepare(self, laptop):
        """Runs the laptop's programs in its network. The bus and the radio are Unix sockets, which need no network."""
        laptop.binaries = laptop.home / "bin"
        laptop.binaries.mkdir()
        for name in ("batond", "baton"):
            program = laptop.binaries / name
            program.write_text(self.networks.script(laptop.name, BIN / name), encoding="utf-8")
            program.chmod(0o755)

    def go_over(self, transport: str, since: tuple = (0, 0)):
        """Waits until both laptops' logs, from an offset on, show that the streams use a transport."""
        for laptop, begin in zip((self.desk, self.sofa), since):
            def ways(laptop=laptop, begin=begin) -> list:
                return re.findall(r"streams \S+ go over (\w+)", self.said(laptop)[begin:])

            self.assertTrue(self.within(LIMIT, lambda ways=ways: ways()[-1:] == [transport]),
                            f"the streams of {laptop.name} do not go over {transport}, but over {ways()}")

    def said(self, laptop) -> str:
        """Returns the text of the log of a laptop's daemon."""
        return laptop.log.read_text(encoding="utf-8")

    def hand_over(self) -> list:
        """Returns the programs of both laptops with streams over TCP between them. Each program sends given data and receives into a file."""
        since = (len(self.said(self.desk)), len(self.said(self.sofa)))
        ends = [self.start(self.desk, "publish", "--once")]
        self.eventually(lambda: "publishing" in ends[0].told())
        ends.append(self.start(self.sofa, "continue", "--wait", LIMIT))
        for end in ends:
            end.writer = self.writing(end.pipe)
        self.go_over("tcp", since)
        return ends

    def start(self, laptop, *command) -> "End":
        end = End(laptop, self.root / f"{laptop.name}-{len(self.running)}", command)
        self.addCleanup(end.close)
        # Kill the program before `close`, because it may have stopped reading.
        self.addCleanup(end.process.kill)
        return end

    def out_of_range(self, are: bool):
        """Puts the laptops out of each other's radio range, or back into it."""
        conditions = self.root / "conditions"
        conditions.write_text(json.dumps({"signal": -120 if are else -50}), encoding="utf-8")
        os.rename(conditions, self.root / "radio" / "conditions.json")

    def finish(self, ends: list):
        """Ends the streams, and checks that all data has arrived."""
        for end in ends:
            end.give()
            end.close()
        for end in ends:
            self.assertTrue(self.within(LIMIT, lambda end=end: end.process.poll() is not None), end.told())
            self.assertEqual(end.process.returncode, 0, end.told())
        for end, other in (ends, ends[::-1]):
            self.assertEqual(other.received.read_bytes(), end.sent)


class End:
    """A laptop's program, and its end of the streams."""

    def __init__(self, laptop, path, command):
        self.laptop = laptop
        self.pipe, self.received, self.log = (path.with_suffix(suffix) for suffix in (".pipe", ".received", ".log"))
        os.mkfifo(self.pipe)
        self.sent, self.writer, self.giving = b"", None, []
        with self.log.open("wb") as log:
            self.process = laptop.spawn([laptop.binaries / "baton", *command, "--type", TYPE, "--stream-from", self.pipe, "--stream-to", self.received],
                                        stdout=log, stderr=log)

    def told(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def give(self):
        """Sends half a file in a thread, as fast as the program reads it."""
        half = os.urandom(HALF)
        self.sent += half
        self.giving.append(threading.Thread(target=self.write, args=(half,), daemon=True))
        self.giving[-1].start()

    def write(self, data: bytes):
        try:
            self.writer.write(data)
        except BrokenPipeError:
            # The program has ended. The test checks its output for the reason.
            pass

    def gave(self):
        for thread in self.giving:
            thread.join(LIMIT)

    def close(self):
        if self.writer:
            self.gave()
            self.writer.close()
            self.writer = None


class ChangingNetworks(Laptops):
    def test_streams_move_to_the_radio_and_back_and_new_streams_use_the_new_addresses(self):
        ends = self.hand_over()
        self.cut(ends)
        self.go_over("simulated")
        self.networks.join(desk="10.77.0.1", sofa="10.77.0.2")
        self.go_over("tcp")
        self.finish(ends)
        self.networks.part()
        self.networks.join(desk="10.78.0.1", sofa="10.78.0.2")
        self.finish(self.hand_over())

    def test_streams_fail_on_both_laptops_without_the_radio_and_new_streams_work(self):
        ends = self.hand_over()
        self.out_of_range(True)
        self.cut(ends)
        for end in ends:
            self.assertTrue(self.within(PATIENCE, lambda end=end: end.process.poll() is not None), f"it was not told that the streams have ended: {end.told()}")
            self.assertNotEqual(end.process.returncode, 0)
            self.assertIn("The streams broke off before their end.", end.told())
            self.assertFalse(end.received.exists(), "what was cut short passes for whole")
        self.out_of_range(False)
        self.networks.join(desk="10.78.0.1", sofa="10.78.0.2")
        self.finish(self.hand_over())

    def cut(self, ends: list):
        """Cuts the network in the middle of both streams."""
        for end in ends:
            end.give()
            end.gave()
        self.networks.part()
        for end in ends:
            end.give()


class StalledConnections(Laptops):
    """A connection that carries nothing any more, but that the kernel would keep for 20 s."""

    def test_streams_move_to_the_radio_before_the_connection_breaks_if_the_cable_is_pulled(self):
        self.move_when(self.networks.part)

    def test_streams_move_to_the_radio_before_the_connection_breaks_if_packets_are_lost(self):
        self.move_when(self.lose)

    def test_a_laptop_that_only_receives_moves_its_streams_too(self):
        self.move_when(self.lose, givers=("desk",))

    def test_a_laptop_that_only_sends_moves_its_streams_too(self):
        self.move_when(self.lose, givers=("sofa",))

    def lose(self):
        self.networks.lose(desk="10.77.0.2", sofa="10.77.0.1")

    def move_when(self, fault, givers: tuple = ("desk", "sofa")):
        ends = self.hand_over()
        giving = [end for end in ends if end.laptop.name in givers]
        for end in giving:
            end.give()
            end.gave()
        fault()
        for end in giving:
            end.give()
        self.go_over("simulated")
        for laptop in (self.desk, self.sofa):
            self.assertNotIn("are without a channel", self.said(laptop))
        self.finish(ends)
