# SPDX-License-Identifier: Apache-2.0
"""Hardware in the loop: runs the radio suites and hand-overs on real controllers, and writes a
report."""


class HilError(Exception):
    """A step has failed. The message is one line."""
