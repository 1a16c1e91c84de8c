# SPDX-License-Identifier: Apache-2.0
"""Tests that gedit's plugin is where gedit looks for it, is on by default, and can be
removed."""

import ast
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 60  # seconds that any program may take
# The relevant part of gedit 44's schema.
SCHEMA = """<schemalist><schema id="org.gnome.gedit.plugins" path="/org/gnome/gedit/plugins/"><key name="active-plugins" type="as">
<default>['docinfo', 'filebrowser', 'modelines', 'sort', 'spell']</default></key></schema></schemalist>"""


def run(*command, **environment) -> str:
    """Returns the output of a program that must succeed."""
    return subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, text=True, check=True,
                          stdout=subprocess.PIPE, timeout=LIMIT).stdout


class Plugin(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="baton-gedit-")
        self.addCleanup(directory.cleanup)
        self.prefix = Path(directory.name)
        made = tempfile.TemporaryDirectory(prefix="baton-gedit-made-")
        self.addCleanup(made.cleanup)
        self.made = made.name
        run("Scripts/catalogues", "entries", self.made)
        # `make` writes these files in a real installation. Their contents do not matter here.
        for name in ("hook.fish", "thunderbird-host.json", "thunderbird/manifest.json"):
            (Path(self.made) / name).parent.mkdir(exist_ok=True)
            (Path(self.made) / name).touch()
        self.schemas = self.prefix / "share/glib-2.0/schemas"
        self.schemas.mkdir(parents=True)
        (self.schemas / "org.gnome.gedit.gschema.xml").write_text(SCHEMA, encoding="utf-8")
        run("glib-compile-schemas", "--strict", self.schemas)
        self.before = self.active()

    def install(self, *options):
        return run("Packaging/install", *options, PREFIX=str(self.prefix), DESTDIR="", MADE=self.made, FILES="Packaging/files.adapters")

    def active(self) -> list:
        """Returns the plugins that are on by default."""
        return ast.literal_eval(run("gsettings", "get", "org.gnome.gedit.plugins", "active-plugins", GSETTINGS_SCHEMA_DIR=str(self.schemas),
                                    GSETTINGS_BACKEND="memory"))

    def test_plugin_is_active_beside_gedits_own_until_it_is_removed(self):
        self.install()
        self.assertEqual(self.active(), [*self.before, "baton"])
        self.install("--remove")
        self.assertEqual(self.active(), self.before)

    def test_plugin_is_installed_once_where_gedit_searches(self):
        self.install()
        found = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*.p*") if "gedit" in str(path.relative_to(self.prefix))}
        modules = {path.name for path in (ROOT / "Extensions/Adapters/gedit/baton").glob("*.py")}
        self.assertIn("__init__.py", modules)
        self.assertEqual(found, {"lib/gedit/plugins/baton.plugin", *(f"lib/gedit/plugins/baton/{name}" for name in modules)})
        self.install("--remove")
        self.assertEqual([str(path) for path in self.prefix.rglob("*baton*")], [])
