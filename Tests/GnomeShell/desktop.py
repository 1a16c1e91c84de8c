# SPDX-License-Identifier: Apache-2.0
"""Two laptops on the simulated radio, and a real GNOME Shell without a screen on one of them."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from gi.repository import Gio, GLib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

from desktops import Laptops, until  # noqa: E402
from laptops import LIMIT, ROOT, end, own_session  # noqa: E402

UUID = "baton@batonproject.org"
NAME, PATH = "org.batonproject.Baton", "/org/batonproject/Baton"
COMMAND = ("gnome-shell", "--headless", "--virtual-monitor", "1280x800", "--wayland", "--no-x11", "--unsafe-mode")
# Short names for the objects that the tests inspect, defined in the shell.
PRELUDE = f"""
globalThis.trial = {{
    settings: Main.panel.statusArea.quickSettings,
    get baton() {{ return Main.extensionManager.lookup('{UUID}')?.stateObj?._baton; }},
    /** A text without the marks that keep the direction of writing of its values apart. */
    text: label => label.text.replace(/[\\u2068\\u2069]/g, ''),
    get rows() {{ return [...this.baton._rows.values()]; }},
    shown() {{
        const baton = this.baton;
        if (!baton)
            return null;
        return {{
            checked: baton._toggle.checked,
            icon: baton._icon.visible && baton._indicator.visible,
            rows: this.rows.map(row => this.text(row.label)),
            icons: this.rows.map(row => row._icon.gicon?.to_string() ?? row._icon.icon_name),
            state: baton._state.visible ? this.text(baton._state.label) : '',
            window: baton._window.visible,
        }};
    }},
    /** Everything of the shell that the extension adds to. */
    counts() {{
        const actors = actor => actor.get_children().reduce((sum, child) => sum + actors(child), 1);
        return {{
            indicators: this.settings._indicators.get_n_children(),
            toggles: this.settings.menu._grid.get_n_children(),
            menus: actors(this.settings.menu._overlay),
            apps: this.apps.size,
            sessions: Object.keys(Main.sessionMode._signalConnections).length,
        }};
    }},
    apps: new Set(),
}};
// GLib does not count the handlers of a signal, so those of the list of apps are noted from here on.
{{
    const apps = imports.gi.Shell.AppSystem.get_default(), {{connect, disconnect}} = apps;
    apps.connect = (...words) => {{
        const handler = connect.apply(apps, words);
        trial.apps.add(handler);
        return handler;
    }};
    apps.disconnect = handler => {{
        trial.apps.delete(handler);
        disconnect.call(apps, handler);
    }};
}}
null
"""


def connect(environment: dict) -> Gio.DBusConnection:
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(environment["DBUS_SESSION_BUS_ADDRESS"], flags, None, None)


def call(bus, destination, path, interface, method, arguments=None):
    return bus.call_sync(destination, path, interface, method, arguments, None, Gio.DBusCallFlags.NO_AUTO_START, LIMIT * 1000, None).unpack()


class GnomeShell:
    """GNOME Shell on a laptop's running session bus, with the installed extension."""

    def __init__(self, laptop, running: list):
        data = pathlib.Path(laptop.environment["XDG_DATA_HOME"])
        subprocess.run([ROOT / "Packaging/install"], check=True, timeout=LIMIT,
                       env={**os.environ, "FILES": "Packaging/files.gnome-shell", "PREFIX": str(data.parent), "DATADIR": str(data), "DESTDIR": ""})
        for kind, names in (("symbolic", (f"{NAME}-symbolic",)), ("scalable", (NAME, f"{NAME}.WebPage"))):
            icons = data / "icons/hicolor" / kind / "apps"
            icons.mkdir(parents=True)
            for name in names:
                shutil.copy(ROOT / f"Packaging/{name}.svg", icons)
        system = laptop.home / "system"
        system_bus, address = own_session.start_bus(own_session.environment(system))
        running.append(system_bus)
        self.environment = {**laptop.environment, "DBUS_SYSTEM_BUS_ADDRESS": address, "GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8",
                            "NO_AT_BRIDGE": "1", "LIBGL_ALWAYS_SOFTWARE": "1", "XDG_CURRENT_DESKTOP": "GNOME"}
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_DATA_DIRS"):
            self.environment.pop(name, None)
        self.log = laptop.home / "shell.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(COMMAND, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        running.append(self.process)
        self.bus = connect(laptop.environment)
        until("a shell that answers", lambda: self.answers() or self.process.poll() is not None)
        self.eval(PRELUDE)

    def answers(self) -> bool:
        try:
            return self.eval("Main.layoutManager._startingUp") is False
        except GLib.Error:
            return False

    def eval(self, code: str):
        """Runs code in the shell, and returns its value."""
        done, text = call(self.bus, "org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell", "Eval", GLib.Variant("(s)", (code,)))
        if not done:
            raise AssertionError(f"{code}: {text}")
        return json.loads(text) if text else None

    def extension(self, method: str):
        """Calls EnableExtension or DisableExtension, and waits until the extension has changed."""
        call(self.bus, "org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell.Extensions", method, GLib.Variant("(s)", (UUID,)))
        wanted = method == "EnableExtension"
        until(method, lambda: bool(self.shown()) == wanted, lambda: self.eval(f"Main.extensionManager.lookup('{UUID}')?.error ?? null"))

    def shown(self) -> dict:
        """Returns the state that the extension shows."""
        return self.eval("trial.shown()")

    def until(self, **wanted) -> dict:
        """Waits until the extension shows these values."""
        return until(f"shown {wanted}", lambda: (shown := self.shown()) and all(shown[name] == value for name, value in wanted.items()) and shown,
                     self.shown)

    def click(self, actor: str):
        """Moves the shell's own pointer to an actor and clicks, as the user does.

        Waits until the click would reach the actor, because a menu that is still opening takes all clicks."""
        place = f"""const actor = {actor};
            const [left, top] = actor.get_transformed_position(), [width, height] = actor.get_transformed_size();
            const [x, y] = [left + width / 2, top + height / 2];"""
        until(f"{actor} under the pointer", lambda: self.eval(f"""{{ {place}
            const found = global.stage.get_actor_at_pos(imports.gi.Clutter.PickMode.REACTIVE, x, y);
            actor.mapped && actor.contains(found) }}"""))
        self.eval(f"""{{ {place}
            trial.pointer ??= imports.gi.Clutter.get_default_backend().get_default_seat().create_virtual_device(0);
            const now = () => global.get_current_time() * 1000;
            trial.pointer.notify_absolute_motion(now(), x, y);
            trial.pointer.notify_button(now(), 1, 1);
            trial.pointer.notify_button(now(), 1, 0);
        }} null""")

    def open_menu(self):
        """Opens Quick Settings and Baton's menu in it, and waits until the menu is completely open."""
        self.eval("Main.overview.hide(); trial.settings.menu.open(0); trial.baton._toggle.menu.open(0); null")
        until("an open menu", lambda: self.eval("trial.baton._toggle.menu.isOpen && trial.baton._toggle.menu.actor.mapped && "
                                                "trial.baton._toggle.menu.box.opacity === 255 && !Main.overview.visible"))

    def picture(self, path: pathlib.Path):
        call(self.bus, "org.gnome.Shell.Screenshot", "/org/gnome/Shell/Screenshot", "org.gnome.Shell.Screenshot", "Screenshot",
             GLib.Variant("(bbs)", (False, False, str(path))))


class TwoLaptops(unittest.TestCase):
    """Two laptops: desk offers activities, and sofa runs the shell."""

    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="baton-gnome-"))
        cls.addClassCleanup(shutil.rmtree, cls.root, ignore_errors=True)
        cls.running = []
        cls.addClassCleanup(end, cls.running)
        cls.laptops = Laptops(cls.root, cls.running)
        cls.desk, cls.sofa = cls.laptops.desk, cls.laptops.sofa
        cls.applications = pathlib.Path(cls.sofa.environment["XDG_DATA_HOME"]) / "applications"
        cls.applications.mkdir()

    @classmethod
    def start_shell(cls):
        cls.sofa.start_bus()
        cls.shell = GnomeShell(cls.sofa, cls.running)

    @classmethod
    def start_circle(cls):
        cls.sofa.start_daemon(cls.root / "radio")
        cls.desk.start(cls.root / "radio")
        cls.laptops.make_circle()

    def offer(self, *words: str):
        """Lets desk offer an activity until the end of the test, or until it is continued."""
        process, _ = self.desk.follow("publish", *words)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        process.terminate()
        process.wait(LIMIT)
