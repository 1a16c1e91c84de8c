# SPDX-License-Identifier: Apache-2.0
"""Checks that the adapters are as they were before the run. It runs last, after all started programs have ended."""

from . import HilError, bluetoothd
from .processes import wait_until

NAME, NEEDS = "left", ()
TITLE = "the adapters are left as they were found"


def run(bench, result):
    bench.end_all()
    count = sum(place.ask("end links") for place in bench.places)
    if count:
        result.facts.append("the link that bluetoothd kept was ended")
    try:
        wait_until(lambda: not differences(bench), "", bench.limit(60), step=1)
    except HilError:
        raise HilError("; ".join(differences(bench)) or "the adapters change all the time") from None


def end_links(adapter: str) -> int:
    """Ends the unused links that bluetoothd keeps. No such link existed before the run. The links of paired devices do
    not belong to the run, and stay."""
    paths = bluetoothd.linked(adapter)
    for path in paths:
        try:
            bluetoothd.disconnect(path)
        except HilError:
            pass  # the link has gone meanwhile, perhaps with its other end; a later check looks for all links
    return len(paths)


def differences(bench) -> list:
    return [line for state in bench.found for line in state.differences()]
