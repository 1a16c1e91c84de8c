# SPDX-License-Identifier: Apache-2.0
"""An ordinary user for the tests. VLC refuses to run as root, and the editors' plugins do nothing for root."""

import os
import sys

import strangers

USER = ("unshare", "--user", "--map-user=1000", "--map-group=1000")


def become():
    """Starts this program again as an ordinary user if it is root, in a user namespace. Nothing else differs in it."""
    if strangers.VARIABLE not in os.environ:
        strangers.start()
    if os.geteuid() == 0:
        os.execvp("unshare", [*USER, sys.executable, *sys.argv])
