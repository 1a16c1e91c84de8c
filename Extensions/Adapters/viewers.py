# SPDX-License-Identifier: Apache-2.0
"""Document viewers: what each of them reports, and how each opens a page. This module counts pages from 0, whatever a
viewer does."""

from __future__ import annotations

import contextlib
import os
import stat

from gi.repository import Gio, GLib

import bus
import unnamable
from judge import Judge, Verdict
from ladder.names import repaired
from rate import Rate

MOST = 64  # views of one kind of viewer, including those that are not judged yet
AT_ONCE, PER_SECOND = 64, 4  # documents that viewers of one kind may open


class View:
    """A viewer's process with its document. `owner` is the viewer's unique name on the bus. `application` is the
    viewer's desktop id according to batond, or an empty text."""

    viewer: "type[Viewer]"

    def __init__(self, connection, owner: str, process: int, application: str):
        self.connection, self.owner, self.process, self.application = connection, owner, process, application

    def document(self, title: str):
        """Returns the document's path, its page and the number of pages, or None if the viewer shows nothing or does
        not answer. `title` is the window's title, if it is known. Waits for the viewer."""
        raise NotImplementedError

    def opened_at(self, page: int | None):
        """Called when the viewer has just opened its document at this page."""

    def is_titled(self, title: str) -> bool:
        """Returns whether a window with this title may belong to the view. Waits for the viewer."""
        found = self.document(title)
        return found is not None and names(title, found[0])


class Viewer:
    """A kind of viewer, which reports views: `came(view)` when one appears or shows another document, and `went(view)`.
    A program's report counts only after batond has admitted the program."""

    application: str  # its desktop id
    entries = ()  # other entries of the same app
    opens_any_name = False  # Okular cannot open a file whose name is not UTF-8, and Zathura crashes if a program asks only for this name

    def __init__(self, connection, judge: Judge, came, went):
        self.connection, self.judge, self.came, self.went = connection, judge, came, went
        self.views = {}  # the views, by their bus names
        self.coming = {}  # functions that make the views whose programs are being judged
        self.rate = Rate(AT_ONCE, PER_SECOND)

    @staticmethod
    def options(page: int) -> tuple:
        """Returns the options that open a document at a page."""
        raise NotImplementedError

    def meet(self, name: str, owner: str, make):
        """Adds the view `make(process, application)`, once the program with this unique name on the bus is admitted.
        The new view replaces the view with the same name."""
        if name not in self.views and name not in self.coming and len(self.views) + len(self.coming) >= MOST:
            return
        self.coming[name] = make

        def judged(verdict: Verdict):
            if verdict.is_admitted and self.rate.allows():
                # Ask the bus for the process id, because the number in a name is the program's own claim.
                bus.send_bus(self.connection, "GetConnectionUnixProcessID", owner, lambda answer: known(verdict, answer))
            elif self.coming.get(name) is make:
                self.remove(name)

        def known(verdict: Verdict, answer):
            if self.coming.get(name) is make:
                self.remove(name)
                # A program that was started in a terminal may run in the terminal's unit.
                own = verdict.application if verdict.application in (self.application, *self.entries) else ""
                if answer:
                    self.add(name, make(answer[0], own))
        self.judge.ask(owner, self.application, judged)

    def add(self, name: str, view: View):
        self.views[name] = view
        self.came(view)

    def remove(self, name: str):
        self.coming.pop(name, None)
        if view := self.views.pop(name, None):
            self.went(view)


class Named(Viewer):
    """A viewer whose processes have bus names with a common beginning."""

    namespace: str
    beginning: str
    kind: type

    def __init__(self, connection, judge: Judge, came, went):
        super().__init__(connection, judge, came, went)
        bus.watch_names(connection, self.namespace, self.appeared, self.remove)

    def appeared(self, name: str, owner: str):
        if name.startswith(self.beginning):
            self.meet(name, owner, lambda process, application: self.kind(self.connection, owner, process, application))


class ZathuraView(View):
    PATH, INTERFACE = "/org/pwmt/zathura", "org.pwmt.zathura"

    def document(self, title):
        # Ask for all at once. GDBus then leaves out a name that is not UTF-8. If a program asks for that name alone,
        # Zathura (0.5.2) aborts.
        found = bus.properties(self.connection, self.owner, self.PATH, self.INTERFACE)
        path = found.get("filename") or self.unnamable(title)
        return described(path, found.get("pagenumber"), found.get("numberofpages"))

    def unnamable(self, title: str) -> str | None:
        """Returns the path with which the viewer was started, if the document it shows may have this name, which is not
        UTF-8."""
        path = unnamable.asked_of(self.process)
        return path if path and (not title or names(title, path)) else None


class Zathura(Named):
    application = "org.pwmt.zathura"
    entries = ("org.pwmt.zathura-pdf-poppler", "org.pwmt.zathura-pdf-mupdf", "org.pwmt.zathura-ps",
               "org.pwmt.zathura-djvu", "org.pwmt.zathura-cb")
    namespace, beginning, kind = "org.pwmt.zathura", "org.pwmt.zathura.PID-", ZathuraView

    @staticmethod
    def options(page):
        return (f"--page={page + 1}",)


class OkularView(View):
    INTERFACE = "org.kde.okular"

    def document(self, title):
        shown = self.shown()
        # The window's title tells which tab is in front. Without a title it is the tab that was opened last.
        front = [path for path in shown if self.is_tab_titled(path, title)] or shown
        if not front:
            return None
        path = front[-1]
        page = self.ask(path, "currentPage")  # counted from 1
        page = page - 1 if isinstance(page, int) else None
        return described(self.ask(path, "currentDocument"), page, self.ask(path, "pages"))

    def is_titled(self, title):
        return any(self.is_tab_titled(path, title) for path in self.shown())

    def shown(self) -> list:
        """Returns the tabs that have a document."""
        return [path for path in self.tabs() if self.ask(path, "currentDocument")]

    def tabs(self) -> list:
        """Returns the objects of the tabs, the oldest first."""
        answer = bus.ask(self.connection, self.owner, "/", "org.freedesktop.DBus.Introspectable", "Introspect")
        try:
            nodes = [node.path or "" for node in Gio.DBusNodeInfo.new_for_xml(answer[0]).nodes] if answer else []
        except GLib.Error:
            return []
        numbers = {int(node.removeprefix("okular") or 1): f"/{node}" for node in nodes
                   if node.startswith("okular") and (node.removeprefix("okular") or "1").isdecimal()}
        return [numbers[number] for number in sorted(numbers)]

    def is_tab_titled(self, path: str, title: str) -> bool:
        own = self.ask(path, "documentMetaData", GLib.Variant("(s)", ("title",)))
        return names(title, str(self.ask(path, "currentDocument"))) or isinstance(own, str) and begins(title, own)

    def ask(self, path: str, method: str, arguments=None):
        answer = bus.ask(self.connection, self.owner, path, self.INTERFACE, method, arguments)
        return answer[0] if answer else None


class Okular(Named):
    application = "org.kde.okular"
    entries = ("okularApplication_pdf", "okularApplication_comicbook", "okularApplication_dvi", "okularApplication_fb",
               "okularApplication_ghostview", "okularApplication_mobi", "okularApplication_xps")
    namespace, beginning, kind = "org.kde", "org.kde.okular-", OkularView

    @staticmethod
    def options(page):
        return ("--page", str(page + 1))


class WrittenView(View):
    """A view of a viewer that says no pages on the bus. It writes each change of the page into the file's GVfs
    metadata."""

    key: str
    watch = 0  # for use when its program ends

    def __init__(self, connection, owner, process, application, file):
        super().__init__(connection, owner, process, application)
        self.file, self.path = file, file.get_path()

    def document(self, title):
        found = attribute(self.file, self.key)
        # Nothing is written for a document whose page was never changed.
        return described(self.path, int(found) if found and found.isdecimal() else 0, None)


class Unnamed(Viewer):
    """A viewer whose processes own no name on the bus."""

    @staticmethod
    def options(page):
        return (f"--page-index={page + 1}",)

    def add(self, name, view):
        view.watch = Gio.bus_watch_name_on_connection(
            view.connection, view.owner, Gio.BusNameWatcherFlags.NONE, None, self.ended)
        super().add(name, view)

    def remove(self, name):
        if view := self.views.get(name):
            Gio.bus_unwatch_name(view.watch)
        super().remove(name)

    def ended(self, connection, owner):
        for name in [name for name, view in self.views.items() if view.owner == owner]:
            self.remove(name)


class EvinceView(WrittenView):
    key = "metadata::evince::page"
    SETTLING = 3  # s until it has written the page at which it has opened a document

    def opened_at(self, page):
        """Waits, and then corrects the page that Evince has written. On a busy laptop Evince writes the first page,
        although it shows this one, and writes nothing more until the user changes the page."""
        def settled():
            if page and attribute(self.file, self.key) == "0":
                with contextlib.suppress(GLib.Error):
                    self.file.set_attribute_string(self.key, str(page), Gio.FileQueryInfoFlags.NONE, None)
        GLib.timeout_add_seconds(self.SETTLING, settled)


class Evince(Unnamed):
    """Evince reports its documents, but not their pages."""

    application = "org.gnome.Evince"
    opens_any_name = True
    WINDOW = "org.gnome.evince.Window"

    def __init__(self, connection, judge, came, went):
        super().__init__(connection, judge, came, went)
        for signal, heard in (("DocumentLoaded", self.loaded), ("Closed", self.closed)):
            # Listen to all programs, because Evince owns no name on the bus.
            connection.signal_subscribe(None, self.WINDOW, signal, None, None, Gio.DBusSignalFlags.NONE, heard)

    def loaded(self, connection, sender, path, interface, signal, arguments):
        address = arguments.unpack()[0] if arguments.get_type_string() == "(s)" else ""
        if not address.startswith("file:///"):
            return
        file, known_view = Gio.File.new_for_uri(address), self.views.get(f"{sender}{path}")
        if not (known_view and known_view.file.equal(file)):
            # A window has one document. If the window opens another document, the new document replaces the old one.
            self.meet(f"{sender}{path}", sender,
                      lambda process, application: EvinceView(connection, sender, process, application, file))

    def closed(self, connection, sender, path, interface, signal, arguments):
        self.remove(f"{sender}{path}")


class PapersView(WrittenView):
    key = "metadata::papers::page"

    def document(self, title):
        return super().document(title) if self.path in open_files(self.process) else None


class Papers(Unnamed):
    """Papers says nothing on the bus. It is noticed when any file's metadata changes, because it writes metadata when
    it opens a document, and at each page."""

    application = "org.gnome.Papers"
    PROGRAM = "papers"
    METADATA = "org.gtk.vfs.Metadata"
    SOON = 200  # ms in which changes are collected
    MOST_NAMES = 512  # connections to the bus that are asked for their process

    def __init__(self, connection, judge, came, went):
        super().__init__(connection, judge, came, went)
        self.timer = 0
        connection.signal_subscribe(self.METADATA, self.METADATA, "AttributeChanged", None, None, Gio.DBusSignalFlags.NONE, self.changed)
        self.look()

    def changed(self, *_):
        if not self.timer:
            self.timer = GLib.timeout_add(self.SOON, self.look)

    def look(self):
        """Finds the documents that Papers has open by its open files. The metadata alone are not enough, because any
        program can change metadata."""
        self.timer = 0
        found = {process: open_files(process) for process in processes(self.PROGRAM)}
        for name, view in list(self.views.items()):
            if view.path not in found.get(view.process, ()):
                self.remove(name)
        known = {(view.process, view.path) for view in self.views.values()}
        new = {process: new for process, paths in found.items()
               if (new := [path for path in paths if (process, path) not in known
                           and attribute(Gio.File.new_for_path(path), PapersView.key) is not None])}
        if new:
            bus.send(self.connection, bus.BUS, bus.BUS_PATH, bus.BUS, "ListNames", None, lambda answer: self.ask_names(answer, new))
        return GLib.SOURCE_REMOVE

    def ask_names(self, answer, new: dict):
        names = [name for name in (answer[0] if answer else ()) if name.startswith(":")]
        for name in names[:self.MOST_NAMES]:
            bus.send_bus(self.connection, "GetConnectionUnixProcessID", name,
                         lambda answer, name=name: answer and self.opened(name, new.get(answer[0], ())))

    def opened(self, owner: str, paths):
        for path in paths:
            self.meet(f"{owner} {path}", owner, lambda process, application, file=Gio.File.new_for_path(path):
                      PapersView(self.connection, owner, process, application, file))

    def add(self, name, view):
        if any((each.process, each.path) == (view.process, view.path) for each in self.views.values()):
            return  # the program has two connections
        super().add(name, view)


for viewer, view in ((Zathura, ZathuraView), (Okular, OkularView), (Evince, EvinceView), (Papers, PapersView)):
    view.viewer = viewer

VIEWERS = (Evince, Papers, Okular, Zathura)


def processes(program: str) -> list:
    """Returns the user's processes whose executable has this name."""
    found = []
    for process in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # the process belongs to another user, or has ended
            if os.path.basename(os.readlink(f"/proc/{process}/exe")) == program:
                found.append(int(process))
    return found


def open_files(process: int) -> list:
    """Returns the paths of the regular files that a process has open."""
    found = set()
    with contextlib.suppress(OSError):
        for descriptor in os.listdir(f"/proc/{process}/fd"):
            with contextlib.suppress(OSError):
                path = os.readlink(f"/proc/{process}/fd/{descriptor}")
                if path.startswith("/") and stat.S_ISREG(os.stat(path).st_mode):
                    found.add(path)
    return sorted(found)


def attribute(file, key: str) -> str | None:
    """Returns a text of a file's GVfs metadata."""
    try:
        return file.query_info(key, Gio.FileQueryInfoFlags.NONE, None).get_attribute_string(key)
    except GLib.Error:
        return None


def names(title: str, path: str) -> bool:
    """Returns whether a window's title names a document. In all three viewers the title begins with the path or the
    file's name, perhaps without characters that cannot be shown."""
    shown = "/".join(map(repaired, path.split("/")))
    return any(begins(title, words) for each in (path, shown) for words in (each, os.path.basename(each)))


def begins(title: str, words: str) -> bool:
    """Returns whether a title begins with these words and not with longer ones: "1.pdf" is not "1.pdf.old"."""
    return words != "" and (title + " ").startswith(words + " ")


def described(path, page, pages):
    """Returns a path, a page and the number of pages if they are valid."""
    if not isinstance(path, str) or not path.startswith("/") or not isinstance(page, int) or page < 0:
        return None
    return path, page, pages if isinstance(pages, int) and pages > 0 else None
