# SPDX-License-Identifier: Apache-2.0
"""A plugin for the tests: it reports gedit's state and acts as the user, over the session bus."""

import json
import sys

from gi.repository import Gedit, Gio, GLib, GObject, Gtk

XML = """<node><interface name="org.example.Probe">
  <method name="Evaluate"><arg name="code" type="s" direction="in"/><arg name="result" type="s" direction="out"/></method>
</interface></node>"""


class Probe(GObject.Object, Gedit.AppActivatable):
    __gtype_name__ = "Probe"
    app = GObject.Property(type=Gedit.App)

    def do_activate(self):
        interface = Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0]
        self.app.get_dbus_connection().register_object("/probe", interface, self.called, None, None)

    def called(self, bus, sender, path, interface, method, arguments, invocation):
        values = {"app": self.app, "probe": self, "Gedit": Gedit, "Gio": Gio, "Gtk": Gtk}
        try:
            result = eval(arguments.unpack()[0], values)  # pylint: disable=eval-used
        except Exception as error:  # pylint: disable=broad-except
            result = {"error": repr(error)}
        invocation.return_value(GLib.Variant("(s)", (json.dumps(result),)))

    # --- Calls of the tests

    def tab(self):
        return self.app.get_main_windows()[0].get_active_tab()

    def look(self) -> dict:
        view, document = self.tab().get_view(), self.tab().get_document()
        here, location = document.get_iter_at_mark(document.get_insert()), document.get_file().get_location()
        top, _ = view.get_line_at_y(view.get_visible_rect().y)
        return {"file": location.get_path() if location else "", "line": here.get_line() + 1, "column": here.get_line_offset() + 1,
                "top": top.get_line() + 1, "lines": document.get_text(*document.get_bounds(), True).split("\n"),
                "unsaved": int(document.get_modified()), "readonly": int(not view.get_editable()), "state": int(self.tab().get_state()),
                "type": document.get_language().get_id() if document.get_language() else "", "said": self.said(),
                "texts": len(self.app.get_documents())}

    def said(self) -> str:
        """Returns the message above the text."""
        labels = []

        def add(widget):
            if isinstance(widget, Gtk.Label) and widget.get_mapped():
                labels.append(widget.get_text())
            elif isinstance(widget, Gtk.Container):
                widget.forall(add)
        for child in self.tab().get_children():
            if isinstance(child, Gtk.InfoBar):
                add(child)
        return "\n".join(labels)

    def press(self):
        """Presses the button above the text."""
        next(child for child in self.tab().get_children() if isinstance(child, Gtk.InfoBar)).response(Gtk.ResponseType.ACCEPT)

    def go(self, line: int, column: int, top: int):
        sys.modules["baton.place"].go(self.tab().get_view(), {"line": line, "column": column, "top": top})

    def insert(self, text: str):
        """Inserts a line at the beginning."""
        document = self.tab().get_document()
        document.begin_user_action()
        document.place_cursor(document.get_start_iter())
        document.insert_at_cursor(text + "\n")
        document.end_user_action()
        document.place_cursor(document.get_start_iter())

    def visit(self, path: str):
        Gedit.commands_load_location(self.app.get_main_windows()[0], Gio.File.new_for_commandline_arg(path), None, 0, 0)

    def save_as(self, path: str):
        """Saves the document as the dialog does."""
        document = self.tab().get_document()
        document.get_file().set_location(Gio.File.new_for_path(path))
        Gedit.commands_save_document(self.app.get_main_windows()[0], document)
