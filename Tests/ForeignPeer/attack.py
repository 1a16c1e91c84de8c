# SPDX-License-Identifier: Apache-2.0
"""A hostile device with a Bluetooth controller, which attacks a laptop on command.

    attack.py CONTROLLER MATE
    attack.py --list

CONTROLLER and MATE are Bumble's names of transports (hci-socket:1). MATE is the other end of a link that stays (hostile/radio.py). The first
line of input is the attacked endpoint, as `baton status` prints it. Each following line names an attack. For each it prints `NAME: RESULT`, or
`NAME failed: REASON`. It ends at the end of its input, or at an empty line.
"""

import asyncio
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from hostile.attacks import ATTACKS, Stranger  # noqa: E402
from hostile.radio import PATIENCE, Failure, Radio  # noqa: E402
from hostile.wire import Endpoint  # noqa: E402

LIMIT = 240  # seconds for one attack


def say(text):
    print(text, flush=True)


async def play(stranger: Stranger, name: str):
    try:
        outcome = await asyncio.wait_for(ATTACKS[name](stranger), LIMIT * PATIENCE)
        say(f"{name}: {outcome}")
    except asyncio.TimeoutError:
        say(f"{name} failed: not done within {LIMIT * PATIENCE:.0f} s")
    except Failure as failure:
        say(f"{name} failed: {failure}")


async def line() -> str:
    return (await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)).strip()


async def main(controller: str, mate: str):
    radio = Radio()
    await radio.start(controller, "F1:5A:7E:00:00:02", mate)
    say("on the air")
    stranger = Stranger(radio, Endpoint.read(await line()))
    while name := await line():
        await play(stranger, name)
    await radio.stop()


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        print("\n".join(ATTACKS))
    else:
        asyncio.run(main(*sys.argv[1:3]))
