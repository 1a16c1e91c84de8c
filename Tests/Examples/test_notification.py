# SPDX-License-Identifier: Apache-2.0
"""A person's view: an offer appears as a notification of a real server, and a click on it starts the app with the activity."""

import pathlib
import subprocess
import time

import library
from laptops import BIN, LIMIT, Display, TwoLaptops
from test_notes import NOTES, Note


class Clicked(TwoLaptops):
    def setUp(self):
        self.display = Display()
        self.addCleanup(self.display.end)
        super().setUp()

    def prepare(self, laptop):
        """Installs the app, and sets the display."""
        if laptop is self.desk:
            return
        applications = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "applications"
        applications.mkdir(parents=True)
        entry = (NOTES / "Python" / "org.example.Notes.desktop").read_text(encoding="utf-8")
        (applications / "org.example.Notes.desktop").write_text(
            entry.replace("Exec=notes.py", f"Exec=/usr/bin/python3 {NOTES / 'Python' / 'notes.py'}"), encoding="utf-8")
        laptop.environment.update({
            "DISPLAY": self.display.name, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory",
            "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", **library.directories()})

    def begin(self, laptop):
        """Starts a notification server before the first notification, because the bus would start another server for
        that."""
        if laptop is self.desk:
            return
        settings = self.root / "dunstrc"
        settings.write_text("[global]\n mouse_left_click = do_action\n show_indicators = no\n font = Sans 12\n width = 360\n"
                            " enable_recursive_icon_lookup = true\n icon_theme = Adwaita\n min_icon_size = 32\n", encoding="utf-8")
        laptop.spawn(["dunst", "-conf", settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["gdbus", "wait", "--session", "--timeout", str(LIMIT), "org.freedesktop.Notifications"],
                       env=laptop.environment, check=True, timeout=2 * LIMIT)

    def xdotool(self, *arguments) -> str:
        return subprocess.run(["xdotool", *arguments], env=self.sofa.environment, text=True, check=True, timeout=LIMIT,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout

    def window(self, *search) -> str:
        """Waits for a window, and returns its id."""
        limit = time.monotonic() + LIMIT
        while time.monotonic() < limit:
            try:
                return self.xdotool("search", "--onlyvisible", *search).split()[0]
            except (subprocess.CalledProcessError, IndexError):
                time.sleep(0.05)
        raise AssertionError(f"there is no window {search}: {self.sofa.log.read_text(encoding='utf-8')[-2000:]}")

    def test_a_click_on_the_notification_starts_the_app_with_the_note(self):
        note = Note(self.desk, [str(BIN / "notes")])
        self.addCleanup(note.end)
        note.write("Dear Ada,", 4)
        notification = self.window("--class", "Dunst")
        self.xdotool("mousemove", "--window", notification, "20", "20", "click", "1")
        self.window("--name", "^Notes$")
        note.went_on()
        # The app offers the received note.
        note.carry_on("sofa")
        note.holds("Dear Ada,", 4)
