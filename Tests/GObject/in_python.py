# SPDX-License-Identifier: Apache-2.0
"""Shared code for tests of libbaton in Python."""

from gi.repository import Gio, GLib

from installed import LIMIT, Laptops, introspected

Baton = introspected()
TYPE = "org.example.python"


class InPython(Laptops):
    """A test with an activity on the desk, and its continuation on the sofa."""

    def setUp(self):
        super().setUp()
        self.buses = {laptop.name: self.connect(laptop) for laptop in (self.desk, self.sofa)}
        self.activity = Baton.Activity(connection=self.buses["desk"], activity_type=TYPE, supports_continuation_streams=True)
        self.opened = []
        self.activity.connect("streams", lambda _, streams: self.opened.append(streams))

    def connect(self, laptop) -> Gio.DBusConnection:
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        bus = Gio.DBusConnection.new_for_address_sync(laptop.environment["DBUS_SESSION_BUS_ADDRESS"], flags, None, None)
        self.addCleanup(lambda: bus.is_closed() or bus.close_sync(None))
        return bus

    def until(self, look):
        """Waits until `look` has a result, and returns it."""
        late = []
        timer = GLib.timeout_add_seconds(LIMIT, lambda: late.append(True) or True)
        try:
            while not (found := look()):
                self.assertFalse(late, "it did not come to be")
                GLib.MainContext.default().iteration(True)
        finally:
            GLib.source_remove(timer)
        return found

    def wait(self, begin, finish):
        """Returns the result of an asynchronous call."""
        results = []
        begin(lambda source, result: results.append(result))
        return finish(self.until(lambda: results)[0])

    def carry_on(self):
        offers = Baton.Offers(connection=self.buses["sofa"], activity_type=TYPE)
        offer = self.until(lambda: len(offers) and offers[0])
        self.assertEqual((offer.props.device_name, offer.props.has_streams), ("desk", True))
        return self.wait(lambda then: offers.continue_async(offer, None, then), offers.continue_finish)

    def streams(self) -> tuple:
        self.activity.become_current()
        continuation = self.carry_on()
        continuation.accept()
        there = self.wait(lambda then: continuation.open_streams_async(None, then), continuation.open_streams_finish)
        self.until(lambda: self.opened)
        return self.opened.pop(), there

    def cut(self, streams) -> bool:
        """Returns whether a program that reads to the end learns that the streams were
        cut short."""
        stream = streams.get_input_stream()
        while True:
            try:
                piece = self.wait(lambda then: stream.read_bytes_async(65_536, GLib.PRIORITY_DEFAULT, None, then), stream.read_bytes_finish)
            except GLib.Error as error:
                return error.matches(Baton.error_quark(), Baton.Error.STREAM_CUT)
            if not piece.get_size():
                return False
