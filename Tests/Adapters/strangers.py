# SPDX-License-Identifier: Apache-2.0
"""Gives files to another user, for tests of files that belong to somebody else.

A test runs as one user, and cannot give a file away. `start` starts a helper that can, because it is root, or root of a
user namespace with two users. To do so, an ordinary user needs newuidmap and a line in /etc/subuid. `give` makes the helper
change a file's owner, and raises OSError without a helper.
"""

import os
import secrets
import select
import socket
import struct
import subprocess
import sys

VARIABLE = "BATON_STRANGERS"
NOT_ROOT = ("unshare", "--user", "--map-root-user", "--map-auto")
STRANGER, TESTS = 1, 0  # the users, as the helper sees them
LIMIT = 10  # seconds within which the helper must answer


def start():
    """Starts the helper. It ends with this process, or with the program that replaces it."""
    name = f"baton-strangers-{secrets.token_hex(8)}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        words = [sys.executable, __file__, str(listener.fileno()), str(os.getpid())]
        prefix = () if os.geteuid() == 0 else NOT_ROOT
        subprocess.Popen([*prefix, *words], pass_fds=[listener.fileno()])  # pylint: disable=consider-using-with
    os.environ[VARIABLE] = name


def give(test, path):
    """Gives a file to another user until the test has ended."""
    _ask(path, STRANGER)
    test.addCleanup(_ask, path, TESTS)
    test.assertNotEqual(os.lstat(path).st_uid, os.geteuid())


def _ask(path, owner: int):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as end:
        end.settimeout(LIMIT)
        end.connect(f"\0{os.environ.get(VARIABLE, 'baton-strangers')}")
        end.send(f"{owner} {path}".encode())
        if (answer := end.recv(4096)) != b"done":
            raise OSError(f"{path} was not given to another user: {answer.decode() or 'the helper has ended'}")


def _serve(listener: socket.socket, parent: int):
    while os.getppid() == parent:
        if select.select([listener], [], [], 1)[0]:
            end, _ = listener.accept()
            with end:
                end.send(_answer(end))


def _answer(end: socket.socket) -> bytes:
    _, user, _ = struct.unpack("iii", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("iii")))
    owner, _, path = end.recv(4096).decode().partition(" ")
    if user != os.geteuid() or int(owner) not in (STRANGER, TESTS):
        return b"refused"
    try:
        os.lchown(path, int(owner), -1)
    except OSError as error:
        return str(error).encode()
    return b"done"


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]))
