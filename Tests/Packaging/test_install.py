# SPDX-License-Identifier: Apache-2.0
"""What is installed: it is whole, valid, where it belongs, and goes away again.

    BATON_BIN=DIRECTORY python3 -m unittest discover -s Tests/Packaging

BATON_BIN is the directory of batond and baton; the debug build when it is not set.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("BATON_BIN") or ROOT / ".build" / "debug").resolve()
ID = "org.batonproject.Baton"
LIMIT = 60  # seconds that any program may take
# systemd 252, unit.md: what needs file system or user namespaces is left out (Documentation/Service.md).
NAMESPACES = re.compile(r"^(Private|Protect|ProcSubset|ReadOnly|ReadWrite|Inaccessible|Bind|TemporaryFileSystem|Root)", re.M)


def run(*command, **environment) -> str:
    """The output of a program that must succeed."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stdout}")
    return done.stdout


def files(directory: Path) -> set:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if not path.is_dir()}


class Installed(unittest.TestCase):
    """Everything below one DESTDIR, with a PREFIX that no package has."""

    PREFIX = "/opt/baton"

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory(prefix="baton-install-")
        cls.addClassCleanup(cls.work.cleanup)
        cls.destination = Path(cls.work.name) / "destination"
        cls.variables = {"BIN": str(BIN), "MADE": str(Path(cls.work.name) / "made"), "DESTDIR": str(cls.destination),
                         "PREFIX": cls.PREFIX, "BLUETOOTHD": "/usr/lib/bluetooth/bluetoothd"}
        run("Packaging/make", **cls.variables)
        run("Packaging/install", **cls.variables)
        cls.prefix = cls.destination / cls.PREFIX.lstrip("/")

    def text(self, name: str) -> str:
        return (self.prefix / name).read_text(encoding="utf-8")

    def test_every_file_of_the_list_is_there_and_readable_by_all(self):
        listed = [line.split() for line in (ROOT / "Packaging/files").read_text(encoding="utf-8").splitlines()
                  if not line.startswith("#")]
        self.assertEqual(len(files(self.destination)), len(listed))
        for path in self.prefix.rglob("*"):
            mode = path.stat().st_mode & 0o777
            self.assertEqual(mode, 0o755 if path.is_dir() or path.parent.name == "bin" else 0o644, path)

    def test_programs_and_versions_agree(self):
        version = re.search(r'static let version = "(.*)"', (ROOT / "Sources/batond/Daemon.swift").read_text(encoding="utf-8"))[1]
        self.assertIn(f'<release version="{version}"', self.text(f"share/metainfo/{ID}.metainfo.xml"))
        self.assertIn(f'"Baton {version}"', self.text("share/man/man1/baton.1"))
        self.assertIn("USAGE: baton ", run(self.prefix / "bin/baton", "--help"))

    def test_paths_are_those_of_the_prefix(self):
        for name in ("lib/systemd/user/batond.service", f"share/dbus-1/services/{ID}.service", "share/man/man8/batond.8",
                     "share/baton/bluetooth.service.d/baton.conf", f"etc/xdg/autostart/{ID}Panel.desktop"):
            text = self.text(name)
            self.assertIn(self.PREFIX, text, name)
            self.assertIsNone(re.search(r"/usr/(bin/baton|share/baton)", text), name)
        drop_in = self.text("share/baton/bluetooth.service.d/baton.conf")
        self.assertIn("ExecStart=/usr/lib/bluetooth/bluetoothd --experimental", drop_in)

    def test_metainfo_is_valid(self):
        run("appstreamcli", "validate", "--no-net", self.prefix / f"share/metainfo/{ID}.metainfo.xml")

    def test_desktop_entry_is_valid_and_has_its_icon(self):
        entry = self.prefix / f"share/applications/{ID}.desktop"
        run("desktop-file-validate", entry)
        self.assertIn(f"Icon={ID}\n", entry.read_text(encoding="utf-8"))
        for name in (f"scalable/apps/{ID}.svg", f"symbolic/apps/{ID}-symbolic.svg"):
            self.assertIn("<svg ", self.text(f"share/icons/hicolor/{name}"))

    def test_the_panel_item_is_started_at_login(self):
        entry = self.prefix / f"etc/xdg/autostart/{ID}Panel.desktop"
        run("desktop-file-validate", entry)
        self.assertIn(f"\nExec={self.PREFIX}/bin/baton-panel\n", entry.read_text(encoding="utf-8"))
        self.assertIn("usage: baton-panel", run(self.prefix / "bin/baton-panel", "--help"))

    def test_manual_pages_are_without_warnings_and_name_every_option(self):
        for page, program in (("man1/baton.1", "baton"), ("man8/batond.8", "batond"), ("man1/baton-panel.1", "baton-panel")):
            path = self.prefix / "share/man" / page
            shown = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", str(path)], text=True, timeout=LIMIT, check=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFOPT": ""})
            self.assertEqual(shown.stderr, "", page)
            for option in set(re.findall(r"--[a-z][a-z-]+", run(self.prefix / "bin" / program, "--help"))) - {"--help"}:
                self.assertIn(option.replace("-", "\\-"), path.read_text(encoding="utf-8"), page)
        self.assertIn("baton publish", re.sub(r"\\f.", "", self.text("share/man/man1/baton.1")))

    def test_completions_are_in_the_language_of_their_shell(self):
        for program in ("baton", "batond"):
            run("bash", "-n", self.prefix / f"share/bash-completion/completions/{program}")
            run("zsh", "-n", self.prefix / f"share/zsh/site-functions/_{program}")
            run("fish", "--no-execute", self.prefix / f"share/fish/vendor_completions.d/{program}.fish")
        self.assertTrue(self.text("share/zsh/site-functions/_baton").startswith("#compdef baton"))
        # As bash does it, for a line that ends after `baton pub`.
        script = (f". '{self.prefix}/share/bash-completion/completions/baton'; COMP_WORDS=(baton pub) COMP_CWORD=1 COMP_LINE='baton pub' "
                  'COMP_POINT=9; _baton baton pub baton; echo "${COMPREPLY[*]}"')
        self.assertEqual(run("bash", "-O", "extglob", "-c", script).strip(), "publish")

    def test_the_user_unit_is_valid_and_has_no_sandbox_that_hides_callers(self):
        unit = self.prefix / "lib/systemd/user/batond.service"
        text = unit.read_text(encoding="utf-8")
        self.assertEqual(NAMESPACES.findall(text), [])
        # 0 would have Linux hand cores, and the keys in them, to the program in core_pattern.
        self.assertIn("\nLimitCORE=1\n", text)
        with tempfile.TemporaryDirectory() as runtime:
            checked = Path(runtime) / "batond.service"
            # A program that is there that is there, and no manual pages, which are not installed yet.
            checked.write_text(re.sub("(?m)^Documentation=.*\n", "", text).replace(f"{self.PREFIX}/bin/batond", "/bin/true"), encoding="utf-8")
            told = run("systemd-analyze", "verify", "--user", checked, XDG_RUNTIME_DIR=runtime)
            self.assertEqual(told, "")

    def test_the_bus_starts_the_unit(self):
        service = self.text(f"share/dbus-1/services/{ID}.service")
        self.assertIn(f"Name={ID}\n", service)
        self.assertIn("SystemdService=batond.service\n", service)

    def test_nothing_is_left_after_uninstalling(self):
        with tempfile.TemporaryDirectory() as destination:
            variables = {**self.variables, "DESTDIR": destination, "PREFIX": "/usr"}
            foreign = Path(destination) / "usr/share/applications/other.desktop"
            foreign.parent.mkdir(parents=True)
            foreign.touch()
            run("Packaging/install", **variables)
            run("Packaging/install", "--remove", **variables)
            run("Packaging/install", "--remove", **variables)
            self.assertEqual(files(Path(destination)), {"usr/share/applications/other.desktop"})
            self.assertFalse((Path(destination) / "usr/share/baton").exists())

    def test_desktops_find_what_they_start_at_login(self):
        for prefix in ("/usr", "/usr/local"):
            with tempfile.TemporaryDirectory() as destination:
                run("Packaging/install", **{**self.variables, "DESTDIR": destination, "PREFIX": prefix})
                self.assertIn(f"etc/xdg/autostart/{ID}Panel.desktop", files(Path(destination)))

    def test_what_was_not_built_is_told(self):
        with tempfile.TemporaryDirectory() as nothing, self.assertRaisesRegex(AssertionError, "is missing: run make first"):
            run("Packaging/install", **{**self.variables, "DESTDIR": nothing, "BIN": nothing})

    def test_a_prefix_that_units_cannot_name_is_refused(self):
        for prefix, reason in (("usr", "must be absolute"), ("/opt/hand over", "no blank"), ("/opt/#1", "no blank")):
            with self.assertRaisesRegex(AssertionError, reason):
                run("Packaging/install", **{**self.variables, "PREFIX": prefix})


if __name__ == "__main__":
    unittest.main()
