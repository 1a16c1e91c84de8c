# SPDX-License-Identifier: Apache-2.0
"""A room of laptops: their controllers, and the air between them.

    python3 -m host.air.room [OPTION...] NAME=DESCRIPTOR...

The lines on the control socket have the form of a script (script.py) or are `note TEXT`. After a note, the log says how much of the time since the
last note each controller's radio was in use.

Each NAME is a controller. Its HCI uses an inherited stream socket. If a host closes its socket, its controller is unplugged. The program ends when
all sockets are closed.
"""

import argparse
import random
import socket
import sys
from pathlib import Path

from . import advertising, hci
from .controller import Controller
from .events import MILLISECOND, SECOND, Timeline
from .medium import Medium
from .pdu import RANDOM
from .radio import Policy, Radio, Reservation
from .realtime import RealTime
from .script import BadLine, Script
from .surroundings import Surroundings

# The number of bytes that may wait for a host before the host counts as dead.
MOST_WAITING = 1 << 20
# The interval of the room's reports about its work.
REPORT = 10 * SECOND
# The period of headphones that play music. They use the radio for half of each period.
HEADPHONES = 20 * MILLISECOND


def public_address(number: int) -> bytes:
    """Returns C0:FF:EE:00:00:01 and so on, least significant octet first."""
    return bytes([number, 0, 0, 0xEE, 0xFF, 0xC0])


class Plug:
    """A controller with its host's socket."""

    def __init__(self, room, name: str, number: int, descriptor: int, options):
        self.room, self.name = room, name
        self.socket = socket.socket(fileno=descriptor)
        self.socket.setblocking(False)
        self._incoming, self._outgoing = bytearray(), bytearray()
        self.controller = Controller(name, room.medium, room.random, public_address(number), self._send, Policy(options.policy), not options.legacy,
                                     options.buffers)
        room.clock.watch(self.socket, self._read)

    def _send(self, packet: bytes):
        self._outgoing += packet
        self._flush()

    def _flush(self):
        try:
            while self._outgoing:
                del self._outgoing[:self.socket.send(self._outgoing)]
        except BlockingIOError:
            if len(self._outgoing) > MOST_WAITING:
                self.unplug("its host reads nothing")
            else:
                self.room.timeline.after(2 * MILLISECOND, self._flush)
        except OSError as error:
            self.unplug(str(error))

    def _read(self):
        try:
            data = self.socket.recv(65_536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.unplug("closed")
            return
        self._incoming += data
        unknown = len(self.controller.unknown)
        try:
            for kind, packet in hci.packets(self._incoming):
                self.controller.receive(kind, packet)
        except hci.NotHci as error:
            self.unplug(str(error))
        if len(self.controller.unknown) > unknown:
            names = ", ".join(f"{opcode:#06x}" for opcode in sorted(self.controller.unknown))
            self.room.say(f"{self.name} has no command {names}")

    def unplug(self, why: str):
        if self in self.room.plugs:
            self.room.plugs.remove(self)
            self.room.clock.forget(self.socket)
            self.socket.close()
            self._outgoing.clear()
            self.controller.reset()
            self.room.say(f"{self.name} is unplugged: {why}")


class Room:
    """All controllers, on the real clock."""

    def __init__(self, options):
        self.random = random.Random(options.seed)
        self.timeline = Timeline()
        surroundings = Surroundings(self.random, options.attenuation, options.loss)
        self.medium = Medium(self.timeline, surroundings)
        self.script = Script(self.timeline, surroundings)
        self.clock = RealTime(self.timeline)
        self.plugs = []
        for number, given in enumerate(options.controllers, 1):
            name, _, descriptor = given.rpartition("=")
            self.plugs.append(Plug(self, name, number, int(descriptor), options))
        self._noted = self.timeline.now, {}
        for plug in self.plugs:
            if plug.name in options.headphones:
                Reservation(plug.controller.radio, HEADPHONES, HEADPHONES // 2).start()
        for number in range(options.crowd):
            self._add_advertiser(number)
        for descriptor in options.control:
            self._watch_control(descriptor)
        if options.script:
            for line in Path(options.script).read_text(encoding="utf-8").splitlines():
                self.script.read(line)
        self.timeline.after(REPORT, self._report)

    def say(self, text: str):
        print(f"{self.timeline.now / SECOND:.3f} {text}", flush=True)

    def _add_advertiser(self, number: int):
        """Adds one of the crowd of other devices, which advertises every 100 ms."""
        radio = Radio(f"crowd{number}", self.medium, self.random)
        address, data = (RANDOM, self.random.randbytes(5) + b"\xC0"), bytes([30, 0xFF]) + self.random.randbytes(29)
        parameters = advertising.Parameters(address, 100 * MILLISECOND, data=data)
        self.timeline.after(self.random.randrange(parameters.interval), advertising.AdvertisingSet(radio, parameters).start)

    def _watch_control(self, descriptor: int):
        """Reads the lines of a script that come while the program runs."""
        control, buffer = socket.socket(fileno=descriptor), bytearray()

        def read():
            data = control.recv(4096)
            if not data:
                self.clock.forget(control)
                return
            buffer.extend(data)
            while b"\n" in buffer:
                line, _, rest = bytes(buffer).partition(b"\n")
                buffer[:] = rest
                try:
                    self._take(line.decode("utf-8", "replace"))
                except BadLine as error:
                    self.say(str(error))

        self.clock.watch(control, read)

    def _take(self, line: str):
        if line.startswith("note "):
            self._note(line.removeprefix("note "))
        else:
            self.script.read(line)
            self.say(f"the air: {line}")

    def _note(self, text: str):
        begin, before = self._noted
        now = {plug.name: plug.controller.radio.used for plug in self.plugs}
        self._noted = self.timeline.now, now
        passed = max(1, self.timeline.now - begin)
        shares = ", ".join(f"{name} {(used - before.get(name, 0)) / passed:.1%}" for name, used in now.items())
        self.say(f"{text}: {shares} of {passed / SECOND:.1f} s")

    def _report(self):
        self.timeline.after(REPORT, self._report)
        late, stood = self.clock.worst / 1000, self.clock.behind / 1000
        self.say(f"late by {late:.1f} ms at most, stood still for {stood:.0f} ms in all, {self.medium.collisions} collisions")
        self.clock.worst = 0

    def run(self):
        while self.plugs:
            self.clock.step()


def options(arguments: list) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policy", choices=[policy.value for policy in Policy], default=Policy.SCANNING_WINS.value, help="who wins the radio")
    parser.add_argument("--attenuation", type=float, default=60, metavar="DB")
    parser.add_argument("--loss", type=float, default=0, metavar="SHARE")
    parser.add_argument("--crowd", type=int, default=0, metavar="N", help="other advertisers")
    parser.add_argument("--headphones", action="append", default=[], metavar="NAME", help="a controller whose radio they have for half of the time")
    parser.add_argument("--legacy", action="store_true", help="controllers without extended advertising")
    parser.add_argument("--buffers", type=int, default=8, metavar="N", help="ACL packets that a controller takes")
    parser.add_argument("--script", metavar="FILE")
    parser.add_argument("--control", type=int, action="append", default=[], metavar="DESCRIPTOR", help="where lines of a script come from")
    parser.add_argument("controllers", nargs="+", metavar="NAME=DESCRIPTOR")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    Room(options(sys.argv[1:])).run()
