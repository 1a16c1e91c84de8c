# SPDX-License-Identifier: Apache-2.0
"""What a new user has who installs the packages: apps go on, editors find their plugins, and the daemon starts the adapters. The trial (installed.py) runs where
the packages' files are below /usr and /etc, on which nothing is changed: in a mount namespace.

    Tests/Adapters/run test_installed
"""

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
# The packages' files over the system's. Who has mounted them is root, for whom the editors' plugins do nothing.
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
        """The files of baton, baton-adapters, libbaton-1-0 and gir1.2-baton-1."""
        files = root / "files"
        paths = {"BIN": str(BIN), "MADE": str(root / "made"), "DESTDIR": str(files), "PREFIX": "/usr", "FILES": "Packaging/files.adapters"}
        self.run_to_its_end(ROOT / "Packaging" / "install", **paths)
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
        """What dpkg has done where a package has schemas: here with those of the system. gedit's plugins are those of baton-adapters' default, and the
        one by which the tests look into gedit."""
        shutil.copytree("/usr/share/glib-2.0/schemas", work)
        default = schemas / "50_baton.gschema.override"
        shutil.copy(default, work)
        probed, count = re.subn(r"(?m)^(active-plugins=.*)\]$", r"\1, 'probe']", default.read_text(encoding="utf-8"))
        self.assertEqual(count, 1)
        (work / "90_probe.gschema.override").write_text(probed, encoding="utf-8")
        self.run_to_its_end("glib-compile-schemas", work)
        shutil.copy(work / "gschemas.compiled", schemas)

    def test_as_a_new_user_would(self):
        with tempfile.TemporaryDirectory(prefix="baton-installed-") as name:
            files = self.install(pathlib.Path(name))
            # What KWin is given to read.
            self.assertTrue((files / "usr" / "lib" / "baton" / "adapters" / "kwin.js").is_file())
            own_user = [] if os.geteuid() == 0 else ["--map-root-user"]
            said = self.run_to_its_end("unshare", "--mount", *own_user, "sh", "-c", TRIAL, "sh", HERE / "installed.py", limit=10 * LIMIT,
                                       FILES=str(files), BATON_BIN="/usr/bin", PYTHONPATH=str(HERE))
            self.assertIn("Ran 10 tests", said)


if __name__ == "__main__":
    unittest.main()
