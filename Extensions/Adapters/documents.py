# SPDX-License-Identifier: Apache-2.0
"""The adapter for document viewers: which document the user reads, and on which page."""

import os

from gi.repository import Gio, GLib

import browser
import contents
import deadline
import ladder
import launch
from adapter import Adapter, Refused
from front import watch_front
from ladder import kinds, names
from opening import Opening
from viewers import VIEWERS, View
from whereabouts import Whereabouts
from wording import tr

TYPE = "org.batonproject.document.read"
MOST_PAGES = 1_000_000


class Documents(Adapter):
    name = "Documents"

    def begin(self):
        self.offered = {}  # the offers, by view
        self.in_front = []  # the offered views that are in front
        self.front = watch_front(self.bus, self.came_forward)
        self.viewers = [kind(self.bus, self.judge, self.came, self.went) for kind in VIEWERS]

    def end(self):
        self.front.end()
        super().end()

    # --- Offers to other laptops

    @deadline.within()
    def came(self, view: View):
        self.offered[view] = Offered(self, view)
        if self.front.may_be(view, self.offered):
            self.offered[view].show()

    def went(self, view: View):
        if offered := self.offered.pop(view, None):
            offered.end()

    def came_forward(self, is_another: bool):
        """Called when another window is in front, or when the window in front has another title. A window with another
        title may show another view."""
        before, self.in_front = self.in_front, self.front.among(self.offered)
        for view in self.in_front:
            if is_another or view not in before:
                self.offered[view].show()

    # --- Activities from other laptops

    def take(self, continuation, token):
        page = contents.number(contents.read(continuation), "page", 0, MOST_PAGES)
        ladder.find(continuation, lambda found: self.found(found, page, continuation, token))

    def found(self, found, page, continuation, token):
        try:
            if isinstance(found, ladder.Missing):
                raise Refused(found.reason)
            self.tell(continuation, found.note)
            if isinstance(found, ladder.Page):
                browser.open_page(self.bus, found.url, token)
                continuation.accept()
            else:
                self.open(Gio.File.new_for_path(found.path), page, continuation, token)
        except (Refused, launch.NotStarted) as error:
            self.decline(continuation, error.sentence, error.detail)

    def open(self, file, page, continuation, token):
        viewer, app = viewer_for(file, contents.application(continuation))
        address = file.get_uri()
        if viewer is None:
            # The adapter cannot tell this viewer the page, so the viewer opens the document on any page.
            launch.start(self.bus, app.get_id().removesuffix(".desktop"), launch.command(app, address), token)
            continuation.accept()
            return

        def ended(failure):
            if failure:
                self.decline(continuation, failure)
            else:
                continuation.accept()
        page = int(page) if page is not None else None
        options = viewer.options(page) if page is not None else ()
        launch.start(self.bus, viewer.application, launch.command(app, address, options), token)
        Opening(file, page, lambda: [view for view in self.offered if view.viewer is viewer], ended)


class Offered:
    """A viewer's document, offered to other laptops."""

    def __init__(self, adapter: Documents, view: View):
        self.adapter, self.view, self.activity = adapter, view, None
        self.whereabouts = Whereabouts()

    def show(self):
        """Offers the document before all others, because its viewer has come to the front."""
        found = self.look()
        stays = ladder.why_it_stays(found[0], ladder.READING) if found else None
        self.adapter.withhold(self.view, found[0] if found else "", stays)
        if stays:
            self.invalidate()
            return
        if self.activity is None:
            self.activity = self.adapter.publish(TYPE, self.view.application or None, self.save, lambda: None,
                                                 speaker=self.view.owner)
        if self.activity.props.is_current:
            self.activity.resign_current()
        GLib.idle_add(self.activity.become_current)

    def look(self):
        """Returns the document's current path, its page and the number of pages."""
        title = self.adapter.front.title if self.adapter.front.is_of(self.view) else ""
        found = self.view.document(title)
        return found and (self.whereabouts.now(found[0]), *found[1:])

    def save(self):
        found = self.look()
        if found is None:
            self.activity = None
            return None
        path, page, pages = found
        self.activity.props.title = contents.title(ladder.repaired(os.path.basename(path)))
        try:
            file = ladder.offer(self.activity, path, ladder.READING)
        except ladder.Stays:
            self.adapter.withhold(self.view, path, ladder.why_it_stays(path, ladder.READING))
            raise
        return {"page": page, "pages": pages, "mimeType": contents.mime_type(path), **file}

    def end(self):
        self.adapter.withhold(self.view, "", None)
        self.invalidate()

    def invalidate(self):
        if self.activity:
            self.activity.invalidate()
            self.activity = None


def viewer_for(file, shown: str | None) -> tuple:
    """Chooses the viewer for a file, and its entry. The first of these viewers that the adapter knows is used: the one
    that the user is shown, the desktop's default, any other. If the adapter knows none of them, the desktop's default
    is used without a page. Raises Refused if there is no viewer."""
    kind = kind_of(file)
    default = launch.default(kind, True)
    apps = [launch.entry(shown) if shown else None, default, *Gio.AppInfo.get_recommended_for_type(kind)]
    known = [(viewer, app) for app in filter(None, apps) for viewer in VIEWERS
             if app.get_id().removesuffix(".desktop") in (viewer.application, *viewer.entries) and not launch.is_sandboxed(app)]
    for viewer, app in known:
        if viewer.opens_any_name or names.is_utf8(file.get_path()):
            return viewer, app
    if known:
        raise Refused(tr("No viewer here can open a file with this name. Rename the file, or install Evince."))
    if default is None:
        raise Refused(tr('There is no viewer here for the type "{type}". Install one, such as Evince.', type=kind))
    return None, default


def kind_of(file) -> str:
    """Returns a file's MIME type. Raises Refused if the file is not a document."""
    path = file.get_path()
    try:
        begin = kinds.head(path)
    except OSError as error:
        raise Refused(tr("The document cannot be read. Try again."), str(error.strerror or error)) from None
    if not kinds.is_document(begin, path):
        raise Refused(tr('The file is not a document. Its type is "{type}".', type=kinds.of(begin)))
    return kinds.of(begin) if kinds.of(begin).startswith(kinds.DOCUMENTS) else contents.mime_type(path)
