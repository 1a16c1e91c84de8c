# SPDX-License-Identifier: Apache-2.0
"""Finds the icons that Baton's programs and files name: in notifications, in the panel's item, in desktop entries, in the browser's
panel."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHERE = ("Sources", "Extensions", "Packaging")
THEMES = Path("/usr/share/icons")
# A text in a program, and the keys and elements that contain only an icon.
LITERAL = re.compile(r"""(["'`])([\w{}.-]+)\1""")
KEY = re.compile(r"^Icon=(.+)$|<icon\b[^>]*>([^<]+)<", re.M)
PICTURE = (".png", ".svg")


def of_theme(name: str) -> set:
    """Returns the names of a theme's icons. A symbolic icon is the same icon in another style."""
    names = {path.name.partition(".")[0] if path.name.endswith(".symbolic.png") else path.stem
             for ending in PICTURE for path in (THEMES / name).rglob(f"*{ending}")}
    return {name.removesuffix("-symbolic") for name in names}


def named_in(text: str, themes: set, own: str) -> set:
    """Returns the icons that a file names. On a line about icons, each text that looks like an icon's name or is a name
    in a theme counts. On other lines, a theme's name counts only if it hardly means anything else: "web-browser", but
    not "radio". `own` replaces `{ICON}`."""
    found = {name for match in KEY.finditer(text) for name in match.groups() if name}
    for line in text.splitlines():
        for _, literal in LITERAL.findall(line):
            name, is_of_icons = literal.replace("{ICON}", own).removesuffix("-symbolic"), "icon" in line.lower()
            is_known = name in themes and (is_of_icons or "-" in name)
            if is_known or is_of_icons and re.search(r"\w[.-]\w", name):
                found.add(name)
    return found


def sources() -> list:
    """Returns Baton's files. Without git the tree is a tarball, which contains nothing else."""
    if (ROOT / ".git").exists():
        return subprocess.run(["git", "ls-files", *WHERE], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return [str(path.relative_to(ROOT)) for where in WHERE for path in (ROOT / where).rglob("*") if path.is_file()]


def named(themes: set, own: str) -> dict:
    """Returns each icon that Baton names, with the files that name it. The browser extension's own pictures are files beside its pages."""
    found = {}
    for path in sources():
        if (ROOT / path).is_file() and not path.endswith(PICTURE):
            for name in named_in((ROOT / path).read_text(encoding="utf-8", errors="replace"), themes, own):
                found.setdefault(name, set()).add(path)
    return found
