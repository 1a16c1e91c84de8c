# SPDX-License-Identifier: Apache-2.0
"""Baton's real window with real daemons, used as a person would: by clicks and by the keyboard.

BATON_BIN is the directory of batond, baton and baton-gtk, by default the debug build.
"""

import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True

from desktop import Desktop  # noqa: E402
from desktops import until  # noqa: E402
from laptops import LIMIT  # noqa: E402


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

    def test_different_digits_end_the_pairing_on_both_laptops(self):
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

    def test_the_welcome_says_that_a_laptop_nearby_is_being_added(self):
        waiting = self.window(self.sofa)
        self.window(self.desk).click("Add a Laptop")
        waiting.click("Add: A laptop nearby is being added")
        waiting.see("Does the other laptop show the same?")

    def test_going_back_ends_the_pairing(self):
        window = self.window(self.desk)
        window.click("Add a Laptop")
        window.see("Choose Add a Laptop on the other laptop, too")
        window.click("Back")
        until("no pairing", lambda: json.loads(self.desk.baton("status", "--json")[0]).get("pairingRefusal") is None)


class Keyboard(Desktop):
    """Tests that everything can be done without a mouse."""

    def test_laptops_are_paired_used_renamed_and_removed_by_keys_alone(self):
        windows = [self.window(laptop) for laptop in (self.desk, self.sofa)]
        for window in windows:
            window.choose("Add a Laptop")
        for window in windows:
            window.choose("They Are the Same")
        for window in windows:
            window.choose("Done")
        window = windows[1]
        window.see("desk", "list item")
        publisher = self.offer(self.desk, "--type", "org.example.page", "--webpage", "https://example.org/7", "--once")
        window.choose("Continue: A web page")
        until("the page", lambda: self.laptops.has_opened("https://example.org/7"))
        self.assertEqual(publisher.wait(LIMIT), 0)
        window.choose("Until I Resume: Pause")
        window.see("Paused")
        self.assertIn("paused", self.sofa.baton("status")[0])
        window.choose("Resume: Paused")
        window.choose("sofa")
        # The page begins with the row in which the name is typed.
        window.see("Take this laptop out")
        window.enter("Name of This Laptop", "couch")
        until("the new name", lambda: "couch" in self.desk.baton("devices")[0])
        window.key("alt+Left")
        window.choose("desk")
        window.choose("Remove…: Remove “desk”")
        window.choose("Remove")
        until("one laptop", lambda: len(json.loads(self.sofa.baton("status", "--json")[0])["members"]) == 1)


class Rules(Desktop):
    def setUp(self):
        super().setUp()
        self.laptops.make_circle()
        self.window = self.window(self.sofa)
        self.window.scroll_to_end()
        self.window.open("Privacy and Rules")

    def test_a_rule_is_changed_and_moved(self):
        desk = next(member["device"] for member in json.loads(self.sofa.baton("status", "--json")[0])["members"] if member["deviceName"] == "desk")
        self.sofa.baton("rules", "add", "ask")
        self.sofa.baton("rules", "add", "near device=desk")
        self.window.click("Change: When “desk” is near, automatically continue what it offers")
        self.window.see("Save the Rule")
        self.window.walk("What happens")
        self.window.key("Return", "Down", "Return")
        self.window.see("Show nothing from “desk”")
        self.window.click("Save the Rule")
        self.window.click("Move Up: Show nothing from “desk”")
        file = self.sofa.home / ".config/baton/baton.conf"
        until("the file", lambda: file.read_text(encoding="utf-8").endswith(f"rule = never device={desk}\nrule = ask\n"), lambda: file.read_text(encoding="utf-8"))

    def test_copies_and_folders_in_the_window_follow_the_files(self):
        folder = pathlib.Path(self.sofa.environment["XDG_DATA_HOME"]) / "baton/documents/5b1c2f0e-0a3d-4d52-8f43-3a7d1a0e7c11"
        folder.mkdir(parents=True)
        (folder / "<b>report.pdf").write_text("1", encoding="utf-8")
        self.window.scroll_to_end()
        self.window.see("1 document of another laptop")
        self.window.open("Copies")
        self.window.see("<b>report.pdf", "list item")
        self.window.click("Move to the Bin: <b>report.pdf")
        until("an empty folder", lambda: not list(folder.iterdir()))
        self.window.see("No copies yet")
        self.window.click("Back")
        (self.sofa.home / ".config/baton").mkdir(parents=True, exist_ok=True)
        (self.sofa.home / ".config/baton/folders").write_text("Notes = /home/me/Notes\n", encoding="utf-8")
        self.window.see("1 folder")
        self.window.open("Shared Folders")
        self.window.click("Remove: Notes")
        self.window.see_not("/home/me/Notes")
        self.window.click("Undo")
        self.window.see("/home/me/Notes")


class Apps(Desktop):
    """Tests the page of apps, which follows the installed apps."""

    LETTERS = """[Desktop Entry]
Type=Application
Name=Letters
Exec=true
X-Flatpak=org.example.Letters
X-Baton-ActivityTypes=org.example.letter;
"""
    READER = """[Desktop Entry]
Type=Application
Name=<b>Reader</b>
Exec=true
X-Baton-ActivityTypes=org.example.page;
"""

    def install(self, name: str, text: str):
        directory = pathlib.Path(self.sofa.environment["XDG_DATA_HOME"]) / "applications"
        directory.mkdir(exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")

    def grants(self) -> str:
        return self.sofa.baton("grants", "--json")[0]

    def test_a_request_of_a_sandboxed_app_is_allowed_and_revoked(self):
        self.laptops.make_circle()
        window = self.window(self.sofa)
        window.see("desk", "list item")
        self.install("org.example.Letters.desktop", self.LETTERS)
        window.click("Apps: 1 sandboxed app asks for activities of other apps.")
        window.click("Allow: org.example.Letters (Flatpak)")
        until("the grant", lambda: "granted" in self.grants(), self.grants)
        window.see("Permissions")
        window.press("org.example.Letters (Flatpak)", "list item")
        until("the refusal", lambda: "refused" in self.grants(), self.grants)

    def test_the_keyboards_focus_stays_when_a_question_appears_above_it(self):
        self.laptops.make_circle()
        window = self.window(self.sofa)
        window.walk("Until I Resume: Pause")
        self.install("org.example.Letters.desktop", self.LETTERS)
        window.see("Apps: 1 sandboxed app asks for activities of other apps.")
        # The accessibility tree lacks things while the page changes.
        until("the focus", lambda: window.focused() == "Until I Resume: Pause", window.focused)

    def test_a_second_start_with_a_page_opens_the_page(self):
        self.laptops.make_circle()
        window = self.window(self.sofa)
        window.see("desk", "list item")
        self.install("org.example.Reader.desktop", self.READER)
        subprocess.run(["gdbus", "call", "--session", "--dest", "org.batonproject.BatonWindow", "--object-path", "/org/batonproject/BatonWindow",
                        "--method", "org.freedesktop.Application.ActivateAction", "show-apps", "[]", "{}"],
                       env=self.sofa.environment, check=True, timeout=LIMIT, stdout=subprocess.DEVNULL)
        window.see("<b>Reader</b>", "list item")
        self.install("org.example.Reader.desktop", self.READER.replace("Reader</b>", "Pager</b>"))
        window.see("<b>Pager</b>", "list item")


class Home(Desktop):
    def setUp(self):
        super().setUp()
        self.laptops.make_circle()
        self.window = self.window(self.sofa)

    def test_an_offer_is_continued_by_a_click(self):
        publisher = self.offer(self.desk, "--type", "org.example.page", "--webpage", "https://example.org/7", "--once")
        self.window.click("Continue: A web page")
        until("the page", lambda: self.laptops.has_opened("https://example.org/7"))
        self.assertEqual(publisher.wait(LIMIT), 0)
        self.window.see("Nothing to continue now")

    def test_the_window_pauses_and_resumes_baton(self):
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
        self.window.click("Remove…: Remove “desk”")
        self.window.see("Remove “desk”?")
        self.window.click("Remove")
        until("one laptop", lambda: len(json.loads(self.sofa.baton("status", "--json")[0])["members"]) == 1)
        self.window.see_not("desk")

    def test_settings_and_rules_in_the_window_and_in_the_file_agree(self):
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

    def test_the_window_finds_a_restarted_daemon(self):
        self.sofa.daemon.terminate()
        self.sofa.daemon.wait(LIMIT)
        self.window.see("Baton is not running")
        self.sofa.start_daemon(self.root / "radio")
        self.window.see("desk", "list item")

    def test_the_window_ends_when_it_is_closed(self):
        self.window.key("ctrl+w")
        self.assertEqual(self.window.process.wait(LIMIT), 0)
