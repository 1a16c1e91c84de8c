# SPDX-License-Identifier: Apache-2.0
"""Tests hardware in the loop: what it reads from controllers and daemons, what counts as passed, and what its reports
hide."""

import hashlib
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import types
import unittest
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

HIL = Path(__file__).resolve().parents[2] / "Scripts" / "hil"
sys.dont_write_bytecode = True
sys.path[:0] = [str(HIL), str(HIL.parent / "lab")]

from harness import (HilError, bench, bluetoothd, checks, conformance, controllers, handover, laptop, machine, mask, own_bluetoothd, peer, places,  # noqa: E402
                     plot, processes, reach, report, streams)


class Answers(unittest.TestCase):
    def answer(self, script: str):
        """Returns the status of a laptop whose baton is a script, and whose daemon runs."""
        directory = self.enterContext(tempfile.TemporaryDirectory())
        baton = Path(directory, "baton")
        baton.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        baton.chmod(0o755)
        asked = laptop.Laptop.__new__(laptop.Laptop)
        asked.binaries, asked.processes, asked.environment, asked.patience, asked.adapter = Path(directory), processes.Processes(), {}, 1, "hci0"
        asked.daemon = mock.Mock(**{"poll.return_value": None})
        return asked.answers()

    def test_a_command_that_ends_without_a_word_is_reported_at_once_with_its_status(self):
        for script, said in (("kill -ABRT $$", "status -6 after 0 characters"), ("printf {}; kill -ABRT $$", "status -6 after 2 characters")):
            with self.assertRaisesRegex(HilError, said):
                self.answer(script)

    def test_a_daemon_that_does_not_answer_yet_is_asked_again(self):
        self.assertIsNone(self.answer("echo baton: no daemon >&2; exit 69"))
        self.assertIsNone(self.answer("echo '{\"adapters\": []}'"))
        self.assertEqual(self.answer("echo '{\"adapters\": [\"hci0\"]}'"), {"adapters": ["hci0"]})


def information(status=0, event=1, opcode=4, supported=0x0003BEFF, current=0x00000AC1, name=b"Ada's laptop") -> bytes:
    """Returns the kernel's answer to Read Controller Information (BlueZ, doc/mgmt-api.txt)."""
    told = bytes.fromhex("665544332211") + struct.pack("<BHII3s249s11s", 11, 2, supported, current, b"", name, b"")
    return struct.pack("<HHHHB", event, 0, 3 + len(told), opcode, status) + told


class Controllers(unittest.TestCase):
    def test_the_kernels_answer_is_read(self):
        told = controllers.controller_information(information())
        self.assertEqual((told["address"], told["version"], told["manufacturer"]), ("11:22:33:44:55:66", 11, 2))
        self.assertEqual(told["current"], ["powered", "br/edr", "le"])

    def test_a_truncated_answer_gives_an_error(self):
        whole = information()
        for length in range(26):
            with self.assertRaises(HilError, msg=length):
                controllers.controller_information(whole[:length])

    def test_an_answer_of_another_kind_gives_an_error(self):
        for answer in (information(status=0x11), information(event=2), information(opcode=5), information(event=0x12), bytes(9), b""):
            with self.assertRaises(HilError):
                controllers.controller_information(answer)

    def test_unknown_settings_are_ignored(self):
        self.assertEqual(controllers.settings(0xFFFFFFFF), list(controllers.SETTINGS.values()))

    def test_the_version_of_a_controller_is_read_and_anything_else_gives_an_error(self):
        event = bytes.fromhex("040e0c01 0110 00 0a 0b00 0a 0200 0d0e".replace(" ", ""))
        self.assertEqual(controllers.local_version(event), {"hci": 10, "hciRevision": 11, "lmp": 10, "lmpSubversion": 0x0E0D})
        for other in (event[:14], b"", b"\x02" + event[1:], event[:6] + b"\x01" + event[7:], event[:4] + b"\x02" + event[5:]):
            with self.assertRaises(HilError):
                controllers.local_version(other)

    def test_identifiers_contain_no_character_that_breaks_a_table(self):
        self.assertEqual(controllers.identifier("usb:v8087p0029d0001dcE0dsc01dp01icE0isc01ip01in00"), "8087:0029")
        self.assertEqual(controllers.identifier("of:NbluetoothT|`\nC" + "x" * 99)[:20], "of:NbluetoothTCxxxxx")

    def test_connections_are_not_counted_as_adapters(self):
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(controllers, "CLASS", Path(directory)):
            for name in ("hci10", "hci2", "hci2:64", "hci2:65", "rfcomm0"):
                (Path(directory) / name).mkdir()
            self.assertEqual((controllers.numbers(), controllers.connections("hci2"), controllers.connections("hci10")), (["hci2", "hci10"], 2, 0))

    def test_a_blocked_adapter_is_recognised(self):
        with tempfile.TemporaryDirectory() as directory, mock.patch.object(controllers, "CLASS", Path(directory)):
            switch = Path(directory) / "hci0" / "rfkill3"
            switch.mkdir(parents=True)
            for soft, hard, expected in (("0", "0", ""), ("1", "0", "soft"), ("1", "1", "hard")):
                (switch / "soft").write_text(soft + "\n")
                (switch / "hard").write_text(hard + "\n")
                self.assertEqual(controllers.blocked("hci0"), expected)

    def test_only_lines_about_firmware_are_taken_from_the_kernel_log(self):
        log = ("[ 4.1] Bluetooth: hci0: Firmware revision 0.4 build 125\x1b week 46\n[ 4.2] Bluetooth: hci1: Firmware x\n"
               "[ 4.3] Bluetooth: hci0: command tx timeout\n[ 5] Bluetooth: hci0: RTL: fw version 0x0cc6d2e3\n")
        self.assertEqual(machine.of_firmware(log, "hci0"), ["Firmware revision 0.4 build 125? week 46", "RTL: fw version 0x0cc6d2e3"])


class Bluetoothd(unittest.TestCase):
    HEAD = "method return time=1.2 sender=:1.1 -> destination=:1.2 serial=3 reply_serial=2\n"

    def test_answers_are_read(self):
        for printed, expected in (
            ("   variant       boolean true\n", True), ("   boolean false\n", False), ("   variant       byte 5\n", 5), ("   uint32 812\n", 812),
            ('   variant       array [\n         string "central"\n         string "central-peripheral"\n      ]\n', ["central", "central-peripheral"]),
            ("   variant       array [\n      ]\n", []), ('   variant       string "x"\n', "x"),
        ):
            self.assertEqual(bluetoothd.value(self.HEAD + printed), expected)

    def test_a_name_with_line_ends_cannot_imitate_another_answer(self):
        self.assertNotEqual(bluetoothd.value(self.HEAD + '   variant       string "x\n   boolean true"\n'), True)

    def test_any_other_output_gives_an_error(self):
        for printed in ("", "   double 1\n", "   boolean maybe\n", "   uint32 x\n", "   variant       dict entry(\n"):
            with self.assertRaises(HilError):
                bluetoothd.value(self.HEAD + printed)
        with self.assertRaises(HilError):
            bluetoothd.value("")

    def test_only_links_to_devices_that_are_not_paired_are_ended(self):
        nodes = "".join(f'<node name="{name}"/>' for name in ("dev_00_AA_01_01_00_01", "dev_00_AA_01_01_00_02", "dev_00_AA_01_01_00_03", "dev_x/../y"))
        true = {("1", "Connected"), ("2", "Connected"), ("2", "Paired"), ("3", "Paired")}
        asked = []

        def call(_, path, member, *arguments):
            asked.append(path)
            if member.endswith("Introspect"):
                return nodes
            return f"{self.HEAD}   variant       boolean {'true' if (path[-1], arguments[-1].removeprefix('string:')) in true else 'false'}\n"

        with mock.patch.object(bluetoothd, "call", call):
            self.assertEqual(bluetoothd.linked("hci0"), ["/org/bluez/hci0/dev_00_AA_01_01_00_01"])
        self.assertFalse(any(".." in path for path in asked))

    def test_a_removed_device_has_no_link(self):
        with mock.patch.object(bluetoothd, "call", side_effect=HilError("UnknownObject")):
            self.assertFalse(bluetoothd.is_device("/org/bluez/hci0/dev_00_AA_01_01_00_01", "Connected"))

    def test_only_the_relevant_options_of_the_configuration_are_reported(self):
        text = "[General]\nName = Ada's laptop\n#Privacy = off\nPrivacy = device\n[GATT]\nChannels=3\n[Policy]\nChannels = | x |\n"
        self.assertEqual(bluetoothd.configuration(text), {"Privacy": "device", "Channels": "3"})


class Checks(unittest.TestCase):
    def test_two_different_adapters_must_be_named(self):
        self.assertEqual(checks.names("hci0,hci1"), ["hci0", "hci1"])
        self.assertEqual(checks.names(" hci1, hci0 "), ["hci1", "hci0"])
        for given in ("", "hci0", "hci0,hci0", "hci0,hci1,hci2", "hci0,../x", "hci0,hci1234", "hci0;hci1"):
            self.assertEqual(checks.names(given), [])

    def test_with_a_peer_one_name_may_mean_the_adapters_of_both(self):
        for given, expected in (("hci0", ["hci0", "hci0"]), ("hci0,hci0", ["hci0", "hci0"]), ("hci1 hci0", ["hci1", "hci0"]), ("", []), ("hci0,x", [])):
            self.assertEqual(checks.names(given, with_peer=True), expected)

    def test_all_missing_things_are_reported_at_once(self):
        with mock.patch.object(controllers, "numbers", return_value=["hci0"]), mock.patch.object(bluetoothd, "runs", return_value=False):
            said = "\n".join(checks.lacking(["hci0", "hci1"], "/nowhere", checks.HERE))
        for words in ("/nowhere/batond is missing", "hci1 is not there: this machine has hci0", "bluetoothd does not run"):
            self.assertIn(words, said)

    def of(self, roles=("central", "peripheral"), supported=("le",), current=("powered",), connections=0, block=""):
        told = {"address": "11:22:33:44:55:66", "supported": supported, "current": current}
        with mock.patch.multiple(controllers, ask_kernel=lambda _: told, connections=lambda _: connections, blocked=lambda _: block), \
                mock.patch.object(bluetoothd, "get", return_value=list(roles)):
            return checks.faults("hci0")

    def test_an_adapter_that_is_not_ready_is_reported(self):
        self.assertEqual(self.of(), [])
        for expected, given in (("blocked by rfkill", {"block": "soft"}), ("no Bluetooth LE", {"supported": ()}), ("is off", {"current": ()}),
                                ("no LE peripheral", {"roles": ("central",)}), ("has 2 connections", {"connections": 2})):
            self.assertIn(expected, " ".join(self.of(**given)))

    def test_without_hardware_the_command_fails_and_lists_the_parts_that_did_not_run(self):
        done = subprocess.run([HIL / "run", "--adapters", "hci98,hci99"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("hci98 is not there", done.stderr)
        self.assertEqual(done.stderr.count(" not run"), 9)

    def test_an_existing_connection_is_an_error_unless_it_is_wanted(self):
        told = {"address": "11:22:33:44:55:66", "supported": ["le"], "current": ["powered"]}
        with mock.patch.multiple(controllers, ask_kernel=lambda _: told, connections=lambda _: 1, blocked=lambda _: ""), \
                mock.patch.object(bluetoothd, "get", return_value=["central", "peripheral"]):
            self.assertEqual([len(checks.faults("hci0", beside)) for beside in (False, True)], [1, 0])

    def test_other_options_of_bluetoothd_need_root_and_a_single_machine(self):
        for peer, user, words in ((False, 1000, "needs root"), (True, 0, "leave PEER out")):
            with mock.patch.object(os, "geteuid", return_value=user):
                self.assertIn(words, " ".join(own_bluetoothd.OwnBluetoothd.lacking(peer)))
        with mock.patch.object(os, "geteuid", return_value=0):
            self.assertEqual(own_bluetoothd.OwnBluetoothd.lacking(False), [])
        done = subprocess.run([HIL / "run", "--adapters", "hci98,hci99", "--parts", "bluetoothd"], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, "needs --own-bluetoothd" in done.stderr), (2, True))

    def test_unknown_parts_give_an_error(self):
        for parts in ("", ",", "circle,nothing"):
            done = subprocess.run([HIL / "run", "--adapters", "hci98,hci99", "--parts", parts], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, "no such part" in done.stderr), (2, True), parts)


class Lab(unittest.TestCase):
    def test_scenarios_name_scripts_that_exist(self):
        from host.scenarios import SCENARIOS

        scripts = {name for scenario in SCENARIOS for name in scenario.scripts}
        self.assertIn("hil", scripts)
        self.assertEqual([name for name in scripts if not (HIL.parent / name).exists()], [])


class Conformance(unittest.TestCase):
    SAID = "passed echoOfManySizes 1.5 seconds\npassed silenceIsLost 4.2e-05 seconds\nchecks: 2, failed: 0\n"

    def judge(self, said, status=0):
        result = bench.Result("conformance", "")
        conformance.judge(said, status, result)
        return result

    def run_with(self, wait):
        with tempfile.TemporaryDirectory() as directory:
            def start(_, stdout, stderr):
                stdout.write(b"passed echoOfManySizes 1.5 seconds\n")
                return types.SimpleNamespace(wait=wait, returncode=-15)

            stand = types.SimpleNamespace(
                directory=Path(directory), limit=lambda seconds: seconds, options=types.SimpleNamespace(binaries=Path("/nowhere")), places=[],
                processes=types.SimpleNamespace(start=start, end=lambda _: None))
            result = bench.Result("conformance", "")
            try:
                conformance.run(stand, result)
            finally:
                self.samples = [figure.samples for figure in result.figures]

    def test_the_checks_before_a_timeout_are_reported(self):
        with self.assertRaisesRegex(HilError, "after 1 checks, not done after 800 s"):
            self.run_with(mock.Mock(side_effect=subprocess.TimeoutExpired("", 800)))
        self.assertEqual(self.samples, [[1.5]])

    def test_an_interrupt_is_not_a_failed_check(self):
        with self.assertRaises(KeyboardInterrupt):
            self.run_with(mock.Mock(side_effect=KeyboardInterrupt))

    def test_checks_become_figures(self):
        self.assertEqual([(figure.name, figure.samples) for figure in self.judge(self.SAID).figures], [("echoOfManySizes", [1.5]), ("silenceIsLost", [0.0])])

    def test_nothing_else_passes(self):
        for said, status in ((self.SAID, 1), (self.SAID.replace("passed echo", "FAILED echo"), 0), ("", 0), (self.SAID.replace("checks: 2", "checks: 3"), 0),
                             ("checks: 0, failed: 0\n", 0), (self.SAID.rpartition("checks")[0], 0)):
            with self.assertRaises(HilError, msg=said):
                self.judge(said, status)


class Parts(unittest.TestCase):
    def play(self, *parts, asked=("first", "second")):
        results = {}
        stand = types.SimpleNamespace(options=types.SimpleNamespace(parts=asked, machines=1))
        for part in parts:
            bench.play(part, stand, results, lambda _: None)
        return results

    def part(self, name, needs=(), error=None):
        def run(_, result):
            result.sample("figure", "", "s", 1)
            if error:
                raise error

        return types.SimpleNamespace(NAME=name, TITLE="", NEEDS=needs, run=run)

    def test_a_part_does_not_run_if_a_part_that_it_needs_has_failed(self):
        results = self.play(self.part("first", error=HilError("no offer")), self.part("second", needs=("first",)))
        self.assertEqual([(each.status, each.reason) for each in results.values()],
                         [("failed", "no offer"), ("not run", "needs first, which has not passed")])
        self.assertEqual(len(results["first"].figures), 1)

    def test_a_part_that_was_not_requested_has_not_passed(self):
        self.assertEqual(self.play(self.part("first"), asked=())["first"].status, "not run")

    def test_a_part_for_two_machines_does_not_run_on_one(self):
        part = self.part("first")
        part.MACHINES = (2,)
        self.assertEqual(self.play(part)["first"].reason, "needs two machines (PEER)")
        self.assertFalse(bench.usual(part, 1))
        self.assertTrue(bench.usual(part, 2))

    def test_a_manual_part_runs_only_on_request(self):
        self.assertFalse(bench.usual(reach, 1))
        self.assertIn("by hand", self.play(reach)["range"].reason)

    def test_received_signals_become_figures_and_silence_is_a_failure(self):
        result = bench.Result("range", "")
        reach.judge([(0, -40), (1, None), (2, -80)], result, "hci0 to hci1")
        self.assertEqual((result.figures[0].samples, result.facts), ([-40, -80], ["from -40 to -80 dBm, median -60; not heard in 1 of 3"]))
        with self.assertRaises(HilError):
            reach.judge([(0, None)], result, "")
        offers = [{"type": "other", "signal": -1}, {"type": None, "signal": -50}]
        self.assertEqual([reach.strength(json.dumps(each)) for each in (offers, offers[:1], [])], [-50, None, None])

    def test_an_interrupted_part_has_failed(self):
        results = {}
        with self.assertRaises(KeyboardInterrupt):
            bench.play(self.part("first", error=KeyboardInterrupt()), types.SimpleNamespace(options=types.SimpleNamespace(parts=("first",), machines=1)), results, lambda _: None)
        self.assertEqual((results["first"].status, results["first"].reason), ("failed", "was interrupted"))

    def test_only_the_right_event_about_an_offer_counts(self):
        text = json.dumps({"event": "appeared", "offer": "1", "type": "t"})
        self.assertTrue(handover.event(text, "appeared") and handover.event(text, "appeared", None, "t"))
        self.assertFalse(handover.event(text, "changed", "t") or handover.event(text, "appeared", None, "u"))
        self.assertTrue(handover.event(json.dumps({"event": "appeared", "type": None}), "appeared", None, "u"))
        self.assertFalse(handover.event(json.dumps({"event": "changed", "type": None}), "changed", "u"))

    def test_a_wrong_continued_activity_is_a_failure(self):
        good = {"userInfo": {**handover.USER_INFO, "zoom": 1.25}, "type": "t", "title": "A letter", "transport": "l2cap"}
        handover.judge(good, "t")
        for changed in ({"transport": "tcp"}, {"title": ""}, {"type": "u"}, {"userInfo": {}}):
            with self.assertRaises(HilError):
                handover.judge({**good, **changed}, "t")

    def sink(self, data: bytes):
        reading, writing = os.pipe()
        with open(reading, "rb") as stream:
            sink = streams.Sink(stream)
            os.write(writing, data)
            os.close(writing)
            sink.end(60)
        return sink

    def test_a_stream_is_read_to_its_end(self):
        sink = self.sink(b"baton")
        self.assertEqual((sink.count, sink.digest.hexdigest()), (5, hashlib.sha256(b"baton").hexdigest()))

    def test_a_stream_is_measured_from_its_first_bytes_to_its_last(self):
        sink = self.sink(b"x")
        sink.points = [(10, 1000), (11.5, 2000), (12, 3000)]
        self.assertEqual((sink.rate(), sink.curve()), (1000, [(0, 1000), (1.5, 2000), (2, 3000)]))

    def test_a_stream_that_arrived_at_once_or_not_at_all_has_no_rate(self):
        for data in (b"", b"x"):
            with self.assertRaises(HilError):
                self.sink(data).rate()


class Processes(unittest.TestCase):
    def test_started_programs_end_with_their_starter_even_if_it_is_killed(self):
        starter = ("import sys, time; sys.path.insert(0, sys.argv[1]); from harness.processes import Processes;"
                   "print(Processes().start(['sleep', '600']).pid, flush=True); time.sleep(600)")
        process = subprocess.Popen([sys.executable, "-c", starter, HIL], stdout=subprocess.PIPE, text=True)
        child = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        limit = time.monotonic() + 20
        while self.runs(child):
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.05)

    def runs(self, process):
        try:
            return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return False

    def test_a_program_has_a_time_limit(self):
        running = processes.Processes()
        with self.assertRaises(HilError):
            running.run([Path("sleep"), "600"], 0.2)
        self.assertEqual(running.all, [])


class Peers(unittest.TestCase):
    """A peer whose ssh is this machine's shell: tests everything except ssh itself."""

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.ssh = self.script("ssh", 'for line in "$@"; do :; done; sh -c "$line"; exit $?')

    def script(self, name, text):
        path = self.directory / name
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def peer(self):
        found = peer.Peer("sofa", str(self.ssh), self.directory)
        self.addCleanup(found.close)
        found.connect(60)
        return found

    def bring(self, found):
        self.script("baton", "echo 1")
        found.bring_scripts(60)
        found.bring_programs(self.directory, ("baton",), "", 60)

    def test_the_directory_on_the_peer_is_removed_with_the_connection(self):
        found = self.peer()
        self.bring(found)
        made = Path(found.directory)
        self.assertEqual(found.processes.run([found.binaries / "baton", "x"], 60).stdout, "1\n")
        self.assertEqual(found.ask("home"), str(Path.home()))
        running = found.processes.start(["sleep", "600"])
        found.close()
        self.assertIsNotNone(running.poll())
        self.assertFalse(made.exists())

    def test_a_killed_run_leaves_nothing_on_the_peer(self):
        starter = ("import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path; from harness import peer;"
                   "p = peer.Peer('sofa', sys.argv[2], Path(sys.argv[3])); p.connect(60);"
                   "p.processes.start(['sleep', '600.25'], stdout=-3, stderr=-3); print(p.directory, flush=True); sys.stdin.read()")
        process = subprocess.Popen([sys.executable, "-c", starter, HIL, self.ssh, self.directory], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        made = process.stdout.readline().strip()
        process.kill()
        process.wait(60)
        process.stdout.close()
        process.stdin.close()
        processes.wait_until(lambda: not Path(made).exists(), "the directory goes", 60)
        processes.wait_until(lambda: subprocess.run(["pgrep", "-f", "^sleep 600.25"], stdout=subprocess.DEVNULL, check=False).returncode, "what was started ends", 60)

    def test_signals_and_arguments_reach_the_peer_unchanged(self):
        found = self.peer()
        hostile = "it's $(touch x); `y`\n\"z\" \\ *"
        done = found.processes.run(["printf", "%s|", hostile, "--", ""], 60, env={"PATH": os.environ["PATH"], "A": hostile})
        self.assertEqual(done.stdout, f"{hostile}|--||")
        told = found.processes.start(["sh", "-c", "trap 'echo told; exit 7' INT; echo ready; while :; do sleep 0.1; done"], stdout=subprocess.PIPE, text=True)
        self.assertEqual(told.stdout.readline(), "ready\n")
        told.send_signal(signal.SIGINT)
        self.assertEqual((told.stdout.readline(), told.wait(60)), ("told\n", 7))

    def test_the_error_for_a_peer_that_asks_for_a_password_names_the_cause(self):
        self.ssh = self.script("ssh", "echo 'Permission denied (publickey,password).' >&2; exit 255")
        with self.assertRaisesRegex(HilError, "ssh sofa does not work without a question.*Permission denied"):
            self.peer()

    def test_a_failed_question_to_a_peer_gives_an_error_of_one_line(self):
        found = self.peer()
        self.bring(found)
        with self.assertRaisesRegex(HilError, "^sofa: [^\n]+$"):
            found.ask("state", "hci99")

    def test_the_error_for_programs_that_the_peer_cannot_run_says_what_to_do(self):
        found = self.peer()
        self.script("baton", "echo 'Exec format error' >&2; exit 126")
        with self.assertRaisesRegex(HilError, "sofa cannot run .*Exec format error; build Baton there.*--peer-bin"):
            found.bring_programs(self.directory, ("baton",), "", 60)

    def test_the_adapter_of_a_peer_is_labelled_as_such(self):
        self.assertEqual(places.Place(types.SimpleNamespace(is_peer=True), "hci0").label, "the peer's hci0")


class OwnBluetoothd(unittest.TestCase):
    def give_back(self, daemon, owners, adapters=()):
        owners = iter(owners)
        with mock.patch.object(bluetoothd, "bus", side_effect=lambda member, *_: next(owners)), \
                mock.patch.object(bluetoothd, "value", side_effect=lambda reply: reply), mock.patch.object(subprocess, "run") as run, \
                mock.patch.object(own_bluetoothd.subprocess, "Popen") as started:
            own_bluetoothd.give_back(daemon, list(adapters), 5)
        return run, started

    def test_the_unit_is_started_if_there_is_one_and_otherwise_the_same_command_line(self):
        daemon = {"process": 7, "program": "/usr/libexec/bluetooth/bluetoothd", "unit": True, "command": ["bluetoothd", "-n"]}
        run, started = self.give_back(daemon, [False, False])
        self.assertEqual((run.call_args[0][0], started.called), (["systemctl", "start", "bluetooth.service"], False))
        run, started = self.give_back({**daemon, "unit": False}, [False, False])
        self.assertEqual((run.called, started.call_args[0][0]), (False, ["bluetoothd", "-n"]))

    def test_a_bluetoothd_that_never_ended_is_not_started_again(self):
        run, started = self.give_back({"process": 7, "unit": True}, [True, 7])
        self.assertFalse(run.called or started.called)

    def test_the_options_of_the_drop_in_are_read(self):
        self.assertIn("--experimental", own_bluetoothd.drop_in_options())
        self.assertFalse(any("configfile" in option for option in own_bluetoothd.drop_in_options()))


class Reports(unittest.TestCase):
    def told(self, **changed):
        options = bench.Options(Path("/nowhere"), ["hand-over"], ["hand-over", "streams"])
        result = bench.Result("hand-over", "two daemons", "passed", facts=["heard AA:BB:CC:DD:EE:FF"])
        result.sample("offer seen", "hci0 to hci1, connecting", "s", 1.25)
        result.sample("offer seen", "hci0 to hci1, connecting", "s", 2.75)
        controller = {"adapter": "hci0", "oui": "11:22:33", "bus": "usb", "driver": "btusb", "identifier": "8087:0029", "emulated": False,
                      "manufacturer": "Intel", "manufacturerNumber": 2, "bluetooth": "5.2", "supported": ["le"], "current": ["le"],
                      "firmware": {"hci": 11, "hciRevision": 1, "lmp": 11, "lmpSubversion": 2}, "kernelSays": ["Firmware of 11:22:33:44:55:66"], **changed}
        described = [{"kernel": {"release": "6.1.0", "machine": "x86_64"}, "bluetoothd": {"version": "5.66", "options": ["-E"], "configuration": {}},
                      "controller": controller}] * 2
        return report.document("0.2.0", described, [], [result, bench.Result("streams", "a stream", reason="was not asked for")], options), result

    def test_a_report_contains_no_address(self):
        told, _ = self.told()
        said = json.dumps(told) + report.markdown(told, [])
        self.assertNotIn("44:55:66", said)
        self.assertNotIn("DD:EE", said)
        self.assertIn("11:22:33", said)

    def test_addresses_in_all_their_forms_and_the_home_directory_are_masked(self):
        with mock.patch.dict(os.environ, {"HOME": "/home/ada"}):
            for text in ("C0:FF:EE:00:00:01/random", "/org/bluez/hci0/dev_c0_ff_ee_00_00_01/x", "c0-ff-ee-00-00-01", "/home/ada/baton"):
                masked = mask.masked(text).lower()
                self.assertFalse("ee" in masked or "ada" in masked, masked)
        self.assertEqual(mask.masked("at 21:43:30, 12:34:56:78"), "at 21:43:30, 12:34:56:78")

    def test_parts_that_did_not_run_are_listed_and_count_as_failed(self):
        told, _ = self.told()
        self.assertFalse(told["passed"])
        page = report.markdown(told, [])
        for words in ("FAILED", "was not asked for", "headphones"):
            self.assertIn(words, page)

    def test_the_row_has_the_medians_and_as_many_cells_as_the_table(self):
        row = report.row(self.told()[0])
        self.assertIn("| 2 s |", row)
        page = (HIL.parents[1] / "Documentation" / "Hardware.md").read_text(encoding="utf-8")
        heads = [line for line in page.splitlines() if line.startswith("| controllers |")]
        self.assertEqual([head.count("|") for head in heads], [row.count("|")])

    def test_emulated_controllers_are_labelled_as_such(self):
        told, _ = self.told(emulated=True)
        self.assertIn(report.EMULATED, report.markdown(told, []))
        self.assertIn("emulated", report.row(told))

    def test_plots_are_well_formed(self):
        with tempfile.TemporaryDirectory() as directory:
            _, result = self.told()
            result.figures[0].name = "<&>"
            plot.samples(Path(directory) / "a.svg", "a & b", result.figures)
            plot.curves(Path(directory) / "b.svg", "c", {"x": [(n / 10, n) for n in range(5000)], "none": []}, "bytes")
            for name in ("a.svg", "b.svg"):
                ElementTree.parse(Path(directory) / name)
