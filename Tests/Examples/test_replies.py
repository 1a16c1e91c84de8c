# SPDX-License-Identifier: Apache-2.0
"""Tests that only the first reply counts if an app replies twice to each call of the daemon."""

import pathlib
import subprocess
import time

from gi.repository import Gio, GLib

from laptops import LIMIT, TwoLaptops, demo

TYPE, APP = "org.example.note", "org.example.Twice"
NAME, PATH, ACTIVITIES = "org.batonproject.Baton", "/org/batonproject/Baton", "org.batonproject.Baton1.Activities"


def connect(address: str) -> Gio.DBusConnection:
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


class Publisher:
    """A program with one activity that counts the signals that it was continued."""

    def __init__(self, laptop):
        self.continued = 0
        self.bus = connect(laptop.environment["DBUS_SESSION_BUS_ADDRESS"])
        self.bus.signal_subscribe(NAME, ACTIVITIES, "WasContinued", PATH, None, Gio.DBusSignalFlags.NONE, self.was_continued)
        activity, = self.call("Publish", GLib.Variant("(sa{sv})", (TYPE, {"title": GLib.Variant("s", "Shopping")})))
        self.call("BecomeCurrent", GLib.Variant("(s)", (activity,)))

    def call(self, method, arguments):
        return self.bus.call_sync(NAME, PATH, ACTIVITIES, method, arguments, None, Gio.DBusCallFlags.NONE, LIMIT * 1000, None).unpack()

    def was_continued(self, *_):
        self.continued += 1

    def wait(self, count: int):
        limit = time.monotonic() + LIMIT
        context = GLib.MainContext.default()
        # End the wait even if no signal arrives.
        ticks = GLib.timeout_add_seconds(1, lambda: True)
        while self.continued < count and time.monotonic() < limit:
            context.iteration(True)
        GLib.source_remove(ticks)


class Replies(TwoLaptops):
    def prepare(self, laptop):
        """Installs the app."""
        applications = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "applications"
        applications.mkdir(parents=True)
        (applications / f"{APP}.desktop").write_text(f"[Desktop Entry]\nType=Application\nName=Twice\nExec=true\nX-Baton-ActivityTypes={TYPE};\n", encoding="utf-8")

    def test_the_first_reply_counts(self):
        # Check that the bus passes second replies on. If it dropped them, this test would prove nothing.
        self.assertEqual(self.replies_that_arrive(), 2)
        app = self.sofa.spawn(["/usr/bin/python3", "-B", pathlib.Path(__file__).with_name("replies_twice.py"), APP, "true", "false", "true"],
                              stdout=subprocess.PIPE, text=True)
        self.hear(app, "ready")
        publisher = Publisher(self.desk)
        for is_taken, continued in ((True, 1), (False, 1), (True, 2)):
            with self.subTest(is_taken=is_taken, continued=continued):
                if is_taken:
                    opened, _ = self.sofa.baton("open", "--type", TYPE, "--wait", str(LIMIT))
                    self.assertEqual(opened, f"continued in Twice ({APP})")
                else:
                    with self.assertRaisesRegex(demo.Failure, "Twice did not continue it"):
                        self.sofa.baton("open", "--type", TYPE, "--wait", str(LIMIT))
                publisher.wait(continued)
                self.assertEqual(publisher.continued, continued)
                self.sofa.baton("status")
        said = [self.line(app) for _ in range(7)]
        self.assertEqual(said, ["WillContinue", "Continue", "WillContinue", "Continue", "DidFail", "WillContinue", "Continue"])
        publisher.bus.close_sync(None)

    def replies_that_arrive(self) -> int:
        """Returns how many replies to one call arrive at the caller's connection on this bus."""
        address = self.sofa.environment["DBUS_SESSION_BUS_ADDRESS"]
        caller, app = connect(address), connect(address)
        seen = []

        def see(_, message, is_incoming):
            if is_incoming and message.get_message_type() == Gio.DBusMessageType.METHOD_RETURN and message.get_sender() == app.get_unique_name():
                seen.append(message.get_reply_serial())
            return message

        caller.add_filter(see)
        caller.signal_subscribe(app.get_unique_name(), None, "End", None, None, Gio.DBusSignalFlags.NONE, lambda *_: seen.append("end"))
        call = Gio.DBusMessage.new_method_call(app.get_unique_name(), "/", "org.example.Test", "Ask")
        _, serial = caller.send_message(call, Gio.DBusSendMessageFlags.NONE)
        caller.flush_sync(None)
        for _ in range(2):
            reply = Gio.DBusMessage.new()
            reply.set_message_type(Gio.DBusMessageType.METHOD_RETURN)
            reply.set_destination(caller.get_unique_name())
            reply.set_reply_serial(serial)
            app.send_message(reply, Gio.DBusSendMessageFlags.NONE)
        app.emit_signal(caller.get_unique_name(), "/", "org.example.Test", "End", None)
        app.flush_sync(None)
        limit = time.monotonic() + LIMIT
        ticks = GLib.timeout_add_seconds(1, lambda: True)
        while "end" not in seen and time.monotonic() < limit:
            GLib.MainContext.default().iteration(True)
        GLib.source_remove(ticks)
        for bus in (caller, app):
            bus.close_sync(None)
        return seen.count(serial)
