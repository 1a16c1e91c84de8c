# SPDX-License-Identifier: Apache-2.0
"""The attacks of a hostile device on a laptop over Bluetooth. Each attack is a function with a time limit, and returns its result.

A Failure is a fault of the laptop: it left a stranger's channel open, or its L2CAP no longer answers.
"""

import asyncio
import os
import random
import struct
from typing import NamedTuple

from . import wire
from .radio import ACCEPTED, PATIENCE, Channel, Failure, Link, Radio
from .wire import Command

LINKS, CHANNELS, ADVERTISERS = 100, 100, 300
REQUESTS = 300  # of a flood
OPENING, NONCE = b"\0", 16  # Channel.md, "Knock"
SHOWN = 0.05  # seconds that an address is on the air
CHANNEL_LIMIT = 20  # seconds. A channel without a proved knock ends after 3.


class Held(NamedTuple):
    """A link that is held: the time since which it is held, in seconds, and the number of links so far."""

    link: Link
    since: float
    links: int = 1


class Stranger:
    """The attacker: a radio, and the attacked endpoint."""

    def __init__(self, radio: Radio, door: wire.Endpoint):
        self.radio, self.address, self.psm = radio, door.address, door.psm
        self.held = self.holder = None
        self.random = random.Random(20_260)  # the same attack each time

    async def link(self) -> Link:
        return await self.radio.link(self.address)

    async def channel(self, polite: bool = True) -> Channel:
        """Returns a new channel, on the existing link while that lasts."""
        for attempt in range(10):
            link = await self.link()
            try:
                return await link.open(self.psm, self._free(link), polite)
            except ConnectionError:
                continue
        raise Failure("each link ends before a channel opens")

    def _free(self, link: Link) -> int:
        """Returns an id that is not in use here."""
        return next(own for own in wire.CHANNEL_IDS if own not in link.channels)

    async def still_answered(self):
        """Checks on the existing link, or on a new one, that the laptop still answers."""
        for attempt in range(10):
            if await (await self.link()).lives():
                return
        raise Failure("each link ends before a command is answered")


# --- Signalling -------------------------------------------------------------------------------------------------------


async def send_all(stranger: Stranger, commands) -> str:
    """Sends commands, each on a live link. Returns how many were answered."""
    sent, links, link = 0, set(), None
    for command in commands:
        if link is None or link.ended.is_set():
            link = await stranger.link()
            links.add(link)
        try:
            await link.command(command)
            sent += 1
        except ConnectionError:
            continue
    await stranger.still_answered()
    answers = sum(sum(link.heard.values()) for link in links)
    await stranger.radio.let_go()
    return f"{sent} commands, {answers} answers, {len(links)} links"


async def commands_cut_short(stranger: Stranger) -> str:
    return await send_all(stranger, wire.cut_short())


async def commands_of_wrong_length(stranger: Stranger) -> str:
    return await send_all(stranger, wire.of_wrong_length())


async def oversized_commands(stranger: Stranger) -> str:
    return await send_all(stranger, wire.oversized())


async def unknown_commands(stranger: Stranger) -> str:
    return await send_all(stranger, wire.unknown())


async def unasked_responses(stranger: Stranger) -> str:
    return await send_all(stranger, wire.unasked())


async def packets_of_wrong_length(stranger: Stranger) -> str:
    """Sends wrong L2CAP headers: packets that never end, that end too soon, and bytes that are not a header."""
    right = bytes(Command(0xFE, 0x7D))
    lies = [bytes(size) for size in range(1, 5)]
    lies += [wire.packet(wire.SIGNALLING, right, length) for length in (0, 1, 3, 5, 40, 1_000, 0xFFFF)]
    lies += [wire.packet(channel, b"\xff" * 40) for channel in (0, 1, 2, 3, 7, 0x3E, 0x3F, 0x40, 0x7F, 0x80, 0xFFFF)]
    lies += [wire.packet(wire.SIGNALLING, b"")]
    for lie in lies:
        for again in range(3):
            try:
                await (await stranger.link()).send(lie)
            except ConnectionError:
                continue
    await stranger.still_answered()
    await stranger.radio.let_go()
    return f"{3 * len(lies)} packets"


async def late_answers(stranger: Stranger) -> str:
    """Makes the laptop send a disconnection request. Answers it first with wrong channel ids, and correctly only when
    the kernel has stopped waiting."""
    channel = await stranger.channel(polite=False)
    await channel.gone()
    link = channel.link
    pairs = [(0, 0), (channel.own, channel.own), (0xFFFF, channel.peer), (channel.own, channel.peer), (channel.own, channel.peer)]
    for to, source in pairs:
        if link.ended.is_set():
            break
        await link.command(Command(wire.DISCONNECTED, channel.farewell, struct.pack("<HH", to, source)))
        await asyncio.sleep(1)  # the kernel gives the answer 2 s
    await stranger.still_answered()
    await stranger.radio.let_go()
    return "the channel is gone all the same"


async def flood_of_requests(stranger: Stranger, request) -> str:
    """Sends connection requests as fast as the controller accepts them, without waiting for answers."""
    return await send_all(stranger, map(request, range(REQUESTS)))


async def flood_of_channels(stranger: Stranger) -> str:
    def request(number):
        source = wire.CHANNEL_IDS[number % len(wire.CHANNEL_IDS)]
        return Command(wire.CONNECT, 1 + number % 255, wire.connect(stranger.psm, source))

    return await flood_of_requests(stranger, request)


async def flood_of_enhanced_channels(stranger: Stranger) -> str:
    def request(number):
        first = 5 * number % 60
        sources = [wire.CHANNEL_IDS[first + each] for each in range(5)]
        return Command(wire.CONNECT_ENHANCED, 1 + number % 255, wire.connect_enhanced(stranger.psm, sources, mps=64))

    return await flood_of_requests(stranger, request)


async def answers_to(stranger: Stranger, bodies, code: int = wire.CONNECT) -> dict:
    """Returns how often connection requests got each result. Opened channels are closed with their link."""
    found: dict = {}
    for number, body in enumerate(bodies):
        link = await stranger.link()
        try:
            answer = await link.ask(Command(code, 1 + number % 0x70, body))
        except ConnectionError:
            answer = None
        result = result_of(answer)
        found[result] = found.get(result, 0) + 1
    await stranger.still_answered()
    await stranger.radio.let_go()
    return found


def result_of(answer) -> str:
    """Returns the result in an answer to a connection request."""
    if answer is None:
        return "link ended"
    if answer.code == wire.REJECT:
        return "rejected"
    words = answer.words()
    if answer.code == wire.CONNECTED and len(words) == 5:
        return "opened" if words[4] == ACCEPTED else f"{words[4]:#x}"
    if answer.code == wire.CONNECTED_ENHANCED and len(words) >= 4:
        return "opened" if words[3] == ACCEPTED else f"{words[3]:#x}"
    return f"an answer of code {answer.code:#x}"


def told(found: dict) -> str:
    return ", ".join(f"{count} {result}" for result, count in sorted(found.items()))


async def wrong_psms(stranger: Stranger) -> str:
    """Dials PSMs that do not exist, or that are not for strangers."""
    psms = [psm for psm in (*range(0x100), 0x100, 0x1001, 0x8000, 0xFFFF) if psm != stranger.psm]
    found = await answers_to(stranger, [wire.connect(psm, 0x40) for psm in psms])
    if "opened" in found:
        raise Failure(f"another PSM is open: {told(found)}")
    return told(found)


async def wrong_channel_ids(stranger: Stranger) -> str:
    """Uses source ids that belong to no channel, or to another channel."""
    ids = [0, 1, 4, 5, 6, 0x3F, 0x80, 0x1000, 0xFFFF]
    found = await answers_to(stranger, [wire.connect(stranger.psm, each) for each in ids])
    enhanced = [[each] for each in ids] + [[0x40, 0x40], [0x40, 0x41, 0x40], [0x40, 0], [], [*range(0x40, 0x46)]]
    bodies = [wire.connect_enhanced(stranger.psm, each) for each in enhanced]
    of_enhanced = await answers_to(stranger, bodies, wire.CONNECT_ENHANCED)
    return f"{told(found)}; enhanced {told(of_enhanced)}"


async def channel_ids_in_use(stranger: Stranger) -> str:
    """Uses the id of an existing channel for a second one."""
    channel = await stranger.channel()
    answer = await channel.link.ask(Command(wire.CONNECT, 0x44, wire.connect(stranger.psm, channel.own)))
    await channel.gone()
    await stranger.radio.let_go()
    if result_of(answer) == "opened":
        raise Failure("two channels have one id")
    return result_of(answer)


async def too_small(stranger: Stranger) -> str:
    """Uses an MTU and an MPS below the minimum that every device must accept, and the largest values."""
    sizes = [(0, 0), (0, 23), (23, 0), (1, 1), (22, 23), (23, 22), (0xFFFF, 22), (22, 0xFFFF)]
    found = await answers_to(stranger, [wire.connect(stranger.psm, 0x40, *size) for size in sizes])
    if "opened" in found:
        raise Failure(f"a channel with less than the least MTU or MPS is open: {told(found)}")
    bodies = [wire.connect_enhanced(stranger.psm, [0x40], *size) for size in [*sizes, (63, 64), (64, 63)]]
    return f"{told(found)}; enhanced {told(await answers_to(stranger, bodies, wire.CONNECT_ENHANCED))}"


# --- SDUs -------------------------------------------------------------------------------------------------------------


async def on_channels(stranger: Stranger, attacks: list) -> str:
    """Runs each attack on a channel of its own, which must end. Returns how many bytes they received: the responder's nonce, 16
    bytes."""
    for attack in attacks:
        channel = await stranger.channel()
        try:
            await attack(channel)
        except ConnectionError:
            pass  # the link was ended meanwhile
        await channel.gone(CHANNEL_LIMIT)
        heard = max(0, len(channel.received) - 2)  # without the SDU's length
        if heard > NONCE:
            raise Failure(f"a stranger was sent {heard} bytes")
    await stranger.still_answered()
    await stranger.radio.let_go()
    return f"{len(attacks)} channels, all ended"


def frames(*payloads: bytes):
    """Returns the attack that sends these K-frames."""
    async def attack(channel: Channel):
        for payload in payloads:
            await channel.frame(payload)
    return attack


async def sdus_longer_than_agreed(stranger: Stranger) -> str:
    async def whole(channel):
        """Sends a complete SDU with one byte more than the other side accepts."""
        data = wire.first_frame(bytes(channel.mtu + 1))
        for start in range(0, len(data), channel.mps):
            await channel.frame(data[start:start + channel.mps])

    async def announced(channel):
        await channel.frame(wire.first_frame(b"\0" * 20, channel.mtu + 1))

    return await on_channels(stranger, [whole, announced, frames(wire.first_frame(b"\0" * 20, 0xFFFF))])


async def sdus_cut_short(stranger: Stranger) -> str:
    """Sends fewer bytes than announced, and then nothing."""
    return await on_channels(stranger, [
        frames(wire.first_frame(b"\0" * 10, 100)), frames(wire.first_frame(b"", 1)),
        frames(wire.first_frame(b"\0" * 10, 100), b"")])


async def sdus_longer_than_announced(stranger: Stranger) -> str:
    return await on_channels(stranger, [
        frames(wire.first_frame(b"\0" * 20, 10)), frames(wire.first_frame(b"\0" * 10, 12), b"\0" * 20)])


async def frames_larger_than_agreed(stranger: Stranger) -> str:
    def larger(more):
        async def attack(channel):
            data = bytes(channel.mps + more - 2)
            await channel.frame(wire.first_frame(data))
        return attack

    return await on_channels(stranger, [larger(1), larger(100), larger(2_000)])


async def frames_without_length(stranger: Stranger) -> str:
    return await on_channels(stranger, [frames(b""), frames(b"\1"), frames(b"", b"\1", b""), frames(wire.first_frame(b""))])


async def garbage_for_knocks(stranger: Stranger) -> str:
    """Sends another opening byte, noise at once and in pieces, invalid lengths, and the beginning of a pairing."""
    noise = stranger.random.randbytes
    knocks = [b"\xff", noise(60), OPENING + noise(60), OPENING + bytes(34), OPENING + bytes(32) + b"\xff\xff",
              OPENING + bytes(32) + struct.pack(">H", 4_097), OPENING + b"baton pair 2" + noise(48)]

    async def in_drops(channel):
        for byte in OPENING + noise(50):
            await channel.frame(wire.first_frame(bytes([byte])))

    return await on_channels(stranger, [*(frames(wire.first_frame(knock)) for knock in knocks), in_drops])


async def frames_without_credits(stranger: Stranger) -> str:
    """Sends K-frames of an unfinished SDU, far more than there are credits for."""
    async def attack(channel):
        await channel.frame(wire.first_frame(b"\0", channel.mtu))
        for number in range(channel.credits + 200):
            await channel.frame(b"\0")

    async def whole(channel):
        for number in range(channel.credits + 200):
            await channel.frame(wire.first_frame(OPENING))

    return await on_channels(stranger, [attack, whole])


# --- Credits ----------------------------------------------------------------------------------------------------------


async def credits_that_overflow(stranger: Stranger) -> str:
    async def attack(channel):
        for again in range(20):
            await channel.give(0xFFFF)

    async def slowly(channel):
        for again in range(0x10000 // 0x1000 + 1):
            await channel.give(0x1000)

    return await on_channels(stranger, [attack, slowly])


async def credits_of_none(stranger: Stranger) -> str:
    async def attack(channel):
        for again in range(200):
            await channel.give(0)

    return await on_channels(stranger, [attack])


async def credits_for_nobody(stranger: Stranger) -> str:
    """Sends credits for channels that do not exist, and for channels of others."""
    commands = [Command(wire.CREDITS, 1 + channel % 255, struct.pack("<HH", channel, 0xFFFF))
                for channel in (*range(0x100), 0x1000, 0xFFFF)]
    return await send_all(stranger, commands)


# --- Repeated links, noise, and held links ----------------------------------------------------------------------------


async def links_in_a_loop(stranger: Stranger) -> str:
    """Opens links that end as soon as the laptop has answered once. On every other link a channel is just being opened.

    The attack does not end them earlier, because some kernels break then (Documentation/Lab.md, "Findings"), and the test would
    show nothing.
    """
    await stranger.radio.let_go()
    for number in range(LINKS):
        link = await stranger.link()
        if await link.lives() and number % 2:
            await link.command(Command(wire.CONNECT, 1, wire.connect(stranger.psm, 0x40)))
        await link.close()
    return f"{LINKS} links, every other with a request under way"


async def channels_in_a_loop(stranger: Stranger) -> str:
    links = set()
    for number in range(CHANNELS):
        channel = await stranger.channel()
        links.add(channel.link)
        try:
            await channel.close()
        except ConnectionError:
            continue
        del channel.link.channels[channel.own]
    await stranger.still_answered()
    await stranger.radio.let_go()
    return f"{CHANNELS} channels on {len(links)} links"


async def hundreds_of_advertisers(stranger: Stranger) -> str:
    """Advertises data that looks like a beacon, from many new addresses. Some data is too long or too short for a
    beacon."""
    await stranger.radio.let_go()
    own = stranger.radio.device.random_address
    seen = set()
    while len(seen) < ADVERTISERS:
        octets = bytearray(stranger.random.randbytes(6))
        octets[0] |= 0xC0  # a static random address
        size = 24 if len(seen) % 8 else stranger.random.randrange(25)
        await stranger.radio.show(octets.hex(":").upper(), (b"\1" + os.urandom(24))[:size])
        await asyncio.sleep(SHOWN * PATIENCE)
        seen.add(bytes(octets))
    await stranger.radio.hush()
    await stranger.radio.take_address(own)
    return f"{len(seen)} addresses"


async def hold_a_link(stranger: Stranger) -> str:
    """Holds an idle link, and opens another one whenever the laptop has ended it. `let_go` ends that."""
    await stranger.radio.let_go()
    stranger.held = Held(await stranger.link(), asyncio.get_running_loop().time())
    stranger.holder = asyncio.create_task(hold(stranger))
    return "held"


async def hold(stranger: Stranger):
    while True:
        await stranger.held.link.ended.wait()
        stranger.held = Held(await stranger.link(), stranger.held.since, stranger.held.links + 1)


async def let_go(stranger: Stranger) -> str:
    if stranger.holder.done():
        stranger.holder.result()  # the reason why the link ended
    stranger.holder.cancel()
    await stranger.radio.let_go()
    return f"held for {asyncio.get_running_loop().time() - stranger.held.since:.0f} s, by {stranger.held.links} links"


ATTACKS = {
    attack.__name__: attack for attack in (
        commands_cut_short, commands_of_wrong_length, oversized_commands, unknown_commands, unasked_responses,
        packets_of_wrong_length, late_answers, flood_of_channels, flood_of_enhanced_channels, wrong_psms,
        wrong_channel_ids, channel_ids_in_use, too_small, sdus_longer_than_agreed, sdus_longer_than_announced,
        sdus_cut_short, frames_larger_than_agreed, frames_without_length, garbage_for_knocks, frames_without_credits,
        credits_that_overflow, credits_of_none, credits_for_nobody, links_in_a_loop, channels_in_a_loop,
        hundreds_of_advertisers, hold_a_link, let_go)
}
