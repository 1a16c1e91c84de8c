# SPDX-License-Identifier: Apache-2.0
"""The tests for test_installed.py, which says where they run. Apps, adapters, plugins and library are those below /usr and /etc, and no laptop has
settings for Baton. A user has installed the packages, opens a file on the desk, and clicks on the notification on the sofa."""

import os
import pathlib
import shutil
import subprocess

import test_documents
import test_gedit
import test_mail
import test_media
from apps import LIMIT, Display
from editing import ODD, TYPE, Edited
from test_documents import QUIET

ADAPTERS = "/usr/lib/baton/adapters/baton-adapters"


class AsInstalled:
    """Removes the settings for the source tree, which the laptops of other tests have."""

    def prepare(self, laptop):
        super().prepare(laptop)
        shutil.rmtree(laptop.home / "packages")
        for variable in ("LD_LIBRARY_PATH", "GI_TYPELIB_PATH", "PKG_CONFIG_PATH"):
            del laptop.environment[variable]
        laptop.environment["XDG_DATA_DIRS"] = "/usr/local/share:/usr/share"
        laptop.environment.pop("WAYLAND_DISPLAY", None)
        # Use a display of the test's own, not the display of the user who runs the tests.
        if laptop.environment.get("DISPLAY") == os.environ.get("DISPLAY"):
            display = Display()
            self.addCleanup(display.end)
            laptop.environment["DISPLAY"] = display.name

    def begin(self, laptop):
        """Starts a notification server on the sofa before any notification, because the bus would start a server of its own choice."""
        super().begin(laptop)
        if laptop is not self.sofa:
            return
        settings = laptop.home / "dunstrc"
        settings.write_text("[global]\n mouse_left_click = do_action\n", encoding="utf-8")
        laptop.spawn(["dunst", "-conf", settings], **QUIET)
        subprocess.run(["gdbus", "wait", "--session", "--timeout", str(LIMIT), "org.freedesktop.Notifications"], env=laptop.environment, check=True,
                       timeout=2 * LIMIT)

    def on_sofa(self, *arguments) -> list:
        return subprocess.run(["xdotool", *arguments], env=self.sofa.environment, text=True, check=False, timeout=LIMIT, capture_output=True).stdout.split()

    def click(self):
        """Clicks on the notification. The daemon then starts the adapters, none of which may run before."""
        self.assertEqual(self.names(self.sofa, "org.batonproject.Adapter."), [])

        def is_seen():
            notification = self.eventually(lambda: self.on_sofa("search", "--onlyvisible", "--class", "Dunst"))
            self.on_sofa("mousemove", "--window", notification[0], "20", "20", "click", "1")
            return self.within(LIMIT / 2, lambda: self.names(self.sofa, "org.batonproject.Adapter."))
        self.eventually(is_seen)

    def start_adapters(self, laptop):
        """Starts the desk's adapters only. The sofa's daemon starts the sofa's adapters through their desktop entry."""
        if laptop is self.desk:
            self.spawn_adapters(laptop, ADAPTERS)


class Texts(AsInstalled):
    """The same tests for each editor."""

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
        self.click()
        there = self.editor_that_shows("line 40", program)
        self.at(there, file=str(self.home(self.sofa) / "letter.txt"), line=40, column=3, unsaved=0)
        self.eventually(lambda: self.offer(self.desk, TYPE))

    def assert_goes_on_unsaved(self, program: str):
        paths = [self.write(laptop, "letter.txt", "Dear Ada,\n") for laptop in (self.desk, self.sofa)]
        here = self.edit(program, paths[0])
        here.insert(ODD)
        self.at(here, unsaved=1)
        self.click()
        found = self.at(self.editor_that_shows("Dear Ada,", program), file=str(paths[1]), unsaved=1, line=1)
        self.assertEqual(found["lines"][:2], [ODD, "Dear Ada,"])
        self.assertEqual([path.read_text(encoding="utf-8") for path in paths], 2 * ["Dear Ada,\n"])

    def editor_that_shows(self, text: str, program: str):
        """Returns the sofa's editor."""
        return self.editor(self.sofa, program)


class InTerminals(Texts, Edited):
    def editor_that_shows(self, text: str, program: str):
        """Waits for the text, because earlier keys would be typed into the text when it appears."""
        self.terminals[self.sofa].shows(text)
        return super().editor_that_shows(text, program)

    def test_neovim_continues_a_saved_file(self):
        self.assert_goes_on("nvim")

    def test_neovim_continues_unsaved_text(self):
        self.assert_goes_on_unsaved("nvim")

    def test_vim_continues_a_saved_file(self):
        self.assert_goes_on("vim")

    def test_vim_continues_unsaved_text(self):
        self.assert_goes_on_unsaved("vim")

    def test_emacs_continues_a_saved_file(self):
        self.assert_goes_on("emacs")

    def test_emacs_continues_unsaved_text(self):
        self.assert_goes_on_unsaved("emacs")


class InGedit(Texts, test_gedit.Windowed):
    """The package's default turns gedit's plugin on (test_installed.py adds the tests' own plugin)."""

    def prepare(self, laptop):
        super().prepare(laptop)
        (pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "glib-2.0" / "settings" / "keyfile").unlink()
        for name in ("baton.plugin", "baton"):
            (pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "gedit" / "plugins" / name).unlink()

    def test_gedit_continues_a_saved_file(self):
        self.assert_goes_on("gedit")

    def test_gedit_continues_unsaved_text(self):
        self.assert_goes_on_unsaved("gedit")


class Document(AsInstalled, test_documents.Reading):
    def test_document_continues_at_its_page(self):
        """Continues in the sofa's default viewer, or in the first one that is installed."""
        path = self.write("book.pdf")
        self.read_in_evince(path, 37)
        self.eventually(lambda: self.offer(self.sofa, test_documents.TYPE))
        self.click()
        self.eventually(lambda: self.page_on_sofa() == 37)

    def page_on_sofa(self) -> int | None:
        if self.names(self.sofa, "org.kde.okular-"):
            return self.okular(self.sofa, "currentPage")
        if self.names(self.sofa, "org.pwmt.zathura.PID-"):
            page = self.zathura(self.sofa, "pagenumber")
        else:
            copies = self.copies(self.sofa)
            page = copies and self.evince(self.sofa, copies[-1])
        return int(page) + 1 if str(page).isdecimal() else None  # the viewer may not have reported the page yet


class Song(AsInstalled, test_media.Players):
    def test_song_continues_at_its_second(self):
        here = self.play(self.desk, ["mpv", self.song(self.desk)], "mpv", 83)
        self.eventually(lambda: self.offer(self.sofa, test_media.TYPE))
        self.click()
        there = self.player(self.sofa, "mpv")
        self.eventually(lambda: 81 * test_media.SECOND <= (self.of(self.sofa, there, "Position") or 0))
        self.assert_goes_on(self.sofa, there, 83)
        self.eventually(lambda: self.of(self.desk, here, "PlaybackStatus") == "Paused")


class Draft(AsInstalled, test_mail.Mail):
    def extension(self, laptop):
        """Returns no directory, because Thunderbird finds the installed extension by itself."""

    def test_draft_continues_in_thunderbird(self):
        self.desk.mail.start()
        self.write(self.desk, fields={"subject": "Installed", "to": "bo@example.org", "body": "x"})
        self.eventually(lambda: self.offer(self.sofa, test_mail.WRITING))
        self.click()
        self.sofa.mail.attach()
        self.look(self.sofa, subject="Installed", drafts=1)
