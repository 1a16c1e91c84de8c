#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A note that you can continue on your other laptop while you type it, in Python with GTK."""

import sys

import gi

gi.require_version("Baton", "1")
gi.require_version("Gtk", "3.0")
from gi.repository import Baton, Gio, GLib, Gtk  # noqa: E402

ID = "org.example.Notes"
TYPE = "org.example.notes.edit"
MAXIMUM_BYTES = 32_768  # half of what an activity may carry
DIVIDER = "\n\n--- What was here before: ---\n"


class Window(Gtk.ApplicationWindow):
    """The window with the note, and above it the offer of another laptop."""

    def __init__(self, application: Gtk.Application):
        super().__init__(application=application, default_width=560, default_height=360, icon_name="accessories-text-editor")
        self.header = Gtk.HeaderBar(title="Notes", subtitle="", show_close_button=True)
        self.set_titlebar(self.header)
        self.bar = Gtk.InfoBar(message_type=Gtk.MessageType.INFO, no_show_all=True)
        self.bar_text = Gtk.Label(xalign=0, ellipsize=3, visible=True)
        self.bar.get_content_area().add(self.bar_text)
        self.button = self.bar.add_button("Continue", Gtk.ResponseType.ACCEPT)
        self.bar.connect("response", lambda *_: application.activate_action("continue", None))
        self.text = Gtk.TextView(monospace=False, wrap_mode=Gtk.WrapMode.WORD_CHAR, left_margin=16, right_margin=16, top_margin=12,
                                 bottom_margin=12, pixels_below_lines=4)
        scrolled = Gtk.ScrolledWindow(vexpand=True)
        scrolled.add(self.text)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.add(self.bar)
        box.add(scrolled)
        self.add(box)
        self.buffer = self.text.get_buffer()
        # A moved cursor counts as a change, because the user wants to continue at the same place.
        self.buffer.connect("changed", self.typed)
        self.buffer.connect("notify::cursor-position", self.typed)
        self.is_restoring = False
        # The text that was last asked for, and the text continued elsewhere since, which must not be kept here.
        self.asked = self.gone = None
        self.activity = Baton.Activity.new(TYPE)
        self.activity.connect("save", self.save)
        self.activity.connect("continued", self.went_on)
        self.activity.connect("failed", lambda _, error: self.tell(error.message))
        self.text.grab_focus()
        self.show_all()

    def note(self) -> str:
        return self.buffer.get_text(self.buffer.get_start_iter(), self.buffer.get_end_iter(), False)

    # --- Offering the note

    def typed(self, *_):
        if self.is_restoring:
            return
        text = self.note()
        if len(text.encode()) > MAXIMUM_BYTES:
            self.tell("This note is too long to be handed over.")
            self.activity.resign_current()
        elif text:
            self.header.set_subtitle("Your other laptops can go on with it")
            self.activity.props.needs_save = True
            self.activity.become_current()

    def save(self, activity: Baton.Activity):
        """Copies the note when another laptop wants it, not at each key."""
        text = self.asked = self.note()
        activity.props.title = text.partition("\n")[0][:60] or "A note"
        activity.props.user_info = GLib.Variant("a{sv}", {
            "text": GLib.Variant("s", text), "cursor": GLib.Variant("x", self.buffer.props.cursor_position)})

    def went_on(self, *_):
        # The note on this laptop is offered again when the user types.
        self.activity.resign_current()
        self.gone = self.asked
        self.header.set_subtitle("It continues on another laptop")

    # --- Continuing a note

    def restore(self, continuation: Baton.Continuation):
        """Takes a received note after checking it, because another laptop may send anything."""
        info = continuation.props.user_info.unpack()
        text, cursor = info.get("text"), info.get("cursor")
        if not isinstance(text, str) or not isinstance(cursor, int) or len(text.encode()) > MAXIMUM_BYTES:
            self.tell("That is no note.")
            continuation.decline(None)
            return
        # Text that was typed here and has not been continued elsewhere must not be lost.
        mine = self.note()
        is_kept = mine not in (text, self.gone, "")
        both = text + DIVIDER + mine if is_kept else text
        if len(both.encode()) > MAXIMUM_BYTES:
            self.tell("Both notes are too long for one: continue this one elsewhere first.")
            continuation.decline(None)
            return
        self.is_restoring = True
        self.gone = None
        self.buffer.set_text(both)
        self.buffer.place_cursor(self.buffer.get_iter_at_offset(min(max(cursor, 0), len(text))))
        self.is_restoring = False
        self.text.scroll_to_mark(self.buffer.get_insert(), 0.1, False, 0, 0)
        self.text.set_sensitive(True)
        self.typed()
        below = "; what was here before stands below it" if is_kept else ""
        self.header.set_subtitle(f"Continued from {continuation.props.device_name}{below}")
        self.present()
        # After the change, because the other laptop may want the note back at once.
        continuation.accept()

    def show_offer(self, offer: Baton.Offer | None):
        """Shows the offer to continue, or hides the bar if there is none."""
        if offer:
            title = f"“{offer.props.title}”" if offer.props.title else "A note"
            self.bar_text.set_text(f"{title} is being written on {offer.props.device_name}")
            self.button.show()
        self.bar.set_visible(bool(offer))

    def tell(self, text: str):
        self.bar_text.set_text(text)
        self.button.hide()
        self.bar.set_visible(True)


class Notes(Gtk.Application):
    def __init__(self):
        super().__init__(application_id=ID)
        self.window = None
        self.baton = Baton.Application.new(ID)
        self.baton.connect("will-continue", self.will_continue)
        self.baton.connect("continue", self.take)
        self.baton.connect("did-fail", self.fail)
        # Before the program owns its name, because a caller that started it calls as soon as it does.
        self.baton.serve(None)

    def do_startup(self):
        Gtk.Application.do_startup(self)
        self.offers = Baton.Offers.new(TYPE)
        self.offers.connect("items-changed", self.offers_changed)
        action = Gio.SimpleAction.new("continue", None)
        action.connect("activate", self.continue_note)
        action.set_enabled(False)
        self.add_action(action)
        self.set_accels_for_action("app.continue", ["<Primary>Return"])

    def do_activate(self):
        if not self.window:
            self.window = Window(self)
            self.offers_changed()
        self.window.present()

    def offers_changed(self, *_):
        # If there are several, the first one.
        offer = self.offers.get_item(0)
        self.lookup_action("continue").set_enabled(offer is not None)
        if offer:
            offer.connect("notify::title", lambda offer, _: self.window and self.window.show_offer(offer))
        if self.window:
            self.window.show_offer(offer)

    def continue_note(self, *_):
        offer = self.offers.get_item(0)
        if offer:
            self.window.tell(f"Fetching the note from {offer.props.device_name}…")
            self.offers.continue_async(offer, None, self.fetched)

    def fetched(self, offers: Baton.Offers, result: Gio.AsyncResult):
        try:
            self.window.restore(offers.continue_finish(result))
        except GLib.Error as error:
            self.window.tell(error.message)

    # Activities that the user chose in a notification. Perhaps the window does not exist yet.

    def will_continue(self, baton: Baton.Application, offer: Baton.Offer, token: str | None) -> bool:
        self.activate()
        self.window.tell(f"Fetching the note from {offer.props.device_name}…")
        return True

    def take(self, baton: Baton.Application, continuation: Baton.Continuation):
        self.activate()
        self.window.show_offer(None)
        if continuation.props.activity_type == TYPE:
            self.window.restore(continuation)

    def fail(self, baton: Baton.Application, activity_type: str, error: GLib.Error) -> bool:
        self.activate()
        self.window.tell(error.message)
        return True


if __name__ == "__main__":
    sys.exit(Notes().run(sys.argv))
