# SPDX-License-Identifier: Apache-2.0
"""The session bus: connections of one's own, what is asked of other programs, and who comes and
goes. What they answer may be of any type, and they may never answer."""

from gi.repository import Gio, GLib

BUS, BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
PROPERTIES = "org.freedesktop.DBus.Properties"
PATIENCE = 2_000  # ms that an app may take: Baton waits for 5 s when it asks for what is current


def connect(address: str = "") -> Gio.DBusConnection:
    """A connection to the session bus, or another one, that nothing else in this program uses."""
    address = address or Gio.dbus_address_get_for_bus_sync(Gio.BusType.SESSION, None)
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
    connection.set_exit_on_close(False)
    return connection


class NotAlone(Exception):
    """Another program has the name already."""


def own(connection, name: str):
    """Has a connection own a name, or raises NotAlone."""
    do_not_queue, owner = 4, (1,)
    if ask(connection, BUS, BUS_PATH, BUS, "RequestName", GLib.Variant("(su)", (name, do_not_queue))) != owner:
        raise NotAlone(f"{name} is there already")


def ask(connection, destination: str, path: str, interface: str, method: str, arguments=None):
    """What an app answers, as a tuple; None when it does not. Waits for it. It starts no app."""
    try:
        return connection.call_sync(destination, path, interface, method, arguments, None,
                                    Gio.DBusCallFlags.NO_AUTO_START, PATIENCE, None).unpack()
    except GLib.Error:
        return None


def send(connection, destination: str, path: str, interface: str, method: str, arguments=None, answered=None,
         starts=False):
    """Asks without waiting; `answered` gets the tuple, or None when there is no answer. `starts` is
    for what the bus may start."""

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
    """What the bus answers about a name; None when it knows nothing. Waits for it."""
    answer = ask(connection, BUS, BUS_PATH, BUS, method, GLib.Variant("(s)", (name,)))
    return answer and answer[0]


def send_bus(connection, method: str, name: str, answered):
    """The same without waiting; `answered` gets the tuple, or None."""
    send(connection, BUS, BUS_PATH, BUS, method, GLib.Variant("(s)", (name,)), answered)


def properties(connection, destination: str, path: str, interface: str, names=()) -> dict:
    """The properties of an object; none when it does not answer. Where it fails to tell all of them,
    it is asked for the ones with these names, one by one, until it does not answer."""
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
    """The same without waiting; `answered` gets the properties, or None when there is no answer."""
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
    """Tells of each name in a namespace, those that are there already among them: `came(name,
    owner)` and `went(name)`."""

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
