# SPDX-License-Identifier: Apache-2.0
"""Two daemons, which become one circle over the air, and how quickly one answers the other."""

import json
import time

from .laptop import Laptop

NAME, NEEDS = "circle", ()
TITLE = "two daemons become a circle by an invitation, and answer each other"


def run(bench, result):
    options = bench.options
    laptops = [Laptop(name, adapter, bench.directory, options.binaries, bench.processes, options.patience)
               for name, adapter in zip(("desk", "sofa"), options.adapters)]
    desk, sofa = laptops
    invitation = bench.directory / "invitation"
    desk.baton("circle", "create", "--name", "desk")
    desk.baton("circle", "invite", invitation)
    begun = time.monotonic()
    sofa.baton("circle", "join", invitation, "--name", "sofa", seconds=150)
    result.sample("joined", f"{sofa.adapter} to {desk.adapter}", "s", time.monotonic() - begun)
    bench.desk, bench.sofa = laptops
    for giver, taker, direction in bench.directions():
        answers = json.loads(giver.baton("ping", taker.name, "--json", seconds=120))["answers"]
        for answer in answers:
            if answer["transport"] != "l2cap":
                raise ValueError(f"{taker.name} answers over {answer['transport']}")
            result.sample("round trip", direction, "ms", answer["milliseconds"])
