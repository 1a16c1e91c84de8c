# SPDX-License-Identifier: Apache-2.0
"""Tests in gjs that the entry for GNOME 45 and later can be loaded, enabled and disabled. No such shell is installed here, so modules of the same
names replace the shell's modules. The test does not show that the entry works in a real shell."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 60  # seconds that any program may take
# The shell's modules that the entry imports, with the names that it uses.
MODULES = {
    "extensions/extension.js": "export class Extension { constructor(metadata) { this.metadata = metadata; } }",
    "ui/main.js": "export const panel = {statusArea: {quickSettings: {addExternalIndicator: indicator => print('added', indicator)}}};",
    "ui/popupMenu.js": "export class PopupMenuItem {}",
    "ui/quickSettings.js": "export class QuickMenuToggle {}",
}
SHARED = """
export class Baton {
    constructor({Main, PopupMenu, QuickSettings, show}) {
        print('created', !!Main.panel, !!PopupMenu.PopupMenuItem, !!QuickSettings.QuickMenuToggle);
        show('indicator');
    }
    destroy() { print('destroyed'); }
}
"""
TRIAL = """
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
Gio.Resource.load('shell.gresource')._register();
const loop = new GLib.MainLoop(null, false);
import(`file://${GLib.get_current_dir()}/extension.js`).then(({default: Entry}) => {
    const entry = new Entry({uuid: 'baton@batonproject.org'});
    for (let turn = 0; turn < 2; turn++) {
        entry.enable();
        entry.disable();
    }
    entry.disable();
}).catch(error => print(error)).finally(() => loop.quit());
loop.run();
"""


class EntryForModules(unittest.TestCase):
    def test_entry_for_gnome_45_loads_enables_and_disables(self):
        with tempfile.TemporaryDirectory(prefix="baton-entry-") as work:
            directory = pathlib.Path(work)
            for name, text in {**{f"shell/{name}": text for name, text in MODULES.items()}, "shared.js": SHARED, "trial.js": TRIAL,
                               "extension.js": (ROOT / "Extensions/GnomeShell/extension-45.js").read_text(encoding="utf-8")}.items():
                (directory / name).parent.mkdir(parents=True, exist_ok=True)
                (directory / name).write_text(text, encoding="utf-8")
            files = "".join(f"<file>{name}</file>" for name in MODULES)
            (directory / "shell/shell.xml").write_text(f'<gresources><gresource prefix="/org/gnome/shell">{files}</gresource></gresources>', encoding="utf-8")
            subprocess.run(["glib-compile-resources", "--sourcedir=shell", "--target=shell.gresource", "shell/shell.xml"], cwd=work, check=True, timeout=LIMIT)
            done = subprocess.run(["gjs", "-m", "trial.js"], cwd=work, text=True, capture_output=True, timeout=LIMIT, check=False,
                                  env={**os.environ, "LC_ALL": "C.UTF-8"})
            turn = "created true true true\nadded indicator\ndestroyed\n"
            self.assertEqual((done.stdout, done.stderr, done.returncode), (2 * turn, "", 0))
