# SPDX-License-Identifier: Apache-2.0
"""Tests that each command reports a hanging daemon in one line, and says what to do."""

import signal
import subprocess
import time

from laptops import BIN, LIMIT, TwoLaptops

# The command's arguments, its exit status, and its time limit in seconds, without SLOW.
COMMANDS = [
    (("status",), 69, 25), (("publish", "--type", "org.example.t"), 69, 25), (("open",), 69, 25), (("continue",), 69, 25),
    (("nearby",), 69, 25), (("devices",), 69, 25), (("ping", "sofa"), 69, 60), ((), 69, 25),
    # The command doctor continues with its other checks, and waits for the daemon for a shorter time.
    (("doctor",), 2, 10),
]
SLOW = 15


class Hanging(TwoLaptops):
    def test_every_command_reports_a_hanging_daemon_in_time(self):
        self.desk.daemon.send_signal(signal.SIGSTOP)
        self.addCleanup(self.desk.daemon.send_signal, signal.SIGCONT)
        began = time.monotonic()
        programs = [subprocess.Popen([BIN / "baton", *words], env=self.desk.environment, text=True, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for words, _, _ in COMMANDS]
        self.running += programs
        for (words, status, seconds), program in sorted(zip(COMMANDS, programs), key=lambda each: each[0][2]):
            with self.subTest(words=words):
                said, _ = program.communicate(timeout=seconds + LIMIT)
                self.assertLess(time.monotonic() - began, seconds + SLOW)
                self.assertEqual(program.returncode, status, said)
                wanted = "daemon-silent: Baton runs, but does not answer. Run \"systemctl --user restart batond\"." if words == ("doctor",) else \
                    "baton: Baton ended, or did not answer in time. Run \"baton doctor\", and try again."
                self.assertEqual(said.splitlines()[0], wanted)
                self.assertEqual(len(said.splitlines()), 1, said)

    def test_an_activity_that_ended_during_the_fetch_is_reported_as_ended(self):
        # The first run of the save command gives the contents for the publication. Later calls take a long time.
        asked = self.root / "asked"
        saving = f'echo >>"{asked}"; [ $(wc -l <"{asked}") = 1 ] || sleep 3; echo "{{}}"'
        publisher = self.desk.spawn([BIN / "baton", "publish", "--type", "org.example.t", "--save-command", saving],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.hear(publisher, "publishing org.example.t")
        self.sofa.baton("continue", "--type", "org.example.t", "--wait", LIMIT)
        before = asked.read_text(encoding="utf-8")
        continuing = self.sofa.spawn([BIN / "baton", "continue", "--type", "org.example.t", "--wait", "5"],
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.eventually(lambda: asked.read_text(encoding="utf-8") != before)
        publisher.kill()
        status, said = self.ended(continuing)
        self.assertEqual((status, said), (75, "baton: It has been closed on \"desk\". Open it there again. No other offer of type org.example.t came within 5 s.\n"))
