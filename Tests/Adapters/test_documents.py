# SPDX-License-Identifier: Apache-2.0
"""Hands a document over between real viewers, on two laptops with the simulated radio, a display and a window manager each."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from gi.repository import GLib

from apps import LIMIT, MOCK, Adapted, Display, demo

TYPE = "org.batonproject.document.read"
PAGES = 60
ORIGIN = "user.xdg.origin.url"
SERVICES = ("org.a11y.Bus", "org.gnome.evince.Daemon", "org.gtk.vfs.Daemon", "org.gtk.vfs.Metadata")
ENTRIES = {"evince": "org.gnome.Evince", "okular": "okularApplication_pdf", "zathura": "org.pwmt.zathura-pdf-poppler"}
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def number(page: int) -> str:
    """Returns a page that shows its number, counted from 1."""
    return f"BT /F 120 Tf 100 220 Td ({page + 1}) Tj ET"


def book(draw=number, more: int = 0) -> bytes:
    """Returns a PDF whose pages `draw` draws, with `more` further bytes in it."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>",
               f"<< /Type /Pages /Kids [{' '.join(f'{4 + 2 * page} 0 R' for page in range(PAGES))}] /Count {PAGES} >>",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    for page in range(PAGES):
        text = draw(page)
        objects += [f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 500] /Contents {5 + 2 * page} 0 R /Resources << /Font << /F 3 0 R >> >> >>",
                    f"<< /Length {len(text)} >>\nstream\n{text}\nendstream"]
    if more:
        objects.append(f"<< /Length {more} >>\nstream\n{more * 'x'}\nendstream")
    file, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += f"{number} 0 obj\n{content}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    return file + (f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
                   f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n").encode()


class Reading(Adapted):
    """Laptops with displays, viewers and the parts of a desktop that these need."""

    def prepare(self, laptop):
        super().prepare(laptop)
        laptop.environment.pop("SWAYSOCK", None)
        self.prepare_display(laptop)
        services = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "dbus-1" / "services"
        services.mkdir(parents=True, exist_ok=True)
        for service in SERVICES:
            shutil.copy(f"/usr/share/dbus-1/services/{service}.service", services)

    def prepare_display(self, laptop):
        display = Display()
        self.addCleanup(display.end)
        laptop.environment.update({"DISPLAY": display.name, "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb"})

    def begin(self, laptop):
        laptop.spawn(["openbox"], **QUIET)
        display = laptop.environment["DISPLAY"]
        if laptop is self.desk:
            laptop.environment.update(self.seen_by_adapters())
        super().begin(laptop)
        laptop.environment.pop("WAYLAND_DISPLAY", None)
        laptop.environment["DISPLAY"] = display

    def seen_by_adapters(self) -> dict:
        """Returns variables that hide part of the session from the desk's adapters, depending on the test's name."""
        if "wayland" in self.id():
            return {"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ""}
        return {"DISPLAY": ""} if "no_program_reports" in self.id() else {}

    def prefer(self, laptop, viewer: str):
        """Makes the viewer the laptop's default."""
        (pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "mimeapps.list").write_text(
            f"[Default Applications]\napplication/pdf={ENTRIES[viewer]}.desktop\n", encoding="utf-8")
        self.wait_for_apps(laptop)

    def zathura(self, laptop, name: str):
        owner = next(iter(self.names(laptop, "org.pwmt.zathura.PID-")), "")
        return self.property(laptop, owner, "/org/pwmt/zathura", "org.pwmt.zathura", name)

    def okular(self, laptop, method: str, arguments=None):
        owner = next(iter(self.names(laptop, "org.kde.okular-")), "org.kde.okular")
        answer = self.ask(laptop, owner, "/okular", "org.kde.okular", method, arguments)
        return answer[0] if answer else None

    def evince(self, laptop, path) -> str:
        return subprocess.run(["gio", "info", "-a", "metadata::evince::page", path], env=laptop.environment, text=True, check=False, timeout=LIMIT,
                              capture_output=True).stdout.partition("metadata::evince::page: ")[2].strip()

    def read_in_evince(self, path, page: int):
        """Opens Evince on desk at a page, counted from 1. On a busy laptop Evince reports the page only after it is turned again."""
        self.desk.spawn(["evince", f"--page-index={page}", path], **QUIET)
        self.eventually(lambda: self.evince(self.desk, path))
        if not self.within(1, lambda: self.evince(self.desk, path) == str(page - 1)):
            for index in (page + 1, page):
                self.desk.spawn(["evince", f"--page-index={index}", path], **QUIET).wait(LIMIT)
            self.eventually(lambda: self.evince(self.desk, path) == str(page - 1))

    def copies(self, laptop) -> list:
        """Returns the copies on a laptop, oldest first."""
        return sorted(laptop.home.rglob("documents/*/*.pdf"), key=lambda path: path.stat().st_mtime)

    def write(self, name: str) -> pathlib.Path:
        path = self.desk.home / name
        path.write_bytes(book())
        return path

    def in_front(self) -> str:
        """Returns the title of the window in front on desk."""
        return " ".join(self.xdotool("getactivewindow", "getwindowname"))

    def windows(self, name: str) -> list:
        """Returns the windows on desk's display whose title or class contains a text."""
        return sorted({*self.xdotool("search", "--onlyvisible", "--name", name), *self.xdotool("search", "--onlyvisible", "--class", name)})

    def xdotool(self, *arguments) -> list:
        return subprocess.run(["xdotool", *arguments], env=self.desk.environment, text=True, capture_output=True, timeout=LIMIT, check=False).stdout.split()

    def read_two(self, viewer: str, option: str) -> str:
        """Opens first.pdf at page 10, then second.pdf at page 20, each of which becomes current. Returns the activity of first.pdf."""
        self.prefer(self.sofa, "zathura")
        self.watch_current()
        for page, name in ((10, "first"), (20, "second")):
            before = self.current()
            path = self.write(f"{name}.pdf")
            if viewer == "evince":
                self.read_in_evince(path, page)
            else:
                self.desk.spawn([viewer, f"{option}={page}", path], **QUIET)
            self.eventually(lambda: f"{name}.pdf" in self.in_front() and self.current() != before)
        return before

    def assert_front_is_offered(self, viewer: str, option: str):
        """Checks that the document whose window was brought to the front is offered. An app reports over AT-SPI only after it has heard of a
        listener, so its window must come to the front again."""
        first = self.read_two(viewer, option)

        def comes_forward():
            for name in ("second.pdf", "first.pdf"):
                self.bring_forward(name)
            return self.within(5, lambda: self.current() == first)
        self.eventually(comes_forward)
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 9)

    def bring_forward(self, name: str):
        """Brings the window whose title contains a text to the front on desk."""
        self.xdotool("windowactivate", "--sync", self.windows(name)[0])

    def assert_tab_in_front_is_offered(self):
        """Checks two documents in one window of Okular, whose title names the tab in front."""
        self.prefer(self.sofa, "zathura")
        configuration = pathlib.Path(self.desk.environment["XDG_CONFIG_HOME"])
        (configuration / "okularpartrc").write_text("[General]\nShellOpenFileInTabs=true\n", encoding="utf-8")
        (configuration / "okularrc").write_text("[Notification Messages]\npresentationInfo=false\n", encoding="utf-8")
        self.desk.spawn(["okular", "--page", "10", self.write("first.pdf")], **QUIET)
        self.eventually(lambda: self.okular(self.desk, "currentPage") == 10)
        self.desk.spawn(["okular", "--page", "20", self.write("second.pdf")], **QUIET)
        owner = self.names(self.desk, "org.kde.okular-")[0]
        self.eventually(lambda: self.ask(self.desk, owner, "/okular2", "org.kde.okular", "currentPage") == (20,))
        self.assertEqual(self.names(self.desk, "org.kde.okular-"), [owner])
        # The first of the two tabs comes to the front.
        self.eventually(lambda: "second.pdf" in self.in_front())
        self.turn_to_tab_before(owner)
        self.eventually(lambda: "first.pdf" in self.in_front())
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 9)

    def turn_to_tab_before(self, owner: str):
        """Turns to the previous tab in the Okular with this name on desk's bus."""
        self.xdotool("key", "ctrl+Page_Up")


class Documents(Reading):
    def test_page_continues_from_evince_to_okular_to_zathura_to_evince(self):
        path = self.write("A book & more.pdf")
        self.prefer(self.sofa, "okular")
        self.prefer(self.desk, "zathura")
        self.read_in_evince(path, 37)
        self.open(self.sofa, TYPE)
        self.assertEqual(self.okular(self.sofa, "currentPage"), 37)

        self.assertIsNotNone(self.ask(self.sofa, self.names(self.sofa, "org.kde.okular-")[0], "/okular", "org.kde.okular", "goToPage",
                                      GLib.Variant("(u)", (12,))))
        self.open(self.desk, TYPE)
        self.eventually(lambda: self.zathura(self.desk, "pagenumber") == 11)

        self.ask(self.desk, self.names(self.desk, "org.pwmt.zathura.PID-")[0], "/org/pwmt/zathura", "org.pwmt.zathura", "GotoPage",
                 GLib.Variant("(u)", (49,)))
        self.prefer(self.sofa, "evince")
        self.open(self.sofa, TYPE)
        self.eventually(lambda: self.evince(self.sofa, self.copies(self.sofa)[-1]) == "49")

    def test_evince_that_reports_its_first_page_counts_as_opened_at_the_requested_page(self):
        """A busy Evince reports the first page when it starts, until the page is turned. In this test its desktop entry
        opens the first page."""
        data = pathlib.Path(self.sofa.environment["XDG_DATA_HOME"]) / "applications"
        data.mkdir(parents=True, exist_ok=True)
        (data / "org.gnome.Evince.desktop").write_text("[Desktop Entry]\nType=Application\nName=Evince\nExec=evince --page-index=1 %U\n", encoding="utf-8")
        self.prefer(self.sofa, "evince")
        self.desk.spawn(["zathura", "--page=37", self.write("book.pdf")], **QUIET)
        self.open(self.sofa, TYPE)
        self.eventually(lambda: self.evince(self.sofa, self.copies(self.sofa)[-1]) == "36")

    def test_document_whose_name_is_not_utf_8_continues_under_a_name_that_viewers_open(self):
        self.prefer(self.sofa, "zathura")
        for name, shown in ((b"caf\xe9.pdf", "caf\ufffd.pdf"), (b"a\nb.pdf", "a\ufffdb.pdf")):
            with self.subTest(name=name):
                path = self.write(os.fsdecode(name))
                here = self.desk.spawn(["evince", path], **QUIET)
                self.open(self.sofa, TYPE)
                self.assertEqual(pathlib.Path(self.zathura(self.sofa, "filename")).name, shown)
                here.terminate()
                here.wait(LIMIT)
                self.end_zathura(self.sofa)
                self.eventually(lambda: not self.offer(self.sofa, TYPE))

    def test_zathura_with_a_name_that_is_not_utf_8_continues_at_its_page_without_a_crash(self):
        """If Zathura were asked only for the property with such a name, it would crash."""
        self.prefer(self.sofa, "zathura")
        here = self.desk.spawn(["zathura", "--page=37", self.write(os.fsdecode(b"caf\xe9.pdf"))], **QUIET)

        def has_gone_on():
            try:
                self.open(self.sofa, TYPE)
            except demo.Failure as failure:
                # The adapter had not yet read the page.
                self.assertRegex(str(failure), "It has been closed on")
                return False
            return True
        self.eventually(has_gone_on)
        self.assertEqual(pathlib.Path(self.zathura(self.sofa, "filename")).name, "caf\ufffd.pdf")
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 36)
        self.assertIsNone(here.poll())

    def test_zathura_whose_document_path_is_unknown_does_not_crash_when_asked(self):
        """A document's path cannot be known, for example, if the document was opened with `:open`. In this test the
        name of the document's directory is not UTF-8."""
        folder = self.desk.home / os.fsdecode(b"caf\xe9")
        folder.mkdir()
        (folder / "book.pdf").write_bytes(book())
        asked = self.monitor(self.desk, "path=/org/pwmt/zathura,member=GetAll")
        here = self.desk.spawn(["zathura", "--page=37", "book.pdf"], cwd=folder, **QUIET)
        self.eventually(lambda: "member=GetAll" in asked.read_text(encoding="utf-8"))
        # The adapters may ask before Zathura has the document.
        self.eventually(lambda: self.zathura(self.desk, "pagenumber") == 36)
        self.assertIsNone(here.poll())

    def test_okulars_active_tab_is_offered(self):
        self.assert_tab_in_front_is_offered()

    def test_document_that_was_renamed_meanwhile_continues(self):
        self.prefer(self.sofa, "zathura")
        path = self.write("book.pdf")
        self.desk.spawn(["okular", "--page", "37", path], **QUIET)
        self.eventually(lambda: self.okular(self.desk, "currentPage") == 37 and self.offer(self.sofa, TYPE))
        path.rename(path.with_name("renamed.pdf"))
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 36)
        self.assertRegex(self.zathura(self.sofa, "filename"), "/renamed.pdf$")

    def test_document_that_was_renamed_meanwhile_in_evince_continues_at_its_first_page(self):
        """Evince keeps the page under the old name."""
        self.prefer(self.sofa, "zathura")
        path = self.write("book.pdf")
        self.read_in_evince(path, 37)
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        path.rename(path.with_name("renamed.pdf"))
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 0)
        self.assertRegex(self.zathura(self.sofa, "filename"), "/renamed.pdf$")

    def test_zathura_that_is_killed_when_asked_is_reported_and_okular_still_continues(self):
        self.prefer(self.sofa, "zathura")
        self.watch_current()
        self.desk.spawn(["okular", "--page", "12", self.write("other.pdf")], **QUIET)
        self.eventually(lambda: self.okular(self.desk, "currentPage") == 12)
        okular = self.eventually(self.current)
        here = self.desk.spawn(["zathura", "--page=37", self.write("book.pdf")], **QUIET)
        self.eventually(lambda: self.names(self.desk, "org.pwmt.zathura.PID-") and self.zathura(self.desk, "pagenumber") == 36
                        and self.current() != okular)
        self.assert_ends_when_asked(here.pid, "path=/org/pwmt/zathura,member=GetAll", TYPE)
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 11)

    def test_document_that_is_private_is_not_offered(self):
        self.prefer(self.sofa, "zathura")
        (self.desk.home / ".ssh").mkdir()
        self.desk.spawn(["zathura", "--page=7", self.write(".ssh/private.pdf")], **QUIET)
        self.eventually(lambda: "private.pdf" in self.in_front())
        # The adapters hear of one document after the other.
        self.desk.spawn(["zathura", "--page=37", self.write("book.pdf")], **QUIET)

        def has_gone_on():
            try:
                self.open(self.sofa, TYPE)
            except demo.Failure as failure:
                # If a viewer had opened no file yet when the adapter looked at its process, its document is offered
                # until somebody asks for it.
                self.assertRegex(str(failure), '"desk" does not hand it over. Files in its folder never leave their laptop.$')
                return False
            return True
        self.eventually(has_gone_on)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 36)
        # The document was handed over, so the desk offers nothing any more.
        self.eventually(lambda: not self.offer(self.sofa, TYPE))

    def withheld(self) -> list:
        return json.loads(self.desk.baton("status", "--json")[0])["withheld"]

    def test_temporary_document_is_reported_until_it_is_closed_and_a_private_one_never(self):
        (self.desk.home / ".ssh").mkdir()
        private = self.write(".ssh/private.pdf")
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="told-", dir="/tmp")))
        (folder / "report.pdf").write_bytes(book())
        self.desk.spawn(["evince", private], **QUIET)
        self.eventually(lambda: "private.pdf" in self.in_front())
        reading = self.desk.spawn(["zathura", folder / "report.pdf"], **QUIET)
        self.eventually(lambda: self.withheld() == [{"name": "report.pdf", "reason": "Temporary files never leave their laptop. Save it in another folder."}])
        reading.terminate()
        self.eventually(lambda: not self.withheld())

    def test_invalid_page_and_name_that_looks_like_an_option_do_no_harm(self):
        self.prefer(self.sofa, "zathura")
        home, name = self.sofa.home, "--page=3 $(touch executed).pdf"
        (home / name).write_bytes(book())
        file = self.reference(name, book(), type="application/pdf")
        for page in (-5, "7; touch executed", 2**62, [1]):
            with self.subTest(page=page), self.published(TYPE, {"page": page, "file": file}):
                self.open(self.sofa, TYPE)
                # The viewer accepts calls only some time after it owns its name.
                self.eventually(lambda: self.zathura(self.sofa, "pagenumber") is not None)
                self.assertEqual(self.zathura(self.sofa, "pagenumber"), 0)
                self.assertEqual(self.zathura(self.sofa, "filename"), str(home / name))
        self.assertEqual([path for path in self.root.rglob("executed")], [])

    def test_name_that_looks_like_a_zathura_command_is_only_a_name(self):
        """Tests a file that exists here, and a copy. The adapters read Zathura's properties, and call none of its
        methods."""
        self.prefer(self.sofa, "zathura")
        calls = self.monitor(self.sofa, "interface=org.pwmt.zathura")
        for name, is_here in ((":exec touch executed.pdf", True), ("exec touch executed; quit.pdf", True), (":exec touch executed.pdf", False)):
            with self.subTest(name=name, is_here=is_here):
                path = self.write(name)
                if is_here:
                    (self.sofa.home / name).write_bytes(book())
                else:
                    (self.sofa.home / name).unlink()
                here = self.desk.spawn(["zathura", "--page=37", path], **QUIET)
                self.open(self.sofa, TYPE)
                self.eventually(lambda: self.zathura(self.sofa, "pagenumber") == 36)
                there = pathlib.Path(self.zathura(self.sofa, "filename"))
                self.assertEqual((there.name, there == self.sofa.home / name), (name, is_here))
                here.terminate()
                here.wait(LIMIT)
                self.eventually(lambda: not self.offer(self.sofa, TYPE))
                # When the monitor has seen this call, it has seen all calls before it.
                self.ask(self.sofa, self.names(self.sofa, "org.pwmt.zathura.PID-")[0], "/org/pwmt/zathura", "org.pwmt.zathura", "GotoPage",
                         GLib.Variant("(u)", (7,)))
                self.end_zathura(self.sofa)
        self.eventually(lambda: self.called(calls).count("GotoPage") == 3)
        self.assertEqual(self.called(calls), 3 * ["GotoPage"])
        self.assertEqual([path for path in self.root.rglob("executed*")], [])

    def end_zathura(self, laptop):
        """Ends the Zathura on a laptop, by the process id in its bus name."""
        name = self.names(laptop, "org.pwmt.zathura.PID-")[0]
        os.kill(int(name.rpartition("-")[2]), signal.SIGTERM)
        self.eventually(lambda: not self.names(laptop, "org.pwmt.zathura.PID-"))

    def test_origin_page_opens_if_the_document_cannot_be_sent(self):
        self.install_browser(self.sofa)
        path = self.desk.home / "large.pdf"
        path.write_bytes(book(more=65 << 20))
        os.setxattr(path, ORIGIN, b"https://ada:pw@example.org/large%20$$.pdf?page=3#top")
        self.desk.spawn(["zathura", "--page=37", path], **QUIET)
        self.open_with_token(self.sofa, TYPE, "a-token")
        self.assert_browser_has(self.sofa, "https://example.org/large%20$$.pdf?page=3", "a-token")
        self.assertEqual(self.names(self.sofa, "org.pwmt.zathura.PID-"), [])

    def test_origin_page_is_named_if_there_is_no_browser(self):
        path = self.desk.home / "large.pdf"
        path.write_bytes(book(more=65 << 20))
        os.setxattr(path, ORIGIN, b"https://example.org/large.pdf")
        (pathlib.Path(self.sofa.environment["XDG_CONFIG_HOME"]) / "mimeapps.list").write_text(
            f"[Removed Associations]\nx-scheme-handler/https={';'.join(self.browsers())}\n", encoding="utf-8")
        self.wait_for_apps(self.sofa)
        self.desk.spawn(["zathura", "--page=37", path], **QUIET)
        with self.assertRaisesRegex(demo.Failure, "There is no web browser here. Install one"):
            self.open(self.sofa, TYPE)

    def browsers(self) -> list:
        """Returns this machine's desktop entries that open web pages."""
        return [entry.name for entry in pathlib.Path("/usr/share/applications").glob("*.desktop")
                if "x-scheme-handler/https" in entry.read_text(encoding="utf-8")]

    def test_file_that_is_not_a_document_is_not_opened(self):
        path = self.desk.home / "book.pdf.desktop"
        path.write_text("[Desktop Entry]\nType=Application\nName=Book\nExec=touch executed\n", encoding="utf-8")
        shutil.copy(path, self.sofa.home)
        file = self.reference(path.name, path.read_bytes(), type="application/pdf")
        with (self.published(TYPE, {"page": 3, "file": file}),
              self.assertRaisesRegex(demo.Failure, 'The file is not a document. Its type is "application/x-desktop"')):
            self.open(self.sofa, TYPE)

    def test_music_that_begins_does_not_hide_the_document_in_front(self):
        path = self.write("book.pdf")
        self.prefer(self.sofa, "zathura")
        self.desk.spawn(["zathura", "--page=37", path], **QUIET)
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        self.desk.spawn([MOCK, "--title", "A song", "https://music.example/song"])
        # The bus announces the player to the adapter before this succeeds.
        # So the adapter knows the player before it is asked for the document.
        self.eventually(lambda: self.names(self.desk, "org.mpris.MediaPlayer2.mock"))
        self.assertIsNotNone(self.offer(self.sofa, TYPE))
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 36)
        # The document is gone from here, so the music is offered now.
        self.eventually(lambda: self.offer(self.sofa, "org.batonproject.media.play"))

    def test_document_in_front_on_x11_is_offered(self):
        self.assert_front_is_offered("zathura", "--page")

    def test_document_in_front_on_wayland_is_offered(self):
        """The report comes over AT-SPI. The session uses X11, but the adapters believe that it uses Wayland."""
        self.assert_front_is_offered("evince", "--page-index")

    def test_document_that_was_opened_last_is_offered_if_no_program_reports_the_window_in_front(self):
        self.read_two("zathura", "--page")
        self.bring_forward("first.pdf")
        self.eventually(lambda: "first.pdf" in self.in_front())
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 19)
