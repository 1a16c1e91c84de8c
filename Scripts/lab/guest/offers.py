# SPDX-License-Identifier: Apache-2.0
"""An activity on one laptop and its offer on the other, with Baton's D-Bus interface, and an advertisement and its
report, with BlueZ's.

Times come from `time.monotonic()`, in seconds.
"""

import contextlib
import itertools
import os
import subprocess
import sys
import time

from gi.repository import Gio, GLib

LIMIT = 120 * float(os.environ.get("LAB_PATIENCE") or 1)  # seconds that one step may take
COMPANY, LENGTH, VERSION = 0xFFFF, 24, 1  # how a beacon looks to strangers: Documentation/Protocol/Beacon.md
INTERVAL = (100, 150)  # milliseconds that batond asks for: BlueZConfiguration
TYPE = "org.batonproject.lab.offer"
BLUEZ, PROPERTIES, ADVERTISER = "org.bluez", "org.freedesktop.DBus.Properties", "org.bluez.LEAdvertisingManager1"
BATON, BATON_PATH = "org.batonproject.Baton", "/org/batonproject/Baton"
ADVERTISEMENT = """<node><interface name="org.bluez.LEAdvertisement1"><method name="Release"/>
<property name="Type" type="s" access="read"/><property name="ManufacturerData" type="a{qv}" access="read"/>
<property name="MinInterval" type="u" access="read"/><property name="MaxInterval" type="u" access="read"/></interface></node>"""


def until(what: str, condition):
    """Handles messages of the buses until a condition holds. Ends the program if that takes too long."""
    end = time.monotonic() + LIMIT
    # Check the condition repeatedly, because not every change has a signal.
    ticking = GLib.timeout_add(500, lambda: GLib.SOURCE_CONTINUE)
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what}: not within {LIMIT:.0f} s")
        GLib.MainContext.default().iteration(True)
    GLib.source_remove(ticking)


class Service:
    """A service on a bus."""

    def __init__(self, bus: Gio.DBusConnection, name: str):
        self.bus, self.name = bus, name

    def call(self, path: str, interface: str, method: str, arguments=None) -> tuple:
        return self.bus.call_sync(self.name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, int(LIMIT * 1000), None).unpack()

    def begin(self, path: str, interface: str, method: str, arguments):
        """Starts a call without waiting for its answer, because its effects may come earlier. Prints its error."""
        self.bus.call(self.name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, int(LIMIT * 1000), None,
                      lambda bus, result: bus.call_finish(result))

    def hear(self, path: str, interface: str, signal, body):
        """Calls `body` with the name and the arguments of each signal that arrives."""
        self.bus.signal_subscribe(self.name, interface, signal, path, None, Gio.DBusSignalFlags.NONE,
                                  lambda _bus, _sender, _path, _interface, member, arguments: body(member, arguments.unpack()))


class Air(Service):
    """BlueZ: an own advertisement on hci0, and the reports of hci0 on hci1."""

    def __init__(self, address: str):
        super().__init__(Gio.bus_get_sync(Gio.BusType.SYSTEM, None), BLUEZ)
        self.adapter, self.device = "/org/bluez/hci0", "/org/bluez/hci1/dev_" + address.replace(":", "_")
        self.interface = Gio.DBusNodeInfo.new_for_xml(ADVERTISEMENT).interfaces[0]
        self.reports = {}  # the reported data, and when each was reported first
        self.count = 0
        self.changed = time.monotonic()  # when the advertisements on hci0 changed last
        self.hear(self.device, PROPERTIES, "PropertiesChanged", lambda _, arguments: self.reported(arguments[1]))
        self.hear("/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", self.added)
        self.hear(self.adapter, PROPERTIES, "PropertiesChanged", self.adapter_changed)
        (self.instances,) = self.call(self.adapter, PROPERTIES, "Get", GLib.Variant("(ss)", (ADVERTISER, "ActiveInstances")))

    def added(self, _signal: str, arguments: tuple):
        path, interfaces = arguments
        if path == self.device:
            self.reported(interfaces.get("org.bluez.Device1", {}))

    def reported(self, properties: dict):
        now = time.monotonic()
        if COMPANY in properties.get("ManufacturerData", {}):
            self.reports.setdefault(bytes(properties["ManufacturerData"][COMPANY]), now)

    def adapter_changed(self, _signal: str, arguments: tuple):
        if "ActiveInstances" in arguments[1]:
            self.instances, self.changed = arguments[1]["ActiveInstances"], time.monotonic()

    def measure(self) -> float:
        """Returns the time from registering an advertisement to its report. Removes the advertisement afterwards."""
        self.count += 1
        data, path = bytes([VERSION]) + os.urandom(LENGTH - 1), f"/org/batonproject/lab/advertisement{self.count}"
        values = {"Type": GLib.Variant("s", "peripheral"), "ManufacturerData": GLib.Variant("a{qv}", {COMPANY: GLib.Variant("ay", data)}),
                  "MinInterval": GLib.Variant("u", INTERVAL[0]), "MaxInterval": GLib.Variant("u", INTERVAL[1])}
        exported = self.bus.register_object(path, self.interface, None, lambda _bus, _sender, _path, _interface, name: values[name], None)
        begun = time.monotonic()
        self.begin(self.adapter, ADVERTISER, "RegisterAdvertisement", GLib.Variant("(oa{sv})", (path, {})))
        until("bluetoothd's report of the advertisement", lambda: data in self.reports)
        until("one advertisement on hci0", lambda: self.instances == 1)
        self.begin(self.adapter, ADVERTISER, "UnregisterAdvertisement", GLib.Variant("(o)", (path,)))
        until("no advertisement on hci0", lambda: self.instances == 0)
        self.bus.unregister_object(exported)
        return self.reports[data] - begun

    def wait_for_silence(self):
        """Waits until nothing is advertised and no further advertisement can follow. batond changes an advertisement at
        most once per second."""
        until("silence on hci0", lambda: self.instances == 0 and time.monotonic() - self.changed > 2)

    def unlink(self):
        """Ends the link that bluetoothd keeps after the channels on it have closed."""
        self.call(self.device, "org.bluez.Device1", "Disconnect")
        until("the link's end", lambda: not linked())

    @contextlib.contextmanager
    def heard_again(self):
        """Repeatedly starts a scan on hci1 while the block runs. An emulated controller reports an advertisement only
        once for each scan, and a real controller reports it repeatedly."""
        scanner, heard = "/org/bluez/hci1", {"Transport": GLib.Variant("s", "le"), "DuplicateData": GLib.Variant("b", True)}
        self.call(scanner, "org.bluez.Adapter1", "SetDiscoveryFilter", GLib.Variant("(a{sv})", (heard,)))
        methods = itertools.cycle(("StartDiscovery", "StopDiscovery"))
        timer = GLib.timeout_add_seconds(3, lambda: self.begin(scanner, "org.bluez.Adapter1", next(methods), None) or GLib.SOURCE_CONTINUE)
        yield
        GLib.source_remove(timer)
        if next(methods) == "StopDiscovery":
            self.call(scanner, "org.bluez.Adapter1", "StopDiscovery")

    def vanish(self) -> float:
        """Takes hci0 off the air without telling its kernel or bluetoothd, as when a laptop goes out of range."""
        if linked():
            sys.exit("there is a link, by whose end it would be known")
        begun = time.monotonic()
        # LE Set Extended Advertising Enable: disables all advertisements.
        subprocess.run(["hcitool", "-i", "hci0", "cmd", "0x08", "0x0039", "0x00", "0x00"], check=True, timeout=LIMIT, stdout=subprocess.DEVNULL)
        return begun


def linked() -> bool:
    """Returns whether there is a Bluetooth link."""
    return "LE" in subprocess.run(["hcitool", "con"], check=True, capture_output=True, text=True).stdout


class Publisher(Service):
    """The laptop that offers an activity, through its session bus."""

    def __init__(self, address: str):
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        super().__init__(Gio.DBusConnection.new_for_address_sync(address, flags, None, None), BATON)

    def publish(self, properties=None) -> tuple:
        """Publishes an activity and makes it current. Returns its id, and the time at which that began."""
        begun = time.monotonic()
        (activity,) = self.call(BATON_PATH, BATON + "1.Activities", "Publish", GLib.Variant("(sa{sv})", (TYPE, properties or {})))
        self.begin(BATON_PATH, BATON + "1.Activities", "BecomeCurrent", GLib.Variant("(s)", (activity,)))
        return activity, begun

    def end(self, activity: str) -> float:
        """Ends an activity. Returns the time at which that began."""
        begun = time.monotonic()
        self.begin(BATON_PATH, BATON + "1.Activities", "Invalidate", GLib.Variant("(s)", (activity,)))
        return begun


class Watcher(Publisher):
    """The laptop that sees the offer."""

    def __init__(self, address: str):
        super().__init__(address)
        self.offers = {}
        self.appeared = self.disappeared = None
        self.hear(BATON_PATH, BATON + "1.Offers", None, self.told)

    def told(self, signal: str, arguments: tuple):
        now = time.monotonic()
        if signal in ("Appeared", "Changed"):
            self.offers[arguments[0]["offer"]] = arguments[0]
        if signal == "Appeared":
            self.appeared = now
        elif signal == "Disappeared":
            self.disappeared = now
            self.offers.pop(arguments[0], None)

    def sees(self) -> float:
        """Waits for an offer. Returns the time at which it appeared."""
        until("an offer", lambda: self.offers)
        return self.appeared

    def sees_for(self, seconds: float):
        """Checks that the offer stays for a number of seconds."""
        end = time.monotonic() + seconds
        until("an offer that stays", lambda: time.monotonic() > end or not self.offers)
        if not self.offers:
            sys.exit(f"the offer went after {seconds - (end - self.disappeared):.1f} s, though its laptop is there")

    def sees_none(self) -> float:
        """Waits until there is no offer. Returns the time at which the last offer disappeared."""
        until("the offer's end", lambda: not self.offers)
        return self.disappeared

    def learn(self, publisher: Publisher):
        """Makes the laptop learn the name of the type, which it does only once, over a channel."""
        activity, _ = publisher.publish()
        until("an offer with its type", lambda: any(offer.get("type") == TYPE for offer in self.offers.values()))
        publisher.end(activity)
        self.sees_none()
