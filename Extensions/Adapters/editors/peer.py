# SPDX-License-Identifier: Apache-2.0
"""Which programs may speak at the editors' socket."""

import os
import socket
import struct


def is_admitted(end: socket.socket) -> bool:
    """Whether the program at the other end may speak. Everything that is known of it is judged here."""
    return is_of_same_user(end)


def is_of_same_user(end: socket.socket) -> bool:
    """Whether the program belonged to this user when it connected. The kernel says so."""
    _, user, _ = struct.unpack("iii", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iii")))
    return user == os.geteuid()
