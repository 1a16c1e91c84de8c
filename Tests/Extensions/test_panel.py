# SPDX-License-Identifier: Apache-2.0
"""Tests baton-panel on a bus of its own, with a panel and a daemon that the test controls."""

import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

from gi.repository import Gio, GLib  # noqa: E402

from desk import LIMIT, NAME, OWN_NAME, PROGRAM, ROOT, Bus, Daemon, Monitor, Panel, Program, Systemd, ask_bus, connect, until  # noqa: E402

LETTER = {"offer": "o1", "device": "d1", "deviceName": "desk", "team": "", "type": "org.example.letter", "title": "Letter to Ada",
          "application": "org.example.Letters", "webpage": False, "streams": False}
PAGE = {"offer": "o2", "device": "d1", "deviceName": "desk", "webpage": True, "streams": False}


class OnABus(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="baton-panel-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.bus = Bus(self.root)
        self.addCleanup(self.bus.end)
        (self.bus.data / "applications" / "org.example.Letters.desktop").write_text(
            "[Desktop Entry]\nType=Application\nName=Letters\nExec=true\nIcon=accessories-text-editor\n", encoding="utf-8")

    def start(self, *words: str) -> Program:
        program = Program(self.bus.environment, PROGRAM, *words)
        self.addCleanup(program.stop)
        return program

    def panel(self) -> Panel:
        """Returns a panel that has the item."""
        panel = Panel(self.bus.address)
        self.program = self.start()
        panel.until(Status="Passive")
        return panel


class Shown(OnABus):
    def test_item_has_the_properties_that_panels_need(self):
        panel = self.panel()
        self.assertEqual(panel.registered, ["/StatusNotifierItem"])
        self.assertEqual((panel.shown["Id"], panel.shown["Category"]), (NAME, "SystemServices"))
        self.assertEqual((panel.shown["Menu"], panel.shown["ItemIsMenu"]), ("/StatusNotifierItem/Menu", False))
        self.assertEqual((panel.shown["IconName"], panel.shown["Title"]), (NAME, "Baton"))

    def test_best_offer_is_shown_with_app_and_device_until_it_ends(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        panel.until_entry("There is nothing to continue.", enabled=False)
        panel.told.clear()
        daemon.offer(**LETTER)
        panel.until(Status="Active", Title='Letters from "desk"', IconName="accessories-text-editor")
        self.assertEqual(panel.tip(), ('Letters from "desk"', "Letter to Ada"))
        panel.until_entry('Continue "Letter to Ada" from "desk" in Letters')
        # The item's contents are set before the item becomes visible.
        self.assertEqual(panel.told, ["ItemsPropertiesUpdated", "LayoutUpdated", "NewIcon", "NewTitle", "NewToolTip", "NewStatus"])
        daemon.offer(**PAGE)
        panel.until(Status="Active", Title='A web page from "desk"', IconName=f"{NAME}.WebPage")
        panel.until_entry('Continue the web page from "desk"')
        daemon.offer(**{**LETTER, "application": "org.example.Unknown", "title": ""})
        panel.until(Status="Active", Title='org.example.Unknown from "desk"', IconName=NAME)
        daemon.offer()
        panel.until(Status="Passive", Title="Baton", IconName=NAME)

    def test_state_of_the_daemon_is_shown_while_there_is_no_offer(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        string, in_an_hour = (lambda text: GLib.Variant("s", text)), int(time.time()) + 3600
        clock = time.strftime("%H:%M", time.localtime(in_an_hour))
        for state, reason, over, shown, more in (
                ("no-circle", "run 'baton pair'", 0, "run 'baton pair'", ""),
                ("paused", "Baton is paused", 0, "Baton is paused.", "Resume"),
                ("paused", "Baton is paused", in_an_hour, f"Baton is paused until {clock}.", "Resume"),
                ("no-radio", "turn Bluetooth on", 0, "turn Bluetooth on", "Pause"),
                ("starting", "", 0, "Baton is starting.", ""),
                ("unusable", "the keys cannot be read", 0, "the keys cannot be read", ""),
                ("of-a-later-version", "", 0, "Baton is in a state that this version does not know.", ""),
                ("running", "", 0, "There is nothing to continue.", "Pause")):
            with self.subTest(state=state, over=over):
                daemon.change(State=string(state), Reason=string(reason), PausedUntil=GLib.Variant("x", over))
                panel.until_entry(shown, enabled=False)
                panel.until(ToolTip=(NAME, [], "Baton", shown))
                visible = [entry["label"] for entry in panel.entries.values() if entry["visible"]]
                self.assertEqual(visible, [shown, more] if more else [shown])

    def test_item_is_active_while_baton_is_paused_or_has_a_problem(self):
        """Panels hide a passive item together with its menu."""
        panel, daemon = self.panel(), Daemon(self.bus.address)
        panel.until_entry("There is nothing to continue.", enabled=False)
        for state, reason in (("no-circle", "no circle"), ("paused", "paused"), ("no-radio", "no radio"), ("unusable", "no keys"),
                              ("of-a-later-version", "trouble")):
            for then, status in ((state, "Active"), ("running", "Passive"), (state, "Active"), ("starting", "Passive")):
                with self.subTest(state=state, then=then):
                    panel.told.clear()
                    daemon.change(State=GLib.Variant("s", then), Reason=GLib.Variant("s", reason))
                    panel.until(Status=status)
                    # The item reports its other properties before it becomes visible.
                    until("told last of its status", lambda: panel.told[-1:] == ["NewStatus"], lambda: panel.told)

    def test_item_is_passive_without_a_daemon(self):
        panel = self.panel()
        daemon = Daemon(self.bus.address, State=GLib.Variant("s", "paused"))
        panel.until(Status="Active")
        daemon.end()
        panel.until(Status="Passive", ToolTip=(NAME, [], "Baton", "Baton is not running."))

    def test_paused_item_still_offers_to_resume(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**LETTER)
        panel.until(Status="Active")
        panel.click(panel.until_entry("Pause"))
        self.assertEqual(daemon.take(1), [("Pause", (0,))])
        panel.told.clear()
        # The daemon reports both changes in one signal.
        daemon.change(BestOffer=GLib.Variant("a{sv}", {}), State=GLib.Variant("s", "paused"))
        number = panel.until_entry("Resume")
        panel.until(Status="Active", Title="Baton")
        self.assertNotIn("NewStatus", panel.told)
        panel.click(number)
        self.assertEqual(daemon.take(2)[1], ("Resume", ()))
        daemon.change(State=GLib.Variant("s", "running"))
        panel.until(Status="Passive")

    def lines(self, panel) -> list:
        return [entry["label"] for entry in panel.entries.values() if entry["visible"]]

    def test_menu_names_files_that_are_not_offered_and_the_reasons(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        temporary = "It is in a folder for temporary files."
        for number, names in enumerate((["report.pdf"], ["song.ogg"], ["a_b.pdf", "song.ogg"], [], [f"{each}.pdf" for each in range(9)]), 1):
            daemon.withhold(number, *((name, temporary) for name in names))
            shown = [f'"{name.replace("_", "__")}" is not offered. {temporary}' for name in names[:4]]
            until("told", lambda: self.lines(panel) == ["There is nothing to continue.", *shown, "Pause"], lambda: self.lines(panel))
            # Withheld files do not make the item visible, and a click on the item does nothing.
            self.assertEqual(panel.shown["Status"], "Passive")
            for line in shown:
                panel.click(panel.until_entry(line, enabled=False))
        self.assertEqual(daemon.calls, [])

    def test_files_that_were_not_offered_are_forgotten_when_the_daemon_ends(self):
        panel, line = self.panel(), '"report.pdf" is not offered. why'
        for _ in range(2):
            daemon = Daemon(self.bus.address)
            until("nothing told", lambda: self.lines(panel) == ["There is nothing to continue.", "Pause"], lambda: self.lines(panel))
            daemon.withhold(1, ("report.pdf", "why"))
            panel.until_entry(line, enabled=False)
            daemon.end()
            until("nothing told", lambda: self.lines(panel) == ["Baton is not running."], lambda: self.lines(panel))

    def test_item_follows_a_daemon_that_ends_and_restarts(self):
        panel = self.panel()
        for title in ("Letter to Ada", "Letter to Charles"):
            panel.until(Status="Passive", ToolTip=(NAME, [], "Baton", "Baton is not running."))
            offer = {key: GLib.Variant("s", value) for key, value in {**LETTER, "title": title}.items() if isinstance(value, str)}
            daemon = Daemon(self.bus.address, BestOffer=GLib.Variant("a{sv}", offer))
            panel.until(Status="Active", ToolTip=("accessories-text-editor", [], 'Letters from "desk"', title))
            daemon.end()
        panel.until(Status="Passive", Title="Baton")
        panel.until_entry("Baton is not running.", enabled=False)

    def test_restarted_watcher_gets_the_item_again(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**LETTER)
        panel.until(Status="Active")
        panel.go()
        panel.shown.clear()
        panel.come()
        until("registered again", lambda: len(panel.registered) == 2)
        panel.until(Status="Active", Title='Letters from "desk"')

    def test_watcher_that_starts_later_gets_the_item(self):
        self.start()
        # Until there is a watcher, the item only owns its name on the bus.
        bus, owners = connect(self.bus.address), []
        Gio.bus_watch_name_on_connection(bus, OWN_NAME, Gio.BusNameWatcherFlags.NONE, lambda bus, name, owner: owners.append(owner), None)
        until("on the bus", lambda: owners)
        panel = Panel(self.bus.address)
        panel.until(Status="Passive")


class Clicked(OnABus):
    def test_activate_opens_the_offer_once_and_passes_the_token_on(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**LETTER)
        panel.until(Status="Active")
        panel.do("ProvideXdgActivationToken", "token-1")
        panel.do("Activate", 0, 0)
        panel.do("Activate", 0, 0)
        panel.do("ContextMenu", 0, 0)
        panel.do("SecondaryActivate", 0, 0)
        panel.do("Scroll", 1, "vertical")
        daemon.offer(**PAGE)
        panel.until(Title='A web page from "desk"')
        panel.do("ProvideXdgActivationToken", "x" * 2000)
        panel.do("Activate", 0, 0)
        self.assertEqual(daemon.take(2), [("Open", ("o1", {"activation-token": "token-1"})), ("Open", ("o2", {}))])
        # After a failure the user can try again.
        daemon.calls[0][2].return_dbus_error("org.batonproject.Baton1.Error.NotFound", "there is no such offer")
        self.assertEqual(self.program.line(), "baton-panel: Open: there is no such offer\n")
        daemon.offer(**LETTER)
        panel.until(Title='Letters from "desk"')
        panel.do("Activate", 0, 0)
        self.assertEqual(daemon.take(3)[2], ("Open", ("o1", {})))

    def test_activate_without_an_offer_is_an_error_so_that_panels_show_the_menu(self):
        panel = self.panel()
        with self.assertRaisesRegex(GLib.Error, "there is nothing to continue"):
            panel.do("Activate", 0, 0)
        Daemon(self.bus.address)
        panel.until_entry("Pause")
        with self.assertRaisesRegex(GLib.Error, "there is nothing to continue"):
            panel.do("Activate", 0, 0)

    def test_menu_continues_pauses_and_resumes(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**LETTER)
        panel.click(panel.until_entry('Continue "Letter to Ada" from "desk" in Letters'))
        self.assertEqual(daemon.take(1), [("Open", ("o1", {}))])
        panel.click(panel.until_entry("Pause"))
        self.assertEqual(daemon.take(2)[1], ("Pause", (0,)))
        daemon.offer()
        daemon.change(State=GLib.Variant("s", "paused"))
        # A click on this line does nothing.
        panel.click(panel.until_entry("Baton is paused.", enabled=False))
        number = panel.until_entry("Resume")
        self.assertEqual(panel.menu("EventGroup", "(a(isvu))", [(number, "clicked", GLib.Variant("i", 0), 0), (99, "clicked", GLib.Variant("i", 0), 0)]),
                         ([99],))
        self.assertEqual(daemon.take(3)[2], ("Resume", ()))

    def test_menu_opens_the_window_if_it_is_installed(self):
        started = self.bus.data / "started"
        window = self.bus.data / "applications" / "org.batonproject.BatonWindow.desktop"
        window.write_text(f"[Desktop Entry]\nType=Application\nName=Baton\nExec=touch {started}\n", encoding="utf-8")
        panel = self.panel()
        panel.click(panel.until_entry("Open Baton"))
        # No message reports a change of a file.
        self.addCleanup(GLib.source_remove, GLib.timeout_add(20, lambda: True))
        until("the window", started.exists)

    def test_click_in_an_outdated_menu_continues_nothing(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**LETTER)
        old = panel.until_entry('Continue "Letter to Ada" from "desk" in Letters')
        daemon.offer(**PAGE)
        new = panel.until_entry('Continue the web page from "desk"')
        with self.assertRaisesRegex(GLib.Error, "no such entry"):
            panel.click(old)
        panel.click(new)
        self.assertEqual(daemon.take(1), [("Open", ("o2", {}))])

    def test_menu_answers_every_question_of_its_protocol(self):
        panel = self.panel()
        first, pausing = panel.entries
        nothing = "Baton is not running."
        self.assertEqual(panel.menu("AboutToShow", "(i)", 0), (False,))
        self.assertEqual(panel.menu("AboutToShowGroup", "(ai)", [0, first, 99]), ([], [99]))
        self.assertEqual(panel.menu("GetProperty", "(is)", first, "label"), (nothing,))
        self.assertEqual(panel.menu("GetGroupProperties", "(aias)", [first, 99], ["label"]), ([(first, {"label": nothing})],))
        self.assertEqual(len(panel.menu("GetGroupProperties", "(aias)", [], [])[0]), 3)
        self.assertEqual(panel.menu("GetLayout", "(iias)", 0, 0, [])[1][2], [])
        self.assertEqual(panel.menu("GetLayout", "(iias)", pausing, -1, ["visible"])[1], (pausing, {"visible": False}, []))
        for method, kinds, arguments in (("GetLayout", "(iias)", (99, -1, [])), ("GetProperty", "(is)", (first, "colour")),
                                         ("Event", "(isvu)", (99, "clicked", GLib.Variant("i", 0), 0))):
            with self.assertRaisesRegex(GLib.Error, "no such entry"):
                panel.menu(method, kinds, *arguments)


class Hostile(OnABus):
    def test_title_and_names_are_not_read_as_markup_or_mnemonics(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**{**LETTER, "title": "<img src='file:///x'> R&D a_b", "deviceName": "<b>desk</b>"})
        panel.until(Status="Active", Title='Letters from "‹b›desk‹/b›"')
        self.assertEqual(panel.tip(), ('Letters from "‹b›desk‹/b›"', "‹img src='file:///x'› R&amp;D a_b"))
        panel.until_entry("Continue \"‹img src='file:///x'› R&D a__b\" from \"‹b›desk‹/b›\" in Letters")

    def test_control_and_direction_characters_are_removed(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**{**LETTER, "title": "\u202eone\r\n\ttwo\x1b[31m\u2028three\u200b\ue000\u2066", "deviceName": "\x07\u2067"})
        panel.until(Status="Active", Title="Something from another laptop")
        self.assertEqual(panel.tip()[1], "one two[31m three")

    def test_name_written_from_right_to_left_does_not_move_the_text_around_it(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**{**LETTER, "deviceName": "דנה\u2069"})
        panel.until(Status="Active", Title='Letters from "\u2068דנה\u2069"')
        panel.until_entry('Continue "Letter to Ada" from "\u2068דנה\u2069" in Letters')

    def test_name_in_a_sentence_of_the_daemon_stays_isolated(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        sentence = '"\u2068דנה\u2069" has removed this laptop.'
        daemon.change(State=GLib.Variant("s", "no-circle"), Reason=GLib.Variant("s", f"\u202e{sentence}\u200b"))
        panel.until_entry(sentence, enabled=False)

    def test_long_texts_are_cut(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**{**LETTER, "title": "&" * 60_000, "deviceName": "y" * 60_000})
        panel.until(Status="Active", Title=f'Letters from "{"y" * 62}…"')
        self.assertEqual(panel.tip()[1], "&amp;" * 79 + "…")
        daemon.offer()
        daemon.change(State=GLib.Variant("s", "unusable"), Reason=GLib.Variant("s", "z" * 60_000))
        panel.until_entry("z" * 159 + "…", enabled=False)

    def test_values_of_unexpected_types_are_ignored(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(offer="o1", title=7, deviceName=True, application=7)
        panel.until(Status="Active", Title="Something from another laptop")
        daemon.offer(offer=7, title="Letter")
        panel.until(Status="Passive", Title="Baton")
        daemon.change(State=GLib.Variant("u", 1), Reason=GLib.Variant("u", 1), BestOffer=GLib.Variant("s", "o1"))
        panel.until_entry("Baton is in a state that this version does not know.", enabled=False)
        daemon.withhold(1, ("<b>\u202ereport</b>\n", "y" * 60_000))
        panel.until_entry(f'"‹b›report‹/b›" is not offered. {"y" * 159}…', enabled=False)
        daemon.change(State=GLib.Variant("s", "paused"), PausedUntil=GLib.Variant("x", 2**63 - 1))
        panel.until_entry("Baton is paused.", enabled=False)


class InALanguage(OnABus):
    def speak(self, language: str, kind: str):
        """Sets the item's language to one of `Scripts/catalogues compile` or `pseudo`."""
        subprocess.run([ROOT / "Scripts" / "catalogues", kind, self.root / "locale"], check=True, timeout=LIMIT)
        self.bus.environment.update(LANGUAGE=language, TEXTDOMAINDIR=str(self.root / "locale"))

    def labels(self, panel) -> list:
        return [entry["label"] for entry in panel.entries.values() if entry["visible"]]

    def test_item_and_menu_are_in_german(self):
        self.speak("de", "compile")
        panel = self.panel()
        panel.until(ToolTip=(NAME, [], "Baton", "Baton läuft nicht."))
        daemon = Daemon(self.bus.address)
        daemon.offer(**LETTER)
        panel.until(Status="Active", Title="Letters von „desk“")
        panel.until_entry("„Letter to Ada“ von „desk“ in Letters fortsetzen")
        daemon.offer(**PAGE)
        panel.until(Title="Eine Webseite von „desk“")
        self.assertEqual(panel.tip()[1], "Klicke, um hier weiterzumachen.")
        daemon.withhold(1, ("report.pdf", "Temporäre Dateien verlassen ihren Laptop nie."))
        panel.until_entry("„report.pdf“ wird nicht angeboten. Temporäre Dateien verlassen ihren Laptop nie.", enabled=False)
        daemon.offer()
        over = int(time.time()) + 3600
        daemon.change(State=GLib.Variant("s", "paused"), PausedUntil=GLib.Variant("x", over))
        panel.until_entry(f"Baton ist bis {time.strftime('%H:%M', time.localtime(over))} Uhr pausiert.", enabled=False)
        # The called method's name is not translated.
        panel.click(panel.until_entry("Pause beenden"))
        self.assertEqual(daemon.take(1), [("Resume", ())])
        self.assertEqual(panel.menu_direction(), "ltr")

    def test_kinds_of_the_adapters_have_their_articles(self):
        panel, daemon = self.panel(), Daemon(self.bus.address)
        for adapter, name, entry in (("Documents", "A document", "the document"), ("Editors", "A text", "the text"),
                                     ("Media", "Music or a video", "the music or the video")):
            daemon.offer(**{**LETTER, "application": f"org.batonproject.Adapter.{adapter}", "title": ""})
            panel.until(Title=f'{name} from "desk"')
            panel.until_entry(f'Continue {entry} from "desk"')

    def test_menu_is_written_from_right_to_left(self):
        self.speak("he", "pseudo")
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**{**LETTER, "title": "y" * 200})
        panel.until(Status="Active")
        daemon.withhold(1, ("report.pdf", "z" * 200))
        until("told", lambda: any("zzz" in label for label in self.labels(panel)) and "yyy" in str(panel.shown), lambda: self.labels(panel))
        self.assertEqual(panel.menu_direction(), "rtl")
        for text in (*self.labels(panel), panel.shown["Title"]):
            self.assertRegex(text, "^\u202b.* ~.*\u202c$")

    def test_text_whose_translation_is_missing_or_wrong_is_in_english(self):
        catalogue = self.root / "locale" / "de" / "LC_MESSAGES" / "baton.mo"
        catalogue.parent.mkdir(parents=True)
        source = ('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\nmsgid "Pause"\nmsgstr "Pausieren"\n'
                  'msgid "{app} from \\"{laptop}\\""\nmsgstr "{program} von {0}"\n')
        subprocess.run(["msgfmt", "--output-file", catalogue, "-"], input=source, text=True, check=True, timeout=LIMIT)
        self.bus.environment.update(LANGUAGE="de", TEXTDOMAINDIR=str(self.root / "locale"))
        panel, daemon = self.panel(), Daemon(self.bus.address)
        daemon.offer(**LETTER)
        panel.until(Title='Letters from "desk"')
        panel.until_entry("Pausieren")

    def test_catalogue_that_cannot_be_read_leaves_english(self):
        catalogue = self.root / "locale" / "de" / "LC_MESSAGES" / "baton.mo"
        catalogue.parent.mkdir(parents=True)
        catalogue.write_bytes(b"no catalogue")
        self.bus.environment.update(LANGUAGE="de", TEXTDOMAINDIR=str(self.root / "locale"))
        self.panel().until_entry("Baton is not running.", enabled=False)


class AtLogin(OnABus):
    """Runs the program as the autostart entry does."""

    def systemd(self, refusal: str = "") -> Systemd:
        systemd = Systemd(self.bus.address, refusal)
        self.addCleanup(systemd.end)
        return systemd

    def asked(self, systemd: Systemd) -> Program:
        """Starts the program, and returns it when systemd has answered its question."""
        program = self.start("--as-service")
        until("a start of the service", lambda: systemd.started)
        self.assertEqual(systemd.started, [("baton-panel.service", "replace")])
        return program

    def test_systemd_runs_the_panel_if_there_is_a_systemd(self):
        self.assertEqual(self.asked(self.systemd()).end(), (0, ""))

    def test_service_that_the_user_has_turned_off_stays_off(self):
        self.assertEqual(self.asked(self.systemd("UnitMasked")).end(), (0, ""))

    def test_panel_runs_itself_without_systemd(self):
        panel = Panel(self.bus.address)
        self.start("--as-service")
        panel.until(Status="Passive")

    def test_panel_runs_itself_if_systemd_has_no_such_service(self):
        panel = Panel(self.bus.address)
        self.asked(self.systemd("NoSuchUnit"))
        panel.until(Status="Passive")

    def test_panel_started_directly_does_not_ask_systemd(self):
        systemd = self.systemd()
        self.panel()
        self.assertEqual(systemd.started, [])


class Process(OnABus):
    def test_panel_never_starts_a_daemon(self):
        monitor = Monitor(self.bus.environment)
        self.addCleanup(monitor.end)
        panel = self.panel()
        # The panel starts no daemon at its start, when a daemon ends, or by a click after that.
        daemon = Daemon(self.bus.address)
        daemon.offer(**LETTER)
        panel.until(Status="Active")
        daemon.end()
        panel.until(Status="Passive")
        with self.assertRaises(GLib.Error):
            panel.do("Activate", 0, 0)
        self.assertTrue(ask_bus(panel.bus, "ListActivatableNames"))
        sent = monitor.sent_by(panel.owner, "ListActivatableNames")
        members = [message.get_member() for message in sent]
        self.assertIn("RegisterStatusNotifierItem", members)
        self.assertNotIn("StartServiceByName", members)
        no_start = Gio.DBusMessageFlags.NO_AUTO_START
        self.assertEqual([message.get_member() for message in sent if message.get_destination() == NAME and not message.get_flags() & no_start], [])

    def test_second_panel_of_a_session_ends(self):
        panel = self.panel()
        self.assertEqual(self.start().end(), (0, "baton-panel: it runs already\n"))
        self.assertEqual(len(panel.registered), 1)

    def test_panel_ends_at_sigterm(self):
        self.panel()
        self.program.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.program.end(), (0, ""))

    def test_panel_ends_with_its_bus(self):
        self.panel()
        self.bus.process.terminate()
        self.assertEqual(self.program.end(), (0, ""))

    def test_panel_without_a_bus_gives_an_error(self):
        program = Program({**self.bus.environment, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.root}/none"})
        status, output = program.end()
        self.assertEqual((status, output.count("\n")), (1, 1), output)
        self.assertIn("baton-panel: start it in a desktop session, for there is no session bus: ", output)

    def test_unknown_arguments_give_an_error_of_one_line(self):
        status, output = Program(self.bus.environment, PROGRAM, "--nope").end()
        self.assertEqual((status, output), (64, "baton-panel: unrecognized arguments: --nope; see: baton-panel --help\n"))

    def test_output_that_cannot_be_written_fails(self):
        for word in ("--version", "--help"):
            for target, reason in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
                status, output = Program(self.bus.environment, "/bin/sh", "-c", f"exec {PROGRAM} {word} {target}").end()
                self.assertEqual(status, 74, output)
                self.assertTrue(output.endswith(f"baton-panel: cannot write to standard output: {reason}\n"), output)

    def test_panel_without_pygobject_says_so_and_exits_with_success(self):
        # The option -S leaves out the directories of Debian's packages, and with them PyGObject.
        status, output = Program(self.bus.environment, "/usr/bin/python3", "-S", PROGRAM).end()
        self.assertEqual((status, output.count("\n")), (0, 1), output)
        self.assertIn("python3-gi", output)
