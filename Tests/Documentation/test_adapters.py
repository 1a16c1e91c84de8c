# SPDX-License-Identifier: Apache-2.0
"""Checks that README.md and Documentation/Adapters.md name the same apps, and that each app runs in the test of Tests/Adapters that the page on
adapters names."""

import ast
import configparser
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "Tests" / "Adapters"
# The program that starts an app, and its Debian package.
PROGRAMS = {
    "mpv": ("mpv", "mpv"), "VLC": ("vlc", "vlc"), "Celluloid": ("celluloid", "celluloid"), "Rhythmbox": ("rhythmbox", "rhythmbox"),
    "Totem": ("org.gnome.Totem", "totem"), "Evince": ("evince", "evince"), "Okular": ("okular", "okular"), "Zathura": ("zathura", "zathura"),
    "Neovim": ("nvim", "neovim"), "Vim": ("vim", "vim-nox"), "Emacs": ("emacs", "emacs-nox"), "gedit": ("gedit", "gedit"), "GNOME Text Editor": ("gnome-text-editor", "gnome-text-editor"),
    "Kate": ("kate", "kate"), "KWrite": ("kwrite", "kwrite"),
    "Papers": ("papers", "libglib2.0-bin"),  # Debian 12 has none: gdbus stands for it
    "LibreOffice Writer": ("soffice", "libreoffice-writer"), "Calc": ("soffice", "libreoffice-calc"),
    "Impress": ("soffice", "libreoffice-impress"), "Draw": ("soffice", "libreoffice-draw"),
    "Thunderbird": ("thunderbird", "thunderbird"),
}
OTHER = ("dragon", "dragonplayer")  # a player that the adapter has no entry for
SHELLS = {"zsh", "bash", "fish"}  # which the README names for the terminals
FACTS = "X-Baton-App "  # begins the groups of the adapters' entries


def facts(name: str = "*") -> dict:
    """Returns what the adapters' desktop entries say about each app."""
    found = {}
    for path in (ROOT / "Extensions" / "Adapters").glob(f"org.batonproject.Adapter.{name}.desktop"):
        keys = configparser.ConfigParser(interpolation=None, delimiters=("=",))
        keys.optionxform = str
        keys.read(path, encoding="utf-8")
        adapted = keys["Desktop Entry"]["X-Baton-Adapter"].split(";")
        found |= {app: {**keys[f"{FACTS}{app}"], "adapted": app in adapted}
                  for app in (group.removeprefix(FACTS) for group in keys.sections() if group.startswith(FACTS))}
    return found


def rows(page: str, heading: str) -> list:
    """Returns the cells of each row of the first table below a heading, without its header."""
    text = (ROOT / page).read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    table = re.search(r"(?m)^\|.*\n\|[-:|]+\n((?:\|.*\n)+)", text)[1]
    return [[cell.strip() for cell in re.split(r"(?<=[ |])\|(?= )", line.strip("|"))] for line in table.splitlines()]


def apps(cell: str) -> set:
    """Returns the apps that a cell names, without links, and without what else they need."""
    text = re.sub(r"\[.*?\]\(.*?\)", "", cell)
    words = re.sub(r"\(.*?\)|\bwith\b [^,]*", "", text).split(",")
    return {re.sub(r"^and ", "", word.strip()) for word in words} - {""}


def texts_in(tree: ast.AST) -> set:
    """Returns the texts in a piece of Python."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


class Adapters(unittest.TestCase):
    readme = rows("README.md", "Use it")
    table = rows("Documentation/Adapters.md", "Which app hands over what")
    page = [(cell, shown) for cell, app, _, _, shown in table if app.strip("`") not in facts("Terminals")]

    def texts(self) -> dict:
        """Returns the texts of each test and each module. The programs that they run are among them."""
        found = {}
        for path in TESTS.glob("test_*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found[path.name] = texts_in(tree)
            found |= {node.name: texts_in(node) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
        return found

    def test_both_pages_have_the_same_apps(self):
        real = set().union(*(apps(cell) for _, cell, _ in self.readme))
        self.assertEqual(real, set(PROGRAMS) - {"Totem"} | SHELLS)  # no activity is continued from Totem
        shown = set().union(*(apps(cell) for cell, _ in self.page))
        others = {app for app in shown if app.startswith("other players")}
        self.assertEqual(shown - others, set(PROGRAMS))
        self.assertEqual(len(others), 1)

    def test_each_app_runs_in_the_named_test(self):
        tests, packages = self.texts(), (ROOT / "Makefile").read_text(encoding="utf-8").split("ADAPTERS_PACKAGES := ")[1].split("BENCH_PACKAGES")[0].split()
        named = None
        for cell, shown in self.page:
            named = re.findall(r"`(\w+(?:\.py)?)`", shown) or (named if shown == "the same" else [])
            self.assertEqual([name for name in named if name not in tests], [], cell)
            for app in apps(cell):
                program, package = PROGRAMS.get(app, OTHER)
                self.assertIn(program, set().union(*(tests[name] for name in named)), f"{app}: {named}")
                self.assertIn(package, packages, app)

    def test_page_agrees_with_the_desktop_entries_about_each_app(self):
        said = {app.strip("`"): (goes_on, package.strip("` ")) for _, app, goes_on, package, _ in self.table if app}
        self.assertEqual(said, {app: (keys["GoesOn"], keys.get("Package", "")) for app, keys in facts().items()})

    def test_each_described_app_has_an_adapter(self):
        self.assertGreater(len(facts()), 20)
        for app, keys in facts().items():
            self.assertTrue(keys["adapted"], app)
            self.assertEqual("Needs" in keys, "Package" in keys, app)
            self.assertTrue(all(path.startswith("/") for path in keys.get("Needs", "").split(";") if path), app)

    def test_all_app_tests_run_when_everything_is_tested(self):
        parts = subprocess.run([ROOT / "Scripts" / "tests", "--all", "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        self.assertLessEqual({"adapters", "gobject", "packages"}, set(parts))

    def test_both_pages_name_the_apps_that_do_not_continue_yet(self):
        pages = [(ROOT / page).read_text(encoding="utf-8").split("\nNot yet: ")[1].split("\n\n")[0] for page in ("README.md", "Documentation/Adapters.md")]
        for app in ("VS Code", "a sandbox"):
            for page in pages:
                self.assertIn(app, page)

    def test_app_names_are_read_from_cells(self):
        self.assertEqual(apps("mpv with `mpv-mpris`, VLC, [others](a.md), and gedit ([44](b.md))"), {"mpv", "VLC", "gedit"})
