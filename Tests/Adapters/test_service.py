# SPDX-License-Identifier: Apache-2.0
"""Tests the adapters' service: it can be switched, and a session has only one."""

import pathlib
import subprocess

from apps import EXTENSION, LIMIT, MOCK, Adapted

NAME = "org.batonproject.Adapter."
MEDIA, DOCUMENTS = f"{NAME}Media", f"{NAME}Documents"
TYPE = "org.batonproject.media.play"


class Service(Adapted):
    def until_there_are(self, *names):
        self.eventually(lambda: set(names) == {name for name in self.names(self.desk, NAME) if name in (MEDIA, DOCUMENTS)})

    def test_adapter_withdraws_its_offer_when_switched_off_and_offers_again_when_switched_on(self):
        self.until_there_are(MEDIA, DOCUMENTS)
        self.desk.spawn([MOCK, "https://music.example/song"])
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        self.desk.baton("adapters", "off", "media")
        self.until_there_are(DOCUMENTS)
        self.eventually(lambda: not self.offer(self.sofa, TYPE))
        self.desk.baton("adapters", "on", "media")
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        self.desk.baton("adapters", "off")
        self.until_there_are()
        self.eventually(lambda: not self.offer(self.sofa, TYPE))

    def test_version_option_prints_the_same_as_batons(self):
        done = subprocess.run([EXTENSION / "baton-adapters", "--version"], env=self.desk.environment, text=True, capture_output=True, timeout=LIMIT, check=True)
        self.assertEqual(done.stdout.strip(), self.desk.baton("--version")[0].strip())

    def test_adapter_that_was_switched_off_leaves_no_entries_or_descriptors(self):
        """Switches the adapter off and on twenty times."""
        descriptors = pathlib.Path(f"/proc/{self.desk.adapters.pid}/fd")
        self.until_there_are(MEDIA, DOCUMENTS)
        counts, count = set(), len(list(EXTENSION.glob(f"{NAME}*.desktop")))
        for _ in range(20):
            self.desk.baton("adapters", "off")
            self.until_there_are()
            self.desk.baton("adapters", "on")
            self.eventually(lambda: len(self.names(self.desk, NAME)) == count)
            counts.add(len(list(descriptors.iterdir())))
        self.assertLessEqual(max(counts) - min(counts), 4, counts)

    def test_open_song_is_offered_again_after_a_restart_of_the_daemon(self):
        self.desk.spawn([MOCK, "https://music.example/song"])
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        self.desk.daemon.kill()
        self.desk.daemon.wait(LIMIT)
        self.desk.start_daemon(self.root / "radio")
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        self.until_there_are(MEDIA, DOCUMENTS)

    def test_second_service_of_a_session_reports_the_first_and_ends(self):
        self.until_there_are(MEDIA, DOCUMENTS)
        done = subprocess.run([EXTENSION / "baton-adapters"], env=self.desk.environment, text=True, capture_output=True, timeout=LIMIT, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, "baton-adapters: org.batonproject.Adapters is there already\n"))

    def test_service_ends_with_its_session(self):
        self.until_there_are(MEDIA, DOCUMENTS)
        self.running[0].terminate()
        self.assertEqual(self.desk.adapters.wait(LIMIT), 0)

    def test_service_ends_at_sigterm(self):
        self.until_there_are(MEDIA, DOCUMENTS)
        self.desk.adapters.terminate()
        self.assertEqual(self.desk.adapters.wait(LIMIT), 0)
        self.until_there_are()
