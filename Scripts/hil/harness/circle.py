# SPDX-License-Identifier: Apache-2.0
"""Makes one circle of two daemons over the air, and lets them ping each other."""

import json
import time

from .laptop import Laptop

NAME, NEEDS = "circle", ()
TITLE = "two daemons become a circle by an invitation, and answer each other"


def run(bench, result):
    laptops = [Laptop(name, place, bench.directory, bench.options.patience) for name, place in zip(("desk", "sofa"), bench.places)]
    desk, sofa = laptops
    invitation = bench.directory / "invitation"
    desk.baton("circle", "create", "--name", "desk")
    desk.baton("circle", "invite", invitation)
    begun = time.monotonic()
    with open(invitation, "rb") as text:
        sofa.baton("circle", "join", "-", "--name", "sofa", seconds=150, stdin=text)
    result.sample("joined", f"{sofa.adapter} to {desk.adapter}", "s", time.monotonic() - begun)
    bench.desk, bench.sofa = laptops
    for giver, taker, direction in bench.directions():
        answers = json.loads(giver.baton("ping", taker.name, "--json", seconds=120))["answers"]
        for answer in answers:
            if answer["transport"] != "l2cap":
                raise ValueError(f"{taker.name} answers over {answer['transport']}")
            result.sample("round trip", direction, "ms", answer["milliseconds"])
