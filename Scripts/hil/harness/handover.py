# SPDX-License-Identifier: Apache-2.0
"""Hand-overs over the radio alone, in both directions, with the time of each step.

Every other hand-over begins without a connection between the laptops, as after a laptop was opened. The next hand-over follows at once in the
other direction. Times are measured as a user sees them: from the start of a command to its output, or to the change on the other laptop.
"""

import json
import signal
import time

from . import HilError
from .bench import TYPE
from .processes import wait_until

NAME, NEEDS = "hand-over", ("circle",)
TITLE = "offer seen, continued and withdrawn, by the radio alone"
USER_INFO = {
    "draft": "0123456789abcdef" * 190, "cursor": 34, "read": True, "zoom": {"$double": 1.25}, "thumbnail": {"$data": "iVBORw0KGgo="},
    "opened": {"$date": "2026-01-31T12:00:00.25Z"}, "labels": ["family", "urgent"], "draft of": {"$url": "https://example.org/7"},
}


def run(bench, result):
    contents = bench.directory / "info.json"
    contents.write_text(json.dumps(USER_INFO), encoding="utf-8")
    laptops = bench.directions()
    watches = [taker.follow("nearby", "--watch", "--json") for _, taker, _ in laptops]
    for number in range(bench.options.times):
        # Change which direction comes first, so that each direction has hand-overs without a connection.
        for turn in (0, 1):
            giver, taker, direction = laptops[(number + turn) % 2]
            if turn == 0:
                wait_until(lambda: not (giver.connected() or taker.connected()), "the connection ends", bench.limit(90), step=1)
            series = f"{direction}, {'connected before' if turn else 'connecting'}"
            hand_over(bench, result, giver, taker, watches[(number + turn) % 2], f"{TYPE}.n{number}", series)
    for watch, (_, taker, _) in zip(watches, laptops):
        taker.end(watch, signal.SIGINT)


def hand_over(bench, result, giver, taker, watch, kind: str, series: str):
    """Hands over one activity, from its publication to its end."""
    published = time.monotonic()
    with open(bench.directory / "info.json", "rb") as contents:
        publisher = giver.follow("publish", "--type", kind, "--title", "A letter", "--info-json", "-", stdin=contents)
    publisher.next("publishing", lambda text: text.startswith("publishing"), bench.limit(60))
    seen, offer = watch.next("the offer is seen", lambda text: event(text, "appeared", None, kind), bench.limit(120))
    result.sample("offer seen", series, "s", seen - published)
    named = seen
    if offer["type"] != kind:
        named, offer = watch.next("the offer has its type", lambda text: event(text, "changed", kind), bench.limit(120))
    result.sample("its type known", series, "s", named - published)
    if offer["signal"] is not None:
        result.sample("RSSI", series.partition(",")[0], "dBm", offer["signal"])

    begun = time.monotonic()
    continued = json.loads(taker.baton("continue", offer["offer"], "--json", seconds=120))
    result.sample("continued", series, "s", time.monotonic() - begun)
    judge(continued, kind)
    publisher.next("the publisher is told", lambda text: text.startswith("continued on "), bench.limit(60))

    ended = time.monotonic()
    publisher.process.send_signal(signal.SIGINT)
    if publisher.ended(bench.limit(30)) != 0:
        raise HilError(f"baton publish on {giver.adapter} ended with status {publisher.process.returncode}: {publisher.last}")
    gone, _ = watch.next("the offer is withdrawn", lambda text: event(text, "disappeared").get("offer") == offer["offer"], bench.limit(120))
    result.sample("offer withdrawn", series, "s", gone - ended)


def event(text: str, name: str, *types) -> dict:
    """Returns a change that baton nearby reports, if it has this name and one of these types. Without types, all
    changes are accepted. None stands for an unknown type."""
    found = json.loads(text)
    return found if found["event"] == name and (not types or found["type"] in types) else {}


def judge(continued: dict, kind: str):
    """Raises HilError unless the activity is the published one and came over L2CAP."""
    # baton prints a double without its tag if no integer equals it.
    expected = {**USER_INFO, "zoom": 1.25}
    if continued["userInfo"] != expected or continued["type"] != kind or continued["title"] != "A letter":
        raise HilError("the activity is not what was published")
    if continued["transport"] != "l2cap":
        raise HilError(f"the activity came over {continued['transport']}")
