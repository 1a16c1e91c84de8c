# SPDX-License-Identifier: Apache-2.0
"""Holds single threads of other processes for a while (ptrace(2)), as if only these threads had lost their processors.
When this process ends, the kernel releases all threads."""

import ctypes
import os
import time

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
EVENT_STOP = 128
ALL_THREADS = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request: int, thread: int, data: int = 0) -> bool:
    return libc.ptrace(request, thread, None, ctypes.c_void_p(data)) == 0


class HeldThreads:
    """The threads that are held, with the times at which they are released."""

    def __init__(self):
        self.ends: dict[int, float] = {}

    def hold(self, thread: int, seconds: float):
        """Stops a thread. A thread that has gone or that another process traces is left alone."""
        if thread in self.ends or not ptrace(SEIZE, thread):
            return
        ptrace(INTERRUPT, thread)
        try:
            _, status = os.waitpid(thread, ALL_THREADS)
        except ChildProcessError:
            return
        if os.WIFSTOPPED(status) and status >> 16 == EVENT_STOP:
            self.ends[thread] = time.monotonic() + seconds
        elif os.WIFSTOPPED(status):
            # Another signal came before the stop. Pass it to the thread.
            ptrace(DETACH, thread, os.WSTOPSIG(status))

    def release(self):
        """Releases the threads whose time is over. Also waits for threads that were killed meanwhile, because otherwise
        their process would stay."""
        for thread, end in list(self.ends.items()):
            if end <= time.monotonic():
                ptrace(DETACH, thread)
                del self.ends[thread]
        for thread in list(self.ends):
            try:
                number, status = os.waitpid(thread, ALL_THREADS | os.WNOHANG)
            except ChildProcessError:
                number, status = thread, 0
            if number and not os.WIFSTOPPED(status):
                del self.ends[thread]


def threads(process: int) -> list[int]:
    """Returns the running threads of a process, or all of its threads if none is running."""
    found, running = [], []
    try:
        for name in os.listdir(f"/proc/{process}/task"):
            found.append(int(name))
            with open(f"/proc/{process}/task/{name}/stat", encoding="utf-8", errors="replace") as file:
                if file.read().rpartition(")")[2].split()[0] == "R":
                    running.append(int(name))
    except OSError:
        pass
    return running or found
