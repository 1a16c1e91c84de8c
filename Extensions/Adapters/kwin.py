# SPDX-License-Identifier: Apache-2.0
"""The window in front on Plasma. KWin 5.27 or 6 runs a script (kwin.js) that calls back
(develop.kde.org/docs/plasma/kwin/api)."""

import pathlib

from gi.repository import Gio, GLib

import bus
from compositor import Compositor

NAME = "org.kde.KWin"
SCRIPTING_PATH, SCRIPTING, SCRIPT = "/Scripting", "org.kde.kwin.Scripting", "org.kde.kwin.Script"
FILE, PLUGIN = pathlib.Path(__file__).with_name("kwin.js"), "org.batonproject.Adapters"
# The object that the script calls.
PATH = "/org/batonproject/Adapters/Front"
INTERFACE = Gio.DBusNodeInfo.new_for_xml("""<node><interface name="org.batonproject.Adapters.Front">
<method name="Activated"><arg name="process" type="s" direction="in"/><arg name="title" type="s" direction="in"/></method>
</interface></node>""").interfaces[0]
# The first pause in ms, and the number of tries. KWin owns its name before it accepts scripts. The
# pause doubles at each try.
SOON, TRIES = 250, 8
DENIED = "org.freedesktop.DBus.Error.AccessDenied"


class KWin(Compositor):
    """Keeps the script loaded while KWin runs, until `end()`."""

    def __init__(self, connection, came):
        super().__init__(came)
        self.connection, self.owner, self.timer = connection, None, 0
        self.object = connection.register_object(PATH, INTERFACE, self.called, None, None)
        self.watch = Gio.bus_watch_name_on_connection(
            connection, NAME, Gio.BusNameWatcherFlags.NONE, self.appeared, self.vanished)

    def end(self):
        self.wait_no_more()
        Gio.bus_unwatch_name(self.watch)
        self.connection.unregister_object(self.object)
        if self.owner:
            self.unload(None)
            # Send the call now, because the connection is closed next.
            try:
                self.connection.flush_sync(None)
            except GLib.Error:
                pass  # the connection is closed already
        self.owner = None

    def appeared(self, connection, name, owner):
        self.owner = owner
        # Unload a script of an adapter that was killed. That script would keep running, and this one would not start.
        self.unload(lambda _: self.load(owner, TRIES))

    def vanished(self, connection, name):
        self.wait_no_more()
        self.owner = None
        self.is_now()

    def unload(self, answered):
        self.ask(self.owner, SCRIPTING_PATH, SCRIPTING, "unloadScript", GLib.Variant("(s)", (PLUGIN,)), answered)

    def load(self, owner: str, tries: int):
        if owner == self.owner:
            self.ask(owner, SCRIPTING_PATH, SCRIPTING, "loadScript", GLib.Variant("(ss)", (str(FILE), PLUGIN)),
                     lambda answer: self.loaded(owner, answer, tries - 1))

    def loaded(self, owner: str, answer, tries: int):
        if owner != self.owner:
            return
        if answer is None and tries:
            self.timer = GLib.timeout_add(SOON << TRIES - 1 - tries, self.load_again, owner, tries)
        elif answer and isinstance(answer[0], int) and answer[0] >= 0:
            self.run(owner, answer[0])

    def load_again(self, owner: str, tries: int):
        self.timer = 0
        self.load(owner, tries)
        return GLib.SOURCE_REMOVE

    def wait_no_more(self):
        if self.timer:
            GLib.source_remove(self.timer)
            self.timer = 0

    def run(self, owner: str, number: int):
        # Run the script at its path in KWin 6, or otherwise at its path in KWin 5.
        six, five = f"{SCRIPTING_PATH}/Script{number}", f"/{number}"
        self.ask(owner, six, SCRIPT, "run", None,
                 lambda ran: self.ask(owner, five, SCRIPT, "run") if ran is None and owner == self.owner else None)

    def ask(self, *call):
        # KWin may need some time at the start of a session. The unique name ensures that the call
        # starts nothing.
        bus.send(self.connection, *call, starts=True)

    def called(self, connection, sender, path, interface, method, arguments, invocation):
        if sender != self.owner:
            invocation.return_dbus_error(DENIED, "only KWin tells which window is in front")
            return
        invocation.return_value(None)
        process, title = arguments.unpack()
        if process.isascii() and process.isdecimal() and 0 < int(process[:10]):
            self.is_now(int(process[:10]), title)
        else:
            self.is_now()
