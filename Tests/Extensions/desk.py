# SPDX-License-Identifier: Apache-2.0
"""The surroundings of baton-panel on a session bus: a panel, a daemon that the test controls, and a monitor of all messages."""

import pathlib
import subprocess
import sys

from gi.repository import Gio, GLib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

from laptops import LIMIT, ROOT, own_session  # noqa: E402

PROGRAM = ROOT / "Extensions" / "StatusNotifierItem" / "baton-panel"
NAME, PATH = "org.batonproject.Baton", "/org/batonproject/Baton"
OWN_NAME = "org.batonproject.BatonPanel"
WATCHER, WATCHER_PATH = "org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher"
ITEM, MENU = "org.kde.StatusNotifierItem", "com.canonical.dbusmenu"
PROPERTIES = "org.freedesktop.DBus.Properties"
WATCHER_XML = f"""<node><interface name="{WATCHER}">
  <method name="RegisterStatusNotifierItem"><arg name="service" type="s" direction="in"/></method>
</interface></node>"""
DAEMON_XML = (ROOT / "Documentation" / "DBus" / f"{NAME}1.xml").read_text(encoding="utf-8")


def until(what: str, condition, state=lambda: ""):
    """Handles messages until the condition holds. On a timeout `state()` describes the state."""
    times = []
    source = GLib.timeout_add_seconds(LIMIT, lambda: times.append("up") or True)
    try:
        while not condition():
            GLib.MainContext.default().iteration(True)
            if times:
                raise AssertionError(f"within {LIMIT} s not {what}: {state()}")
    finally:
        GLib.source_remove(source)


def connect(address: str) -> Gio.DBusConnection:
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(address, flags, None, None)


def call(bus, destination, path, interface, method, arguments=None):
    """Calls a method while messages are handled. Returns the answer, or raises the error."""
    answers = []
    bus.call(destination, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, LIMIT * 1000, None,
             lambda source, result: answers.append(result))
    until(f"an answer to {method}", lambda: answers)
    return bus.call_finish(answers[0]).unpack()


def ask_bus(bus, method, *arguments):
    kinds = "".join({str: "s", int: "u"}[type(argument)] for argument in arguments)
    return call(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method, GLib.Variant(f"({kinds})", arguments))[0]


class Bus:
    """A session bus, which could start a daemon."""

    def __init__(self, root: pathlib.Path):
        self.environment = {**own_session.environment(root), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
        self.data = pathlib.Path(self.environment["XDG_DATA_HOME"])
        services = self.data / "dbus-1" / "services"
        services.mkdir(parents=True)
        (services / f"{NAME}.service").write_text(f"[D-BUS Service]\nName={NAME}\nExec=/bin/false\n", encoding="utf-8")
        (self.data / "applications").mkdir()
        self.process, self.address = own_session.start_bus(self.environment)
        if not self.address:
            raise AssertionError("dbus-daemon did not start")
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = self.address

    def end(self):
        self.process.terminate()
        self.process.wait(LIMIT)
        self.process.stdout.close()


class Program:
    """baton-panel."""

    def __init__(self, environment: dict, *command):
        self.process = subprocess.Popen([str(word) for word in command or (PROGRAM,)], env=environment, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def line(self) -> str:
        """Returns the next line that the program prints, or an empty text if the program has ended."""
        with own_session.limited(self.process):
            return self.process.stdout.readline()

    def end(self) -> tuple:
        """Waits until the program ends by itself. Returns the program's exit status and output."""
        try:
            output = self.process.communicate(timeout=LIMIT)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"{PROGRAM.name} goes on") from None
        return self.process.returncode, output

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(LIMIT)
        self.process.stdout.close()


class Panel:
    """A panel: the watcher with which items register, and the host that shows them. It reads an item again whenever the item reports a change."""

    def __init__(self, address: str):
        self.bus = connect(address)
        self.owner, self.registered = None, []
        self.shown, self.entries, self.told = {}, {}, []
        self.bus.register_object(WATCHER_PATH, Gio.DBusNodeInfo.new_for_xml(WATCHER_XML).interfaces[0], self.called)
        self.come()

    def come(self):
        ask_bus(self.bus, "RequestName", WATCHER, 4)

    def go(self):
        ask_bus(self.bus, "ReleaseName", WATCHER)

    def called(self, bus, sender, path, interface, method, arguments, invocation):
        invocation.return_value(None)
        self.registered.append(arguments.unpack()[0])
        if sender != self.owner:
            self.owner = sender
            for interface_name in (ITEM, MENU):
                bus.signal_subscribe(sender, interface_name, None, None, None, Gio.DBusSignalFlags.NONE, self.news)
        self.read()

    def news(self, bus, sender, path, interface, name, arguments):
        self.told.append(name)
        if name != "ItemsPropertiesUpdated":
            self.read()

    def read(self):
        def of_item(values):
            self.shown = values[0]

        def of_menu(values):
            self.entries = {number: properties for number, properties, _ in values[1][2]}
        self.send("/StatusNotifierItem", PROPERTIES, "GetAll", GLib.Variant("(s)", (ITEM,)), of_item)
        self.send("/StatusNotifierItem/Menu", MENU, "GetLayout", GLib.Variant("(iias)", (0, -1, [])), of_menu)

    def send(self, path, interface, method, arguments, then):
        def finish(source, result):
            try:
                values = source.call_finish(result).unpack()
            except GLib.Error:  # the item has gone
                return
            then(values)
        self.bus.call(self.owner, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, LIMIT * 1000, None, finish)

    def do(self, method: str, *arguments):
        """Calls a method of the item as a panel does."""
        kinds = "".join({str: "s", int: "i"}[type(argument)] for argument in arguments)
        return call(self.bus, self.owner, "/StatusNotifierItem", ITEM, method, GLib.Variant(f"({kinds})", arguments))

    def menu(self, method: str, kinds: str, *arguments):
        return call(self.bus, self.owner, "/StatusNotifierItem/Menu", MENU, method, GLib.Variant(kinds, arguments))

    def menu_direction(self) -> str:
        return call(self.bus, self.owner, "/StatusNotifierItem/Menu", PROPERTIES, "Get", GLib.Variant("(ss)", (MENU, "TextDirection")))[0]

    def click(self, number: int):
        self.menu("Event", "(isvu)", number, "clicked", GLib.Variant("i", 0), 0)

    def entry(self, label: str, enabled: bool = True) -> int:
        """Returns the number of a menu entry, or 0 if there is none."""
        return next((number for number, entry in self.entries.items()
                     if entry["label"] == label and entry["visible"] and entry["enabled"] == enabled), 0)

    def until(self, **properties):
        """Waits until the item has these properties, and a menu with entries."""
        until(f"shown {properties}", lambda: self.shown and self.entries and all(self.shown[name] == value for name, value in properties.items()),
              lambda: f"{self.shown} {self.entries}")

    def until_entry(self, label: str, enabled: bool = True) -> int:
        until(f"“{label}” in the menu", lambda: self.entry(label, enabled), lambda: f"{self.shown} {self.entries}")
        return self.entry(label, enabled)

    def tip(self) -> tuple:
        return self.shown["ToolTip"][2:]


class Daemon:
    """A daemon that the test controls: its properties, and the calls that it received."""

    def __init__(self, address: str, **values):
        self.bus = connect(address)
        self.values = {"State": GLib.Variant("s", "running"), "Reason": GLib.Variant("s", ""), "PausedUntil": GLib.Variant("x", 0),
                       "BestOffer": GLib.Variant("a{sv}", {}), "Withheld": GLib.Variant("u", 0), **values}
        self.calls = []
        self.withheld = []  # names and reasons
        node = Gio.DBusNodeInfo.new_for_xml(DAEMON_XML)
        for name in ("Daemon", "Panel", "Offers", "Rules"):
            self.bus.register_object(PATH, node.lookup_interface(f"{NAME}1.{name}"), self.called, self.get, None)
        ask_bus(self.bus, "RequestName", NAME, 4)

    def get(self, bus, sender, path, interface, name):
        return self.values[name]

    def called(self, bus, sender, path, interface, method, arguments, invocation):
        if method == "Status":
            items = [{"name": GLib.Variant("s", name), "reason": GLib.Variant("s", reason)} for name, reason in self.withheld]
            invocation.return_value(GLib.Variant("(a{sv})", ({"withheld": GLib.Variant("aa{sv}", items)},)))
            return
        self.calls.append((method, arguments.unpack(), invocation))

    def withhold(self, number: int, *items):
        self.withheld = items
        self.change(Withheld=GLib.Variant("u", number))

    def change(self, **values):
        self.values.update(values)
        self.bus.emit_signal(None, PATH, PROPERTIES, "PropertiesChanged", GLib.Variant("(sa{sv}as)", (f"{NAME}1.Panel", values, [])))

    def offer(self, **values):
        kinds = {str: "s", bool: "b", int: "x"}
        self.change(BestOffer=GLib.Variant("a{sv}", {key: GLib.Variant(kinds[type(value)], value) for key, value in values.items()}))

    def take(self, count: int = 1) -> list:
        """Waits for `count` calls, and returns them."""
        until(f"{count} calls", lambda: len(self.calls) >= count, lambda: str(self.calls))
        return [(method, arguments) for method, arguments, _ in self.calls]

    def end(self):
        self.bus.close_sync(None)


class Systemd:
    """The called parts of the user's systemd. It records what to start, and starts nothing."""

    NAME, PATH = "org.freedesktop.systemd1", "/org/freedesktop/systemd1"
    XML = f"""<node><interface name="{NAME}.Manager"><method name="StartUnit">
      <arg name="name" type="s" direction="in"/><arg name="mode" type="s" direction="in"/><arg name="job" type="o" direction="out"/>
    </method></interface></node>"""

    def __init__(self, address: str, refusal: str = ""):
        self.bus, self.refusal, self.started = connect(address), refusal, []
        self.bus.register_object(self.PATH, Gio.DBusNodeInfo.new_for_xml(self.XML).interfaces[0], self.called, None, None)
        ask_bus(self.bus, "RequestName", self.NAME, 4)

    def called(self, bus, sender, path, interface, method, arguments, invocation):
        self.started.append(arguments.unpack())
        if self.refusal:
            invocation.return_dbus_error(f"{self.NAME}.{self.refusal}", "no")
        else:
            invocation.return_value(GLib.Variant("(o)", (f"{self.PATH}/job/1",)))

    def end(self):
        self.bus.close_sync(None)


class Monitor:
    """All messages on a bus, from its beginning."""

    def __init__(self, environment: dict):
        self.process = subprocess.Popen(["dbus-monitor", "--session", "--binary"], env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=sys.stderr)
        # The first of them tells the monitor that it has lost its own name.
        while self.next().get_member() != "NameLost":
            pass

    def next(self) -> Gio.DBusMessage:
        header = self.process.stdout.read(16)
        rest = self.process.stdout.read(Gio.DBusMessage.bytes_needed(header) - len(header))
        return Gio.DBusMessage.new_from_blob(header + rest, Gio.DBusCapabilityFlags.NONE)

    def sent_by(self, sender: str, last: str) -> list:
        """Returns a connection's next messages, up to a call of the method `last` by anybody."""
        found = []
        while True:
            message = self.next()
            if message.get_member() == last:
                return found
            if message.get_sender() == sender:
                found.append(message)

    def end(self):
        self.process.terminate()
        self.process.wait(LIMIT)
        self.process.stdout.close()
