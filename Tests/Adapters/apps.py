# SPDX-License-Identifier: Apache-2.0
"""Two laptops with the adapters and real apps. The apps have no display and make no sound unless a test says so."""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Examples"))

from laptops import LIMIT, ROOT, Display, demo, own_session  # noqa: E402, F401
from library import Laptops  # noqa: E402

from gi.repository import Gio, GLib  # noqa: E402

EXTENSION = ROOT / "Extensions" / "Adapters"
MOCK = pathlib.Path(__file__).resolve().parent / "mock-player"
WORK = ROOT / ".build" / "adapters"
PROPERTIES = "org.freedesktop.DBus.Properties"

WORK.mkdir(parents=True, exist_ok=True)


def processes_of(root: pathlib.Path) -> list:
    """Returns the processes whose home is below a directory."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            environment = pathlib.Path("/proc", process, "environ").read_bytes()
            if f"HOME={root}/".encode() in environment:
                found.append(int(process))
    return found


class Adapted(Laptops):
    """Two laptops of one circle, each with the adapters' service. A test calls the apps over the bus of their laptop."""

    def setUp(self):
        # Use a directory that is not for temporary files, because those are not handed over.
        with mock.patch("tempfile.tempdir", str(WORK)):
            super().setUp()

    def stop(self):
        super().stop()
        # End apps with neither a display nor the bus, such as VLC, which outlive both.
        for process in processes_of(self.root):
            with contextlib.suppress(ProcessLookupError):  # the process has just ended by itself
                os.kill(process, signal.SIGKILL)
        self.eventually(lambda: not processes_of(self.root))

    def prepare(self, laptop):
        super().prepare(laptop)
        del laptop.environment["G_DEBUG"]  # the apps use it, too
        # Installs the entries as a package does, but with another owner.
        packages = laptop.home / "packages"
        applications = packages / "applications"
        applications.mkdir(parents=True)
        laptop.environment["XDG_DATA_DIRS"] = f"{packages}:/usr/local/share:/usr/share"
        for entry in EXTENSION.glob("*.desktop"):
            (applications / entry.name).write_text(entry.read_text(encoding="utf-8").replace("/usr/lib/baton/adapters", str(EXTENSION)), encoding="utf-8")

    def begin(self, laptop):
        laptop.bus = Gio.DBusConnection.new_for_address_sync(
            laptop.environment["DBUS_SESSION_BUS_ADDRESS"],
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        self.addCleanup(lambda: laptop.bus.is_closed() or laptop.bus.close_sync(None))
        laptop.adapters_log = laptop.home / "adapters.log"
        laptop.adapters_log.touch()
        self.allow_adapters(laptop)
        self.start_adapters(laptop)

    def allow_adapters(self, laptop):
        """Writes permissions for the packages' adapters as batond stores them, because an ordinary user cannot install
        files of root."""
        directories = [pathlib.Path(each, "applications") for each in laptop.environment["XDG_DATA_DIRS"].split(":")]
        entries = {path.stem: path.read_bytes() for each in directories for path in each.glob("*.desktop")}
        said = [json.dumps({"adapter": adapter, "entry": hashlib.sha256(contents).hexdigest(), "isAllowed": True})
                for adapter, contents in entries.items() if b"X-Baton-Adapter=" in contents]
        state = laptop.home / "state"
        state.mkdir(mode=0o700, exist_ok=True)
        (state / "adapters").write_text("\n".join(["baton adapters 1", *said]), encoding="utf-8")
        (state / "adapters").chmod(0o600)

    def start_adapters(self, laptop):
        self.spawn_adapters(laptop, EXTENSION / "baton-adapters")

    def spawn_adapters(self, laptop, program):
        with laptop.adapters_log.open("w") as log:
            laptop.adapters = laptop.spawn([program], stdout=log, stderr=subprocess.STDOUT)

    def ask(self, laptop, destination, path, interface, method, arguments=None):
        """Returns an app's answer, or None if the app does not answer or does not run."""
        try:
            return laptop.bus.call_sync(destination, path, interface, method, arguments, None, Gio.DBusCallFlags.NO_AUTO_START, LIMIT * 1000, None).unpack()
        except GLib.Error:
            return None

    def property(self, laptop, destination, path, interface, name):
        answer = self.ask(laptop, destination, path, PROPERTIES, "Get", GLib.Variant("(ss)", (interface, name)))
        return answer[0] if answer else None

    def names(self, laptop, beginning: str) -> list:
        """Returns the names on a laptop's bus that begin with a text."""
        names = self.ask(laptop, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames")[0]
        return sorted(name for name in names if name.startswith(beginning))

    def wait_for_apps(self, laptop):
        """Waits until the daemon has read all earlier desktop entries, by waiting for an entry that is written after
        them."""
        applications = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "applications"
        applications.mkdir(parents=True, exist_ok=True)
        identifier = f"org.example.Adapter{len(list(applications.iterdir()))}"
        (applications / f"{identifier}.desktop").write_text("[Desktop Entry]\nType=Application\nName=Last\nExec=false\nX-Baton-Adapter=last;\n",
                                                           encoding="utf-8")
        self.eventually(lambda: identifier in laptop.baton("adapters")[0])

    def offer(self, laptop, activity_type: str):
        """Returns the id of an offer of this type that a laptop sees, or None."""
        return next((each["offer"] for each in json.loads(laptop.baton("nearby", "--json")[0]) if each["type"] == activity_type), None)

    @contextlib.contextmanager
    def published(self, activity_type: str, info: dict):
        """Offers an activity with this userInfo on the desk, until the sofa no longer sees it."""
        path = self.root / "info.json"
        path.write_text(json.dumps(info), encoding="utf-8")
        publisher, _ = self.desk.follow("publish", "--type", activity_type, "--info-json", path)
        yield
        publisher.terminate()
        publisher.wait(LIMIT)
        self.eventually(lambda: not self.offer(self.sofa, activity_type))

    def reference(self, name: str, contents: bytes, **more) -> dict:
        """Returns the reference to a file below home."""
        return {"name": name, "home": name, "size": len(contents), "sha256": {"$data": base64.b64encode(hashlib.sha256(contents).digest()).decode()}, **more}

    def open(self, laptop, activity_type: str):
        """Clicks on an offer. Waits until an app shows the activity at the right place. With BATON_TIMES, prints the
        time that this took."""
        offer = self.eventually(lambda: self.offer(laptop, activity_type))
        seconds = laptop.baton("open", offer)[1]
        if "BATON_TIMES" in os.environ:
            print(f"{self.id().rpartition('.')[2]}: {seconds:.2f} s from the click; the service has {memory(laptop.adapters.pid):.1f} MB", flush=True)

    def click_until(self, laptop, activity_type: str, is_right):
        """Clicks on an offer until a condition holds. A click that comes too early opens the earlier offer, or
        nothing."""
        def clicked():
            with contextlib.suppress(demo.Failure):
                self.open(laptop, activity_type)
            return self.within(5, is_right)
        self.eventually(clicked)

    def until_shown(self, look, expected: dict, told=lambda found: f"{found}") -> dict:
        """Waits until the state that `look` returns has the expected values. Returns the state. A failure shows the
        state and the adapters' logs."""
        found = {}

        def is_so():
            found.clear()
            found.update(look() or {})
            return all(found.get(key) == value for key, value in expected.items())
        try:
            self.eventually(is_so)
        except AssertionError:
            self.fail(f"not {expected}: {told(found)}\n{self.desk.adapters_log.read_text()}{self.sofa.adapters_log.read_text()}")
        return found

    def monitor(self, laptop, rule: str) -> pathlib.Path:
        """Returns a file that receives the calls on a laptop's bus from now on."""
        calls = laptop.home / f"calls-{len(list(laptop.home.glob('calls-*')))}"
        with calls.open("w") as log:
            laptop.spawn(["dbus-monitor", "--session", f"type=method_call,{rule}"], stdout=log, stderr=subprocess.DEVNULL)
        self.eventually(lambda: "member=NameLost" in calls.read_text(encoding="utf-8"))  # the connection has become a monitor
        return calls

    def called(self, calls: pathlib.Path) -> list:
        """Returns the methods in a monitor's file, in their order."""
        return re.findall(r"(?m)^method call .*member=(\w+)$", calls.read_text(encoding="utf-8"))

    def watch_current(self):
        """Writes down which activities become current on desk from now on."""
        self.became_current = self.monitor(self.desk, "member=BecomeCurrent")

    def current(self) -> str:
        """Returns the activity that became current last on desk."""
        said = self.became_current.read_text(encoding="utf-8").partition("member=BecomeCurrent")[2]
        return re.findall(r'(?m)^   string "(.*)"$', said)[-1] if '"\n' in said else ""

    def assert_ends_when_asked(self, process: int, rule: str, activity_type: str):
        """Kills an app on desk while the adapters wait for its answer. The user on sofa, who has clicked on the offer, must be told."""
        offer = self.eventually(lambda: self.offer(self.sofa, activity_type))
        os.kill(process, signal.SIGSTOP)
        calls = self.monitor(self.desk, rule)
        click = self.sofa.spawn([self.sofa.binaries / "baton", "open", offer], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.eventually(lambda: self.called(calls))
        os.kill(process, signal.SIGKILL)
        status, said = self.ended(click)
        self.assertNotEqual(status, 0)
        self.assertRegex(said, 'It has been closed on "desk"')

    def open_with_token(self, laptop, activity_type: str, token: str):
        """Clicks on an offer, with the desktop's token for raising the next window."""
        offer = self.eventually(lambda: self.offer(laptop, activity_type))
        laptop.bus.call_sync("org.batonproject.Baton", "/org/batonproject/Baton", "org.batonproject.Baton1.Offers", "Open",
                             GLib.Variant("(sa{sv})", (offer, {"activation-token": GLib.Variant("s", token)})), None, Gio.DBusCallFlags.NONE,
                             2 * LIMIT * 1000, None)

    def install_browser(self, laptop):
        """Installs a default browser on a laptop. The browser writes down its arguments."""
        program, data = laptop.home / "browser", pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / "applications"
        program.write_text(f'#!/bin/sh\nprintf "%s %s" "$*" "$XDG_ACTIVATION_TOKEN" >"{program}.part"\nmv "{program}.part" "{program}.page"\n',
                           encoding="utf-8")
        program.chmod(0o755)
        data.mkdir(parents=True, exist_ok=True)
        (data / "browser.desktop").write_text(f"[Desktop Entry]\nType=Application\nName=Browser\nExec={program} --new-window %u\n"
                                              "MimeType=x-scheme-handler/https;\n", encoding="utf-8")
        with (pathlib.Path(laptop.environment["XDG_CONFIG_HOME"]) / "mimeapps.list").open("a", encoding="utf-8") as defaults:
            defaults.write("[Default Applications]\nx-scheme-handler/https=browser.desktop\n")
        self.wait_for_apps(laptop)

    def assert_browser_has(self, laptop, address: str, token: str):
        page = laptop.home / "browser.page"
        self.eventually(page.exists)
        self.assertEqual(page.read_text(encoding="utf-8"), f"--new-window {address} {token}")


def memory(process: int) -> float:
    """Returns a program's share of the machine's memory, in MB."""
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024 / 1e6
