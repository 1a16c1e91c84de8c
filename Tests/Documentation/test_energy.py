# SPDX-License-Identifier: Apache-2.0
"""Checks that Documentation/Energy.md has the tables that Scripts/energy prints, and that its numbers are those in
the Swift files."""

import importlib.machinery
import importlib.util
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "Scripts" / "energy"
LOADER = importlib.machinery.SourceFileLoader("energy", str(SCRIPT))
energy = importlib.util.module_from_spec(importlib.util.spec_from_loader("energy", LOADER))
sys.dont_write_bytecode = True
# A class of the module is looked up by this name.
sys.modules["energy"] = energy
LOADER.exec_module(energy)


class Energy(unittest.TestCase):
    page = energy.PAGE.read_text(encoding="utf-8")

    def test_the_page_has_the_tables_that_the_script_prints(self):
        printed = subprocess.run([SCRIPT], stdout=subprocess.PIPE, text=True, check=True).stdout
        for table in re.split(r"<!-- energy: \w+ -->\n\n", printed)[1:]:
            self.assertTrue(table.rstrip("\n") + "\n\n" in self.page, table)
        self.assertEqual(energy.rewritten(self.page), self.page)

    def test_a_table_that_was_changed_by_hand_is_noticed(self):
        self.assertNotEqual(energy.rewritten(self.page.replace("| 50 % |", "| 5 % |", 1)), self.page.replace("| 50 % |", "| 5 % |", 1))
        with self.assertRaises(SystemExit):
            energy.rewritten(self.page.replace("<!-- energy: once -->", ""))

    def test_numbers_agree_with_the_code(self):
        compared = 0
        for name, number in energy.NUMBERS.items():
            if not number.pattern:
                continue
            found = re.findall(number.pattern, number.file.read_text(encoding="utf-8"))
            self.assertEqual([float(value.replace("_", "")) for value in found], [number.value], (name, number.file))
            compared += 1
        self.assertGreater(compared, 10)

    def test_every_number_of_a_swift_file_is_compared(self):
        for name, number in energy.NUMBERS.items():
            self.assertEqual(bool(number.pattern), number.source.startswith("`B") and "seen" not in number.source, name)

    def test_every_number_has_a_source_and_is_used(self):
        text = SCRIPT.read_text(encoding="utf-8")
        for name, number in energy.NUMBERS.items():
            self.assertTrue(number.source, name)
            self.assertRegex(text, rf"N\[[\"']{name}[\"']\]", name)

    def test_figures_in_the_text_agree_with_the_arithmetic(self):
        high = energy.HIGH.power
        link = high(energy.LINK)
        per_second = f"{link:.1f} mW on both laptops"
        again = [round(high(energy.dialling(interval)) / link) for interval in (energy.FAST, energy.N["slow"])]
        whole = " ".join(self.page.split())
        for words in (per_second, f"for {again[0]} s ({again[1]} s where the peer advertises every 1.28 s)",
                      f"the {0.9 * high(energy.DISCOVERY) / energy.N['supply']:.0f} mA that the JODY-W2's receiver takes"):
            self.assertTrue(words in whole, words)
        scanning = [high(use) * energy.N["day"] / 10 / energy.N["battery"] for use in (energy.THIN, energy.TURNS, energy.MONITOR)]
        self.assertTrue(scanning[0] < scanning[1] < scanning[2] < 1, "less than one hundredth of a battery")
        self.assertTrue(2 < high(energy.THIN * energy.RESTING) < 3.5 and 40 < high(energy.MONITOR) < 45, "3 to 40 mW")

    def test_the_page_counts_with_the_scan_windows_of_the_drop_in(self):
        configured = (energy.ROOT / "Systemd" / "bluetooth.conf").read_text(encoding="utf-8")
        for key, name in (("ScanIntervalAdvMonitor", "thin_interval"), ("ScanWindowAdvMonitor", "thin_window")):
            self.assertEqual(0.625 * int(re.search(rf"(?m)^{key} = (\d+)$", configured)[1]), energy.N[name])


class Arithmetic(unittest.TestCase):
    def test_packet_times_follow_the_core_specification(self):
        self.assertEqual(energy.air(0), 80)
        self.assertEqual(energy.air(37), 376)
        self.assertEqual(energy.air(251), 2_088)

    def test_hails_follow_their_schedule(self):
        # The hails start at 0, 90, 240, 510, 1,020, 1,950 and 2,880 s.
        self.assertAlmostEqual(energy.hails(1, 0, 3_600), 7 * 30 / 3_600)
        self.assertAlmostEqual(energy.hails(1, 93e3, 186e3), 30 / 930, places=4)
        self.assertAlmostEqual(energy.hails(40, 36e3, 72e3), 1)

    def test_a_device_that_is_always_heard_is_never_lost(self):
        mean, lost = energy.heard(11.25, 11.25, 1_280)
        self.assertAlmostEqual(mean, 1.285 / 2)
        self.assertEqual(lost, 0)
        # A window is longer than the interval, so an advertisement is heard in the next window at the latest.
        mean, lost = energy.heard(160, 1_600, 125)
        self.assertTrue(0 < mean < 1.6 and lost == 0)

    def test_listening_time_is_at_most_the_whole_time(self):
        self.assertAlmostEqual((energy.DISCOVERY + energy.advertising(100)).within().on, 1)

    def test_figures_have_two_digits(self):
        self.assertEqual([energy.figure(value) for value in (0, 0.0046, 0.0604, 0.85, 2.0, 9.94, 9.96, 85.7, 1_714.2)],
                         ["0", "0.0046", "0.060", "0.85", "2.0", "9.9", "10", "86", "1,714"])
