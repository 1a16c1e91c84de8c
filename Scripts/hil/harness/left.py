# SPDX-License-Identifier: Apache-2.0
"""The adapters are left as they were found. It comes last: all that was started ends first."""

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
    """Ends the links that nobody uses any more: bluetoothd keeps them. None was there at first, and what is paired is not ours."""
    paths = bluetoothd.linked(adapter)
    for path in paths:
        try:
            bluetoothd.disconnect(path)
        except HilError:
            pass  # it has gone meanwhile, with its other end perhaps; whether all have is looked at
    return len(paths)


def differences(bench) -> list:
    return [line for state in bench.found for line in state.differences()]
