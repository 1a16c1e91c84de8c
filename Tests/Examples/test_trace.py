# SPDX-License-Identifier: Apache-2.0
"""Tests the traces that baton records of two daemons during a hand-over."""

import json
import os
import re
import signal
import subprocess

from laptops import BIN, LIMIT, TwoLaptops, limited

TYPE = "org.example.secret-letter"
TITLE = "Dear Berta"


class Traces(TwoLaptops):
    def record(self, laptop, *words: str) -> subprocess.Popen:
        """Starts a trace, and waits until it has begun."""
        process = subprocess.Popen(
            [BIN / "baton", "trace", "--output", self.root / "trace", *words], env=laptop.environment, text=True, cwd=self.root,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.running.append(process)
        self.addCleanup(process.stderr.close)
        # A mark is recorded when the trace has begun.
        process.stdin.write("begun\n")
        process.stdin.flush()
        self.marked(process)
        return process

    def marked(self, process):
        """Waits for the message about the first mark, which shows that the trace has begun."""
        with limited(process):
            self.assertEqual(process.stderr.readline(), "marked\n")

    def end(self, process) -> list:
        """Ends a trace, and returns its lines."""
        process.send_signal(signal.SIGINT)
        status, said = self.ended(process)
        self.assertEqual((status, said), (0, f"{self.root}/trace.jsonl\n{self.root}/trace.html\n"))
        return [json.loads(line) for line in (self.root / "trace.jsonl").read_text(encoding="utf-8").splitlines()]

    def hand_over(self):
        publisher = self.desk.spawn([BIN / "baton", "publish", "--type", TYPE, "--title", TITLE, "--once"], stdout=subprocess.PIPE, text=True)
        self.hear(publisher, f"publishing {TYPE}")
        self.sofa.baton("continue", "--type", TYPE, "--wait", "60")
        self.assertEqual(self.ended(publisher)[0], 0)

    def test_a_hand_over_is_recorded_on_both_sides_without_names(self):
        for laptop, expected in ((self.sofa, {"offer", "dial", "connection", "fetch", "accepted"}), (self.desk, {"hand over", "accepted there"})):
            process = self.record(laptop)
            self.hand_over()
            lines = self.end(process)
            events = {line["event"] for line in lines}
            self.assertLessEqual(expected | {"begin", "mark"}, events)
            self.assertEqual(lines[0]["event"], "begin")
            self.assertEqual(lines[0]["about"]["radio"], "simulated")
            self.assertEqual([line["about"]["text"] for line in lines if line["event"] == "mark"], ["begun"])
            self.assertEqual(sorted(line["at"] for line in lines if line["lane"] != "trace"),
                             [line["at"] for line in lines if line["lane"] != "trace"])
            for name in ("trace.jsonl", "trace.html"):
                text = (self.root / name).read_text(encoding="utf-8")
                for secret in (TYPE, TITLE, "desk", "sofa", "127.0.0.1"):
                    self.assertNotIn(secret, text)
                self.assertEqual(os.stat(self.root / name).st_mode & 0o777, 0o600)
                os.unlink(self.root / name)

    def test_a_trace_contains_details_only_on_request(self):
        process = self.record(self.sofa, "--reveal", "names,types,titles")
        self.hand_over()
        offers = [line["about"] for line in self.end(process) if line["event"] == "fetch" and line["phase"] == "end"]
        self.assertEqual([(about["device"], about["type"]) for about in offers], [("desk", TYPE)])

    def test_a_trace_is_drawn_again(self):
        process = self.record(self.sofa)
        self.hand_over()
        self.end(process)
        first = (self.root / "trace.html").read_text(encoding="utf-8")
        self.assertEqual(self.sofa.baton("trace", "--draw", self.root / "trace.jsonl", "--output", self.root / "again")[0],
                         f"{self.root}/again.html")
        self.assertEqual((self.root / "again.html").read_text(encoding="utf-8"), first)
        self.assertRegex(first, r'<rect [^>]*/><text [^>]*>fetch</text>|<title>fetch, at ')
        self.assertNotIn("<script", first)

    def test_a_trace_replaces_no_file_and_is_refused_before_it_records(self):
        for suffix in ("jsonl", "html"):
            mine = self.root / f"trace.{suffix}"
            mine.write_text("mine", encoding="utf-8")
            # The command has no time limit, so it must be refused at once.
            done = subprocess.run([BIN / "baton", "trace", "--output", self.root / "trace"], env=self.sofa.environment, stdin=subprocess.PIPE,
                                  capture_output=True, text=True, timeout=LIMIT, check=False)
            self.assertEqual((done.returncode, done.stderr), (73, f"baton: {mine} exists already; remove it or give another name\n"))
            self.assertEqual(mine.read_text(encoding="utf-8"), "mine")
            mine.unlink()
        self.assertEqual([name for name in os.listdir(self.root) if name.startswith(("trace", ".baton"))], [])

    def test_the_first_line_contains_the_desktops_finding_codes(self):
        process = self.record(self.sofa)
        self.assertIn("no-notifications", self.end(process)[0]["about"]["findings"].split())

    def test_a_trace_is_kept_although_its_name_cannot_be_printed(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([BIN / "baton", "trace", "--output", self.root / "trace", "--for", "0.1"], env=self.sofa.environment,
                                  stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertEqual(sorted(name for name in os.listdir(self.root) if name.startswith(("trace", ".baton"))), ["trace.html", "trace.jsonl"])

    def test_a_trace_is_kept_when_the_daemon_ends(self):
        process = self.record(self.sofa)
        self.sofa.daemon.terminate()
        printed, said = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0)
        self.assertIn("batond has ended the trace", said)
        self.assertEqual(printed, f"{self.root}/trace.jsonl\n{self.root}/trace.html\n")

    def test_a_fifth_recorder_is_refused_until_another_one_ends(self):
        names = [str(self.root / f"t{number}") for number in range(5)]

        def begin(name, *words):
            return subprocess.Popen([BIN / "baton", "trace", "--output", name, *words], env=self.sofa.environment, text=True,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        four = []
        for name in names[:4]:
            process = begin(name)
            self.running.append(process)
            self.addCleanup(process.stderr.close)
            process.stdin.write("\n")
            process.stdin.flush()
            self.marked(process)
            four.append(process)
        with begin(names[4], "--for", "0.1") as fifth:
            self.assertRegex(fifth.communicate(timeout=LIMIT)[1], "^baton: 4 traces are being recorded already. End one of them first.\n$")
        four[0].send_signal(signal.SIGKILL)
        four[0].wait(LIMIT)
        self.assertEqual(list(self.root.glob("t0*")), [], "of one that is killed nothing is left")

        with begin(names[4], "--for", "0.1") as fifth:
            self.assertEqual(fifth.communicate(timeout=LIMIT)[1], "")
        self.assertEqual(fifth.returncode, 0)

    def test_errors_about_wrong_arguments_name_the_allowed_ones(self):
        broken = self.root / "broken.jsonl"
        broken.write_text("no\n", encoding="utf-8")
        for words, status, said in (
                (("--reveal", "secrets"), 64, "give names, addresses, types or titles, with commas between"),
                (("--draw", "x", "--for", "3"), 64, "--draw goes with --output alone"),
                *((("--output", name), 64, "--output is not a name for two files") for name in ("", "-", ".", "/tmp/", "/tmp/..")),
                (("--draw", "/nonexistent"), 66, "cannot read /nonexistent"),
                (("--draw", str(broken)), 65, "is not a trace"), (("--output", "/nonexistent/trace"), 73, "cannot write /nonexistent/trace.jsonl")):
            done = subprocess.run([BIN / "baton", "trace", *words], env=self.sofa.environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=LIMIT, check=False)
            self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
            self.assertRegex(done.stderr, f"^baton: .*{re.escape(said)}")
