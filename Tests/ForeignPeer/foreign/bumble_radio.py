# SPDX-License-Identifier: Apache-2.0
"""A radio on Bumble, a Bluetooth stack in Python, so that this side uses nothing of BlueZ or the kernel's L2CAP.

The radio has the methods of `air.Radio`. Bumble runs on a thread with a loop of its own. A channel is a socket here, and is copied to a credit-based
channel there.
"""

import asyncio
import concurrent.futures
import queue
import socket
import threading

from bumble.core import AdvertisingData
from bumble.device import Device
from bumble.hci import Address
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.transport import open_transport

from .hearing import Hearing

COMPANY = 0xFFFF
SDU = 2_048
LIMIT = 60  # seconds that a step of the radio may take


class BumbleRadio(Hearing):
    """A radio. `controller` is Bumble's name of a transport, such as `hci-socket:1`. `address` is a static random one."""

    def __init__(self, controller: str, address: str):
        super().__init__()
        self.types: dict = {}
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.links: dict = {}
        self.tasks: set = set()
        self._wait(self._start(controller, address))

    def advertise(self, payload):
        self._wait(self._advertise(payload))

    def dial(self, address: str, psm: int) -> socket.socket:
        return self._wait(self._dial(address, psm))

    def listen(self, psm: int) -> "Listener":
        listener = Listener()

        def opened(channel):
            listener.coming.put(self._socket(channel))

        async def serve():
            self.device.create_l2cap_server(spec=LeCreditBasedChannelSpec(psm=psm, mtu=SDU), handler=opened)

        self._wait(serve())
        return listener

    @staticmethod
    def accept(listener: "Listener") -> socket.socket:
        stream = listener.coming.get()
        if stream is None:
            raise OSError("the listener is closed")
        return stream

    def close(self):
        async def stop():
            for link in list(self.links.values()):
                await link.disconnect()
            await self.device.power_off()
            await self.transport.close()

        try:
            self._wait(stop(), 10)
        except Exception as error:  # The controller is not closed, because it ends with the machine.
            print(f"bumble: {error!r}", flush=True)

    def _wait(self, work, limit=LIMIT):
        try:
            return asyncio.run_coroutine_threadsafe(work, self.loop).result(limit)
        except concurrent.futures.TimeoutError:
            raise TimeoutError("the radio did not do it in time") from None

    async def _start(self, controller, address):
        self.transport = await open_transport(controller)
        self.device = Device.with_hci("snake", Address(address), self.transport.source, self.transport.sink)
        self.device.on("advertisement", self._hear)
        self.device.on("connection", self._connected)
        await self.device.power_on()
        await self.device.start_scanning(legacy=True, active=False, filter_duplicates=False)

    def _hear(self, advertisement):
        for company, payload in advertisement.data.get_all(AdvertisingData.MANUFACTURER_SPECIFIC_DATA):
            if company == COMPANY:
                address = advertisement.address.to_string(with_type_qualifier=False)
                with self.changed:
                    self.types[address] = advertisement.address
                    self.heard[address] = bytes(payload)
                    self.changed.notify_all()

    def _connected(self, connection):
        address = connection.peer_address.to_string(with_type_qualifier=False)
        self.links[address] = connection
        connection.on("disconnection", lambda *_: self.links.pop(address, None))

    async def _advertise(self, payload):
        if self.device.is_advertising:
            await self.device.stop_advertising()
        if payload is not None:
            data = bytes([2, 1, 6, 3 + len(payload), 0xFF]) + COMPANY.to_bytes(2, "little") + payload
            await self.device.start_advertising(auto_restart=True, advertising_data=data)

    async def _dial(self, address: str, psm: int):
        # An endpoint's address names its kind. An address that was heard is dialled unchanged.
        octets, _, kind = address.partition("/")
        link = self.links.get(octets)
        if link is None:
            peer = self.types.get(octets) or Address(
                octets, Address.PUBLIC_DEVICE_ADDRESS if kind == "public" else Address.RANDOM_DEVICE_ADDRESS)
            link = await self.device.connect(peer, timeout=LIMIT)
        # Data may follow the answer at once, so the channel gets its sink before it is open.
        channels = self.device.l2cap_channel_manager.channels
        known = set(channels.get(link.handle, {}))
        opening = self.loop.create_task(
            link.create_l2cap_channel(spec=LeCreditBasedChannelSpec(psm=psm, mtu=SDU)))
        await asyncio.sleep(0)  # until the dial waits for the answer
        (channel,) = [channel for cid, channel in channels[link.handle].items() if cid not in known]
        stream = self._socket(channel)
        try:
            await opening
        except BaseException:
            stream.close()
            raise
        return stream

    def _socket(self, channel) -> socket.socket:
        """Returns the other end of a credit-based channel as a socket."""
        here, there = socket.socketpair()
        here.setblocking(False)
        outgoing = asyncio.Queue()
        channel.sink = lambda data: outgoing.put_nowait(bytes(data))
        channel.on("close", lambda: outgoing.put_nowait(None))

        async def receive():
            try:
                while (data := await outgoing.get()) is not None:
                    await self.loop.sock_sendall(here, data)
            except OSError:
                pass  # nobody reads this end any more
            here.close()

        async def send():
            try:
                while data := await self.loop.sock_recv(here, SDU):
                    channel.write(data)
                    await channel.drain()
            except OSError:
                return  # closed by the other side
            await channel.disconnect()

        for work in (receive(), send()):
            task = self.loop.create_task(work)
            self.tasks.add(task)
            task.add_done_callback(self._ended)
        return there

    def _ended(self, task):
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            print(f"bumble: {task.exception()!r}", flush=True)


class Listener:
    """Channels that others have opened."""

    def __init__(self):
        self.coming = queue.Queue()

    def close(self):
        self.coming.put(None)
