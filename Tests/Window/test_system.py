# SPDX-License-Identifier: Apache-2.0
"""The window's buttons that change the system as root, in a copy of /etc and /usr, with the real pkexec, polkitd and programs."""

import os
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

from desktop import ROOT, Desktop  # noqa: E402
from desktops import until  # noqa: E402
from laptops import LIMIT  # noqa: E402

sys.path.insert(0, str(ROOT / "Tests/Packaging"))

from copied_system import DROP_IN, LINK, needs_root, programs  # noqa: E402

POLICY = "usr/share/polkit-1/actions/org.batonproject.Baton.policy"
BUS = "/run/dbus/system_bus_socket"
POLKITD = ("/usr/lib/polkit-1/polkitd", "/usr/libexec/polkitd")
# Changes stay in the directory $1, and only the processes of this mount namespace see them.
MOUNTS = """
    mount -t tmpfs -o mode=755 baton-window "$1"
    for directory in etc usr; do
        mkdir "$1/$directory" "$1/$directory.work"
        mount -t overlay -o "lowerdir=/$directory,upperdir=$1/$directory,workdir=$1/$directory.work" baton-window "/$directory"
    done
    mount -t tmpfs -o mode=755 baton-window /run
    mkdir /run/dbus
    echo ready
    exec sleep infinity
    """


class System:
    """A mount namespace in which the programs are installed."""

    def __init__(self, directory: pathlib.Path, running: list):
        directory.mkdir()
        self.holder = subprocess.Popen(["unshare", "--mount", "--propagation=private", "sh", "-ec", MOUNTS, "sh", str(directory)], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, text=True, start_new_session=True)
        running.append(self.holder)
        if self.holder.stdout.readline() != "ready\n":
            raise AssertionError("no copy of the system")
        self.through = ("nsenter", f"--mount=/proc/{self.holder.pid}/ns/mnt")
        for path, source in (programs() | {DROP_IN[1:]: ROOT / "Systemd/bluetooth.service.d/baton.conf",
                                           POLICY: ROOT / "Packaging/org.batonproject.Baton.policy"}).items():
            self.path(path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, self.path(path))
        shutil.rmtree(self.path(LINK).parent, ignore_errors=True)
        self.path(LINK).parent.mkdir(parents=True)
        self._start(running, "dbus-daemon", "--system", "--nofork", "--nopidfile", f"--address=unix:path={BUS}")
        until("a system bus", lambda: self._ask_bus("GetId"))
        self._start(running, next(path for path in POLKITD if os.path.exists(path)), "--no-debug")
        # Otherwise the bus would start another polkitd for the first call.
        until("polkitd", lambda: "true" in self._ask_bus("NameHasOwner", "org.freedesktop.PolicyKit1"))
        self.link = self.path(LINK)

    def _start(self, running: list, *command: str):
        running.append(subprocess.Popen([*self.through, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True))

    def _ask_bus(self, *words: str) -> str:
        """Returns the answer of the system bus to a call, or an empty text."""
        call = ("gdbus", "call", "--system", "--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus", "--method")
        done = subprocess.run([*self.through, *call, f"org.freedesktop.DBus.{words[0]}", *words[1:]], capture_output=True, text=True, timeout=LIMIT,
                              check=False)
        return done.stdout

    def path(self, path: str) -> pathlib.Path:
        """Returns the path from outside of a file of this system."""
        return pathlib.Path(f"/proc/{self.holder.pid}/root") / path.lstrip("/")


@needs_root
class Buttons(Desktop):
    TITLE = "Bluetooth is set up for Baton"
    BUTTON = f"Remove…: {TITLE}"
    QUESTION = "Remove Baton's Bluetooth settings?"

    def setUp(self):
        super().setUp()
        self.system = System(self.root / "system", self.running)

    def open(self, row=TITLE):
        """Opens the page of problems, which has this row."""
        window = self.window(self.sofa, through=self.system.through)
        window.see("Something Is Wrong?", "list item")
        window.scroll_to_end()
        window.open("Something Is Wrong?")
        window.see(row, "list item")
        return window

    def begin(self, window):
        """Begins to remove the settings, and agrees."""
        window.click(self.BUTTON)
        window.see(self.QUESTION)
        window.click("Remove")

    def test_settings_are_removed_after_a_question_and_the_window_says_so(self):
        os.symlink(DROP_IN, self.system.link)
        window = self.open()
        window.click(self.BUTTON)
        window.see(self.QUESTION)
        window.click("Cancel")
        window.see_not(self.QUESTION)
        self.assertTrue(self.system.link.is_symlink())
        self.begin(window)
        window.see("Baton's Bluetooth settings are removed. Restart this laptop, so that this takes effect.")
        window.see_not(self.TITLE)
        self.assertFalse(self.system.link.is_symlink())

    def test_window_gives_the_reason_for_a_refusal(self):
        os.symlink(DROP_IN, self.system.link)
        window = self.open()
        self.system.link.unlink()
        self.system.link.write_text("[Service]\n", encoding="utf-8")
        self.begin(window)
        window.see("Nothing was changed, because another file is in the place of Baton's settings. Ask your administrator.")
        self.assertEqual(self.system.link.read_text(encoding="utf-8"), "[Service]\n")
        # The file is not Baton's, so there is nothing to undo.
        window.see_not(self.TITLE)

    def test_another_link_at_the_path_of_batons_link_is_ignored(self):
        os.symlink(DROP_IN + ".mine", self.system.link)
        shutil.copy(self.system.path(DROP_IN), self.system.path(DROP_IN + ".mine"))
        self.assertIsNone(self.open("Report").find(self.TITLE))

    def test_button_is_hidden_during_the_password_question_and_returns_without_a_password(self):
        """A stand-in for pkexec, because root is never asked."""
        os.symlink(DROP_IN, self.system.link)
        answer = self.root / "answer"
        os.mkfifo(answer)
        pkexec = self.system.path("/usr/bin/pkexec")
        pkexec.unlink()
        pkexec.write_text(f"#!/bin/sh\nread -r status message <{answer}\necho \"$message\" >&2\nexit $status\n", encoding="utf-8")
        pkexec.chmod(0o755)
        window = self.open()
        for status, said in (("126", "Nothing was changed."), ("127", "Nothing was changed. Only an administrator may do this."),
                             ("127 Error executing command as another user: No authentication agent found.",
                              "Nothing was changed, because no program is running that asks for the password. Start a polkit agent, or log in to another "
                              "desktop, and try again.")):
            self.begin(window)
            window.see_not(self.BUTTON)
            window.see(self.TITLE, "list item")
            answer.write_text(f"{status}\n", encoding="utf-8")
            window.see(said)
            window.see(self.BUTTON)
        self.assertTrue(self.system.link.is_symlink())
