# SPDX-License-Identifier: Apache-2.0
"""Messages to the user above a text."""

from gi.repository import Gtk, Pango


def show(tab, text: str, button: str = "", pressed=None):
    """Shows a line above a text until the user closes it, with a button for the user's action. The line may contain
    names from another laptop. So the line is not interpreted as markup, and does not widen the window."""
    label = Gtk.Label(label=text, xalign=0, wrap=True, wrap_mode=Pango.WrapMode.WORD_CHAR, width_chars=20, selectable=True)
    bar = Gtk.InfoBar(message_type=Gtk.MessageType.INFO, show_close_button=True)
    bar.get_content_area().pack_start(label, True, True, 0)
    if button:
        bar.add_button(button, Gtk.ResponseType.ACCEPT)

    def answered(_, response):
        bar.hide()
        if response == Gtk.ResponseType.ACCEPT:
            pressed()
    bar.connect("response", answered)
    bar.show_all()
    tab.set_info_bar(bar)
