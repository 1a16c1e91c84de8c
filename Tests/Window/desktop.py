# SPDX-License-Identifier: Apache-2.0
"""Laptops on the simulated radio with Baton's real window on each, below Xvfb, used through the accessibility bus."""

import atexit
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

from desktops import LOCALE, PAUSE, Laptops, until  # noqa: E402
from laptops import BIN, LIMIT, ROOT, Display, end, own_session  # noqa: E402

WINDOW = pathlib.Path(os.environ.get("BATON_WINDOW") or BIN / "baton-gtk")
# The longest time in seconds until a key has moved the focus, or changed a text. No event reports a key that moves nothing, such as a key that was
# pressed before the window had the focus.
KEY = 2
SETTLE = 0.6  # seconds until scrolling has come to rest, which nothing reports
ISOLATES = re.compile("[\u2068\u2069]")
PRESSED = ("push button", "toggle button", "check box", "switch")  # the roles that a click presses
LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")


class Screen:
    """An X server without a screen, and an accessibility bus that its windows share."""

    def __init__(self, root: pathlib.Path, running: list, size="1000x900"):
        display = Display(size)
        display.manage()
        running += display.processes
        self.display = display.name
        session = own_session.environment(root / "accessibility")
        bus, address = own_session.start_bus(session)
        running.append(bus)
        session |= {"DBUS_SESSION_BUS_ADDRESS": address, "DISPLAY": self.display}
        launcher = next(path for path in LAUNCHERS if os.path.exists(path))
        running.append(subprocess.Popen([launcher, "--launch-immediately"], env=session, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True))
        self.accessibility = until("an accessibility bus", lambda: self._address(session))
        os.environ |= {"AT_SPI_BUS_ADDRESS": self.accessibility, "DISPLAY": self.display, "DBUS_SESSION_BUS_ADDRESS": address}
        import gi
        gi.require_version("Atspi", "2.0")
        from gi.repository import Atspi
        # By default, a call to a window that is busy for 0.8 s fails, although the window acts on it later. So a click would be repeated.
        Atspi.set_timeout(LIMIT * 1000, LIMIT * 1000)

    @staticmethod
    def _address(session) -> str:
        done = subprocess.run(["gdbus", "call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus", "--method",
                               "org.a11y.Bus.GetAddress"], env=session, capture_output=True, text=True, timeout=LIMIT, check=False)
        found = re.match(r"\('(.*)',\)", done.stdout)
        return found[1] if found else ""

    def picture(self, file: pathlib.Path):
        """Takes a picture of the screen."""
        subprocess.run(["import", "-display", self.display, "-window", "root", str(file)], check=True, timeout=LIMIT)

    def xdotool(self, *words: str) -> str:
        done = subprocess.run(["xdotool", *words], timeout=LIMIT, env={**os.environ, "DISPLAY": self.display}, capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""


def nodes(node, depth=0):
    """Yields a node of the accessibility tree, and all shown nodes below it."""
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi, GLib
    try:
        if depth and not node.get_state_set().contains(Atspi.StateType.VISIBLE):
            return
        yield node
        children = [node.get_child_at_index(index) for index in range(node.get_child_count())]
    except GLib.Error:
        return  # it has gone meanwhile
    for child in children:
        if child is not None:
            yield from nodes(child, depth + 1)


def name_of(node) -> str:
    from gi.repository import GLib
    try:
        name = ISOLATES.sub("", node.get_name() or "")
        # libadwaita names the buttons of a dialog twice.
        doubled = re.fullmatch(r"(.+) \1", name)
        return doubled[1] if doubled else name
    except GLib.Error:
        return ""


class Window:
    """Baton's window on a laptop."""

    def __init__(self, screen: Screen, laptop, running: list, program=WINDOW, through: tuple = (), **environment):
        """`through` is a command that starts the window."""
        self.screen, self.laptop = screen, laptop
        self.environment = {**laptop.environment, "DISPLAY": screen.display, "AT_SPI_BUS_ADDRESS": screen.accessibility, "GDK_BACKEND": "x11",
                            "GSK_RENDERER": "cairo", "GTK_A11Y": "atspi", "GSETTINGS_BACKEND": "memory", "LC_ALL": LOCALE, "GTK_USE_PORTAL": "0",
                            **environment}
        self.environment.pop("WAYLAND_DISPLAY", None)
        self.log = laptop.home / "window.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([*through, str(program)], env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            start_new_session=True)
        running.append(self.process)
        self.application = until("a window", self._find, lambda: self.log.read_text(errors="replace"))

    def _find(self):
        import gi
        gi.require_version("Atspi", "2.0")
        from gi.repository import Atspi, GLib
        if self.process.poll() is not None:
            raise AssertionError(f"the window ended with status {self.process.returncode}: {self.log.read_text(errors='replace')}")
        desktop = Atspi.get_desktop(0)
        for index in range(desktop.get_child_count()):
            try:
                application = desktop.get_child_at_index(index)
                if application is not None and application.get_process_id() == self.process.pid:
                    return application
            except GLib.Error:
                pass
        return None

    def all(self):
        """Returns the role, the name and the node of everything that is shown."""
        from gi.repository import GLib
        found = []
        for node in nodes(self.application):
            try:
                found.append((node.get_role_name(), name_of(node), node))
            except GLib.Error:
                pass  # it has gone meanwhile
        return found

    def texts(self) -> list:
        """Returns the names of everything that is shown, without repetitions."""
        return list(dict.fromkeys(name for _, name, _ in self.all() if name))

    def find(self, name: str, role: str = ""):
        """Returns the first shown thing with a name, or None."""
        return next((node for its, text, node in self.all() if text == name and (not role or its == role)), None)

    def see(self, name: str, role: str = ""):
        return until(f"seen: {name}", lambda: self.find(name, role), lambda: str(self.texts()))

    def see_not(self, name: str):
        until(f"gone: {name}", lambda: not self.find(name), lambda: str(self.texts()))

    def click(self, name: str):
        """Clicks a button or a switch."""
        from gi.repository import GLib

        def done():
            try:
                return any(text == name and role in PRESSED and node.get_action_iface().do_action(0) for role, text, node in self.all())
            except GLib.Error:
                return False  # it has gone meanwhile
        until(f"clicked: {name}", done, lambda: str(self.texts()))

    def number(self) -> str:
        """Returns the window's id on the X server."""
        return until("a window", lambda: self.screen.xdotool("search", "--onlyvisible", "--pid", str(self.process.pid)).split())[-1]

    def key(self, *keys: str):
        """Presses keys in this window."""
        self.screen.xdotool("windowactivate", "--sync", self.number())
        if keys:
            self.screen.xdotool("key", "--clearmodifiers", *keys)

    def focused(self) -> str:
        """Returns the name of the thing with the keyboard focus, or an empty text."""
        from gi.repository import Atspi, GLib
        for _, name, node in self.all():
            try:
                if name and node.get_state_set().contains(Atspi.StateType.FOCUSED):
                    return name
            except GLib.Error:
                pass  # it has gone meanwhile
        return ""

    def soon(self, condition) -> bool:
        """Waits until a key has had an effect. Returns whether it had one."""
        limit = time.monotonic() + KEY
        while not (holds := condition()) and time.monotonic() < limit:
            time.sleep(PAUSE)
        return holds

    def walk(self, name: str, key="Tab"):
        """Presses a key until something has the keyboard focus. It presses the next one only when the last one has moved the focus, so that no key
        is on its way when this returns."""
        self.see(name)
        passed = []

        def there():
            passed.append(self.focused())
            if passed[-1] == name:
                return True
            self.key(key)
            self.soon(lambda: self.focused() != passed[-1])
            return False
        until(f"reached: {name}", there, lambda: str(passed))

    def choose(self, name: str):
        """Goes to a button or a row by keys, and presses it by a key."""
        self.walk(name)
        self.key("Return")

    def press(self, title: str, *roles: str):
        """Clicks with the mouse on the middle of a thing that has no action of its own, such as a row."""
        from gi.repository import Atspi, GLib

        def middle():
            try:
                for role, text, node in self.all():
                    if text == title and role in roles:
                        place = node.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
                        if place.width > 0:
                            return place.x + place.width // 2, place.y + place.height // 2
            except GLib.Error:
                pass  # it has gone meanwhile
            return None
        places = [None]

        def at_rest():
            """Returns the place once it no longer moves, because a click into a scrolling list would miss its row."""
            places.append(middle())
            return places[-1] if places[-1] == places[-2] else None
        self.key()
        x, y = until(f"a place: {title}", at_rest, lambda: str([(role, name) for role, name, _ in self.all() if name]))
        window = self.number()
        self.screen.xdotool("mousemove", "--window", window, str(x), str(y), "click", "1")

    def code(self) -> str:
        """Returns the text of the QR code on the screen, or an empty text."""
        picture = self.laptop.home / "screen.png"
        self.screen.picture(picture)
        done = subprocess.run(["zbarimg", "--quiet", "--raw", str(picture)], capture_output=True, text=True, timeout=LIMIT, check=False)
        return done.stdout.strip()

    def scroll_to_end(self):
        """Turns the mouse's wheel until the last rows are shown."""
        self.key()
        window = self.number()
        self.screen.xdotool("mousemove", "--window", window, "300", "400", "click", "--repeat", "30", "--delay", "10", "5")
        time.sleep(SETTLE)

    def open(self, title: str):
        """Clicks on a row of a list."""
        self.press(title, "list item")

    def text(self, title: str) -> str:
        """Returns the text that is typed in a row."""
        from gi.repository import Atspi, GLib
        try:
            for role, name, node in self.all():
                if role == "text" and name == title and (content := node.get_text_iface()):
                    return Atspi.Text.get_text(content, 0, Atspi.Text.get_character_count(content))
        except GLib.Error:
            pass  # it has gone meanwhile
        return ""

    def type(self, title: str, text: str):
        """Types a text into a row, and applies it."""
        self.enter(title, text, lambda: self.press(title, "text"))

    def enter(self, title: str, text: str, begin=lambda: None):
        """Types a text into the row that has the keyboard focus, and applies it. GTK 4.8 does not report that such a
        row has the focus, but the row reports its text. Keys that were pressed before the row had the focus are pressed
        again."""

        def typed():
            begin()
            self.key("ctrl+a")
            self.screen.xdotool("type", text)
            return self.soon(lambda: self.text(title) == text)
        until(f"typed: {title}", typed, lambda: self.text(title))
        self.key("Return")


class Desktop(unittest.TestCase):
    """Two laptops that know nothing of each other, and a screen."""

    # The accessibility library connects to one bus in the life of a process.
    screen = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="baton-window-")
        self.addCleanup(directory.cleanup)
        self.root, self.running = pathlib.Path(directory.name), []
        self.addCleanup(end, self.running)
        if Desktop.screen is None:
            home, processes = tempfile.mkdtemp(prefix="baton-screen-"), []
            atexit.register(shutil.rmtree, home, ignore_errors=True)
            atexit.register(end, processes)
            Desktop.screen = Screen(pathlib.Path(home), processes)
        self.laptops = Laptops(self.root, self.running)
        self.desk, self.sofa = self.laptops.desk, self.laptops.sofa
        for laptop in (self.desk, self.sofa):
            icons = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "icons/hicolor/scalable/apps"
            icons.mkdir(parents=True)
            for icon in (ROOT / "Packaging").glob("*.svg"):
                shutil.copy(icon, icons)
            laptop.start(self.root / "radio")
            laptop.baton("rename", laptop.name)

    def window(self, laptop, **more) -> Window:
        return Window(self.screen, laptop, self.running, **more)

    def offer(self, laptop, *words: str):
        """Lets a laptop offer something until the end of the test."""
        process, _ = laptop.follow("publish", *words)
        return process
