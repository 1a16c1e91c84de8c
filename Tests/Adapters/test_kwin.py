# SPDX-License-Identifier: Apache-2.0
"""Tests the window in front on Plasma, with the real KWin."""

import re
import sys
import unittest
from unittest import mock

from apps import EXTENSION, LIMIT
from library import introspected
from test_documents import QUIET, TYPE
import compositors

introspected()
sys.path.insert(0, str(EXTENSION))

from gi.repository import Gio, GLib  # noqa: E402

import kwin  # noqa: E402

SCRIPT = """for (const window of (workspace.windowList || workspace.clientList)()) {
    if (window.caption.includes("NAME")) {
        WHAT;
    }
}
"""
ACTIVATE = 'workspace["activeWindow" in workspace ? "activeWindow" : "activeClient"] = window'
CLOSE = "window.closeWindow()"


class OnPlasma(compositors.Fronts):
    """The desk runs KWin and no other part of Plasma."""

    def begin(self, laptop):
        """Also records the calls of KWin's script."""
        if laptop is self.desk:
            self.told = self.desk.home / "told"
            with self.told.open("w") as told:
                self.desk.spawn(["dbus-monitor", "--session", "type=method_call,interface=org.batonproject.Adapters.Front"], stdout=told)
        super().begin(laptop)

    def start_compositor(self):
        self.compositor = self.desk.spawn(
            ["kwin_wayland", "--virtual", "--no-lockscreen", "--no-global-shortcuts", "--socket", self.socket], **QUIET)
        self.eventually(lambda: self.run_on_desk("gdbus", "introspect", "--session", "--dest", "org.kde.KWin", "--object-path", "/Scripting"))

    def in_front(self):
        return "".join(re.findall(r'(?m)^   string "(.*)"$', self.told.read_text(encoding="utf-8"))[-1:])

    def scripting(self, path: str, interface: str, method: str, *arguments: str):
        return self.ask(self.desk, "org.kde.KWin", path, f"org.kde.kwin.{interface}", method,
                        GLib.Variant(f"({len(arguments) * 's'})", arguments) if arguments else None)

    def bring_forward(self, name):
        self.run_script(ACTIVATE, name)

    def close(self, name):
        self.run_script(CLOSE, name)

    def run_script(self, what: str, name: str):
        """Runs code in KWin for the windows whose title contains a name."""
        script = self.desk.home / "activate.js"
        script.write_text(SCRIPT.replace("WHAT", what).replace("NAME", name), encoding="utf-8")
        number, = self.scripting("/Scripting", "Scripting", "loadScript", str(script), "activate")
        for path in (f"/Scripting/Script{number}", f"/{number}"):
            self.scripting(path, "Script", "run")
        self.scripting("/Scripting", "Scripting", "unloadScript", "activate")

    def has_script(self) -> bool:
        return self.scripting("/Scripting", "Scripting", "isScriptLoaded", "org.batonproject.Adapters") == (True,)

    def test_script_stays_loaded_as_long_as_the_adapter_runs(self):
        self.eventually(self.has_script)
        self.desk.baton("adapters", "off", "documents")
        self.eventually(lambda: not self.has_script())

    def test_script_of_a_killed_program_is_replaced(self):
        """The new script reports the window in front when it starts."""
        self.read_two("okular", "--page")
        self.bring_forward("first.pdf")
        self.eventually(lambda: "first.pdf" in self.in_front())
        self.desk.adapters.kill()
        self.desk.adapters.wait(LIMIT)
        self.eventually(lambda: not self.offer(self.sofa, TYPE))
        self.assertTrue(self.has_script())
        before = self.told.stat().st_size
        self.start_adapters(self.desk)
        self.eventually(lambda: self.told.stat().st_size > before)
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 9)

    def test_title_change_is_reported_once_after_many_activations(self):
        self.read_two("okular", "--page")
        for name in 3 * ("first.pdf", "second.pdf"):
            self.bring_forward(name)
            self.eventually(lambda: name in self.in_front())
        self.ask(self.desk, self.owner_of("second.pdf"), "/okular", "org.kde.okular", "openDocument",
                 GLib.Variant("(s)", (str(self.write("third.pdf")),)))
        self.eventually(lambda: "third.pdf" in self.in_front())
        self.bring_forward("first.pdf")
        self.eventually(lambda: "first.pdf" in self.in_front())
        titles = re.findall(r'(?m)^   string "(.*)"$', self.told.read_text(encoding="utf-8"))
        self.assertEqual(sum(title.startswith("third.pdf") for title in titles), 1)

    def owner_of(self, name: str) -> str:
        """Returns the name on desk's bus of the Okular that shows a document."""
        return next(owner for owner in self.names(self.desk, "org.kde.okular-")
                    if name in str(self.ask(self.desk, owner, "/okular", "org.kde.okular", "currentDocument")))

    def test_restarted_kwin_reports_the_window_in_front(self):
        self.eventually(self.has_script)
        self.kill_compositor()
        self.start_compositor()
        self.assert_front_is_offered("okular", "--page")

    def test_only_kwin_may_report_the_window_in_front(self):
        first = self.read_two("okular", "--page")
        self.bring_forward("first.pdf")
        self.eventually(lambda: self.current() == first)
        second = self.owner_of("second.pdf").rpartition("-")[2]
        with self.assertRaisesRegex(GLib.Error, "AccessDenied.*only KWin"):
            self.desk.bus.call_sync(compositors.DOCUMENTS, "/org/batonproject/Adapters/Front", "org.batonproject.Adapters.Front", "Activated",
                                    GLib.Variant("(ss)", (second, "second.pdf")), None, Gio.DBusCallFlags.NONE, LIMIT * 1000, None)
        self.open(self.sofa, TYPE)
        self.assertEqual(self.zathura(self.sofa, "pagenumber"), 9)


class ScriptsCalls(unittest.TestCase):
    """The calls of KWin's script."""

    def setUp(self):
        self.enterContext(mock.patch.object(kwin, "Gio"))
        self.connection = mock.Mock()
        self.front = kwin.KWin(self.connection, lambda _: None)
        self.front.owner = ":1.5"

    def calls(self, process: str):
        self.front.called(None, ":1.5", None, None, None, GLib.Variant("(ss)", (process, "letter")), mock.Mock())
        return self.front.process, self.front.title

    def test_invalid_process_number_is_ignored(self):
        for process in ("0", "-1", "", "undefined", "1.5", "\u0661"):
            with self.subTest(process=process):
                self.assertEqual(self.calls("12"), (12, "letter"))
                self.assertEqual(self.calls(process), (0, ""))

    def test_window_in_front_is_forgotten_when_kwin_ends(self):
        self.calls("12")
        self.front.vanished(None, "org.kde.KWin")
        self.assertEqual((self.front.process, self.front.title), (0, ""))

    def test_script_is_unloaded_before_the_connection_is_closed(self):
        self.front.end()
        said = [call for call in self.connection.method_calls if call[0] in ("call", "flush_sync")]
        self.assertEqual([call[0] for call in said], ["call", "flush_sync"])
        self.assertEqual(said[0].args[3], "unloadScript")

    def test_loading_the_script_is_tried_eight_times(self):
        self.connection.call_finish.side_effect = GLib.Error("No such object path '/Scripting'")
        self.connection.call.side_effect = lambda *arguments: arguments[-1](self.connection, None)
        with mock.patch.object(kwin.GLib, "timeout_add", side_effect=lambda wait, again, *arguments: again(*arguments)) as timer:
            self.front.appeared(self.connection, "org.kde.KWin", ":1.5")
        asked = [call.args[3] for call in self.connection.call.call_args_list]
        self.assertEqual(asked, ["unloadScript", *8 * ["loadScript"]])
        self.assertEqual([call.args[0] for call in timer.call_args_list], [250 << number for number in range(7)])

    def test_loading_the_script_stops_when_kwin_or_the_adapter_ends(self):
        for ends in (lambda: self.front.vanished(None, "org.kde.KWin"), self.front.end):
            with mock.patch.object(kwin.GLib, "timeout_add", return_value=7), mock.patch.object(kwin.GLib, "source_remove") as stop:
                self.front.owner = ":1.5"
                self.front.loaded(":1.5", None, 3)
                ends()
                stop.assert_called_once_with(7)
