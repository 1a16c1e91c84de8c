# SPDX-License-Identifier: Apache-2.0
"""Calls apps that D-Bus starts (Desktop Entry Specification 1.5, "D-Bus Activation")."""

from gi.repository import Gio, GLib

from journal import JOURNAL
from wording import tr

INTERFACE = "org.freedesktop.Application"
PATIENCE = 30_000  # ms that an app may take to start


def action(connection, identifier: str, name: str, argument: GLib.Variant, token: str | None, failed):
    """Runs an action of the app with this id, and starts the app if necessary. `token` lets the app's window come to
    the front. `failed(why)` is called if there is no such app, or if the app has no such action."""
    platform = {key: GLib.Variant("s", token) for key in ("activation-token", "desktop-startup-id")} if token else {}
    arguments = GLib.Variant("(sava{sv})", (name, [argument], platform))

    def finish(source, result):
        try:
            source.call_finish(result)
        except GLib.Error as error:
            # The app's own message follows the name of the error.
            why = error.message.partition(": ")[2] if Gio.DBusError.is_remote_error(error) else error.message
            JOURNAL.write(f"{identifier} was not called: {why}")
            failed(tr("{app} does not open it. Start it yourself, and try again.", app=identifier))
    connection.call(identifier, f"/{identifier.replace('.', '/')}", INTERFACE, "ActivateAction", arguments, None,
                    Gio.DBusCallFlags.NONE, PATIENCE, None, finish)
