# SPDX-License-Identifier: Apache-2.0
"""Hands documents over from and to Papers. Debian 12 has no Papers. A program that opens the same file, writes the same
metadata and connects to the bus replaces it. BATON_PAPERS names the real program, in the root directory of a
later Debian."""

import os
import pathlib
import shutil
import subprocess

from apps import LIMIT
from test_documents import QUIET, TYPE, Reading, book

# Opens the file that its last argument names, and writes the page once it is on the bus, as Papers does. The adapter looks only when a page is
# written.
MOCK = """#!/bin/sh
for word; do case $word in --page-index=*) page=$((${word#*=} - 1)) ;; file://* | /*) file=$(gio info "$word" | sed -n "s/^local path: //p") ;; esac; done
said=$HOME/papers-$$
(until [ -s "$said" ]; do sleep 0.05; done; exec gio set "$file" metadata::papers::page "${page:-0}") &
exec "${0%/*}/real/papers" monitor --session --dest org.example.Nothing <"$file" >"$said"
"""


class Papers(Reading):
    def prepare(self, laptop):
        super().prepare(laptop)
        programs = laptop.home / "bin"
        (programs / "real").mkdir(parents=True)
        if real := os.environ.get("BATON_PAPERS"):
            (programs / "papers").symlink_to(real)
        else:
            shutil.copy("/usr/bin/gdbus", programs / "real" / "papers")
            (programs / "papers").write_text(MOCK, encoding="utf-8")
            (programs / "papers").chmod(0o755)
        laptop.environment["PATH"] = f"{programs}:{laptop.environment['PATH']}"
        entry = laptop.home / "packages" / "applications" / "org.gnome.Papers.desktop"
        entry.write_text("[Desktop Entry]\nType=Application\nName=Papers\nExec=papers %U\nMimeType=application/pdf;\n", encoding="utf-8")

    def seen_by_adapters(self) -> dict:
        return {} if os.environ.get("BATON_PAPERS") else {"DISPLAY": ""}  # the program that stands for it has no window

    def page(self, laptop, path) -> str:
        return subprocess.run(["gio", "info", "-a", "metadata::papers::page", path], env=laptop.environment, text=True, check=False, timeout=LIMIT,
                              capture_output=True).stdout.partition("metadata::papers::page: ")[2].strip()

    def read(self, path, page: int):
        """Opens the viewer Papers on the laptop `desk` at a page, counted from 1."""
        process = self.desk.spawn(["papers", f"--page-index={page}", path], **QUIET)
        self.eventually(lambda: self.page(self.desk, path) == str(page - 1))
        return process

    def prefer_papers(self, laptop):
        (pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "mimeapps.list").write_text(
            "[Default Applications]\napplication/pdf=org.gnome.Papers.desktop\n", encoding="utf-8")
        self.wait_for_apps(laptop)

    def test_page_continues_from_papers_to_papers(self):
        self.prefer_papers(self.sofa)
        self.read(self.write("book é.pdf"), 17)
        self.open(self.sofa, TYPE)
        self.assertEqual(self.page(self.sofa, self.copies(self.sofa)[-1]), "16")

    def test_offer_ends_with_papers(self):
        process = self.read(self.write("book.pdf"), 3)
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        process.kill()
        self.eventually(lambda: self.offer(self.sofa, TYPE) is None)

    def test_document_that_only_metadata_mention_is_not_offered(self):
        """Any program can write metadata, so metadata alone do not show that Papers has the file open."""
        read, other = self.write("book.pdf"), self.desk.home / "other.pdf"
        other.write_bytes(book())
        subprocess.run(["gio", "set", other, "metadata::papers::page", "5"], env=self.desk.environment, check=True, timeout=LIMIT)
        self.read(read, 9)
        self.prefer(self.sofa, "zathura")
        self.open(self.sofa, TYPE)
        self.assertEqual(self.eventually(lambda: self.zathura(self.sofa, "pagenumber")), 8)
        self.assertEqual([path.name for path in self.copies(self.sofa)], ["book.pdf"])
