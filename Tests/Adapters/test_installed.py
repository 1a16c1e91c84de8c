# SPDX-License-Identifier: Apache-2.0
"""Tests the packages as a new user gets them: apps continue, editors find their plugins, and the daemon starts the adapters. The tests (installed.py)
run in a mount namespace with the packages' files over /usr and /etc, where nothing is changed."""

import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
import unittest

from apps import LIMIT, ROOT
from laptops import BIN
from library import INSTALLED

HERE = pathlib.Path(__file__).resolve().parent
# Mounts the packages' files over the system's. Root mounts them, but the editors' plugins do nothing for root.
TRIAL = """set -e
for directory in usr etc; do mount -t overlay overlay -o "ro,lowerdir=$FILES/$directory:/$directory" "/$directory"; done
exec unshare --user --map-user=1000 --map-group=1000 /usr/bin/python3 -m unittest "$@"
"""


class Installed(unittest.TestCase):
    def run_to_its_end(self, *command, limit=LIMIT, **environment) -> str:
        done = subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, text=True, timeout=limit,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def install(self, root: pathlib.Path) -> pathlib.Path:
        """Unpacks baton, baton-adapters, libbaton-1-0 and gir1.2-baton-1."""
        files = root / "files"
        paths = {"BIN": str(BIN), "MADE": str(root / "made"), "DESTDIR": str(files), "PREFIX": "/usr", "FILES": "Packaging/files.adapters"}
        for step in ("make", "install"):
            self.run_to_its_end(ROOT / "Packaging" / step, **paths)
        (files / "usr" / "bin").mkdir()
        for program in ("baton", "batond"):
            shutil.copy(BIN / program, files / "usr" / "bin")
        library = files / "usr" / "lib" / sysconfig.get_config_var("MULTIARCH")
        (library / "girepository-1.0").mkdir(parents=True)
        shutil.copy(INSTALLED / "lib" / "libbaton-1.so.0", library)
        shutil.copy(INSTALLED / "lib" / "girepository-1.0" / "Baton-1.typelib", library / "girepository-1.0")
        self.compile_schemas(root / "schemas", files / "usr" / "share" / "glib-2.0" / "schemas")
        return files

    def compile_schemas(self, work: pathlib.Path, schemas: pathlib.Path):
        """Compiles the schemas as dpkg does, together with the system's. gedit's plugins are baton-adapters' default and the tests' own."""
        shutil.copytree("/usr/share/glib-2.0/schemas", work)
        default = schemas / "50_baton.gschema.override"
        shutil.copy(default, work)
        probed, count = re.subn(r"(?m)^(active-plugins=.*)\]$", r"\1, 'probe']", default.read_text(encoding="utf-8"))
        self.assertEqual(count, 1)
        (work / "90_probe.gschema.override").write_text(probed, encoding="utf-8")
        self.run_to_its_end("glib-compile-schemas", work)
        shutil.copy(work / "gschemas.compiled", schemas)

    def test_installed_packages_work_for_a_new_user(self):
        with tempfile.TemporaryDirectory(prefix="baton-installed-") as name:
            files = self.install(pathlib.Path(name))
            # The script that KWin reads.
            self.assertTrue((files / "usr" / "lib" / "baton" / "adapters" / "kwin.js").is_file())
            own_user = [] if os.geteuid() == 0 else ["--map-root-user"]
            said = self.run_to_its_end("unshare", "--mount", *own_user, "sh", "-c", TRIAL, "sh", HERE / "installed.py", limit=10 * LIMIT,
                                       FILES=str(files), BATON_BIN="/usr/bin", PYTHONPATH=str(HERE))
            self.assertIn("Ran 11 tests", said)
