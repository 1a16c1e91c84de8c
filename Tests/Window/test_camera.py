# SPDX-License-Identifier: Apache-2.0
"""Codes that are read with the camera: baton-camera, with a picture as its camera."""

import atexit
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import desktop  # noqa: E402,F401  # which finds the next module
from laptops import LIMIT, end  # noqa: E402

import camera  # noqa: E402

# GStreamer looks at all of its plugins once, and not once for each home.
PLUGINS = tempfile.mkdtemp(prefix="baton-gstreamer-")
atexit.register(shutil.rmtree, PLUGINS, ignore_errors=True)
os.environ["GST_REGISTRY"] = f"{PLUGINS}/registry"
PICTURE = 320 * 240


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

    def test_a_camera_that_is_unplugged_is_gone(self):
        process = self.scan()
        self.message(process)
        self.scanner.picture.unlink()
        self.assertEqual(self.last(process), ("E", b"gone"))

    def test_a_busy_camera_is_said_to_be_busy(self):
        self.scanner.put(self.scanner.with_picture(camera.BUSY))
        self.assertEqual(self.last(self.scan()), ("E", b"busy"))

    def test_without_a_camera_there_is_none(self):
        self.scanner.picture.unlink()
        self.assertEqual(self.last(self.scan()), ("E", b"none"))
        self.assertEqual(subprocess.run([str(self.scanner.path), "check"], timeout=LIMIT, check=False).returncode, 1)

    def test_the_installed_program_looks_for_devices_that_capture(self):
        program = camera.with_a_picture("")
        self.assertFalse(program.captures("/dev/null"))
        self.assertFalse(program.captures(str(self.root / "nothing")))

    def test_a_device_that_is_no_camera_cannot_be_used(self):
        self.scanner.put(self.scanner.with_picture("program.source, program.cameras = program.installed_source, lambda: ['/dev/null']"))
        self.assertEqual(self.last(self.scan()), ("E", b"failed"))

    def test_it_ends_with_its_input_and_with_its_output(self):
        for close in (lambda process: process.stdin.close(), lambda process: process.stdout.close()):
            process = self.scan()
            self.message(process)
            close(process)
            self.assertIn(process.wait(LIMIT), (0, -signal.SIGPIPE))

    def test_the_kernel_ends_it_if_it_hangs(self):
        self.scanner.put(self.scanner.with_picture("program.LONGEST_SCAN, program.LONGEST_STALL = 0, 1\nprogram.scan = lambda camera: program.time.sleep(100)"))
        self.assertEqual(self.scan().wait(LIMIT), -signal.SIGALRM)

    def test_a_scan_without_a_code_ends(self):
        self.scanner.put(self.scanner.with_picture("program.LONGEST_SCAN = 1"))
        self.assertEqual(self.last(self.scan()), ("E", b"late"))


if __name__ == "__main__":
    unittest.main()
