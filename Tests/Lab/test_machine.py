# SPDX-License-Identifier: Apache-2.0
"""Tests how the lab judges a machine that has ended."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts" / "lab"))

from host import LabError, machine  # noqa: E402

GAVE_UP = "[   12.100000] Bluetooth: hci0: command 0x2006 tx timeout\n"


class KernelLimits(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.machine = machine.Machine("one", "script.sh", Path(directory.name), {})
        (self.machine.logs / "status").write_text("0", encoding="ascii")

    def console(self, text: str):
        (self.machine.logs / "console").write_text(text, encoding="utf-8")

    def test_the_failure_of_a_scenario_names_the_machine_whose_kernel_gave_up(self):
        self.console(GAVE_UP)
        with self.assertRaisesRegex(LabError, "the kernel of one gave up waiting: hci0: command 0x2006 tx timeout"):
            machine.wait([self.machine], 1)

    def test_in_a_scenario_that_removes_controllers_the_kernel_may_give_up(self):
        self.console(GAVE_UP)
        machine.wait([self.machine], 1, may_give_up=True)

    def test_every_message_about_giving_up_is_found(self):
        said = ("command 0x0c03 tx timeout", "command tx timeout", "link tx timeout", "killing stalled connection 00:11:22:33:44:55",
                "Opcode 0x200d failed: -110", "Opcode 0x c03 failed: -110")
        self.console("".join(f"[    1.0] Bluetooth: hci1: {text}\n" for text in said))
        self.assertEqual(self.machine.limits_passed, [f"hci1: {text}" for text in said])

    def test_other_messages_of_the_kernel_are_ignored(self):
        self.console("[    1.0] Bluetooth: hci0: unexpected event 0x3e length: 260 > 255\n[    1.0] Bluetooth: hci0: Opcode 0x200d failed: -22\n")
        machine.wait([self.machine], 1)
        self.assertEqual(self.machine.limits_passed, [])
