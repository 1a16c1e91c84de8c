# SPDX-License-Identifier: Apache-2.0
"""Tests the Debian package's question about bluetoothd, with debconf and dpkg, in an isolated copy of this system."""

import os
import shutil
import tempfile
from pathlib import Path

from copied_system import CHANGES, DROP_IN, LINK, ROOT, Copied, needs_root, pack, programs, run

QUESTION = "baton/bluetooth-drop-in"
INSTALL = "dpkg --no-triggers -i /deb/baton_1.deb"
# apt asks before it unpacks an upgrade. When the package is configured, the question's script runs again.
ASK_BEFORE = "/usr/share/debconf/frontend /var/lib/dpkg/info/baton.config configure 1"


@needs_root
class Questions(Copied):
    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory(prefix="baton-drop-in-")
        cls.addClassCleanup(work.cleanup)
        cls.make(Path(work.name))
        # The maintainer scripts as in the package.
        build = cls.work / "build"
        shutil.copytree(ROOT / "Packaging/debian", build / "debian")
        for tool in ("dh_installdebconf", "dh_installdeb"):
            run(tool, "--package=baton", where=build)
        files = {DROP_IN[1:]: ROOT / "Systemd/bluetooth.service.d/baton.conf"} | programs()
        cls.baton = pack("baton", "1", files, cls.work, scripts=build / "debian/baton/DEBIAN")

    def install(self, answer: str = "", before: str = "true") -> bool:
        """Installs the package. Returns whether it has asked."""
        preseed = f"echo baton {QUESTION} boolean {answer} | debconf-set-selections;" if answer else ""
        return f"INPUT high {QUESTION}" in self.inside(f"{before}; {preseed} {INSTALL}")

    def test_nothing_is_changed_without_an_answer(self):
        self.assertTrue(self.install())
        self.assertFalse(self.is_linked())

    def test_drop_in_is_linked_on_request_without_a_restart_of_bluetoothd(self):
        said = "usr/bin/systemctl"
        (self.upper / said).parent.mkdir(parents=True, exist_ok=True)
        (self.upper / said).write_text('#!/bin/sh\necho "$@" >>/systemctl.said\n', encoding="utf-8")
        (self.upper / said).chmod(0o755)
        self.assertTrue(self.install("true"))
        self.assertTrue(self.is_linked())
        self.assertFalse((self.upper / "systemctl.said").exists())

    def test_question_is_not_asked_if_the_configuration_of_bluetoothd_was_changed(self):
        for change in CHANGES:
            with self.subTest(change):
                self.setUp()
                self.assertFalse(self.install("true", before=change))
                self.assertFalse(self.is_linked())

    def test_question_is_not_asked_if_another_file_has_the_links_path(self):
        self.assertFalse(self.install("true", before=f"mkdir -p /{os.path.dirname(LINK)}; echo mine >/{LINK}"))
        self.assertEqual((self.upper / LINK).read_text(encoding="utf-8"), "mine\n")

    def test_another_link_at_the_path_of_batons_link_is_kept(self):
        directory = os.path.dirname(LINK)
        for change, place in ((f"mkdir -p /{directory}; ln -s /mine/baton.conf /{LINK}", LINK), (f"ln -s /mine /{directory}", directory)):
            with self.subTest(change):
                self.setUp()
                self.assertFalse(self.install("true", before=f"mkdir /mine; echo mine >/mine/baton.conf; {change}"))
                self.assertTrue((self.upper / place).is_symlink())
                self.assertEqual((self.upper / "mine/baton.conf").read_text(encoding="utf-8"), "mine\n")
                self.assertNotIn("linked", (self.upper / "var/cache/debconf/config.dat").read_text(encoding="utf-8").partition(f"Name: {QUESTION}\n")[2].partition("\n\n")[0])

    def test_link_that_the_administrator_made_by_hand_stays(self):
        self.install(before=f"mkdir -p /{os.path.dirname(LINK)}; ln -s {DROP_IN} /{LINK}")
        self.assertTrue(self.is_linked())

    def test_link_that_the_administrator_removed_by_hand_stays_removed(self):
        self.install("true")
        self.inside(f"rm /{LINK}; {INSTALL}")
        self.assertFalse(self.is_linked())

    def test_answer_given_before_unpacking_counts_at_an_upgrade_too(self):
        self.install()
        self.assertFalse(self.is_linked())
        self.inside(f"echo baton {QUESTION} boolean true | debconf-set-selections; {ASK_BEFORE}; {INSTALL}")
        self.assertTrue(self.is_linked())

    def test_answer_given_without_bluez_counts_when_bluez_is_installed(self):
        self.install("true", before="mv /lib/systemd/system/bluetooth.service /later")
        self.assertFalse(self.is_linked())
        self.inside(f"mv /later /lib/systemd/system/bluetooth.service; {INSTALL}")
        self.assertTrue(self.is_linked())

    def test_link_is_removed_if_the_answer_is_no(self):
        self.install("true")
        self.inside("echo no | script --quiet --return --command 'DEBIAN_FRONTEND=teletype dpkg-reconfigure baton' /shown >/dev/null")
        self.assertIn("Let bluetoothd run as Baton needs it? [yes/no]", (self.upper / "shown").read_text(encoding="utf-8"))
        self.assertFalse(self.is_linked())

    def test_reinstalled_package_has_its_drop_in_again(self):
        self.install("true")
        self.inside(f"dpkg --no-triggers -r baton; {INSTALL}")
        self.assertTrue(self.is_linked())

    def test_purge_removes_the_link_and_the_answer(self):
        self.install("true")
        self.inside("dpkg --no-triggers --purge baton")
        self.assertFalse(os.path.lexists(self.upper / LINK))
        self.assertNotIn(QUESTION, (self.upper / "var/cache/debconf/config.dat").read_text(encoding="utf-8"))

    def test_purge_does_not_follow_a_link_of_the_directory(self):
        directory = os.path.dirname(LINK)
        self.inside(f"{INSTALL}; mkdir /mine; ln -s {DROP_IN} /mine/baton.conf; ln -s /mine /{directory}; dpkg --no-triggers --purge baton")
        self.assertTrue((self.upper / "mine/baton.conf").is_symlink())

    def test_question_has_a_german_translation(self):
        self.assertIn("\nDescription-de.UTF-8: bluetoothd so laufen lassen", (self.work / "baton/DEBIAN/templates").read_text(encoding="utf-8"))
