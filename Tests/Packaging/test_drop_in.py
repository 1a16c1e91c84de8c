# SPDX-License-Identifier: Apache-2.0
"""Tests the Debian package's question about bluetoothd, with debconf and dpkg, in an isolated copy of this system.

    python3 -m unittest discover -s Tests/Packaging
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 120  # seconds that any program may take
DROP_IN = "/usr/share/baton/bluetooth.service.d/baton.conf"
LINK = "etc/systemd/system/bluetooth.service.d/baton.conf"
QUESTION = "baton/bluetooth-drop-in"
INSTALL = "dpkg --no-triggers -i /deb/baton_1.deb"
# apt asks before it unpacks an upgrade. When the package is configured, the question's script runs again.
ASK_BEFORE = "/usr/share/debconf/frontend /var/lib/dpkg/info/baton.config configure 1"
# The files of another package that the question checks. They replace the installed package's files in the copy of the
# system.
BLUEZ = {"etc/bluetooth/main.conf": "[General]\n", "lib/systemd/system/bluetooth.service": "[Service]\nExecStart=/usr/libexec/bluetooth/bluetoothd\n"}


def run(*command, where: Path = ROOT, **options) -> subprocess.CompletedProcess:
    """Runs a program that must succeed."""
    done = subprocess.run([str(word) for word in command], cwd=where, text=True, capture_output=True, timeout=LIMIT, check=False, **options)
    if done.returncode:
        raise AssertionError(f"{command[0]}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def pack(name: str, version: str, files: dict, place: Path, conffiles: tuple = (), scripts: Path | None = None) -> Path:
    """Makes a package with these files, and with debhelper's scripts if there are some."""
    tree = place / name
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8")
    control = tree / "DEBIAN"
    shutil.copytree(scripts, control) if scripts else control.mkdir()
    (control / "control").write_text(f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: Baton <baton@example.org>\n"
                                     "Description: for a test\n", encoding="utf-8")
    if conffiles:
        (control / "conffiles").write_text("".join(f"/{path}\n" for path in conffiles), encoding="utf-8")
    file = place / f"{name}_{version}.deb"
    run("dpkg-deb", "--root-owner-group", "--build", tree, file)
    return file


def inside(packages: Path, upper: Path, script: str) -> str:
    """Runs a script as root of a copy of this system, and returns its output. `upper` has the files that differ, before and after."""
    return run("unshare", "--mount", "--propagation=private", "sh", "-ec", f"""
        cd "{upper.parent}"
        mkdir -p root
        mount -t tmpfs -o mode=755 baton-drop-in root
        mkdir root/work root/all
        cp -a "{upper}" root/upper
        mount -t overlay -o lowerdir=/,upperdir=root/upper,workdir=root/work baton-drop-in root/all
        mkdir -p root/all/deb
        mount --bind "{packages}" root/all/deb
        mount --rbind /dev root/all/dev
        mount -t tmpfs baton-drop-in root/all/run
        status=0
        chroot root/all sh -ec "$SCRIPT" || status=$?
        rm -rf "{upper}"
        cp -a root/upper "{upper}"
        exit $status
        """, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "DEBCONF_DEBUG": "developer", "LANG": "C.UTF-8",
                  "SCRIPT": script}).stderr


@unittest.skipUnless(os.geteuid() == 0, "it needs root: packages are installed in a copy of this system")
class Questions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
            raise unittest.SkipTest("no mounts of its own are allowed here")
        work = tempfile.TemporaryDirectory(prefix="baton-drop-in-")
        cls.addClassCleanup(work.cleanup)
        cls.work = Path(work.name)
        # Build the maintainer scripts as the package has them.
        build = cls.work / "build"
        shutil.copytree(ROOT / "Packaging/debian", build / "debian")
        for tool in ("dh_installdebconf", "dh_installdeb"):
            run(tool, "--package=baton", where=build)
        drop_in = (ROOT / "Systemd/bluetooth.service.d/baton.conf").read_text(encoding="utf-8")
        cls.baton = pack("baton", "1", {DROP_IN[1:]: drop_in}, cls.work, scripts=build / "debian/baton/DEBIAN")
        pack("bluez", "99", BLUEZ, cls.work, conffiles=("etc/bluetooth/main.conf",))
        cls.before = cls.work / "before"
        cls.before.mkdir()
        inside(cls.work, cls.before, "dpkg --no-triggers --force-all -i /deb/bluez_99.deb; rm -rf /etc/systemd/system/bluetooth.service.d")

    def setUp(self):
        self.upper = Path(tempfile.mkdtemp(dir=self.work)) / "upper"
        run("cp", "-a", self.before, self.upper)

    def inside(self, script: str) -> str:
        return inside(self.work, self.upper, script)

    def install(self, answer: str = "", before: str = "true") -> bool:
        """Installs the package. Returns whether it has asked."""
        preseed = f"echo baton {QUESTION} boolean {answer} | debconf-set-selections;" if answer else ""
        return f"INPUT high {QUESTION}" in self.inside(f"{before}; {preseed} {INSTALL}")

    def is_linked(self) -> bool:
        link = self.upper / LINK
        return link.is_symlink() and os.readlink(link) == DROP_IN

    def test_nothing_is_changed_where_nobody_answers(self):
        self.assertTrue(self.install())
        self.assertFalse(self.is_linked())

    def test_drop_in_is_linked_where_it_is_wanted_and_bluetoothd_is_not_started_again(self):
        (self.upper / "usr/local/sbin").mkdir(parents=True)
        said = "usr/local/sbin/systemctl"
        (self.upper / said).write_text('#!/bin/sh\necho "$@" >>/systemctl.said\n', encoding="utf-8")
        (self.upper / said).chmod(0o755)
        self.assertTrue(self.install("true"))
        self.assertTrue(self.is_linked())
        self.assertFalse((self.upper / "systemctl.said").exists())

    def test_it_is_not_asked_where_somebody_has_changed_how_bluetoothd_runs(self):
        for change in ("echo '[LE]' >>/etc/bluetooth/main.conf", "rm /etc/bluetooth/main.conf", "ln -s /dev/null /etc/systemd/system/bluetooth.service",
                       "mkdir /etc/systemd/system/bluetooth.service.d; echo '[Service]' >/etc/systemd/system/bluetooth.service.d/x.conf",
                       "mkdir /lib/systemd/system/bluetooth.service.d; echo '[Service]' >/lib/systemd/system/bluetooth.service.d/x.conf",
                       "sed -i 's/bluetoothd/bluetoothd -d/' /lib/systemd/system/bluetooth.service"):
            with self.subTest(change):
                self.setUp()
                self.assertFalse(self.install("true", before=change))
                self.assertFalse(self.is_linked())

    def test_what_the_administrator_has_linked_by_hand_stays(self):
        self.install(before=f"mkdir -p /{os.path.dirname(LINK)}; ln -s {DROP_IN} /{LINK}")
        self.assertTrue(self.is_linked())

    def test_what_the_administrator_has_taken_away_by_hand_stays_away(self):
        self.install("true")
        self.inside(f"rm /{LINK}; {INSTALL}")
        self.assertFalse(self.is_linked())

    def test_answer_that_was_given_before_the_package_is_unpacked_counts_at_an_upgrade_too(self):
        self.install()
        self.assertFalse(self.is_linked())
        self.inside(f"echo baton {QUESTION} boolean true | debconf-set-selections; {ASK_BEFORE}; {INSTALL}")
        self.assertTrue(self.is_linked())

    def test_answer_given_before_there_is_bluez_counts_when_it_comes(self):
        self.install("true", before="mv /lib/systemd/system/bluetooth.service /later")
        self.assertFalse(self.is_linked())
        self.inside(f"mv /later /lib/systemd/system/bluetooth.service; {INSTALL}")
        self.assertTrue(self.is_linked())

    def test_link_goes_when_the_answer_is_no(self):
        self.install("true")
        self.inside("echo no | script --quiet --return --command 'DEBIAN_FRONTEND=teletype dpkg-reconfigure baton' /shown >/dev/null")
        self.assertIn("Let bluetoothd run as Baton needs it? [yes/no]", (self.upper / "shown").read_text(encoding="utf-8"))
        self.assertFalse(self.is_linked())

    def test_package_that_is_removed_and_comes_again_has_its_drop_in_again(self):
        self.install("true")
        self.inside(f"dpkg --no-triggers -r baton; {INSTALL}")
        self.assertTrue(self.is_linked())

    def test_purge_undoes_it(self):
        self.install("true")
        self.inside("dpkg --no-triggers --purge baton")
        self.assertFalse(os.path.lexists(self.upper / LINK))
        self.assertNotIn(QUESTION, (self.upper / "var/cache/debconf/config.dat").read_text(encoding="utf-8"))

    def test_question_is_there_in_german(self):
        self.assertIn("\nDescription-de.UTF-8: bluetoothd so laufen lassen", (self.work / "baton/DEBIAN/templates").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
