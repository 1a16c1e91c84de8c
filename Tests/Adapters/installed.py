# SPDX-License-Identifier: Apache-2.0
"""The trial of the packages, for test_installed.py, which says where it runs. Editors, adapters and library are those below /usr and /etc, and no laptop
has settings of any of them."""

import shutil
import unittest

from editing import TYPE, Edited

ADAPTERS = "/usr/lib/baton/adapters/baton-adapters"


class Trial(Edited):
    def prepare(self, laptop):
        super().prepare(laptop)
        for name in (".vim", ".vimrc", ".local/share/nvim/site"):
            (laptop.home / name).unlink()
        for name in (".emacs.d", "packages"):
            shutil.rmtree(laptop.home / name)
        for variable in ("LD_LIBRARY_PATH", "GI_TYPELIB_PATH", "PKG_CONFIG_PATH"):
            del laptop.environment[variable]
        laptop.environment["XDG_DATA_DIRS"] = "/usr/local/share:/usr/share"

    def start_adapters(self, laptop):
        """The sofa's are for its daemon to start, by their entry."""
        if laptop is self.desk:
            self.spawn_adapters(laptop, ADAPTERS)

    def assert_goes_on(self, program: str):
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "letter.txt", "".join(f"line {number}\n" for number in range(1, 101)))
        here = self.edit(program, self.home(self.desk) / "letter.txt")
        here.go(40, 3, 30)
        self.at(here, line=40, column=3)
        self.assertEqual(self.names(self.sofa, "org.batonproject.Adapter."), [])
        there = self.carry_on(program)
        self.at(there, file=str(self.home(self.sofa) / "letter.txt"), line=40, column=3, unsaved=0)
        self.eventually(lambda: self.offer(self.desk, TYPE))

    def test_neovim(self):
        self.assert_goes_on("nvim")

    def test_vim(self):
        self.assert_goes_on("vim")

    def test_emacs(self):
        self.assert_goes_on("emacs")


if __name__ == "__main__":
    unittest.main()
