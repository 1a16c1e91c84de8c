# SPDX-License-Identifier: Apache-2.0
"""Baton for Python programs with GLib's main loop: one activity, the offers of other laptops, and what Baton brings to the program.

Plain D-Bus by Gio, as Documentation/DBus describes it; copy this file into your program.
"""

from gi.repository import Gio, GLib

NAME, PATH = "org.batonproject.Baton", "/org/batonproject/Baton"
ACTIVITIES, OFFERS = "org.batonproject.Baton1.Activities", "org.batonproject.Baton1.Offers"
APPLICATION = """<node><interface name="org.batonproject.Application1">
  <method name="WillContinue"><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="b" direction="out"/></method>
  <method name="Continue"><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/><arg type="b" direction="out"/></method>
  <method name="DidFail"><arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/></method>
</interface></node>"""
PATIENCE = 90_000  # ms that the daemon may take to reach another laptop


class Baton:
    """The daemon, whether it runs or not: what was published is published again when it comes back.

    `offers` maps the id of each offer to a dictionary of its properties. The methods that a program overrides or sets:
    `on_offers()` after each change of `offers`, `on_error(text)`.
    """

    def __init__(self, bus: Gio.DBusConnection):
        self.bus = bus
        self.offers = {}
        self.activities = []
        self.is_there = False
        self.on_offers = lambda: None
        self.on_error = lambda text: None
        # The signals first: what comes between them and the list is not missed.
        bus.signal_subscribe(NAME, ACTIVITIES, None, PATH, None, Gio.DBusSignalFlags.NONE, self._activity_signal)
        bus.signal_subscribe(NAME, OFFERS, None, PATH, None, Gio.DBusSignalFlags.NONE, self._offer_signal)
        Gio.bus_watch_name_on_connection(bus, NAME, Gio.BusNameWatcherFlags.AUTO_START, self._came, self._went)

    def call(self, interface, method, arguments, then=None, failed=None, timeout=-1):
        """Calls the daemon; `then` gets what it answers, `failed` (or on_error) one line."""
        def finish(bus, result):
            try:
                reply = bus.call_finish(result)
            except GLib.Error as error:
                Gio.DBusError.strip_remote_error(error)
                (failed or self.on_error)(error.message)
                return
            if then:
                then(*reply.unpack())
        self.bus.call(NAME, PATH, interface, method, arguments, None, Gio.DBusCallFlags.NONE, timeout, None, finish)

    def continue_offer(self, offer: str, take, failed):
        """Fetches an activity. `take(activity)` says whether the program took it over; `failed(text)` is called instead when it cannot be had."""
        def fetched(continuation, activity):
            self.call(OFFERS, "Accept", GLib.Variant("(sb)", (continuation, bool(take(activity)))))
        self.call(OFFERS, "Continue", GLib.Variant("(sa{sv})", (offer, {})), fetched, failed, PATIENCE)

    def serve(self, path: str, will_continue, take, did_fail):
        """Has Baton bring what the user chose elsewhere, in a notification say, to this program (org.batonproject.Application1).

        `will_continue(device)` says whether the program shows that something is under way, `take(activity)` whether it took it over; `did_fail(text)`.
        """
        def called(bus, sender, path, interface, method, arguments, invocation):
            # Any program on the bus can call: only the daemon is believed.
            if not self._is_daemon(sender):
                invocation.return_dbus_error("org.freedesktop.DBus.Error.AccessDenied", "only Baton may call this")
            elif method == "WillContinue":
                details = arguments.unpack()[1]
                invocation.return_value(GLib.Variant("(b)", (bool(will_continue(details.get("deviceName", "another laptop"))),)))
            elif method == "Continue":
                invocation.return_value(GLib.Variant("(b)", (bool(take(arguments.unpack()[1])),)))
            else:
                did_fail(arguments.unpack()[2])
                invocation.return_value(None)
        interface = Gio.DBusNodeInfo.new_for_xml(APPLICATION).interfaces[0]
        self.bus.register_object(path, interface, called)

    def _is_daemon(self, sender: str) -> bool:
        try:
            owner = self.bus.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
                                       GLib.Variant("(s)", (NAME,)), None, Gio.DBusCallFlags.NONE, -1, None)
        except GLib.Error:
            return False
        return owner.unpack() == (sender,)

    def _came(self, *_):
        self.is_there = True
        for activity in self.activities:
            activity.publish()
        self.call(OFFERS, "List", None, lambda offers: [self._see(offer) for offer in offers])

    def _went(self, *_):
        self.is_there = False
        for activity in self.activities:
            activity.identifier = None
        self.offers.clear()
        self.on_offers()

    def _see(self, offer):
        self.offers[offer["offer"]] = offer
        self.on_offers()

    def _offer_signal(self, bus, sender, path, interface, signal, arguments):
        values = arguments.unpack()
        if signal in ("Appeared", "Changed"):
            self._see(values[0])
        elif signal == "Disappeared" and self.offers.pop(values[0], None):
            self.on_offers()

    def _activity_signal(self, bus, sender, path, interface, signal, arguments):
        for activity in self.activities:
            if activity.identifier is not None and arguments.get_child_value(0).unpack() == activity.identifier:
                activity.heard(signal)


class Activity:
    """What the user does, offered to their other laptops while it is current.

    `save()` returns (title, {key: GLib.Variant}) and is called when somebody wants it; `on_continued()` is called when it goes on elsewhere.
    """

    def __init__(self, baton: Baton, activity_type: str, save, on_continued):
        self.baton, self.type, self.save, self.on_continued = baton, activity_type, save, on_continued
        self.identifier = None
        self.is_current = False
        baton.activities.append(self)
        if baton.is_there:
            self.publish()

    def become_current(self):
        """Offers it; the daemon asks for its contents by WillSave when somebody wants them, not at each key."""
        self.is_current = True
        if self.identifier is not None:
            self._update({"needsSave": GLib.Variant("b", True)})
            self._call("BecomeCurrent")

    def resign_current(self):
        """Offers it no longer."""
        self.is_current = False
        if self.identifier is not None:
            self._call("ResignCurrent")

    def publish(self):
        def published(identifier):
            self.identifier = identifier
            if self.is_current:
                self.become_current()
        self.baton.call(ACTIVITIES, "Publish", GLib.Variant("(sa{sv})", (self.type, self._properties())), published)

    def heard(self, signal: str):
        if signal == "WillSave":
            self._update({**self._properties(), "needsSave": GLib.Variant("b", False)})
        elif signal == "WasContinued":
            self.on_continued()

    def _properties(self) -> dict:
        title, info = self.save()
        return {"title": GLib.Variant("s", title), "userInfo": GLib.Variant("a{sv}", info)}

    def _update(self, properties: dict):
        self.baton.call(ACTIVITIES, "Update", GLib.Variant("(sa{sv})", (self.identifier, properties)))

    def _call(self, method: str):
        self.baton.call(ACTIVITIES, method, GLib.Variant("(s)", (self.identifier,)))
