# SPDX-License-Identifier: Apache-2.0
"""The X server on which tests open windows."""

import socket
import struct
import unittest

from laptops import LIMIT, Display

INTERN_ATOM = 16
NAME = b"BATON_WAS_HERE!!"  # its length is a multiple of four


def atom(display: str, only_if_exists: bool) -> int:
    """Connects to an X server as its only client, and returns the number of an atom, or 0. The X Window System Protocol, chapters 8 and 9."""
    with socket.socket(socket.AF_UNIX) as server:
        server.settimeout(LIMIT)
        server.connect(f"/tmp/.X11-unix/X{display[1:]}")
        server.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
        accepted, length = struct.unpack("<BxxxxxH", server.recv(8, socket.MSG_WAITALL))
        assert accepted == 1, accepted
        server.recv(4 * length, socket.MSG_WAITALL)
        server.sendall(struct.pack("<BBHHxx", INTERN_ATOM, only_if_exists, 2 + len(NAME) // 4, len(NAME)) + NAME)
        return struct.unpack("<8xI20x", server.recv(32, socket.MSG_WAITALL))[0]


class Server(unittest.TestCase):
    def test_the_server_does_not_reset_when_its_last_client_leaves(self):
        display = Display()
        self.addCleanup(display.end)
        made = atom(display.name, only_if_exists=False)
        self.assertEqual(atom(display.name, only_if_exists=True), made)
