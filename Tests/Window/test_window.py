# SPDX-License-Identifier: Apache-2.0
"""Baton's real window with real daemons, used as a person would: by clicks and by the keyboard.

    BATON_BIN=DIRECTORY /usr/bin/python3 -m unittest discover -s Tests/Window

BATON_BIN is the directory of batond, baton and baton-gtk; the debug build when it is not set.
"""

import json
import re
import sys
import unittest

sys.dont_write_bytecode = True

from desktop import LIMIT, Desktop, until  # noqa: E402


class Pairing(Desktop):
    def test_two_laptops_are_paired_by_clicks_in_two_windows(self):
        windows = [self.window(laptop) for laptop in (self.desk, self.sofa)]
        for window in windows:
            window.click("Add a Laptop")
        for window in windows:
            window.see("Does the other laptop show the same?")
        digits = [next(text for text in window.texts() if re.fullmatch(r"(\d ){5}\d", text)) for window in windows]
        self.assertEqual(digits[0], digits[1])
        for window in windows:
            window.click("They Are the Same")
        for window in windows:
            window.see("The laptop is added")
            window.click("Done")
        windows[0].see("sofa", "list item")
        windows[1].see("desk", "list item")

    def test_digits_that_differ_are_refused_and_the_wait_is_said(self):
        windows = [self.window(laptop) for laptop in (self.desk, self.sofa)]
        for window in windows:
            window.click("Add a Laptop")
        windows[0].click("They Differ")
        for window in windows:
            window.see("The laptop is not added")

    def test_a_code_is_read_from_the_screen_and_pasted_in_the_other_window(self):
        shown = self.window(self.desk)
        shown.click("Add a Laptop")
        shown.click("Show: Show a code")
        shown.see("Read this code on the other laptop", "image")
        code = until("a code that can be read", shown.code)
        reading = self.window(self.sofa)
        reading.click("Add a Laptop")
        reading.type("Paste the other laptop's code", code)
        for window in (shown, reading):
            window.see("The laptop is added")

    def test_going_back_ends_the_pairing(self):
        window = self.window(self.desk)
        window.click("Add a Laptop")
        window.see("Choose Add a Laptop on the other laptop, too")
        window.click("Back")
        until("no pairing", lambda: json.loads(self.desk.baton("status", "--json")[0]).get("pairingRefusal") is None)


class Home(Desktop):
    def setUp(self):
        super().setUp()
        self.make_circle()
        self.window = self.window(self.sofa)

    def test_an_offer_is_continued_by_a_click(self):
        publisher = self.offer(self.desk, "--type", "org.example.page", "--webpage", "https://example.org/7", "--once")
        self.window.click("Continue: A web page")
        until("the page", lambda: self.opened.exists() and "https://example.org/7\n" in self.opened.read_text(encoding="utf-8"))
        self.assertEqual(publisher.wait(LIMIT), 0)
        self.window.see("Nothing to continue now")

    def test_pause_and_resume(self):
        self.window.click("Until I Resume: Pause")
        self.window.see("Paused")
        self.assertIn("paused", self.sofa.baton("status")[0])
        self.window.click("Resume: Paused")
        self.window.see("Pause")
        self.sofa.baton("pause", "1h")
        until("the pause of another program", lambda: any(text.startswith("Paused until ") for text in self.window.texts()))

    def test_a_laptop_is_renamed_and_the_other_removed(self):
        self.window.open("sofa")
        self.window.type("Name of This Laptop", "couch")
        until("the new name", lambda: "couch" in self.desk.baton("devices")[0])
        self.window.click("Back")
        self.window.open("desk")
        self.window.click("Remove…: Remove this laptop")
        self.window.see("Remove “desk”?")
        self.window.click("Remove")
        until("one laptop", lambda: len(json.loads(self.sofa.baton("status", "--json")[0])["members"]) == 1)
        self.window.see_not("desk")

    def test_settings_and_rules_follow_the_file_and_the_file_the_window(self):
        self.window.scroll_to_end()
        self.window.open("Privacy and Rules")
        self.window.press("Show notifications of offers", "list item")
        file = self.sofa.home / ".config/baton/baton.conf"
        until("the file", lambda: file.exists() and "notifications = off\n" in file.read_text(encoding="utf-8"))
        self.sofa.baton("rules", "add", "never type=org.example.secret")
        self.window.see("Do not show org.example.secret from other laptops")
        self.window.click("Remove: Do not show org.example.secret from other laptops")
        self.window.see_not("Do not show org.example.secret from other laptops")
        self.window.click("Undo")
        self.window.see("Do not show org.example.secret from other laptops")

    def test_a_name_with_markup_is_shown_as_text(self):
        self.desk.baton("rename", "<b>desk</b> & co")
        self.window.see("<b>desk</b> & co", "list item")

    def test_the_report_is_shown_before_it_is_saved(self):
        self.window.scroll_to_end()
        self.window.open("Something Is Wrong?")
        self.window.open("Report")
        self.window.see("This is the report")
        self.window.see("Save…")

    def test_a_daemon_that_restarts_is_found_again(self):
        self.sofa.daemon.terminate()
        self.sofa.daemon.wait(LIMIT)
        self.window.see("Baton is not running")
        self.sofa.start_daemon(self.root / "radio")
        self.window.see("desk", "list item")

    def test_the_window_ends_when_it_is_closed(self):
        self.window.key("ctrl+w")
        self.assertEqual(self.window.process.wait(LIMIT), 0)


if __name__ == "__main__":
    unittest.main()
