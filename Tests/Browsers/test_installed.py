# SPDX-License-Identifier: Apache-2.0
"""Tests the steps of a new user: installs both packages, opens the browsers, hands a page over. The tests (installed.py) run in a mount namespace
with the packages' files over /usr and /etc, where nothing is changed, and with a separate network."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

from laptops import BIN, LIMIT, ROOT  # noqa: E402
from pages import NAME  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


# Mounts the packages' files over the system's, with only loopback as network.
TRIAL = """set -e
for directory in usr etc; do mount -t overlay overlay -o "ro,lowerdir=$FILES/$directory:/$directory" "/$directory"; done
exec bwrap --dev-bind / / --unshare-net --cap-add CAP_NET_BIND_SERVICE --die-with-parent /usr/bin/python3 -m unittest "$@"
"""


class Installed(unittest.TestCase):
    def run_to_its_end(self, *command, limit=LIMIT, **environment) -> str:
        done = subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, text=True, timeout=limit,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_installed_packages_work_for_a_new_user(self):
        with tempfile.TemporaryDirectory(prefix="baton-installed-") as name:
            root = pathlib.Path(name)
            paths = {"BIN": str(BIN), "MADE": str(root / "made"), "DESTDIR": str(root / "files"), "PREFIX": "/usr",
                     "FILES": "Packaging/files Packaging/files.browser"}
            for script in ("make", "install"):
                self.run_to_its_end(ROOT / "Packaging" / script, **paths)
            # The name of the pages' server, and an authority for its certificate.
            etc = root / "files" / "etc"
            (etc / "hosts").write_text(f"127.0.0.1 localhost {NAME} {NAME}.\n")
            self.run_to_its_end("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                                "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", root / "key.pem", "-out", root / "certificate.pem")
            trusted = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
            (etc / "ssl" / "certs").mkdir(parents=True)
            (etc / "ssl" / "certs" / trusted.name).write_text(trusted.read_text() + (root / "certificate.pem").read_text())
            own_user = [] if os.geteuid() == 0 else ["--map-root-user"]
            said = self.run_to_its_end(
                "unshare", "--mount", *own_user, "sh", "-c", TRIAL, "sh", HERE / "installed.py",
                limit=10 * LIMIT, FILES=str(root / "files"), BATON_BIN="/usr/bin", BATON_SITE=str(root), PYTHONPATH=str(HERE))
            if os.environ.get("BATON_TIMES"):
                print(said, file=sys.stderr)
