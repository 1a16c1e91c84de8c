# SPDX-License-Identifier: Apache-2.0
"""What is on the air, for whichever radio hears it."""

import threading
import time


class Hearing:
    """The payload that each address advertised last; whoever hears one notifies `changed`."""

    def __init__(self):
        self.heard = {}
        self.changed = threading.Condition()

    def wait(self, wanted, limit: float):
        """The first thing that `wanted` makes of an (address, payload) that is on the air."""
        deadline = time.monotonic() + limit
        with self.changed:
            while True:
                for address, payload in self.heard.items():
                    found = wanted(address, payload)
                    if found is not None:
                        return found
                if not self.changed.wait(max(0, deadline - time.monotonic())):
                    raise TimeoutError("nothing like that was heard")
