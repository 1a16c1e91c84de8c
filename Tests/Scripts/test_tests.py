# SPDX-License-Identifier: Apache-2.0
"""Tests Scripts/tests: its parts run, their failures count, and nothing keeps running."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

SCRIPT = Path(__file__).parents[2] / "Scripts" / "tests"
LOADER = importlib.machinery.SourceFileLoader("tests_script", str(SCRIPT))
tests = importlib.util.module_from_spec(importlib.util.spec_from_loader("tests_script", LOADER))
sys.dont_write_bytecode = True
sys.modules["tests_script"] = tests  # its dataclasses look for their module there
LOADER.exec_module(tests)


def part(name: str, script: str, size: int = 1):
    return tests.Part(name, size, ("sh", "-c", script))


class Tests(unittest.TestCase):
    def setUp(self):
        self.logs = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(tests, "LOGS", self.logs))

    def run_phases(self, *phases) -> tuple:
        """Returns the results by name, and the output."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            results = tests.run_all(list(phases), everything=False)
        return {result.name: result for result in results}, said.getvalue()

    def test_each_part_has_a_line_with_its_result_and_times(self):
        results, said = self.run_phases([part("one", "true"), part("two", "true")])
        self.assertTrue(results["one"].passed and results["two"].passed)
        self.assertRegex(said, r"(?m)^ok      one +[0-9.]+ s +[0-9.]+ s of processors$")

    def test_failed_part_shows_its_output(self):
        results, said = self.run_phases([part("one", "echo why; exit 1")])
        self.assertFalse(results["one"].passed)
        self.assertRegex(said, r"(?m)^FAILED  one .*\n    why$")

    def test_phase_begins_only_after_the_previous_one_has_passed(self):
        results, _ = self.run_phases([part("one", "false"), part("two", "true")], [part("three", "true")])
        self.assertEqual(set(results), {"one", "two"})

    def test_processor_time_of_background_processes_is_counted(self):
        spin = "import time\nwhile time.process_time() < 0.2: pass"
        results, _ = self.run_phases([part("one", f"(setsid {sys.executable} -c '{spin}' &)")])
        self.assertGreater(results["one"].processor, 0.15)
        self.assertEqual(results["one"].left, [])

    def test_process_that_a_part_left_and_that_ends_is_reaped(self):
        left = f"(setsid sh -c 'echo $$ >{self.logs}/number; exec sleep 0.1' &)"
        waits = f"timeout 30 sh -c 'until test -s {self.logs}/number && test ! -e /proc/$(cat {self.logs}/number); do sleep 0.02; done'"
        results, _ = self.run_phases([part("one", f"{left}; {waits}")])
        self.assertTrue(results["one"].passed)

    def test_processes_that_a_part_leaves_are_named_and_ended(self):
        results, said = self.run_phases([part("one", f"(setsid sleep 600 & echo $! >{self.logs}/number)")])
        self.assertEqual(results["one"].left, ["sleep"])
        self.assertIn("(left running: sleep)", said)
        number = (self.logs / "number").read_text().strip()
        self.assertFalse(Path("/proc", number).exists())

    def test_part_that_takes_too_long_has_failed(self):
        with mock.patch.object(tests, "LIMIT", 0.1), mock.patch.object(tests, "ROOT", self.logs):
            result = self.in_a_process_of_its_own(["sleep", "600"])
        self.assertEqual(result[0], "False")
        self.assertIn("was not done after 0.1 s", (self.logs / "late.log").read_text())

    def in_a_process_of_its_own(self, command: list) -> list:
        """Returns whether a command passed. A process that runs one becomes the parent of all processes
        that it leaves behind."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, str(tests.run(self.logs / "late.log", command).passed).encode())
            os._exit(0)
        os.close(write)
        with open(read, encoding="ascii") as pipe:
            said = pipe.read()
        os.waitpid(child, 0)
        return [said]

    def interrupted(self, before: str = ""):
        """Starts a part, interrupts its run when the part has begun, and checks that the part has ended. `before` is run first."""
        script = f"import sys; sys.argv = ['tests', '--play', '{self.logs}/one.log', 'sh', '-c', 'echo $$ >{self.logs}/number; sleep 600']"
        process = subprocess.Popen([sys.executable, "-c", f"{script}\n{before}\nimport runpy; runpy.run_path('{SCRIPT}', run_name='__main__')"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        number, end = self.logs / "number", time.monotonic() + 60
        while not number.exists() or not number.read_text().strip():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        process.terminate()
        self.assertEqual(process.wait(60), 128 + 15)
        self.assertFalse(Path("/proc", number.read_text().strip()).exists())

    def test_interrupted_run_ends_its_parts(self):
        self.interrupted()

    def test_run_that_is_interrupted_while_it_starts_a_part_ends_the_part(self):
        self.interrupted("import subprocess, time\nclass Slow(subprocess.Popen):\n    def __init__(self, *words, **options):\n"
                         "        super().__init__(*words, **options)\n        time.sleep(60)\nsubprocess.Popen = Slow")

    def test_unknown_part_is_refused(self):
        done = subprocess.run([SCRIPT, "nothing"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^tests: there is no part nothing; there are ")

    def test_full_test_contains_the_quick_test(self):
        def listed(*arguments):
            return subprocess.run([SCRIPT, "--list", *arguments], capture_output=True, text=True, check=True).stdout.split()

        self.assertLess(set(listed()), set(listed("--all")))
        self.assertIn("lab-package", set(listed("--all")) - set(listed()))

    def test_quick_test_hands_over_on_bluez_in_a_browser_and_in_an_app(self):
        quick = {part.name: " ".join(part.quick) for phase in tests.PHASES for part in phase}
        self.assertRegex(quick["lab"], r"\btwo-laptops-channels-3\b")
        self.assertRegex(quick["browsers"], r"\bHanding\b")
        self.assertRegex(quick["adapters"], "in_mpv_continues_in_mpv")
