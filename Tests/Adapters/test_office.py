# SPDX-License-Identifier: Apache-2.0
"""Hands documents over in the real LibreOffice, on two laptops with the simulated radio and a display each."""

from __future__ import annotations

import contextlib
import http.server
import io
import json
import os
import pathlib
import subprocess
import threading
import time
import zipfile

from apps import EXTENSION, LIMIT, Adapted, Display

TYPE = "org.batonproject.office.edit"
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
PREFIXES = " ".join(f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for prefix, name in (
    ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("svg", "svg-compatible"), ("script", "script"),
    ("presentation", "presentation"), ("style", "style")))
PARAGRAPHS = 300
ODD = "né e\u0301té 😀 here"


def document(kind: str, body: str, files: dict | None = None) -> bytes:
    """Returns an OpenDocument file of a kind."""
    mime = f"application/vnd.oasis.opendocument.{kind}"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        def add(name: str, contents):
            archive.writestr(zipfile.ZipInfo(name), contents)  # the same bytes each time

        add("mimetype", mime)
        add("content.xml", f'<?xml version="1.0"?><office:document-content {PREFIXES} xmlns:xlink="http://www.w3.org/1999/xlink"'
                                        f' office:version="1.2">{body}</office:document-content>')
        for name, contents in (files or {}).items():
            add(name, contents)
        entries = "".join(f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{media}"/>'
                          for name, media in (("/", mime), ("content.xml", "text/xml"), *((name, "") for name in files or {})))
        add("META-INF/manifest.xml", '<?xml version="1.0"?><manifest:manifest xmlns:manifest='
                         f'"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">{entries}</manifest:manifest>')
    return file.getvalue()


def letter(paragraphs: int = PARAGRAPHS, files: dict | None = None) -> bytes:
    body = "".join(f"<text:p>{number}: {ODD}</text:p>" for number in range(paragraphs))
    return document("text", f"<office:body><office:text>{body}</office:text></office:body>", files)


def sheets() -> bytes:
    rows = "".join(f'<table:table-row><table:table-cell office:value-type="string"><text:p>{row}</text:p></table:table-cell></table:table-row>'
                   for row in range(200))
    tables = "".join(f'<table:table table:name="{name}">{rows}</table:table>' for name in ("First", "Second é"))
    return document("spreadsheet", f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>")


def slides() -> bytes:
    return document("presentation", f"<office:body><office:presentation>{pages()}</office:presentation></office:body>")


def drawing() -> bytes:
    return document("graphics", f"<office:body><office:drawing>{pages()}</office:drawing></office:body>")


def pages() -> str:
    return "".join(f'<draw:page draw:name="p{number}"/>' for number in range(9))


MACRO = """
document.BasicLibraries.createLibrary("Standard")
document.BasicLibraries.getByName("Standard").insertByName("Module1", values["macro"])
script = "vnd.sun.star.script:Standard.Module1.Main?language=Basic&location=document"
uno.invoke(document.Events, "replaceByName", ("OnLoad", uno.Any("[]com.sun.star.beans.PropertyValue",
                                                               (argument("EventType", "Script"), argument("Script", script)))))
document.store()
"""


class LibreOffice:
    """LibreOffice on a laptop. A test controls it through a pipe that LibreOffice opens."""

    def __init__(self, test, laptop):
        self.test, self.laptop = test, laptop

    def start(self, *words):
        self.laptop.spawn(["soffice", *words], **QUIET)
        self.test.eventually(lambda: self.look().get("documents"))

    def ask(self, code: str, **values):
        """Runs code in a separate program with `desktop` and `document`, and returns its `result`, or None if
        LibreOffice does not answer."""
        done = subprocess.run(["/usr/bin/python3", str(pathlib.Path(__file__).with_name("office-probe")), self.laptop.pipe, code, json.dumps(values)],
                              env=self.laptop.environment, text=True, capture_output=True, timeout=LIMIT, check=False)
        self.said = done.stderr
        try:
            return json.loads(done.stdout)
        except ValueError:
            return None

    def look(self) -> dict:
        return self.ask("result = look()") or {}


class Office(Adapted):
    def prepare(self, laptop):
        super().prepare(laptop)
        display = Display()
        self.addCleanup(display.end)
        extensions, programs = laptop.home / "extensions", laptop.home / "bin"
        extensions.mkdir()
        programs.mkdir()
        (extensions / "baton").symlink_to(EXTENSION / "LibreOffice")
        laptop.pipe = f"baton{os.getpid()}{laptop.home.name}"
        # LibreOffice finds the extensions in the package's directory, and listens at a pipe that only the tests use.
        soffice = programs / "soffice"
        soffice.write_text(f'#!/bin/sh\nexec /usr/lib/libreoffice/program/soffice -env:BUNDLED_EXTENSIONS=file://{extensions}'
                           f' "--accept=pipe,name={laptop.pipe};urp" "$@"\n', encoding="utf-8")
        soffice.chmod(0o755)
        laptop.environment |= {"PATH": f"{programs}:{laptop.environment['PATH']}", "DISPLAY": display.name, "SAL_USE_VCLPLUGIN": self.TOOLKIT,
                               "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory"}
        self.set_up(laptop)

    TOOLKIT = "gen"

    def set_up(self, laptop, *settings: tuple):
        """Writes a user's settings of LibreOffice, each a path, a name and a value."""
        # On sway (1.7) under load, LibreOffice (7.4) loses the display and ends when its Tip of the Day opens.
        items = "".join(f'<item oor:path="/org.openoffice.Office.Common/{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
                        for path, name, value in (("Misc", "ShowTipOfTheDay", "false"), *settings))
        file = pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "libreoffice" / "4" / "user" / "registrymodifications.xcu"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'<?xml version="1.0"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>', encoding="utf-8")

    def begin(self, laptop):
        laptop.spawn(["openbox"], **QUIET)
        super().begin(laptop)

    def home(self, laptop) -> pathlib.Path:
        return pathlib.Path(laptop.environment["HOME"])

    def write(self, laptop, name: str, contents: bytes) -> pathlib.Path:
        path = self.home(laptop) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
        return path

    def opened(self, name: str, contents: bytes, laptops=None):
        """Opens a document on desk that is on both laptops, and waits until it is offered."""
        for laptop in laptops or (self.desk, self.sofa):
            self.write(laptop, name, contents)
        office = LibreOffice(self, self.desk)
        office.start(str(self.home(self.desk) / name))
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        return office

    def carry_on(self, laptop=None) -> LibreOffice:
        """Clicks on the offer. Waits until LibreOffice shows the document."""
        laptop = laptop or self.sofa
        self.open(laptop, TYPE)
        return LibreOffice(self, laptop)

    def at(self, office, **expected) -> dict:
        """Waits until LibreOffice shows what is expected. Returns what it shows."""
        return self.until_shown(office.look, expected, lambda found: f"{found}\n{office.said}")


class Places(Office):
    def test_text_continues_at_its_place(self):
        here = self.opened("Letters/Dear Ada é.odt", letter())
        here.ask("go(210, 15)")
        there = self.carry_on()
        self.at(there, path=str(self.home(self.sofa) / "Letters/Dear Ada é.odt"), paragraph=210, before="210: né e\u0301té 😀 ", isModified=False, documents=1)
        # The document returns to the window on the desk that still shows it.
        there.ask("go(20, 0)")
        self.eventually(lambda: self.offer(self.desk, TYPE))
        self.carry_on(self.desk)
        self.at(here, paragraph=20, before="", documents=1)

    def test_sheet_continues_at_its_cells(self):
        here = self.opened("sums.ods", sheets())
        here.ask("select('Second é', 'C120:D125')")
        there = self.carry_on()
        self.at(there, path=str(self.home(self.sofa) / "sums.ods"), selection="$'Second é'.$C$120:$D$125", isModified=False)

    def test_presentation_continues_at_its_slide(self):
        here = self.opened("talk.odp", slides())
        here.ask("document.CurrentController.setCurrentPage(document.DrawPages.getByIndex(6))")
        there = self.carry_on()
        self.at(there, path=str(self.home(self.sofa) / "talk.odp"), page=6, isModified=False)

    def test_drawing_continues_at_its_page(self):
        here = self.opened("plan.odg", drawing())
        here.ask("document.CurrentController.setCurrentPage(document.DrawPages.getByIndex(4))")
        there = self.carry_on()
        self.at(there, path=str(self.home(self.sofa) / "plan.odg"), page=4, isModified=False)


class Unsaved(Office):
    def test_unsaved_text_opens_as_a_copy_beside_the_file(self):
        here = self.opened("letter.odt", letter(3))
        here.ask("document.Text.insertString(document.Text.Start, 'Unsaved. ', False)")
        there = self.carry_on()
        found = self.at(there, path="", first=f"Unsaved. 0: {ODD}", isModified=True, documents=1)
        self.assertIn("letter.odt", found["title"])
        for laptop in (self.desk, self.sofa):
            self.assertEqual((self.home(laptop) / "letter.odt").read_bytes(), letter(3))
        self.at(here, isModified=True, path=str(self.home(self.desk) / "letter.odt"))

    def test_changes_on_both_sides_are_kept(self):
        here = self.opened("letter.odt", letter(3))
        there = LibreOffice(self, self.sofa)
        there.start(str(self.home(self.sofa) / "letter.odt"))
        there.ask("document.Text.insertString(document.Text.Start, 'There. ', False)")
        self.at(there, isModified=True)
        here.ask("document.Text.insertString(document.Text.Start, 'Here. ', False)")
        self.at(here, isModified=True)
        self.carry_on()
        found = self.at(there, documents=2, first=f"Here. 0: {ODD}", path="", isModified=True)
        self.assertIn(f"There. 0: {ODD}", found["firsts"])
        self.assertEqual((self.home(self.sofa) / "letter.odt").read_bytes(), letter(3))

    def test_text_that_was_never_saved_continues(self):
        here = LibreOffice(self, self.desk)
        here.start("--writer")
        here.ask("document.Text.insertString(document.Text.Start, 'New. ', False)")
        there = self.carry_on()
        self.at(there, path="", first="New. ", isModified=True)

    def test_missing_document_opens_as_a_copy(self):
        here = self.opened("letter.odt", letter(), laptops=(self.desk,))
        here.ask("go(100, 0)")
        there = self.carry_on()
        self.at(there, path="", paragraph=100, isModified=False)
        self.assertEqual([path for path in self.home(self.sofa).rglob("letter.odt")
                          if "documents" not in path.parts], [])

    def test_linked_picture_has_no_preview_and_its_link_is_found(self):
        self.write(self.desk, "id.svg", b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="red"/></svg>')
        frame = ('<draw:frame svg:x="1cm" svg:y="1cm" svg:width="5cm" svg:height="5cm">'
                 f'<draw:image xlink:href="file://{self.home(self.desk)}/id.svg" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame>')
        here = self.opened("talk.odp", document("presentation", f'<office:body><office:presentation><draw:page draw:name="p1">{frame}</draw:page>'
                                                "</office:presentation></office:body>"))
        names, has_links = here.ask("import io, sys, zipfile; sys.path.insert(0, values['path']); from batonoffice import documents as own; file = io.BytesIO()\n"
                         "own.write(document, file, 1 << 30); result = zipfile.ZipFile(file).namelist(), own.has_links(file)", path=str(EXTENSION / "LibreOffice" / "pythonpath"))
        self.assertIn("content.xml", names, here.said)
        self.assertEqual(([name for name in names if name.startswith("Thumbnails")], has_links), ([], True))

    def test_document_with_a_password_is_sent_only_as_saved(self):
        here = self.opened("letter.odt", letter(3))
        here.ask("document.storeAsURL(document.URL, (argument('Password', 'secret'),))")
        here.ask("document.Text.insertString(document.Text.Start, 'Secret. ', False)")
        self.at(here, isModified=True)
        info = json.loads(self.sofa.baton("continue", "--type", TYPE, "--json")[0])
        self.assertIn("isCutOff", json.dumps(info))
        self.assertNotIn('"isUnsaved": true', json.dumps(info))


class Troubles(Office):
    def test_document_that_is_open_elsewhere_opens_read_only_with_a_note(self):
        here = self.opened("Letters/letter.odt", letter())
        here.ask("go(70, 0)")
        self.write(self.sofa, "Letters/.~lock.letter.odt#", b"Ada Lovelace,ada,desk.example.org,29.11.2026 12:00,file:///home/ada/.config/libreoffice/4;")
        there = self.carry_on()
        self.at(there, path=str(self.home(self.sofa) / "Letters/letter.odt"), paragraph=70, documents=1)
        self.assertTrue(there.ask("result = document.isReadonly()"))

    def test_offer_ends_with_the_document(self):
        here = self.opened("letter.odt", letter(3))
        here.ask("document.close(True)")
        self.eventually(lambda: self.offer(self.sofa, TYPE) is None)

    def test_restarted_service_knows_the_document(self):
        here = self.opened("letter.odt", letter())
        self.desk.adapters.terminate()
        self.desk.adapters.wait(LIMIT)
        self.eventually(lambda: self.offer(self.sofa, TYPE) is None)
        self.start_adapters(self.desk)
        here.ask("go(50, 0)")
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        self.at(self.carry_on(), paragraph=50)

    def test_restarted_daemon_offers_the_document(self):
        here = self.opened("letter.odt", letter())
        here.ask("go(60, 0)")
        self.desk.daemon.kill()
        self.desk.daemon.wait(LIMIT)
        self.desk.start_daemon(self.root / "radio")
        self.at(self.carry_on(), paragraph=60)

    def test_received_document_loads_nothing_and_runs_no_macro(self):
        hits = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                hits.append(self.path)
                self.send_error(404)
            do_HEAD = do_OPTIONS = do_PROPFIND = do_GET

            def log_message(self, *_):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        page = f"http://127.0.0.1:{server.server_port}"
        frame = (f'<draw:frame draw:name="a" svg:x="1cm" svg:y="1cm" svg:width="5cm" svg:height="5cm"><draw:image xlink:href="{page}/picture.png"'
                 ' xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/></draw:frame>')
        film = (f'<draw:frame draw:name="b" svg:x="8cm" svg:y="1cm" svg:width="5cm" svg:height="5cm"><draw:plugin xlink:href="{page}/film.mp4"'
                ' xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad" draw:mime-type="application/vnd.sun.star.media"/></draw:frame>')
        talk = document("presentation", f'<office:body><office:presentation><draw:page draw:name="p1">{frame}{film}</draw:page>'
                                        '</office:presentation></office:body>')
        # Without the gate, LibreOffice loads the picture and the film from the server.
        self.opened("talk.odp", talk, laptops=(self.desk,))
        self.eventually(lambda: len(hits) > 2 and {"/picture.png", "/film.mp4"} <= {*hits})
        time.sleep(3)  # the player there tries it more than once
        hits.clear()
        there = self.carry_on()
        self.at(there, page=0)
        time.sleep(3)
        self.assertEqual(hits, [])
        # After the document is closed, the user's own documents may load from the server again.
        there.ask("document.setModified(False); document.close(True)")
        self.write(self.sofa, "own.odp", talk)
        there.ask("desktop.loadComponentFromURL(values['url'], '_blank', 0, ())", url=f"file://{self.home(self.sofa)}/own.odp")
        self.eventually(lambda: {"/picture.png", "/film.mp4"} <= {*hits})

    def test_macro_of_a_document_does_not_run(self):
        for laptop in (self.desk, self.sofa):  # the users let every macro run
            self.set_up(laptop, ("Security/Scripting", "MacroSecurityLevel", 0))
        ran = {laptop: self.home(laptop) / "macro-ran" for laptop in (self.desk, self.sofa)}
        here = self.opened("letter.odt", letter(3))
        here.ask(MACRO, macro='Sub Main\nOpen Environ("HOME") & "/macro-ran" For Output As #1\nClose #1\nEnd Sub')
        path = self.home(self.desk) / "letter.odt"
        self.write(self.sofa, "letter.odt", path.read_bytes())
        # The macro runs when the user opens the document.
        here.ask("document.close(True); desktop.loadComponentFromURL(values['url'], '_blank', 0, (argument('MacroExecutionMode', 4),))",
                 url=f"file://{path}")
        self.eventually(ran[self.desk].exists)
        there = self.carry_on()
        self.at(there, first=f"0: {ODD}")
        self.assertFalse(ran[self.sofa].exists())

    def test_large_document_continues_at_its_place(self):
        here = self.opened("large.odt", letter(5000, files={"Pictures/large.png": os.urandom(100 << 20)}))
        here.ask("go(4800, 3)")
        here.ask("document.Text.insertString(document.Text.End, 'Unsaved', False)")
        there = self.carry_on()
        self.at(there, path=str(self.home(self.sofa) / "large.odt"), paragraph=4800, before="480", isModified=False)

    def test_private_document_is_not_offered(self):
        path = self.write(self.desk, ".ssh/letter.odt", letter(3))
        here = LibreOffice(self, self.desk)
        here.start(str(path))
        self.write(self.desk, "other.odt", letter(3))
        here.ask("desktop.loadComponentFromURL(values['url'], '_blank', 0, ())", url=f"file://{self.home(self.desk)}/other.odt")
        self.eventually(lambda: self.offer(self.sofa, TYPE))
        here.ask("document.close(True)")
        here.ask("document.CurrentController.Frame.ContainerWindow.setFocus()")
        self.eventually(lambda: self.offer(self.sofa, TYPE) is None)

    def test_file_that_is_not_an_office_document_is_not_opened(self):
        self.opened("letter.odt", letter(3), laptops=(self.desk,))
        (self.home(self.desk) / "letter.odt").write_bytes(b"<html><script>alert(1)</script></html>")
        said = self.sofa.spawn([self.sofa.binaries / "baton", "open", "--type", TYPE], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        out = said.communicate(timeout=LIMIT)[0]
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("not handed over from this app", out)


class WithGtk(Places):
    TOOLKIT = "gtk3"


class OnWayland(Places):
    """A Wayland session: sway, which has its window and keyboard on an X server. LibreOffice itself reports which
    document is in front. The adapters are not told where sway's socket is."""

    TOOLKIT = "gtk3"

    def begin(self, laptop):
        environment, runtime = laptop.environment, pathlib.Path(laptop.environment["XDG_RUNTIME_DIR"])
        configuration = laptop.home / "sway.conf"
        configuration.write_text("xwayland disable\n", encoding="utf-8")
        laptop.spawn(["env", "WLR_BACKENDS=x11", "WLR_RENDERER=pixman", "WLR_LIBINPUT_NO_DEVICES=1", f"SWAYSOCK={runtime}/sway", "sway", "--config", configuration],
                     **QUIET)
        self.eventually((runtime / "wayland-1").exists)
        laptop.screen = environment.pop("DISPLAY")
        environment |= {"WAYLAND_DISPLAY": "wayland-1", "GDK_BACKEND": "wayland"}
        Adapted.begin(self, laptop)

    def bring_forward(self, name: str):
        """Brings a window of desk to the front, as a user does."""
        subprocess.run(["swaymsg", "--socket", f"{self.desk.environment['XDG_RUNTIME_DIR']}/sway", f'[title="{name}"] focus'], check=True, timeout=LIMIT,
                       stdout=subprocess.DEVNULL)

    def test_document_in_front_is_offered(self):
        here = self.opened("first.odt", letter(3))
        for laptop in (self.desk, self.sofa):
            self.write(laptop, "second.odt", letter(5))
        self.watch_current()
        here.ask("desktop.loadComponentFromURL(values['url'], '_blank', 0, ())", url=f"file://{self.home(self.desk)}/second.odt")
        self.eventually(self.current)
        for other, name in (("second.odt", "first.odt"), ("first.odt", "second.odt"), ("second.odt", "first.odt")):
            self.assert_comes_forward(other, name)
            self.click_until(self.sofa, TYPE, lambda: self.shown_last().endswith(name))

    def assert_comes_forward(self, other: str, name: str):
        """Brings a window to the front, from behind the other one. LibreOffice says that a new window has the focus before sway shows it."""
        def comes(window) -> bool:
            before = self.current()
            with contextlib.suppress(subprocess.CalledProcessError):
                self.bring_forward(window)
            return self.within(5, lambda: self.current() != before)
        self.eventually(lambda: [comes(other), comes(name)][1])

    def shown_last(self) -> str:
        """Returns the file of the document with the focus on sofa."""
        return LibreOffice(self, self.sofa).look().get("path", "")
