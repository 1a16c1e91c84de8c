# SPDX-License-Identifier: Apache-2.0
"""Failures of real editors in a real terminal."""

import os
import signal

from apps import LIMIT, demo
from editing import NORMAL, TEXT, TYPE, Edited


class Troubles(Edited):
    """Failures in one of the editors."""

    def pid(self) -> int:
        """Returns the process of the editor on the desk."""
        return int(self.terminals[self.desk].tmux("list-panes", "-F", "#{pane_pid}"))

    def test_editor_that_hangs_continues_at_its_last_place(self):
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "letter.txt", TEXT)
        here = self.edit("nvim", self.home(self.desk) / "letter.txt")
        here.go(70, 3, 60)
        self.at(here, line=70)
        here.type(f"{NORMAL}:doautocmd CursorHold\r")
        self.at(here, line=70)
        os.kill(self.pid(), signal.SIGSTOP)
        try:
            self.at(self.carry_on("nvim"), file=str(self.home(self.sofa) / "letter.txt"), line=70, column=3)
        finally:
            os.kill(self.pid(), signal.SIGCONT)

    def test_editor_that_quits_is_no_longer_offered(self):
        self.edit("nvim", self.write(self.desk, "letter.txt", TEXT))
        os.kill(self.pid(), signal.SIGKILL)
        self.eventually(lambda: not self.offer(self.sofa, TYPE))

    def test_emacs_that_ends_when_asked_is_reported_and_the_next_one_continues(self):
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "letter.txt", TEXT)
        here = self.edit("emacs", self.home(self.desk) / "letter.txt")
        here.evaluate("(advice-add 'baton--answer :before (lambda (&rest _) (signal-process (emacs-pid) 'SIGKILL)))")
        here.insert("gone")
        here.terminal.shows("**-")
        offer, process = self.offer(self.sofa, TYPE), self.pid()
        with self.assertRaisesRegex(demo.Failure, 'It has been closed on "desk"'):
            self.sofa.baton("open", offer)
        self.eventually(lambda: not os.path.exists(f"/proc/{process}"))
        self.eventually(lambda: not self.offer(self.sofa, TYPE))
        next_one = self.edit("nvim", self.home(self.desk) / "letter.txt")
        next_one.go(70, 3, 60)
        self.at(next_one, line=70)
        self.at(self.carry_on("nvim"), file=str(self.home(self.sofa) / "letter.txt"), line=70, unsaved=0)

    def test_text_of_more_than_64_mib_is_not_sent_and_the_user_is_told(self):
        line = 1023 * "x" + "\n"
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "large.txt", (65 << 10) * line)
        here = self.edit("nvim", self.home(self.desk) / "large.txt")
        here.insert("more")
        self.eventually(lambda: "[+]" in here.terminal.screen())
        there = self.carry_on("nvim")
        there.terminal.shows('What was not saved on "desk" stayed there.')
        there.terminal.shows("large.txt")

    def test_origin_page_opens_if_the_text_cannot_be_sent(self):
        self.install_browser(self.sofa)
        large = self.write(self.desk, "large.txt", (65 << 10) * (1023 * "x" + "\n"))
        os.setxattr(large, "user.xdg.origin.url", b"https://example.org/large.txt#top")
        self.edit("nvim", large)
        self.open_with_token(self.sofa, TYPE, "a-token")
        self.assert_browser_has(self.sofa, "https://example.org/large.txt", "a-token")
        self.assertIn('too large to be copied from "desk": ', self.sofa.adapters_log.read_text(encoding="utf-8"))

    def test_editor_without_the_plugin_is_given_up_with_an_error(self):
        (self.home(self.sofa) / ".vim").unlink()
        self.edit("vim", self.write(self.desk, "letter.txt", TEXT))
        with self.assertRaisesRegex(demo.Failure, "vim was started, but did not ask for the text. Check that Baton's plugin for it is installed"):
            self.sofa.baton("open", "--type", TYPE)

    def test_editor_that_does_not_open_the_text_is_given_up_with_an_error(self):
        """The editor waits for a key before it opens the file, as with some plugins of the user."""
        letters = [self.write(laptop, "letter.txt", TEXT) for laptop in (self.desk, self.sofa)]
        with (self.home(self.sofa) / ".vimrc").open("a", encoding="utf-8") as settings:
            settings.write("autocmd BufReadPost letter.txt call getchar()\n")
        here = self.edit("vim", letters[0])
        here.insert("more")
        self.at(here, unsaved=1)
        with self.assertRaisesRegex(demo.Failure, "vim was started, but did not open the text. Try again.$"):
            self.sofa.baton("open", "--type", TYPE)
        self.eventually(lambda: not self.texts())

    def test_restarted_service_learns_of_the_editor(self):
        editor = self.edit("nvim", self.write(self.desk, "letter.txt", TEXT))
        self.desk.adapters.kill()
        self.desk.adapters.wait(LIMIT)
        self.eventually(lambda: not self.offer(self.sofa, TYPE))
        self.begin(self.desk)

        def is_offered():
            editor.type(f"{NORMAL}:doautocmd CursorHold\r")
            return self.offer(self.sofa, TYPE)
        self.eventually(is_offered)
