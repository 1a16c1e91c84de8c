# SPDX-License-Identifier: Apache-2.0
"""The trial of the packages, for test_installed.py, which says where it runs. Apps, adapters, plugins and library are those below /usr and /etc, and no
laptop has settings of any of Baton's: somebody has installed the packages, opens a file on the desk, and clicks on the sofa."""

import pathlib
import shutil
import unittest

import test_documents
import test_gedit
import test_media
from editing import ODD, TYPE, Edited

ADAPTERS = "/usr/lib/baton/adapters/baton-adapters"


class AsInstalled:
    """Before the tests' own laptops: what those would have of the sources is taken away again."""

    def prepare(self, laptop):
        super().prepare(laptop)
        shutil.rmtree(laptop.home / "packages")
        for variable in ("LD_LIBRARY_PATH", "GI_TYPELIB_PATH", "PKG_CONFIG_PATH"):
            del laptop.environment[variable]
        laptop.environment["XDG_DATA_DIRS"] = "/usr/local/share:/usr/share"

    def start_adapters(self, laptop):
        """The sofa's are for its daemon to start, by their entry."""
        if laptop is self.desk:
            self.spawn_adapters(laptop, ADAPTERS)

    def assert_no_adapters_on_sofa(self):
        self.assertEqual(self.names(self.sofa, "org.batonproject.Adapter."), [])


class Texts(AsInstalled):
    """The same for each editor."""

    def prepare(self, laptop):
        super().prepare(laptop)
        for name in (".vim", ".vimrc", ".local/share/nvim/site"):
            (laptop.home / name).unlink()
        shutil.rmtree(laptop.home / ".emacs.d")

    def assert_goes_on(self, program: str):
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "letter.txt", "".join(f"line {number}\n" for number in range(1, 101)))
        here = self.edit(program, self.home(self.desk) / "letter.txt")
        here.go(40, 3, 30)
        self.at(here, line=40, column=3)
        self.assert_no_adapters_on_sofa()
        there = self.carry_on(program)
        self.at(there, file=str(self.home(self.sofa) / "letter.txt"), line=40, column=3, unsaved=0)
        self.eventually(lambda: self.offer(self.desk, TYPE))

    def assert_goes_on_unsaved(self, program: str):
        paths = [self.write(laptop, "letter.txt", "Dear Ada,\n") for laptop in (self.desk, self.sofa)]
        here = self.edit(program, paths[0])
        here.insert(ODD)
        self.at(here, unsaved=1)
        self.assert_no_adapters_on_sofa()
        found = self.at(self.carry_on(program), file=str(paths[1]), unsaved=1, line=1)
        self.assertEqual(found["lines"][:2], [ODD, "Dear Ada,"])
        self.assertEqual([path.read_text(encoding="utf-8") for path in paths], 2 * ["Dear Ada,\n"])


class InTerminals(Texts, Edited):
    def test_neovim(self):
        self.assert_goes_on("nvim")

    def test_neovim_unsaved(self):
        self.assert_goes_on_unsaved("nvim")

    def test_vim(self):
        self.assert_goes_on("vim")

    def test_vim_unsaved(self):
        self.assert_goes_on_unsaved("vim")

    def test_emacs(self):
        self.assert_goes_on("emacs")

    def test_emacs_unsaved(self):
        self.assert_goes_on_unsaved("emacs")


class InGedit(Texts, test_gedit.Windowed):
    """Whose plugin is on by the default of the package (test_installed.py has the tests' own beside it)."""

    def prepare(self, laptop):
        super().prepare(laptop)
        (pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "glib-2.0" / "settings" / "keyfile").unlink()
        for name in ("baton.plugin", "baton"):
            (pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "gedit" / "plugins" / name).unlink()

    def test_gedit(self):
        self.assert_goes_on("gedit")

    def test_gedit_unsaved(self):
        self.assert_goes_on_unsaved("gedit")


class Document(AsInstalled, test_documents.Reading):
    def test_page_37(self):
        """In whatever viewer is the sofa's default, or the first that is there."""
        path = self.write("book.pdf")
        self.desk.spawn(["evince", "--page-index=37", path], **test_documents.QUIET)
        self.eventually(lambda: self.evince(self.desk, path) == "36")
        self.eventually(lambda: self.offer(self.sofa, test_documents.TYPE))
        self.assert_no_adapters_on_sofa()
        self.open(self.sofa, test_documents.TYPE)
        self.eventually(self.page_on_sofa)
        self.assertEqual(self.page_on_sofa(), 37)

    def page_on_sofa(self) -> int | None:
        if self.names(self.sofa, "org.kde.okular-"):
            return self.okular(self.sofa, "currentPage")
        if self.names(self.sofa, "org.pwmt.zathura.PID-"):
            return self.zathura(self.sofa, "pagenumber") + 1
        page = self.evince(self.sofa, self.copies(self.sofa)[-1])
        return int(page) + 1 if page else None


class Song(AsInstalled, test_media.Players):
    def test_second_83(self):
        here = self.play(self.desk, ["mpv", self.song(self.desk)], "mpv", 83)
        self.eventually(lambda: self.offer(self.sofa, test_media.TYPE))
        self.assert_no_adapters_on_sofa()
        self.open(self.sofa, test_media.TYPE)
        self.assert_goes_on(self.sofa, self.player(self.sofa, "mpv"), 83)
        self.eventually(lambda: self.of(self.desk, here, "PlaybackStatus") == "Paused")


if __name__ == "__main__":
    unittest.main()
