# SPDX-License-Identifier: Apache-2.0
"""An app on the session bus that waits for a program to open streams, sends BYTES bytes, closes the streams, and ends
at once.

    closes.py TYPE BYTES both|dropped|output|nothing [DAEMON]

`both` closes both streams. `dropped` closes the output, and drops the pair. `output` closes only the output. With the
process id DAEMON, it first stops that process, so that the process later sees the close and this program's end at the
same time.
"""

import os
import pathlib
import signal
import sys

import gi

gi.require_version("Baton", "1")
from gi.repository import Baton, GLib  # noqa: E402

TYPE, BYTES, CLOSES = sys.argv[1], int(sys.argv[2]), sys.argv[3]
opened = []
activity = Baton.Activity(activity_type=TYPE, supports_continuation_streams=True)
activity.connect("streams", lambda _, streams: opened.append(streams))
activity.become_current()
while not opened:
    GLib.MainContext.default().iteration(True)
opened[0].get_output_stream().write_all(bytes(BYTES), None)
if len(sys.argv) > 4:
    os.kill(int(sys.argv[4]), signal.SIGSTOP)
    tasks = pathlib.Path(f"/proc/{sys.argv[4]}/task")
    while any(") T " not in (task / "stat").read_text(encoding="utf-8") for task in tasks.iterdir()):
        pass
if CLOSES != "nothing":
    opened[0].get_output_stream().close(None)
if CLOSES == "both":
    opened[0].get_input_stream().close(None)
if CLOSES == "dropped":
    opened.clear()
os._exit(0)
