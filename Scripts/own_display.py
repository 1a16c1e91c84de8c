# SPDX-License-Identifier: Apache-2.0
"""A separate X server for the windows of tests and benchmarks."""

import os
import subprocess
import time

from own_session import LIMIT, limited

PAUSE = 0.05  # seconds between two checks whether the window manager is ready
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}


class Display:
    """An X server without a screen.

    `name` is the display's name, such as `:7`, and `processes` are the programs that belong to it.
    """

    def __init__(self, size="1024x768"):
        read, write = os.pipe()
        # Without -noreset the server ends all connections when its last client leaves, even those of clients that have
        # just connected.
        server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"],
                                  pass_fds=[write], **QUIET)
        self.processes = [server]
        os.close(write)
        with limited(server), os.fdopen(read, encoding="ascii") as number:
            self.name = ":" + number.readline().strip()
        if self.name == ":":
            raise RuntimeError("Xvfb did not start")

    def manage(self):
        """Starts a window manager, and waits until it manages the windows."""
        environment = {**os.environ, "DISPLAY": self.name}
        manager = subprocess.Popen(["openbox"], env=environment, **QUIET)
        self.processes.append(manager)
        limit = time.monotonic() + LIMIT
        # xdotool can name the current desktop only once a window manager runs.
        while subprocess.run(["xdotool", "get_desktop"], env=environment, timeout=LIMIT, check=False, **QUIET).returncode:
            if manager.poll() is not None or time.monotonic() > limit:
                self.end()
                raise RuntimeError(f"openbox does not manage {self.name}; its status is {manager.returncode}")
            time.sleep(PAUSE)

    def end(self):
        """Ends the window manager and the server."""
        for process in reversed(self.processes):
            process.terminate()
            process.wait(LIMIT)
