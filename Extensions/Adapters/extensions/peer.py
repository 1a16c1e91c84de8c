# SPDX-License-Identifier: Apache-2.0
"""The check of programs that connect to the editors' socket."""

import os
import socket
import struct

from judge import Judge


def ask(judge: Judge, end: socket.socket, answered):
    """Calls `answered(is_admitted)` about the program at the other end. No other check of the program is made."""
    if is_of_same_user(end):
        judge.ask_end(end, lambda verdict: answered(verdict.is_admitted))
    else:
        answered(False)


def is_of_same_user(end: socket.socket) -> bool:
    """Returns whether the program belonged to this user when it connected, according to the kernel."""
    _, user, _ = struct.unpack("iii", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iii")))
    return user == os.geteuid()
