# SPDX-License-Identifier: Apache-2.0
"""Which programs may speak at the editors' socket."""

import os
import socket
import struct

from judge import Judge


def ask(judge: Judge, end: socket.socket, answered):
    """Calls `answered(is_admitted)` about the program at the other end. Everything that is known of it is judged here."""
    if is_of_same_user(end):
        judge.ask_end(end, lambda verdict: answered(verdict.is_admitted))
    else:
        answered(False)


def is_of_same_user(end: socket.socket) -> bool:
    """Whether the program belonged to this user when it connected. The kernel says so."""
    _, user, _ = struct.unpack("iii", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iii")))
    return user == os.geteuid()
