# SPDX-License-Identifier: Apache-2.0
"""A copy of this system, in which root may change everything."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 120  # seconds that any program may take
DROP_IN = "/usr/share/baton/bluetooth.service.d/baton.conf"
LINK = "etc/systemd/system/bluetooth.service.d/baton.conf"
# The files of another package that the setup checks. They replace the files of an installed package here.
BLUEZ = {"etc/bluetooth/main.conf": "[General]\n", "lib/systemd/system/bluetooth.service": "[Service]\nExecStart=/usr/libexec/bluetooth/bluetoothd\n"}
# Commands that change how bluetoothd runs, with the status of a refusal.
CHANGES = {
    "echo '[LE]' >>/etc/bluetooth/main.conf": 12,
    "rm /etc/bluetooth/main.conf": 12,
    "ln -s /dev/null /etc/systemd/system/bluetooth.service": 11,
    "mkdir /etc/systemd/system/bluetooth.service.d; echo '[Service]' >/etc/systemd/system/bluetooth.service.d/x.conf": 11,
    "mkdir /lib/systemd/system/bluetooth.service.d; echo '[Service]' >/lib/systemd/system/bluetooth.service.d/x.conf": 11,
    "sed -i 's/bluetoothd/bluetoothd -d/' /lib/systemd/system/bluetooth.service": 11,
}


def programs() -> dict:
    """Returns the programs of the setup by their installed paths, as Packaging/files lists them."""
    lines = (line.split() for line in (ROOT / "Packaging/files").read_text(encoding="utf-8").splitlines())
    return {words[2].replace("@LIBDIR@", "usr/lib"): ROOT / words[1] for words in lines if words[1].startswith("Packaging/setup/")}


def run(*command, where: Path = ROOT, **options) -> subprocess.CompletedProcess:
    """Runs a program that must succeed."""
    done = subprocess.run([str(word) for word in command], cwd=where, text=True, capture_output=True, timeout=LIMIT, check=False, **options)
    if done.returncode:
        raise AssertionError(f"{command[0]}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def pack(name: str, version: str, files: dict, place: Path, conffiles: tuple = (), scripts: Path | None = None) -> Path:
    """Makes a package with these texts or copies of files, and with debhelper's scripts if there are some."""
    tree = place / name
    for path, content in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            shutil.copy(content, tree / path)
        else:
            (tree / path).write_text(content, encoding="utf-8")
    control = tree / "DEBIAN"
    shutil.copytree(scripts, control) if scripts else control.mkdir()
    (control / "control").write_text(f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: Baton <baton@example.org>\n"
                                     "Description: for a test\n", encoding="utf-8")
    if conffiles:
        (control / "conffiles").write_text("".join(f"/{path}\n" for path in conffiles), encoding="utf-8")
    file = place / f"{name}_{version}.deb"
    run("dpkg-deb", "--root-owner-group", "--build", tree, file)
    return file


def inside(packages: Path, upper: Path, script: str, *own: str) -> subprocess.CompletedProcess:
    """Runs a script as root in a copy of this system, which has the packages in /deb. `upper` has the files that differ, before and after. `own`
    are options of unshare for further namespaces, such as --net. The script's processes end with it."""
    return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation=private", *own, "sh", "-ec", f"""
        cd "{upper.parent}"
        mkdir -p root
        mount -t tmpfs -o mode=755 baton-drop-in root
        mkdir root/work root/all
        cp -a "{upper}" root/upper
        mount -t overlay -o lowerdir=/,upperdir=root/upper,workdir=root/work baton-drop-in root/all
        mkdir -p root/all/deb
        mount --bind "{packages}" root/all/deb
        mount --rbind /dev root/all/dev
        mount --bind /proc root/all/proc
        mount -t tmpfs -o mode=755 baton-drop-in root/all/run
        status=0
        chroot root/all sh -ec "$SCRIPT" || status=$?
        rm -rf "{upper}"
        cp -a root/upper "{upper}"
        exit $status
        """], env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "DEBCONF_DEBUG": "developer", "LANG": "C.UTF-8",
                   "SCRIPT": script}, text=True, capture_output=True, timeout=LIMIT, check=False)


def needs_root(test):
    """Skips a class of tests where no copy can be made."""
    if os.geteuid() != 0:
        return unittest.skip("it needs root: a copy of this system is changed")(test)
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        return unittest.skip("no mounts of its own are allowed here")(test)
    return test


class Copied(unittest.TestCase):
    """Each test has a copy of this system with a package bluez, as Debian has it, and without a drop-in."""

    @classmethod
    def make(cls, work: Path):
        cls.work = work
        pack("bluez", "99", BLUEZ, work, conffiles=("etc/bluetooth/main.conf",))
        cls.before = work / "before"
        cls.before.mkdir()
        done = inside(work, cls.before, "dpkg --no-triggers --force-all -i /deb/bluez_99.deb; rm -rf /etc/systemd/system/bluetooth.service.d")
        if done.returncode:
            raise AssertionError(done.stderr)

    def setUp(self):
        directory = self.work / self.id().rpartition(".")[2]
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir()
        self.upper = directory / "upper"
        run("cp", "-a", self.before, self.upper)

    def inside(self, script: str) -> str:
        """Runs a script that must succeed, and returns what it wrote to standard error."""
        done = inside(self.work, self.upper, script)
        if done.returncode:
            raise AssertionError(f"status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stderr

    def is_linked(self) -> bool:
        link = self.upper / LINK
        return link.is_symlink() and os.readlink(link) == DROP_IN
