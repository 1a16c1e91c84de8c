# SPDX-License-Identifier: Apache-2.0
"""Links and channels whose every byte comes from the caller. Bumble has the controller and ATT, but its L2CAP is bypassed."""

import asyncio
import os
import struct
from dataclasses import dataclass, field

from bumble.core import BaseError
from bumble.device import Device
from bumble.hci import (
    HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR, Address, HCI_Error, HCI_LE_Set_Random_Address_Command)
from bumble.transport import open_transport

from . import wire
from .wire import Command

PATIENCE = float(os.environ.get("LAB_PATIENCE") or 1)
ACCEPTED = 0  # the result of a connection request
HEAR, DIAL, DIALS = 2, 2, 30  # seconds to hear the laptop, seconds for a dial, and the number of dials


class Failure(Exception):
    """The error for an attacked device that did something forbidden, or did not do something required."""


async def within(seconds: float, work, what: str):
    """Awaits something that must happen in time, and returns its result."""
    try:
        return await asyncio.wait_for(work, seconds * PATIENCE)
    except asyncio.TimeoutError:
        raise Failure(f"{what}: not within {seconds * PATIENCE:.0f} s") from None


@dataclass
class Channel:
    """A credit-based channel: the agreed values, the received bytes, and whether the other side has ended it."""

    link: "Link"
    own: int
    peer: int
    mtu: int  # the largest SDU that the other side accepts
    mps: int  # the largest K-frame
    credits: int  # how many K-frames it accepts at first
    polite: bool = True  # answers a disconnection request
    received: bytes = b""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    farewell: int = 0  # the identifier of the disconnection request

    async def frame(self, payload: bytes):
        """Sends a K-frame, with or without a credit for it."""
        await self.link.send(wire.packet(self.peer, payload))

    async def give(self, credits: int):
        await self.link.command(Command(wire.CREDITS, 0x21, struct.pack("<HH", self.own, credits)))

    async def gone(self, limit: float = 30):
        """Waits until the other side has ended the channel, or the whole link."""
        await within(limit, self.ended.wait(), "a stranger's channel is left open")

    async def close(self):
        await self.link.command(Command(wire.DISCONNECT, 0x22, struct.pack("<HH", self.peer, self.own)))


class Link:
    """A link to a device. It answers only what must be answered."""

    def __init__(self, radio: "Radio", connection):
        self.radio, self.connection, self.handle = radio, connection, connection.handle
        self.channels: dict = {}
        self.heard: dict = {}  # number of received commands, by code
        self.waiting: dict = {}  # waiting callers, by identifier
        self.ended = asyncio.Event()
        connection.on("disconnection", lambda *_: self._end())

    async def send(self, data: bytes):
        """Sends any bytes as one ACL packet, in fragments of the controller's size. Waits while the controller is busy."""
        if self.ended.is_set():
            raise ConnectionError("the link has ended")
        self.radio.device.host.send_acl_sdu(self.handle, data)
        queue = self.radio.device.host.get_data_packet_queue(self.handle)
        end = asyncio.get_running_loop().time() + 30 * PATIENCE
        while queue.pending > 4 and not self.ended.is_set():
            if asyncio.get_running_loop().time() > end:
                raise Failure("the controller takes no more data")
            await asyncio.sleep(0.001)

    async def command(self, command: Command):
        await self.send(wire.packet(wire.SIGNALLING, bytes(command)))

    async def ask(self, command: Command, limit: float = 10):
        """Returns the answer to a request, or None if the link has ended before that."""
        answer = asyncio.get_running_loop().create_future()
        self.waiting[command.identifier] = answer
        try:
            await self.command(command)
            return await within(limit, answer, f"no answer to a command of code {command.code:#04x}")
        finally:
            self.waiting.pop(command.identifier, None)

    async def lives(self):
        """Returns whether the other side's L2CAP still answers here: it must reject an unknown command."""
        if self.ended.is_set():
            return False
        return await self.ask(Command(0xFE, 0x7E)) is not None

    async def open(self, psm: int, own: int = 0x40, polite: bool = True) -> Channel:
        """Opens a correct channel."""
        answer = await self.ask(Command(wire.CONNECT, 0x20, wire.connect(psm, own)))
        if answer is None:
            raise ConnectionError("the link has ended")
        if answer.code != wire.CONNECTED or len(answer.body) < 10:
            raise Failure(f"a right connection request is answered by {bytes(answer).hex()}")
        peer, mtu, mps, credits, result = answer.words()
        if result != ACCEPTED:
            raise Failure(f"a right connection request is refused with {result:#06x}")
        channel = Channel(self, own, peer, mtu, mps, credits, polite)
        self.channels[own] = channel
        return channel

    async def close(self):
        """Ends the link. btvirt has no supervision timeout, so a link that nobody ends would stay forever."""
        if not self.ended.is_set():
            try:
                await self.connection.disconnect(HCI_REMOTE_USER_TERMINATED_CONNECTION_ERROR)
            except (BaseError, HCI_Error):
                pass  # the other side has ended the channel already
        await within(20, self.ended.wait(), "a link does not end")

    def take(self, channel: int, payload: bytes):
        """Handles a packet on the signalling channel, or on a credit-based one."""
        if channel == wire.SIGNALLING:
            command = Command.read(payload)
            if command is not None:
                self._command(command)
        elif channel in self.channels:
            self.channels[channel].received += payload

    def _command(self, command: Command):
        self.heard[command.code] = self.heard.get(command.code, 0) + 1
        answer = self.waiting.get(command.identifier)
        if answer is not None and not answer.done() and command.code not in (wire.DISCONNECT, wire.UPDATE, wire.CREDITS):
            answer.set_result(command)
        elif command.code == wire.UPDATE:
            self._answer(Command(wire.UPDATED, command.identifier, bytes(2)))
        elif command.code == wire.DISCONNECT and len(command.body) >= 4:
            self._farewell(command)

    def _farewell(self, command: Command):
        """Handles the other side's end of a channel. The first id is the id of this side."""
        channel = self.channels.get(command.words()[0])
        if channel is None or channel.polite:
            self._answer(Command(wire.DISCONNECTED, command.identifier, command.body[:4]))
        if channel is not None:
            channel.farewell = command.identifier
            channel.ended.set()

    def _answer(self, command: Command):
        self.radio.device.host.send_acl_sdu(self.handle, wire.packet(wire.SIGNALLING, bytes(command)))

    def _end(self):
        self.ended.set()
        self.radio.links.pop(self.handle, None)
        for channel in self.channels.values():
            channel.ended.set()
        for answer in self.waiting.values():
            if not answer.done():
                answer.set_result(None)


class Mate:
    """A second controller, and a link to it that stays.

    btvirt numbers a controller's links from 42, and finds a link at both ends by the dialler's number. So two links of
    one controller work only if both ends number their links alike. The link to the second controller takes this
    controller's first number. On the attacked laptop, the link to an honest device has that number.
    """

    @staticmethod
    async def of(device: Device, controller: str) -> "Mate":
        mate = Mate()
        mate.transport = await open_transport(controller)
        address = Address("F1:5A:7E:00:00:03")
        mate.device = Device.with_hci("mate", address, mate.transport.source, mate.transport.sink)
        await mate.device.power_on()
        await mate.device.start_advertising()
        await within(60, device.connect(address), "no link to the mate")
        return mate

    async def stop(self):
        await self.device.power_off()
        await self.transport.close()


class Radio:
    """A controller and its links, by their handles."""

    def __init__(self):
        self.links: dict = {}
        self.device = None

    async def start(self, controller: str, address: str, mate: str):
        self.transport = await open_transport(controller)
        self.device = Device.with_hci("stranger", Address(address), self.transport.source, self.transport.sink)
        manager = self.device.l2cap_channel_manager
        self.fixed = manager.on_pdu
        manager.on_pdu = self._hear
        await self.device.power_on()
        self.mate = await Mate.of(self.device, mate)

    async def link(self, address: str) -> Link:
        """Returns the existing link, or a new one. The link of an attacker that fails too often is ended, and the
        attacker connects again."""
        for link in self.links.values():
            return link
        target = Address(address, Address.PUBLIC_DEVICE_ADDRESS)
        for attempt in range(DIALS):
            await self.hear(target)
            try:
                connection = await within(30, self.device.connect(target, timeout=DIAL * PATIENCE), "no link")
            except (BaseError, HCI_Error) as error:
                if attempt == DIALS - 1:
                    raise Failure(f"no link: {error!r}") from None
                continue
            link = Link(self, connection)
            self.links[link.handle] = link
            return link

    async def hear(self, target: Address):
        """Waits for an advertisement, as every dialler does, because btvirt forgets an earlier dial. Silence is not an error here."""
        heard = asyncio.Event()

        def listen(advertisement):
            if advertisement.address == target:
                heard.set()

        self.device.on("advertisement", listen)
        try:
            await self.device.start_scanning(active=False)
            await asyncio.wait_for(heard.wait(), HEAR * PATIENCE)
        except asyncio.TimeoutError:
            pass
        finally:
            self.device.remove_listener("advertisement", listen)
            await self.device.stop_scanning()

    async def let_go(self):
        for link in list(self.links.values()):
            await link.close()

    async def show(self, address: str, value: bytes):
        """Advertises only this manufacturer data under an address from now on."""
        if self.device.is_advertising:
            await self.device.stop_advertising()
        await self.take_address(Address(address))
        data = bytes([2, 1, 6, 3 + len(value), 0xFF, 0xFF, 0xFF]) + value
        await self.device.start_advertising(advertising_data=data, advertising_interval_min=20, advertising_interval_max=20)

    async def take_address(self, address: Address):
        """Sets the controller's address, which is necessary without extended advertising."""
        self.device.random_address = address
        if not self.device.supports_le_extended_advertising:
            await self.device.send_sync_command(HCI_LE_Set_Random_Address_Command(random_address=address))

    async def hush(self):
        if self.device.is_advertising:
            await self.device.stop_advertising()

    async def stop(self):
        await self.let_go()
        await self.device.power_off()
        await self.transport.close()
        await self.mate.stop()

    def _hear(self, connection, channel: int, payload: bytes):
        link = self.links.get(connection.handle)
        if channel == wire.SIGNALLING or channel in wire.CHANNEL_IDS:
            if link is not None:
                link.take(channel, payload)
        else:
            self.fixed(connection, channel, payload)
