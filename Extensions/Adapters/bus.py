# SPDX-License-Identifier: Apache-2.0
"""The session bus: own connections, calls to other programs, and names that come and go. Other
programs may answer with values of any type, or never answer."""

from gi.repository import Gio, GLib

import deadline

BUS, BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
PROPERTIES = "org.freedesktop.DBus.Properties"
PATIENCE = 2_000  # ms that an app may take; Baton waits 5 s when it asks for the current values


def connect(address: str = "") -> Gio.DBusConnection:
    """Opens a connection to the session bus, or to another bus, that nothing else in this program
    uses."""
    address = address or Gio.dbus_address_get_for_bus_sync(Gio.BusType.SESSION, None)
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
    connection.set_exit_on_close(False)
    return connection


class NotAlone(Exception):
    """Another program already owns the name."""


def own(connection, name: str):
    """Lets a connection own a name. Raises NotAlone if another program owns the name."""
    do_not_queue, owner = 4, (1,)
    if ask(connection, BUS, BUS_PATH, BUS, "RequestName", GLib.Variant("(su)", (name, do_not_queue))) != owner:
        raise NotAlone(f"{name} is there already")


def ask(connection, destination: str, path: str, interface: str, method: str, arguments=None):
    """Calls an app, and returns its answer as a tuple, or None if there is no answer. Does not start the app. Does not
    call the app if the event has waited too long already."""
    patience = int(1000 * deadline.left(PATIENCE / 1000))
    if patience == 0:
        return None
    try:
        return connection.call_sync(destination, path, interface, method, arguments, None,
                                    Gio.DBusCallFlags.NO_AUTO_START, patience, None).unpack()
    except GLib.Error:
        return None


def send(connection, destination: str, path: str, interface: str, method: str, arguments=None, answered=None,
         starts=False):
    """Calls an app without waiting. `answered` gets the tuple, or None if there is no answer. With
    `starts` the bus may start the app."""

    def finish(source, result):
        try:
            answer = source.call_finish(result).unpack()
        except GLib.Error:
            answer = None
        if answered:
            answered(answer)
    flags, patience = (Gio.DBusCallFlags.NONE, -1) if starts else (Gio.DBusCallFlags.NO_AUTO_START, PATIENCE)
    connection.call(destination, path, interface, method, arguments, None, flags, patience, None, finish)


def ask_bus(connection, method: str, name: str):
    """Asks the bus about a name, and returns the answer, or None if the bus knows nothing."""
    answer = ask(connection, BUS, BUS_PATH, BUS, method, GLib.Variant("(s)", (name,)))
    return answer and answer[0]


def send_bus(connection, method: str, name: str, answered):
    """Asks the bus about a name without waiting. `answered` gets the tuple, or None."""
    send(connection, BUS, BUS_PATH, BUS, method, GLib.Variant("(s)", (name,)), answered)


def properties(connection, destination: str, path: str, interface: str, names=()) -> dict:
    """Returns the properties of an object, or an empty dictionary if it does not answer. If the object cannot return
    all properties at once, the properties in `names` are requested one by one, until one gets no answer."""
    answer = ask(connection, destination, path, PROPERTIES, "GetAll", GLib.Variant("(s)", (interface,)))
    if answer and isinstance(answer[0], dict):
        return answer[0]
    found = {}
    for name in names:
        answer = ask(connection, destination, path, PROPERTIES, "Get", GLib.Variant("(ss)", (interface, name)))
        if not answer:
            break
        found[name] = answer[0]
    return found


def send_properties(connection, destination: str, path: str, interface: str, names, answered):
    """Requests the properties without waiting. `answered` gets the properties, or None if there is no answer."""
    found, left = {}, list(names)

    def told_all(answer):
        if answer and isinstance(answer[0], dict):
            answered(answer[0])
        else:
            ask_next()

    def ask_next():
        if left:
            send(connection, destination, path, PROPERTIES, "Get", GLib.Variant("(ss)", (interface, left[0])), told_one)
        else:
            answered(found)

    def told_one(answer):
        if answer:
            found[left.pop(0)] = answer[0]
            ask_next()
        else:
            answered(found or None)
    send(connection, destination, path, PROPERTIES, "GetAll", GLib.Variant("(s)", (interface,)), told_all)


def watch_names(connection, namespace: str, came, went):
    """Reports each name in a namespace, including those that already exist: `came(name, owner)` and
    `went(name)`."""

    def changed(_, sender, path, interface, signal, arguments):
        name, before, now = arguments.unpack()
        if before:
            went(name)
        if now:
            came(name, now)
    connection.signal_subscribe(BUS, BUS, "NameOwnerChanged", BUS_PATH, namespace,
                                Gio.DBusSignalFlags.MATCH_ARG0_NAMESPACE, changed)
    for name in ask(connection, BUS, BUS_PATH, BUS, "ListNames")[0]:
        if name.startswith(f"{namespace}."):
            if owner := ask_bus(connection, "GetNameOwner", name):
                came(name, owner)
