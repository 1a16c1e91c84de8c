# SPDX-License-Identifier: Apache-2.0
"""Tests the line that shows the progress of streams on a terminal."""

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading

from laptops import BIN, LIMIT, TwoLaptops

TYPE = "org.example.progress"
ERASED = "\r\x1b[K"


class Terminal:
    """A terminal with this many columns, and the text that was written to it."""

    def __init__(self, columns: int):
        self.shown = ""
        self.own, self.end = pty.openpty()
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.reading = threading.Thread(target=self.read, daemon=True)
        self.reading.start()

    def read(self):
        # Reading fails once no program has the terminal open.
        with contextlib.suppress(OSError):
            while data := os.read(self.own, 65_536):
                self.shown += data.decode()

    def leave(self):
        """Closes this process's end, and waits until the programs have closed theirs."""
        os.close(self.end)
        self.reading.join(LIMIT)
        os.close(self.own)


class Progress(TwoLaptops):
    def begin_streams(self, columns: int):
        """Begins streams that wait for the contents of a named pipe. Returns the publisher, the receiver, its terminal and
        the pipe."""
        for laptop in (self.desk, self.sofa):
            laptop.environment["TERM"] = "xterm"
        source = self.root / "source"
        os.mkfifo(source)
        publisher = self.desk.spawn([BIN / "baton", "publish", "--type", TYPE, "--once", "--stream-from", source],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.hear(publisher, f"publishing {TYPE}")
        terminal = Terminal(columns)
        receiver = self.sofa.spawn([BIN / "baton", "continue", "--type", TYPE, "--wait", str(LIMIT), "--stream-to", self.root / "target"],
                                   stdout=subprocess.PIPE, stderr=terminal.end, text=True)
        return publisher, receiver, terminal, self.writing(source)

    def test_the_line_shows_the_amount_and_the_transport_and_is_removed(self):
        publisher, receiver, terminal, pipe = self.begin_streams(columns=80)
        with pipe:
            pipe.write(bytes(30_000))
            self.eventually(lambda: "30 kB received" in terminal.shown, "the amount")
            pipe.write(bytes(20_000))
            # The streams begin over the radio if TCP takes longer, and then move.
            self.eventually(lambda: "50 kB received over tcp" in terminal.shown, "the next amount")
        status, said = self.ended(receiver)
        terminal.leave()
        self.assertEqual(status, 0)
        self.assertIn("streams finished: sent 0 bytes, received 50000 bytes", said)
        self.assertTrue(terminal.shown.endswith(ERASED), repr(terminal.shown))
        self.assertNotIn("\n", terminal.shown)
        # The publisher's output is no terminal.
        status, said = self.ended(publisher)
        self.assertEqual((status, "\x1b" in said, "kB" in said), (0, False, False))

    def test_the_line_is_not_wider_than_the_terminal(self):
        publisher, receiver, terminal, pipe = self.begin_streams(columns=12)
        with pipe:
            pipe.write(bytes(30_000))
            self.eventually(lambda: "30 kB recei" in terminal.shown, "the amount")
        self.assertEqual(self.ended(receiver)[0], 0)
        self.assertEqual(self.ended(publisher)[0], 0)
        terminal.leave()
        self.assertLess(max(len(line) for line in terminal.shown.split(ERASED)), 12)
