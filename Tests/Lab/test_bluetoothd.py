# SPDX-License-Identifier: Apache-2.0
"""Tests a bluetoothd in the lab that is not the bluetoothd of the host: where it comes from, and that it is the requested one."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts" / "lab"))

from host import LabError, bluetoothd, debian, upstream  # noqa: E402


class Prepared(unittest.TestCase):
    def setUp(self):
        self.cache = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_a_number_is_a_version_of_bluez_and_a_word_a_release_of_debian(self):
        for name, module, home in [("5.72", upstream, "bluez-5.72"), ("trixie", debian, "debian-trixie")]:
            with mock.patch.object(module, "unpack_bluetoothd") as unpack:
                root = bluetoothd.prepare(self.cache, name)
                self.assertEqual(root, self.cache / home / "root")
                unpack.assert_called_once()
                self.assertTrue((root / "lib64").is_symlink() and (root / "etc" / "bluetooth").is_dir())

    def test_the_origin_of_each_bluetoothd_is_named(self):
        self.assertEqual([bluetoothd.origin(name) for name in ("5.72", "trixie", "")], ["BlueZ's repository", "trixie", ""])

    def test_an_existing_root_is_not_made_again(self):
        for name, home in [("5.72", "bluez-5.72"), ("trixie", "debian-trixie")]:
            root = self.cache / home / "root"
            root.mkdir(parents=True)
            with mock.patch.object(debian, "run") as run, mock.patch.object(upstream, "run", run):
                self.assertEqual(bluetoothd.prepare(self.cache, name), root)
            run.assert_not_called()

    def test_a_failed_build_leaves_nothing_behind(self):
        with mock.patch.object(upstream, "run", side_effect=LabError("make failed")), self.assertRaises(LabError):
            bluetoothd.prepare(self.cache, "5.72")
        self.assertEqual(list((self.cache / "bluez-5.72").iterdir()), [])


class Upstream(unittest.TestCase):
    def test_an_unknown_version_is_not_fetched(self):
        with mock.patch.object(upstream, "run") as run, self.assertRaisesRegex(LabError, "5.99 is not among the versions that the lab knows: 5.66, "):
            upstream.fetch("5.99", Path("/nowhere"))
        run.assert_not_called()

    def test_a_tag_with_another_commit_is_not_built(self):
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
        with tempfile.TemporaryDirectory() as name:
            there = Path(name) / "there"
            for command in (["git", "init", "--quiet", there], [*git, "-C", there, "commit", "--quiet", "--allow-empty", "--message=x"],
                            [*git, "-C", there, "tag", "5.72"]):
                subprocess.run(command, check=True)
            with mock.patch.dict("os.environ", BATON_LAB_BLUEZ=there.as_uri()), self.assertRaisesRegex(LabError, "as BlueZ 5.72, and not 770ad5614e"):
                upstream.fetch("5.72", Path(name) / "here")

    def test_a_program_comes_with_its_libraries_and_their_loader(self):
        found = upstream.libraries(Path("/bin/sh"))
        self.assertTrue(all(path.is_absolute() and path.exists() for path in found))
        self.assertTrue({"libc.so.6"} <= {path.name for path in found})
        self.assertTrue(any(path.name.startswith("ld-linux") for path in found))
