# SPDX-License-Identifier: Apache-2.0
"""Codes that are read with the camera: baton-camera alone, and in Baton's real window. The camera is a picture."""

import atexit
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

from desktop import WINDOW, Desktop  # noqa: E402
from desktops import until  # noqa: E402
from laptops import LIMIT, end, limited  # noqa: E402

import camera  # noqa: E402

# GStreamer looks at all of its plugins once, and not once for each home.
PLUGINS = tempfile.mkdtemp(prefix="baton-gstreamer-")
atexit.register(shutil.rmtree, PLUGINS, ignore_errors=True)
os.environ["GST_REGISTRY"] = f"{PLUGINS}/registry"
PICTURE = 320 * 240
NOT_VALID = "This is not an invitation of Baton, or it is damaged. Show a new code on the other laptop."
# A program that sends pictures without a pause, and looks neither at its input nor at signals.
FLOOD = f"""#!/usr/bin/python3
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
picture = b"P" + (320 * 240).to_bytes(4, "big") + bytes([128]) * {PICTURE}
while sys.argv[1] == "scan":
    os.write(1, picture)
"""
# Its child ignores the signal, too.
HANGING = """#!/bin/sh
trap "" TERM
[ "$1" = check ] && exit
sleep 1000 &
while :; do sleep 1; done
"""


def setUpModule():
    """Lets GStreamer look at its plugins. On a busy machine this takes longer than the window waits for a picture."""
    program = "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst; Gst.init(None)"
    subprocess.run([sys.executable, "-c", program], timeout=5 * LIMIT, check=True)


def saying(contents: bytes) -> str:
    """Returns a program that writes some bytes and waits."""
    return f"#!/usr/bin/python3\nimport os, sys, time\nif sys.argv[1] == 'scan':\n    os.write(1, {contents!r})\n    time.sleep({LIMIT})\n"


class Program(unittest.TestCase):
    """Tests baton-camera without a window."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="baton-camera-")
        self.addCleanup(directory.cleanup)
        self.root, self.running = pathlib.Path(directory.name), []
        self.addCleanup(end, self.running)
        self.scanner = camera.Scanner(self.root)

    def scan(self) -> subprocess.Popen:
        process = subprocess.Popen([str(self.scanner.path), "scan"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        self.running.append(process)
        return process

    def message(self, process) -> tuple:
        header = process.stdout.read(5)
        return header[:1].decode(), process.stdout.read(int.from_bytes(header[1:], "big"))

    def last(self, process) -> tuple:
        """Returns the first message that is not a picture."""
        while True:
            kind, contents = self.message(process)
            if kind != "P":
                return kind, contents
            self.assertEqual(len(contents), PICTURE)

    def test_a_code_is_read_once_it_is_sharp(self):
        text = "baton-invitation:" + "Az09-_" * 30
        self.scanner.show_code(text, "-blur", "0x12")
        process = self.scan()
        for _ in range(10):
            self.assertEqual(self.message(process)[0], "P")
        self.scanner.show_code(text)
        self.assertEqual(self.last(process), ("C", text.encode()))
        self.assertEqual(process.wait(LIMIT), 0)

    def test_the_picture_is_mirrored(self):
        self.scanner.show("-size", "640x480", "xc:black", "-fill", "white", "-draw", "rectangle 0,0 319,479")
        _, contents = self.message(self.scan())
        self.assertLess(contents[10], 50)
        self.assertGreater(contents[310], 200)

    def test_other_kinds_of_codes_are_not_read(self):
        self.scanner.show_bars("*AB*")
        read = subprocess.run(["zbarimg", "--quiet", "--raw", str(self.scanner.picture)], capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(read.stdout.strip(), "AB")
        process = self.scan()
        for _ in range(10):
            self.assertEqual(self.message(process)[0], "P")

    def test_an_unplugged_camera_ends_the_scan_with_that_reason(self):
        process = self.scan()
        self.message(process)
        self.scanner.picture.unlink()
        self.assertEqual(self.last(process), ("E", b"gone"))

    def test_a_busy_camera_ends_the_scan_with_that_reason(self):
        self.scanner.put(self.scanner.with_picture(camera.BUSY))
        self.assertEqual(self.last(self.scan()), ("E", b"busy"))

    def test_a_missing_camera_ends_the_scan_with_that_reason(self):
        self.scanner.picture.unlink()
        self.assertEqual(self.last(self.scan()), ("E", b"none"))
        self.assertEqual(subprocess.run([str(self.scanner.path), "check"], timeout=LIMIT, check=False).returncode, 1)

    def test_the_installed_program_looks_for_devices_that_capture(self):
        program = camera.with_a_picture("")
        self.assertFalse(program.captures("/dev/null"))
        self.assertFalse(program.captures(str(self.root / "nothing")))

    def test_a_device_that_is_not_a_camera_ends_the_scan_as_failed(self):
        self.scanner.put(self.scanner.with_picture("program.source, program.cameras = program.installed_source, lambda: ['/dev/null']"))
        self.assertEqual(self.last(self.scan()), ("E", b"failed"))

    def test_it_ends_with_its_input(self):
        process = self.scan()
        self.message(process)
        process.stdin.close()
        # Read on like the window. The program may be writing the next picture, which is larger than a pipe.
        with limited(process):
            process.stdout.read()
        self.assertEqual(process.wait(LIMIT), 0)

    def test_it_ends_with_its_output(self):
        process = self.scan()
        self.message(process)
        process.stdout.close()
        self.assertEqual(process.wait(LIMIT), -signal.SIGPIPE)

    def test_the_kernel_ends_a_program_that_hangs(self):
        self.scanner.put(self.scanner.with_picture("program.LONGEST_SCAN, program.LONGEST_STALL = 0, 1\nprogram.scan = lambda camera: program.time.sleep(100)"))
        self.assertEqual(self.scan().wait(LIMIT), -signal.SIGALRM)

    def test_a_scan_without_a_code_ends_at_its_time_limit(self):
        self.scanner.put(self.scanner.with_picture("program.LONGEST_SCAN = 1"))
        self.assertEqual(self.last(self.scan()), ("E", b"late"))


class InTheWindow(Desktop):
    """Tests the page on which a laptop is added."""

    def setUp(self):
        super().setUp()
        self.scanner = camera.Scanner(self.root)
        self.program = self.scanner.window(WINDOW)

    def adding(self):
        """Opens the window on its page to add a laptop."""
        window = self.window(self.sofa, program=self.program, GST_REGISTRY=os.environ["GST_REGISTRY"])
        window.click("Add a Laptop")
        return window

    def scanning(self, program=""):
        """Opens the window and begins to scan."""
        if program:
            self.scanner.put(program)
        window = self.adding()
        window.click("Scan: Scan the code with the camera")
        return window

    def children(self, window) -> list:
        """Returns the programs that a window has started."""
        done = subprocess.run(["pgrep", "--parent", str(window.process.pid)], capture_output=True, text=True, timeout=LIMIT, check=False)
        return [int(number) for number in done.stdout.split()]

    def group(self, number: int) -> list:
        """Returns the processes of a program's group."""
        done = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, timeout=LIMIT, check=True)
        lines = (line.split(maxsplit=2) for line in done.stdout.splitlines())
        return [words[2] for words in lines if int(words[0]) == number and not words[1].startswith("Z")]

    def see_scan(self, window):
        window.see("Hold the other laptop's code in front of the camera", "image")
        return until("a program", lambda: self.children(window))

    def see_the_end(self, window):
        until("no program", lambda: not self.children(window), lambda: str(self.children(window)))

    def test_a_code_of_one_window_is_read_by_the_camera_of_the_other(self):
        shown = self.window(self.desk)
        shown.click("Add a Laptop")
        shown.click("Show: Show a code")
        shown.see("Read this code on the other laptop", "image")
        until("a code that can be read", shown.code)
        reading = self.scanning()
        self.see_scan(reading)
        self.scanner.show_part(self.desk.home / "screen.png")
        for window in (shown, reading):
            window.see("The laptop is added")
        self.see_the_end(reading)

    def test_a_wrong_code_gets_the_same_error_as_a_pasted_one(self):
        window = self.adding()
        window.type("Paste the other laptop's code", "https://example.org/menu")
        window.see(NOT_VALID)
        window.click("Scan: Scan the code with the camera")
        self.see_scan(window)
        window.see_not(NOT_VALID)
        self.scanner.show_code("https://example.org/menu")
        window.see(NOT_VALID)
        self.see_the_end(window)

    def test_escape_ends_the_scan(self):
        window = self.scanning()
        self.see_scan(window)
        window.key("Escape")
        window.see("Choose Add a Laptop on the other laptop, too")
        self.see_the_end(window)
        # The key belongs to the scan alone.
        window.key("Escape")
        window.choose("Scan: Scan the code with the camera")
        self.see_scan(window)
        window.choose("Cancel")
        window.see("Choose Add a Laptop on the other laptop, too")

    def test_the_scan_button_is_hidden_without_a_camera(self):
        self.scanner.picture.unlink()
        checked = self.root / "checked"
        self.scanner.put(self.scanner.with_picture(f"import atexit; open({str(checked)!r}, 'w').close()"))
        window = self.adding()
        until("a check", checked.exists)
        self.see_the_end(window)
        window.see("Show: Show a code")
        self.assertIsNone(window.find("Scan: Scan the code with the camera"))

    def test_the_window_reports_a_busy_and_an_unplugged_camera(self):
        window = self.scanning(self.scanner.with_picture(camera.BUSY))
        window.see("Another app is using the camera. Close that app and try again.")
        sent = self.root / "sent"
        self.scanner.put(self.scanner.with_picture(f"send = program.send\nprogram.send = lambda *message: (send(*message), open({str(sent)!r}, 'w').close())"))
        window.click("Try Again")
        until("a picture", sent.exists)
        self.scanner.picture.unlink()
        window.see("The camera was unplugged, or has stopped. Connect it and try again.")
        window.click("Try Again")
        window.see("This laptop has no camera. Connect one, or paste the code.")

    def test_a_camera_program_that_floods_does_not_block_the_window(self):
        window = self.scanning(FLOOD)
        self.see_scan(window)
        window.click("Cancel")
        window.see("Choose Add a Laptop on the other laptop, too")
        self.see_the_end(window)
        window.click("Scan: Scan the code with the camera")
        flooding = self.see_scan(window)
        window.process.send_signal(signal.SIGKILL)
        until("the end with the window", lambda: not any(os.path.exists(f"/proc/{number}") for number in flooding))

    def test_a_camera_program_that_hangs_is_ended(self):
        window = self.scanning(HANGING)
        hanging, = self.see_scan(window)
        until("a child", lambda: len(self.group(hanging)) > 1)
        window.click("Cancel")
        window.see("Choose Add a Laptop on the other laptop, too")
        self.see_the_end(window)
        until("no child", lambda: not self.group(hanging), lambda: str(self.group(hanging)))
        window.click("Scan: Scan the code with the camera")
        began = time.monotonic()
        window.see("The camera does not answer. Try again, or paste the code.")
        self.assertGreater(time.monotonic() - began, 5)
        self.see_the_end(window)

    def test_a_camera_program_that_hangs_ends_with_the_window_as_does_its_child(self):
        window = self.scanning(HANGING)
        hanging, = self.see_scan(window)
        until("a child", lambda: len(self.group(hanging)) > 1)
        window.key("ctrl+w")
        self.assertEqual(window.process.wait(LIMIT), 0)
        until("no child", lambda: not self.group(hanging), lambda: str(self.group(hanging)))

    def test_only_one_camera_check_runs_at_a_time(self):
        checks = self.root / "checks"
        self.scanner.put(f'#!/bin/sh\necho $$ >>{checks}\nexec sleep {LIMIT}\n')
        window = self.adding()
        until("a check", checks.exists)
        for _ in range(3):
            window.key("alt+Left")
            window.click("Add a Laptop")
            window.see("Show: Show a code")
        self.assertEqual(len(self.children(window)), 1)
        self.assertEqual(len(checks.read_text(encoding="utf-8").splitlines()), 1)
        window.key("ctrl+w")
        self.assertEqual(window.process.wait(LIMIT), 0)
        number = int(checks.read_text(encoding="utf-8"))
        until("no check", lambda: not self.group(number), lambda: str(self.group(number)))

    def test_invalid_output_of_the_camera_program_ends_the_scan(self):
        for contents in (b"P\xff\xff\xff\xff", b"C" + (2_954).to_bytes(4, "big") + b"1" * 2_954, b"GIF89a"):
            with self.subTest(contents[:5]):
                window = self.scanning(saying(contents))
                window.see("The camera cannot be used. Paste the code.")
                window.key("ctrl+w")
                self.assertEqual(window.process.wait(LIMIT), 0)
