# SPDX-License-Identifier: Apache-2.0
"""Checks that the directives of batond.service are in force.

    confined.py daemon PID    checks what the kernel reports about the daemon's process
    confined.py probe         tries, inside the unit, what the directives forbid; each try must fail in the directive's own way
    confined.py free          tries the same outside the unit; each try must succeed, or the probe would prove nothing

The exit status is 0 only if everything is as it should be.
"""

import ctypes
import errno
import mmap
import os
import signal
import socket
import sys
import tempfile
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
AF_ALG, AF_BLUETOOTH = 38, 31
CLONE_NEWUSER, PER_LINUX32, PTRACE_TRACEME = 0x10000000, 8, 0
SYS_ADD_KEY, SYS_BPF = 248, 321
X32_GETPID = 0x40000000 + 39
TASKS, MEMORY = "512", str(1 << 30)


def outcome(attempt) -> str:
    """Returns `works` or the name of the error. The attempt runs in a process of its own, because some attempts cannot be undone."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            attempt()
            said = "works"
        except OSError as error:
            said = errno.errorcode.get(error.errno, str(error.errno))
        except BaseException as error:  # the parent judges by the error's name, whatever it is
            said = repr(error)
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    status = os.waitpid(child, 0)[1]
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else said


def call(function, *arguments):
    """Calls a function of the C library. Raises OSError with its errno if it fails."""
    ctypes.set_errno(0)
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")


def setgid_file():
    with tempfile.NamedTemporaryFile(dir=os.environ.get("XDG_RUNTIME_DIR", "/tmp")) as file:
        os.chmod(file.name, 0o2700)


# The forbidden actions: the directive, the attempt, its failure inside, and its result outside (None if a user cannot do it there
# either).
FORBIDDEN = [
    ("LockPersonality=", lambda: call(libc.personality, PER_LINUX32), "EPERM", "works"),
    ("MemoryDenyWriteExecute=", lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC), "EPERM", "works"),
    ("RestrictAddressFamilies= (AF_ALG)", lambda: socket.socket(AF_ALG, socket.SOCK_SEQPACKET), "EAFNOSUPPORT", "works"),
    ("RestrictAddressFamilies= (AF_PACKET)", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW), "EAFNOSUPPORT", None),
    ("RestrictNamespaces=", lambda: call(libc.unshare, CLONE_NEWUSER), "EPERM", "works"),
    ("RestrictRealtime=", lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)), "EPERM", None),
    ("RestrictSUIDSGID=", setgid_file, "EPERM", "works"),
    ("SystemCallFilter= (ptrace)", lambda: call(libc.ptrace, PTRACE_TRACEME, 0, None, None), "EPERM", "works"),
    ("SystemCallFilter= (@resources)", lambda: os.setpriority(os.PRIO_PROCESS, 0, 5), "EPERM", "works"),
    ("SystemCallFilter= (@keyring)", lambda: call(libc.syscall, SYS_ADD_KEY, b"user", b"lab", b"x", 1, -3), "EPERM", "works"),
    ("SystemCallFilter= (@memlock)", lambda: call(libc.mlock, ctypes.create_string_buffer(64), 64), "EPERM", "works"),
    ("SystemCallFilter= (@setuid)", lambda: os.setresuid(os.getuid(), os.getuid(), os.getuid()), "EPERM", "works"),
    ("SystemCallFilter= (@privileged)", lambda: call(libc.syscall, SYS_BPF, 0, None, 0), "EPERM", None),
    ("SystemCallArchitectures=", lambda: call(libc.syscall, X32_GETPID), "SIGSYS", "ENOSYS"),
]
NEEDED = [(f"AF {family}", lambda family=family, kind=kind: socket.socket(family, kind).close()) for family, kind in [
    (socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET6, socket.SOCK_STREAM),
    (socket.AF_NETLINK, socket.SOCK_RAW), (AF_BLUETOOTH, socket.SOCK_SEQPACKET)]]


def attempts(inside: bool):
    """Yields a line for each attempt with an unexpected result."""
    for directive, attempt, forbidden, free in FORBIDDEN:
        wanted = forbidden if inside else free
        found = outcome(attempt)
        if wanted is not None and found != wanted:
            yield f"{directive} {found}, not {wanted}"
    for what, attempt in NEEDED:
        found = outcome(attempt)
        if found != "works":
            yield f"{what}: {found}"


def settings(process: str, status: dict):
    """Yields the unexpected settings that the kernel and the control group report for a process of the unit."""
    for key, wanted in {"NoNewPrivs": "1", "Seccomp": "2", "Umask": "0077", "CapEff": "0" * 16}.items():
        if status.get(key) != wanted:
            yield f"{key} is {status.get(key)}, not {wanted}"
    core = next(line.split()[4:6] for line in Path(f"/proc/{process}/limits").read_text().splitlines() if "core file" in line)
    # The limit is 1 and not 0, because with 0 the kernel still starts a program in core_pattern.
    if core != ["1", "1"]:
        yield f"LimitCORE= is {core}"
    group = Path("/sys/fs/cgroup") / Path(f"/proc/{process}/cgroup").read_text().strip().partition("::")[2].lstrip("/")
    for file, wanted in (("pids.max", TASKS), ("memory.max", MEMORY)):
        try:
            found = (group / file).read_text().strip()
        except OSError as error:
            found = str(error)
        if found != wanted:
            yield f"{file} is {found}, not {wanted}"


def main(what: str, process: str = "self") -> int:
    faults = []
    if what != "free":
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines() if ":\t" in line)
        faults += settings(process, status)
    if what != "daemon":
        faults += attempts(inside=what == "probe")
    for fault in faults:
        print(f"confined: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
