# SPDX-License-Identifier: Apache-2.0
"""A foreign device with a Bluetooth controller joins a circle. Then it and a member continue from each other.

    hand_over.py CONTROLLER INVITATION TYPE [SECONDS]

CONTROLLER is Bumble's name of a transport (hci-socket:1). INVITATION is a file, which may appear later. It prints a
line for each step: `joined`; `continued JSON`, with the member's activity of the type; `offering`; `accepted`, when a
member has continued this device's activity.
"""

import json
import pathlib
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from foreign.bumble_radio import BumbleRadio  # noqa: E402
from foreign.device import Device  # noqa: E402
from foreign.messages import Activity  # noqa: E402


def told(*words):
    print(*words, flush=True)


def awaited(path, limit):
    """Waits until a file exists, and returns its text."""
    end = time.monotonic() + limit
    while not path.exists():
        if time.monotonic() > end:
            sys.exit(f"{path} did not come")
        time.sleep(0.1)
    return path.read_text(encoding="utf-8")


def main():
    controller, invitation, kind = sys.argv[1:4]
    limit = float(sys.argv[4]) if len(sys.argv) > 4 else 300
    radio = BumbleRadio(controller, "F1:5A:7E:00:00:01")
    device = Device("snake", radio, "l2cap")
    told("on the air")
    device.join(awaited(pathlib.Path(invitation), limit), "l2cap")
    told("joined")
    member, heard, address = device.hear_offer(limit)
    control = device.call(member, address, heard.psm)
    named = device.type_of(control.peer, heard.activity)
    if named != ("", kind):
        sys.exit(f"the offer is of {named}")
    _, activity = control.ask(heard.activity)
    control.report(True)
    control.leave()
    told("continued", json.dumps({"type": activity.kind, "title": activity.title, "keys": sorted(activity.user_info)}))
    server = device.offer("", Activity(kind, "From a snake", {"draft": "Dear Grace,", "page": 7}))
    told("offering")
    if not server.accepted.wait(limit):
        sys.exit(f"nobody has continued it: {server.failures}")
    told("accepted")
    radio.close()


if __name__ == "__main__":
    main()
