# SPDX-License-Identifier: Apache-2.0
"""The advertisements that a radio hears."""

import threading
import time


class Hearing:
    """The last payload of each address. A radio that hears a payload notifies `changed`."""

    def __init__(self):
        self.heard = {}
        self.changed = threading.Condition()

    def wait(self, wanted, limit: float):
        """Returns the first result of `wanted` for an (address, payload) on the air."""
        deadline = time.monotonic() + limit
        with self.changed:
            while True:
                for address, payload in self.heard.items():
                    found = wanted(address, payload)
                    if found is not None:
                        return found
                if not self.changed.wait(max(0, deadline - time.monotonic())):
                    raise TimeoutError("nothing like that was heard")
