# SPDX-License-Identifier: Apache-2.0
"""Tests the list of offers with a daemon, which is the test itself, that changes an offer while it is asked for the
list."""

import xml.etree.ElementTree as ET

from gi.repository import Gio, GLib

from in_python import Baton, InPython
from installed import BIN, ROOT, demo

INTERFACES = ROOT / "Documentation" / "DBus" / "org.batonproject.Baton1.xml"
OFFERS = "org.batonproject.Baton1.Offers"
PATH = "/org/batonproject/Baton"


def details(offer: str, title: str) -> dict:
    return {"offer": GLib.Variant("s", offer), "type": GLib.Variant("s", "org.example"), "title": GLib.Variant("s", title)}


class OfferListRaces(InPython):
    def setUp(self):
        super().setUp()
        self.stage = demo.Laptop("stage", self.root, BIN, self.running)
        self.stage.start_bus()
        self.daemon, self.app = self.connect(self.stage), self.connect(self.stage)
        described = Gio.DBusNodeInfo.new_for_xml(ET.tostring(ET.parse(INTERFACES).getroot(), encoding="unicode"))
        self.daemon.register_object(PATH, described.lookup_interface(OFFERS), lambda *call: self.asked.append(call[-1]), None, None)
        self.daemon.call_sync("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "RequestName", GLib.Variant("(su)", ("org.batonproject.Baton", 0)),
                              None, Gio.DBusCallFlags.NONE, -1, None)
        self.asked = []

    def signal(self, name: str, arguments: GLib.Variant):
        self.daemon.emit_signal(None, PATH, OFFERS, name, arguments)

    def titles(self, *listed: dict, meanwhile=()) -> dict:
        """Returns the offers that an app sees when the daemon has sent these signals and then its list."""
        offers = Baton.Offers(connection=self.app)
        answer = self.until(lambda: self.asked and self.asked.pop())
        for name, arguments in (*meanwhile, ("Appeared", GLib.Variant("(a{sv})", (details("last", "Last"),)))):
            self.signal(name, arguments)
        answer.return_value(GLib.Variant("(aa{sv})", (list(listed),)))
        self.until(lambda: "last" in [offer.props.id for offer in offers])
        self.daemon.flush_sync(None)
        # The answer to a later question comes after the list.
        self.wait(lambda then: self.app.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId", None, None, Gio.DBusCallFlags.NONE, -1, None, then),
                  self.app.call_finish)
        self.until(lambda: not GLib.MainContext.default().iteration(False))
        found = {offer.props.id: offer.props.title for offer in offers}
        self.signal("Disappeared", GLib.Variant("(s)", ("last",)))
        self.until(lambda: "last" not in [offer.props.id for offer in offers])
        return found

    def test_offer_that_disappeared_does_not_return_with_the_list(self):
        gone = ("Disappeared", GLib.Variant("(s)", ("gone",)))
        self.assertEqual(self.titles(details("gone", "Gone"), details("there", "There"), meanwhile=[gone]), {"there": "There", "last": "Last"})

    def test_changed_offer_is_not_overwritten_by_an_older_list(self):
        changed = ("Changed", GLib.Variant("(a{sv})", (details("one", "New"),)))
        self.assertEqual(self.titles(details("one", "Old"), meanwhile=[changed]), {"one": "New", "last": "Last"})

    def test_offer_in_the_next_list_is_shown_again(self):
        gone = ("Disappeared", GLib.Variant("(s)", ("one",)))
        self.assertEqual(self.titles(details("one", "One"), meanwhile=[gone]), {"last": "Last"})
        self.assertEqual(self.titles(details("one", "Again")), {"one": "Again", "last": "Last"})
