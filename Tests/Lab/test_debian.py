# SPDX-License-Identifier: Apache-2.0
"""Tests another Debian release in the lab: apt's configuration, and that the host is not
changed."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts" / "lab"))

from host import LabError, debian, kernel, scenario  # noqa: E402

DUMP = """APT "";
APT::Update::Post-Invoke-Success:: "touch /etc/changed";
Dir "/";
DPkg::Post-Invoke:: "rm -f /var/cache/apt/archives/*.deb";
Acquire "";
Acquire::http "";
Acquire::http::Proxy "http://proxy.example:3128";
Acquire::AllowInsecureRepositories "1";
Acquire::Check-Date "false";
"""


class Apt(unittest.TestCase):
    def test_the_proxy_settings_of_the_host_are_kept_but_not_its_hooks_or_its_trust(self):
        self.assertEqual(debian.settings(DUMP), ['Acquire::http::Proxy "http://proxy.example:3128";', 'Acquire::Check-Date "false";'])

    def test_apt_uses_no_directory_of_the_host(self):
        lines = debian.configuration(Path("/cache/apt"), []).splitlines()
        for line in [line for line in lines if line.startswith("Dir::")]:
            self.assertRegex(line, r' "(/dev/null|/cache/apt/[a-z.]+|)";$')

    def test_the_lists_of_the_release_are_verified_with_the_keys_of_debian(self):
        with tempfile.TemporaryDirectory() as cache, mock.patch.object(debian, "run", side_effect=["https://mirror.example/debian/\n", DUMP, ""]) as run, \
                mock.patch.object(debian, "KEYRING", __file__):
            variables = debian.apt_of(Path(cache), "trixie")
            apt = Path(cache) / "debian-trixie" / "apt"
            self.assertEqual(variables, {"APT_CONFIG": f"{apt}/apt.conf"})
            self.assertEqual(run.call_args_list[-1].args, (["apt-get", "--error-on=any", "update"], variables))
            self.assertEqual((apt / "sources.list").read_text(encoding="utf-8"),
                             f"deb [signed-by={__file__}] https://mirror.example/debian/ trixie main\n")

    def test_a_host_without_a_mirror_gives_an_error(self):
        with mock.patch.object(debian, "run", return_value=""), self.assertRaisesRegex(LabError, "apt-get update"):
            debian.mirror()

    def test_without_the_keys_of_debian_nothing_is_fetched(self):
        with tempfile.TemporaryDirectory() as cache, mock.patch.object(debian, "run") as run, \
                mock.patch.object(debian, "KEYRING", f"{cache}/none"), self.assertRaises(LabError):
            debian.apt_of(Path(cache), "trixie")
        run.assert_not_called()


class Cache(unittest.TestCase):
    def test_a_name_that_cannot_be_a_release_is_refused(self):
        for name in ("", "../lab", "Trixie", "a b", "trixie/main"):
            with self.assertRaises(LabError):
                debian.directory(Path("/cache"), name)

    def test_a_kernel_of_another_release_is_kept_beside_the_hosts(self):
        with tempfile.TemporaryDirectory() as name:
            for home, release, image in [
                ("", "6.1.0-1-amd64", "boot/vmlinuz-6.1.0-1-amd64"),
                ("debian-trixie", "7.2.1-amd64", "lib/modules/7.2.1-amd64/vmlinuz"),
            ]:
                tree = Path(name) / home / f"linux-image-{release}"
                for directory in ("boot", f"lib/modules/{release}"):
                    (tree / directory).mkdir(parents=True)
                for file in ("complete", image):
                    (tree / file).touch()
            with mock.patch.object(scenario.initramfs, "prepare", side_effect=lambda home, *_: home):
                for releases, release, home in [
                    (scenario.Releases(), "6.1.0-1-amd64", Path(name)),
                    (scenario.Releases(kernel="trixie"), "7.2.1-amd64", Path(name) / "debian-trixie"),
                ]:
                    found, image, root = scenario.ingredients(Path(name), releases)
                    self.assertEqual((found.release, image, root), (release, home, None))


class Kernel(unittest.TestCase):
    def names(self, *answers) -> list:
        with mock.patch.object(kernel, "run", side_effect=answers):
            return kernel.package_names({})

    def test_a_kernel_is_one_package_or_several(self):
        meta = "linux-image-amd64\n  Depends: linux-base-amd64\n  Depends: linux-image-7.2-amd64\n"
        image = "linux-image-7.2-amd64\n  PreDepends: linux-base\n |Depends: dracut\n"
        self.assertEqual(self.names(meta, image), ["linux-image-7.2-amd64"])
        parts = ["linux-base-7.2-amd64", "linux-binary-7.2-amd64", "linux-modules-7.2-amd64"]
        image += "".join(f"  Depends: {name}\n" for name in parts)
        self.assertEqual(self.names(meta, image), ["linux-image-7.2-amd64", *parts])

    def test_lists_without_a_kernel_give_an_error(self):
        with self.assertRaises(LabError):
            self.names("linux-image-amd64\n")


class Laptops(unittest.TestCase):
    def test_one_of_two_laptops_has_another_release(self):
        releases = scenario.Releases("trixie", "trixie", only="second")
        self.assertEqual([releases.of(name).kernel for name in ("first", "second")], ["", "trixie"])
        self.assertEqual(scenario.Releases("trixie").of("first").bluetoothd, "trixie")

    def test_an_unknown_machine_gives_an_error(self):
        with self.assertRaises(LabError):
            scenario.play(scenario.Scenario("one", {"one": "one.sh"}), Path("/nowhere"), releases=scenario.Releases("trixie", only="two"))


class Systemd(unittest.TestCase):
    def test_a_scenario_with_systemd_refuses_another_bluetoothd(self):
        package = scenario.Scenario("package", {"one": "package-first.sh"}, package=True)
        with self.assertRaises(LabError):
            scenario.play(package, Path("/nowhere"), releases=scenario.Releases("trixie"))
