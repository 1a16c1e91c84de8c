# SPDX-License-Identifier: Apache-2.0
"""Examples/Shell, an app as a shell script. Two real daemons start it and hand letters over to it.

BATON_BIN is the directory of batond and baton. The default is the debug build.
"""

import os
import pathlib
import signal
import subprocess

from laptops import BIN, LIMIT, ROOT, TwoLaptops, demo

SHELL = ROOT / "Examples" / "Shell"
TYPE = "org.example.letter"
ENTRY = (SHELL / "org.example.Letters.desktop").read_text(encoding="utf-8").replace("Exec=letter", f"Exec={SHELL / 'letter'}")


class Shell(TwoLaptops):
    def prepare(self, laptop):
        """Installs the app, with an editor that ends at once."""
        laptop.environment.update({"PATH": f"{BIN}:{os.environ['PATH']}", "VISUAL": "true"})
        self.install(laptop, "applications/org.example.Letters.desktop", ENTRY)

    def install(self, laptop, name: str, text: str):
        path = pathlib.Path(laptop.environment["XDG_DATA_HOME"]) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def publish(self, laptop, *command) -> subprocess.Popen:
        """Starts a program, and returns when it has published."""
        process = laptop.spawn(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.hear(process, f"publishing {TYPE}")
        return process

    def offer(self, text: str) -> subprocess.Popen:
        self.file = self.root / "ada.txt"
        self.file.write_text(text, encoding="utf-8")
        return self.publish(self.desk, SHELL / "letter", self.file)

    def letters(self) -> list:
        """Returns the letters that have arrived."""
        return sorted(path.read_text(encoding="utf-8") for path in (self.sofa.home / "Letters").glob("*"))

    def open(self) -> str:
        return self.sofa.baton("open", "--type", TYPE, "--wait", LIMIT)[0]

    def test_a_letter_continues_as_last_saved_and_the_script_is_started_for_it(self):
        publisher = self.offer("Dear Ada,")
        self.file.write_text("Dear Ada, the difference engine \u00e9\n", encoding="utf-8")
        self.assertEqual(self.open(), "continued in Letters (org.example.Letters)")
        self.hear(publisher, "continued on sofa")
        # The running app receives the next letter.
        self.file.write_text("Dear Grace,", encoding="utf-8")
        self.assertEqual(self.open(), "continued in Letters (org.example.Letters)")
        self.assertEqual(self.letters(), ["Dear Ada, the difference engine \u00e9\n", "Dear Grace,"])

    def test_the_bus_can_start_the_script(self):
        self.install(self.sofa, "dbus-1/services/org.example.Letters.service",
                     f"[D-BUS Service]\nName=org.example.Letters\nExec=/usr/bin/env PATH={self.sofa.environment['PATH']} {SHELL / 'letter'} --serve\n")
        self.install(self.sofa, "applications/org.example.Letters.desktop", ENTRY.replace("Exec=", "Exec=false ") + "DBusActivatable=true\n")
        # The bus and batond read the installed apps at their start, so restart them.
        self.reload_bus(self.sofa)
        self.sofa.daemon.terminate()
        self.sofa.daemon.wait(LIMIT)
        self.sofa.start_daemon(self.root / "radio")
        self.offer("Dear Ada,")
        self.assertEqual(self.open(), "continued in Letters (org.example.Letters)")
        self.assertEqual(self.letters(), ["Dear Ada,"])

    def test_an_activity_that_is_not_a_letter_is_not_continued(self):
        publisher = self.publish(self.desk, BIN / "baton", "publish", "--type", TYPE, "--info-json", self.write('{"text": 1}'))
        with self.assertRaisesRegex(demo.Failure, "its command ended with status 1, so it has not taken the activity over"):
            self.open()
        self.assertEqual(self.letters(), [])
        # The sofa may report the failure while `baton open` still ends there.
        self.hear(publisher, "not continued on sofa: No app on the other laptop continued it. Try again there.")
        publisher.terminate()
        self.assertEqual(self.ended(publisher), (0, f"ended {TYPE}\n"))

    def test_a_letter_that_no_program_opens_stays_on_both_laptops(self):
        server = self.sofa.spawn(["env", "VISUAL=false", SHELL / "letter", "--serve"],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.hear(server, "serving org.example.Letters")
        publisher = self.offer("Dear Ada,")
        with self.assertRaisesRegex(demo.Failure, "its command ended with status 1, so it has not taken the activity over"):
            self.open()
        self.hear(publisher, "not continued on sofa: No app on the other laptop continued it. Try again there.")
        self.hear(server, "letter: no program took it over; what came is in ", begins=True)
        self.assertEqual(self.letters(), ["Dear Ada,"])

    def write(self, text: str) -> pathlib.Path:
        path = self.root / "info.json"
        path.write_text(text, encoding="utf-8")
        return path

    def test_a_letter_is_offered_again_after_a_restart_of_batond(self):
        publisher = self.offer("Dear Ada,")
        self.desk.daemon.kill()
        self.hear(publisher, f"baton: warning: batond has ended; {TYPE} is published again when it is back")
        self.file.write_text("Dear Grace,", encoding="utf-8")
        self.desk.start_daemon(self.root / "radio")
        self.hear(publisher, f"publishing {TYPE}")
        self.assertEqual(self.open(), "continued in Letters (org.example.Letters)")
        self.assertEqual(self.letters(), ["Dear Grace,"])

    def serve(self, command: str) -> subprocess.Popen:
        """Starts the app with another command."""
        server = self.sofa.spawn([BIN / "baton", "serve", "--app", "org.example.Letters", "--receive", "--exec", command],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.hear(server, "serving org.example.Letters")
        return server

    def test_a_streamed_file_is_complete_before_the_command_runs_and_is_removed_when_serve_ends(self):
        book, got, told = os.urandom(400_000), self.root / "got", self.root / "told"
        (self.root / "book").write_bytes(book)
        server = self.serve(f'cat "$BATON_STREAM" >"{got}"; echo "$BATON_STREAM" >"{told}"; cat >>"{told}"')
        publisher = self.publish(self.desk, BIN / "baton", "publish", "--type", TYPE, "--once", "--stream-from", self.root / "book")
        self.assertEqual(self.open(), "continued in Letters (org.example.Letters)")
        status, said = self.ended(publisher)
        self.assertEqual(status, 0, said)
        path, activity = self.eventually(lambda: told.exists() and (lines := told.read_text(encoding="utf-8").splitlines())[1:] and lines)
        self.assertEqual(got.read_bytes(), book)
        # Streams begin over the radio if TCP takes longer.
        self.assertRegex(activity, '"streamTransport":"(tcp|simulated)"')
        server.terminate()
        self.assertEqual(self.ended(server), (0, ""))
        self.assertFalse(pathlib.Path(path).parent.exists())

    def test_an_incomplete_stream_runs_no_command(self):
        pipe, got = self.root / "pipe", self.root / "got"
        os.mkfifo(pipe)
        server = self.serve(f'cat "$BATON_STREAM" >"{got}"')
        publisher = self.publish(self.desk, BIN / "baton", "publish", "--type", TYPE, "--stream-from", pipe)
        opening = self.sofa.spawn([BIN / "baton", "open", "--type", TYPE, "--wait", str(LIMIT)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with open(pipe, "wb", buffering=0) as book:
            book.write(b"half")
            publisher.kill()
        self.ended(opening)
        self.assertRegex(self.line(server), f"^baton: {TYPE} from desk was not continued: ")
        server.terminate()
        self.assertEqual(self.ended(server)[0], 0)
        self.assertFalse(got.exists())

    def serving(self, command: str, *before) -> tuple:
        """Returns a server whose command runs, the process that opened the activity, and the command's process id."""
        pid = self.root / "pid"
        server = self.sofa.spawn([*before, BIN / "baton", "serve", "--app", "org.example.Letters", "--exec", f'echo $$ >"{pid}"; {command}'],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.hear(server, "serving org.example.Letters")
        self.publish(self.desk, BIN / "baton", "publish", "--type", TYPE)
        opening = self.sofa.spawn([BIN / "baton", "open", "--type", TYPE, "--wait", str(LIMIT)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return server, opening, int(self.eventually(lambda: pid.exists() and pid.read_text(encoding="utf-8").strip()))

    def test_closing_the_terminal_ends_the_commands(self):
        server, opening, child = self.serving("exec sleep 600")
        server.send_signal(signal.SIGHUP)
        self.assertEqual(self.ended(server)[0], 0)
        self.assertFalse(pathlib.Path(f"/proc/{child}").exists())
        self.ended(opening)

    def test_serve_under_nohup_outlives_its_terminal(self):
        go = self.root / "go"
        os.mkfifo(go)
        server, opening, _ = self.serving(f'read line <"{go}"', "nohup")
        server.send_signal(signal.SIGHUP)
        with self.writing(go) as pipe:
            pipe.write(b"on\n")
        self.assertEqual(self.ended(opening)[0], 0)
        self.assertIsNone(server.poll())
        server.terminate()
        self.assertEqual(self.ended(server)[0], 0)
