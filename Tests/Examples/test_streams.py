# SPDX-License-Identifier: Apache-2.0
"""Tests streams in a program that follows Documentation/DBus. It uses GDBus, the session bus and a socket, and no code
of Baton.

BATON_BIN is the directory of batond and baton. The default is the debug build.
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import unittest

from gi.repository import Gio, GLib

from laptops import BIN, LIMIT, ROOT, TwoLaptops

NAME, PATH = "org.batonproject.Baton", "/org/batonproject/Baton"
ACTIVITIES, OFFERS = "org.batonproject.Baton1.Activities", "org.batonproject.Baton1.Offers"
TYPE = "org.example.stranger"
PAGE = (ROOT / "Documentation" / "DBus" / "Activities.md").read_text(encoding="utf-8")


class Stranger:
    """A program that publishes an activity with streams, and receives signals on GLib's main loop."""

    def __init__(self, address: str):
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
        self.signals = []
        self.bus.signal_subscribe(NAME, ACTIVITIES, None, PATH, None, Gio.DBusSignalFlags.NONE,
                                  lambda bus, sender, path, interface, signal, arguments: self.signals.append((signal, arguments.unpack())))

    def call(self, interface: str, method: str, arguments: GLib.Variant):
        return self.bus.call_sync(NAME, PATH, interface, method, arguments, None, Gio.DBusCallFlags.NONE, LIMIT * 1000, None).unpack()

    def publish(self):
        (activity,) = self.call(ACTIVITIES, "Publish", GLib.Variant("(sa{sv})", (TYPE, {"supportsContinuationStreams": GLib.Variant("b", True)})))
        self.call(ACTIVITIES, "BecomeCurrent", GLib.Variant("(s)", (activity,)))
        return activity

    def take(self, stream: str) -> socket.socket:
        reply, descriptors = self.bus.call_with_unix_fd_list_sync(
            NAME, PATH, ACTIVITIES, "TakeStreams", GLib.Variant("(s)", (stream,)), GLib.VariantType("(sh)"),
            Gio.DBusCallFlags.NONE, LIMIT * 1000, None, None)
        _transport, index = reply.unpack()
        end = socket.socket(fileno=descriptors.get(index))
        end.settimeout(LIMIT)
        return end

    def hear(self, wanted: str) -> tuple:
        """Waits for a signal of this name. Removes the first such signal from the record, and returns its arguments."""
        late = []
        timer = GLib.timeout_add_seconds(LIMIT, lambda: late.append(True) or GLib.SOURCE_REMOVE)
        while not late:
            for index, (signal, arguments) in enumerate(self.signals):
                if signal == wanted:
                    GLib.source_remove(timer)
                    del self.signals[index]
                    return arguments
            GLib.MainContext.default().iteration(True)
        raise AssertionError(f"no {wanted}: {self.signals}")

    def leave(self):
        self.bus.close_sync(None)


def page_code() -> list:
    """Returns the Python code blocks of Activities.md, in order: judging an end of file, and taking streams."""
    return re.findall(r"^```python\n(.*?)^```$", PAGE, re.S | re.M)


class Streams(TwoLaptops):
    def setUp(self):
        super().setUp()
        self.stranger = Stranger(self.desk.environment["DBUS_SESSION_BUS_ADDRESS"])
        self.addCleanup(self.stranger.leave)
        self.activity = self.stranger.publish()

    def carry_on(self) -> subprocess.Popen:
        """Starts the other laptop's program, which sends the letter and keeps the received data."""
        self.letter = os.urandom(300_000)
        (self.root / "letter").write_bytes(self.letter)
        return self.sofa.spawn([BIN / "baton", "continue", "--type", TYPE, "--wait", str(LIMIT), "--stream-from", self.root / "letter",
                                "--stream-to", self.root / "answer"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_streams_can_be_taken_once_and_only_by_their_program(self):
        other = self.carry_on()
        activity, device, name = self.stranger.hear("WasContinued")
        self.assertEqual((activity, name), (self.activity, "sofa"))
        opened = self.stranger.hear("StreamsOpened")
        stream = opened[1]
        self.assertEqual(opened, (self.activity, stream, device, "sofa"))
        self.assertRegex(device, "^[0-9a-f]{8}$")

        thief = Stranger(self.desk.environment["DBUS_SESSION_BUS_ADDRESS"])
        self.addCleanup(thief.leave)
        with self.assertRaisesRegex(GLib.Error, "Error.NotFound"):
            thief.take(stream)
        with self.stranger.take(stream) as end:
            with self.assertRaisesRegex(GLib.Error, "Error.NotFound"):
                self.stranger.take(stream)
            end.sendall(b"Dear Grace,")
            end.shutdown(socket.SHUT_WR)
            received = b"".join(iter(lambda: end.recv(65_536), b""))
            # This signal says that the data is complete. The end of file does not.
            self.assertEqual(self.stranger.hear("StreamEnded"), (stream, True, ""))
        self.assertEqual(received, self.letter)
        status, said = self.ended(other)
        self.assertEqual(status, 0, said)
        self.assertEqual((self.root / "answer").read_bytes(), b"Dear Grace,")

    def test_a_gjs_program_takes_the_streams_with_only_the_bus(self):
        (self.root / "letter").write_bytes(bytes(300_000))
        taking = self.desk.spawn(["gjs", "-m", pathlib.Path(__file__).with_name("stranger.js"), "org.example.gjs"],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.sofa.baton("continue", "--type", "org.example.gjs", "--wait", str(LIMIT), "--stream-from", self.root / "letter",
                        "--stream-to", self.root / "answer")
        self.assertEqual(self.ended(taking), (0, "whole: 300000\n"))
        self.assertEqual((self.root / "answer").read_bytes(), b"Dear Grace,")

    def follow_the_page(self) -> bytes:
        """Takes streams and reads them with the page's code, and returns the result."""
        judging, taking = page_code()
        ended = {}
        handler = self.stranger.bus.signal_subscribe(
            NAME, ACTIVITIES, "StreamEnded", PATH, None, Gio.DBusSignalFlags.NONE,
            lambda bus, sender, path, interface, signal, arguments: ended.update({arguments.unpack()[0]: arguments.unpack()[1:]}))
        names = {"Gio": Gio, "GLib": GLib, "socket": socket, "bus": self.stranger.bus, "ended": ended,
                 "stream": self.stranger.hear("StreamsOpened")[1]}
        try:
            exec(taking, names)  # pylint: disable=exec-used
            with names["end"]:
                self.took()
                exec(judging, names)  # pylint: disable=exec-used
        finally:
            self.stranger.bus.signal_unsubscribe(handler)
        return names["received"]

    def took(self):
        """Does nothing. The page's code calls this method when it has taken the streams."""

    def test_the_pages_code_reads_complete_streams(self):
        other = self.carry_on()
        self.assertEqual(self.follow_the_page(), self.letter)
        self.assertEqual(self.ended(other)[0], 0)

    def test_the_pages_code_discards_incomplete_streams(self):
        pipe = self.root / "pipe"
        os.mkfifo(pipe)
        other = self.sofa.spawn([BIN / "baton", "continue", "--type", TYPE, "--wait", str(LIMIT), "--stream-from", pipe],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with self.writing(pipe) as writing:
            writing.write(b"Dear")
            self.took = other.kill
            with self.assertRaises(OSError):
                self.follow_the_page()
        other.wait(LIMIT)

    def test_the_page_first_says_that_an_end_of_file_does_not_mean_complete(self):
        self.assertLess(PAGE.index(page_code()[0]), PAGE.index("## Methods"))

    def test_streams_that_a_program_closes_fail_at_once(self):
        other = self.carry_on()
        stream = self.stranger.hear("StreamsOpened")[1]
        self.stranger.take(stream).close()
        _, complete, error = self.stranger.hear("StreamEnded")
        self.assertFalse(complete)
        self.assertIn("The program on this laptop closed the streams", error)
        status, said = self.ended(other)
        self.assertNotEqual(status, 0)
        self.assertIn("The program on the other laptop closed the streams early", said)
        self.assertFalse((self.root / "answer").exists())

    def test_cancelled_and_abandoned_streams_fail_on_the_other_laptop(self):
        other = self.carry_on()
        stream = self.stranger.hear("StreamsOpened")[1]
        self.stranger.call(OFFERS, "Cancel", GLib.Variant("(s)", (stream,)))
        self.assertFalse(self.stranger.hear("StreamEnded")[1])
        self.assertNotEqual(self.ended(other)[0], 0)
        with self.assertRaisesRegex(GLib.Error, "Error.NotFound"):
            self.stranger.take(stream)

        gone = Stranger(self.desk.environment["DBUS_SESSION_BUS_ADDRESS"])
        gone.publish()
        other = self.carry_on()
        gone.hear("StreamsOpened")
        gone.leave()
        status, said = self.ended(other)
        self.assertNotEqual(status, 0)
        self.assertIn("The program on the other laptop closed the streams early", said)

    # How the kernel reports a stream that was cut short: Documentation/Decisions/0048-a-cut-stream-is-told-on-the-bus.md.

    def test_a_receiver_of_incomplete_streams_sees_an_end_of_file_and_the_bus_reports_the_failure(self):
        pipe = self.root / "pipe"
        os.mkfifo(pipe)
        other = self.sofa.spawn([BIN / "baton", "continue", "--type", TYPE, "--wait", str(LIMIT), "--stream-from", pipe],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with self.writing(pipe) as writing:
            writing.write(b"Dear")
            with self.stranger.take(self.stranger.hear("StreamsOpened")[1]) as end:
                self.assertEqual(end.recv(65_536), b"Dear")
                other.kill()
                self.assertEqual(end.recv(65_536), b"")
            other.wait(LIMIT)
        self.assertFalse(self.stranger.hear("StreamEnded")[1])

    def fill(self, end: socket.socket):
        """Writes until the socket is full and more than 1 MiB was written. A daemon takes no more than that from an app, so some bytes stay unread."""
        taken = 0
        end.settimeout(1)
        while True:
            try:
                taken += end.send(bytes(65_536))
            except TimeoutError:
                if taken > 1 << 20:
                    break
        end.settimeout(LIMIT)

    def test_incomplete_streams_end_in_an_error_while_data_waits_to_be_sent(self):
        pipe = self.root / "pipe"
        os.mkfifo(pipe)
        other = self.sofa.spawn([BIN / "baton", "continue", "--type", TYPE, "--wait", str(LIMIT), "--stream-from", pipe,
                                 "--stream-to", self.root / "answer"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with self.writing(pipe) as writing:
            writing.write(b"Dear")
            with self.stranger.take(self.stranger.hear("StreamsOpened")[1]) as end:
                self.assertEqual(end.recv(65_536), b"Dear")
                # The other program stops reading until all buffers are full. Further bytes wait in this socket.
                other.send_signal(signal.SIGSTOP)
                self.fill(end)
                other.kill()
                with self.assertRaises(ConnectionResetError):
                    end.recv(65_536)
                self.assertEqual(end.recv(65_536), b"", "the error comes once")
            other.wait(LIMIT)
        self.assertFalse(self.stranger.hear("StreamEnded")[1])

    def test_the_pages_busctl_call_works(self):
        page = (ROOT / "Documentation" / "DBus" / "UserInfo.md").read_text(encoding="utf-8")
        (call,) = re.findall(r"`(busctl [^`]*)`", page)
        subprocess.run(["sh", "-c", call], env=self.desk.environment, check=True, timeout=LIMIT, stdout=subprocess.DEVNULL)


class Kernel(unittest.TestCase):
    """Tests how AF_UNIX stream sockets behave without Baton."""

    def reads(self, end: socket.socket) -> list:
        found = []
        while not found or found[-1] != b"":
            try:
                found.append(end.recv(16))
            except ConnectionResetError:
                found.append("reset")
        return found

    def test_a_socket_closed_with_unread_bytes_resets_its_peer_after_the_sent_bytes(self):
        for unread, ended, expected in ((b"", False, [b"half", b""]), (b"", True, [b"half", b""]),
                                        (b"x", False, [b"half", "reset", b""]), (b"x", True, [b"half", "reset", b""])):
            app, daemon = socket.socketpair()
            with app:
                app.sendall(unread)
                if ended:
                    app.shutdown(socket.SHUT_WR)
                daemon.sendall(b"half")
                daemon.close()
                self.assertEqual(self.reads(app), expected, (unread, ended))

    def test_a_byte_that_was_only_peeked_at_causes_a_reset(self):
        app, daemon = socket.socketpair()
        with app:
            app.sendall(b"all")
            self.assertEqual(daemon.recv(2) + daemon.recv(1, socket.MSG_PEEK), b"all")
            daemon.close()
            self.assertEqual(self.reads(app), ["reset", b""])
