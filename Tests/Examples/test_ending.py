# SPDX-License-Identifier: Apache-2.0
"""Tests how the tests of the examples end the programs that they have started."""

import subprocess
import threading
import unittest

from laptops import LIMIT, end, own_session


class Ending(unittest.TestCase):
    def test_all_output_of_an_ended_program_is_read(self):
        failures, read, goes_on = [], [], threading.Event()
        self.addCleanup(setattr, threading, "excepthook", threading.excepthook)
        threading.excepthook = failures.append

        def slowly(output):
            for line in output:
                goes_on.wait(LIMIT)
                read.append(line)

        process = subprocess.Popen(["sh", "-c", "echo one; echo two; echo three"], stdout=subprocess.PIPE, text=True)
        own_session.reading(process, slowly)
        process.wait(LIMIT)
        ending = threading.Thread(target=end, args=([process],))
        ending.start()
        # `end` must wait for the reader. If it closed the output instead, that would happen within this time.
        ending.join(0.2)
        goes_on.set()
        ending.join(LIMIT)
        self.assertEqual((read, failures), (["one\n", "two\n", "three\n"], []))
        self.assertTrue(process.stdout.closed)
