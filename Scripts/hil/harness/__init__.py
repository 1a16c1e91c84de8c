# SPDX-License-Identifier: Apache-2.0
"""Hardware in the loop: the radio suites and hand-overs on real controllers, and a report of them."""


class HilError(Exception):
    """What did not work, in one line."""
