# SPDX-License-Identifier: Apache-2.0
"""Tests rules as a user writes them: with baton, and in the configuration that the daemon reads."""

import json
import pathlib
import re
import subprocess

from laptops import BIN, LIMIT, ROOT, TwoLaptops

STRANGER = "88888888"
TWICE = 'baton: warning: This rule is there twice, and the second one does nothing. Run "baton rules remove 3".\n'


class Rules(TwoLaptops):
    def run_baton(self, *words: str) -> tuple:
        """Returns a command's exit status, standard output and standard error."""
        done = subprocess.run([BIN / "baton", *words], env=self.desk.environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT, check=False)
        return done.returncode, done.stdout, done.stderr

    def warnings(self) -> list:
        return re.findall(r"(?m)^warning  (.*rule.*)$", self.desk.baton("status")[0])

    def test_a_rule_about_an_unknown_device_is_added_with_a_warning(self):
        for device, doubt in ((STRANGER, f"None of your laptops has the id {STRANGER}"), ("nobody", 'None of your laptops is called "nobody"')):
            status, printed, said = self.run_baton("rules", "add", "never", f"device={device}")
            self.assertEqual(status, 0, said)
            self.assertRegex(said, f"^baton: warning: .*{doubt}")
            self.assertNotIn(doubt, printed)
            self.assertIn(doubt, self.run_baton("rules")[1])
        self.assertEqual(len(self.warnings()), 2)
        # The daemon logs each warning once, however often it reads the configuration.
        self.run_baton("rules", "add", "ask")
        log = self.desk.log
        self.eventually(lambda: STRANGER in log.read_text(encoding="utf-8"))
        self.assertEqual(log.read_text(encoding="utf-8").count("not one of yours"), 1)
        # A known device gives no warning.
        self.assertEqual(self.run_baton("rules", "add", "never", "device=sofa")[2], "")

    def test_adding_an_existing_rule_causes_a_warning(self):
        for words, warning in ((("ask",), ""), (("never", "type=t"), ""),
                               (("ask",), TWICE),
                               (("--first", "never", "type=t"),
                                TWICE)):
            self.assertEqual(self.run_baton("rules", "add", *words)[2], warning)
        self.assertEqual(self.run_baton("rules", "remove", "3")[0], 0)
        self.assertEqual(self.run_baton("rules")[1], "1  never type=t\n2  ask\n3  ask\n")

    def test_the_option_first_puts_a_rule_before_the_others(self):
        self.run_baton("rules", "add", "ask")
        self.assertEqual(self.run_baton("rules", "add", "--first", "never", "type=t")[1], "Rule 1: never type=t\n")
        self.assertEqual(self.run_baton("rules")[1], "1  never type=t\n2  ask\n")

    def test_a_name_that_this_laptop_has_too_removes_no_laptop(self):
        self.run_baton("rename", "sofa")
        status, _, said = self.run_baton("remove", "sofa")
        self.assertEqual(status, 64)
        self.assertIn('Several laptops are called "sofa"', said)
        self.assertEqual(len(json.loads(self.run_baton("devices", "--json")[1])), 2)

    def test_a_hiding_rule_is_in_force_although_another_line_is_not_utf_8(self):
        """Also checks that nothing is offered if the configuration cannot be read when the daemon starts."""
        file = pathlib.Path(self.desk.environment["XDG_CONFIG_HOME"]) / "baton" / "baton.conf"
        file.parent.mkdir(parents=True, exist_ok=True)
        for contents, doubt in ((b"rule = hide type=org.example.*\n# caf\xe9\n", "is not valid UTF-8"),
                                (b"#" * 65537, "so nothing is offered and no offer is shown")):
            with self.subTest(doubt=doubt):
                self.desk.daemon.terminate()
                self.desk.daemon.wait(LIMIT)
                file.write_bytes(contents)
                self.desk.start_daemon(self.root / "radio")
                self.assertIn(doubt, self.desk.baton("status")[0])
                publisher = self.desk.spawn([BIN / "baton", "publish", "--type", "org.example.diary"],
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                warning = self.hear(publisher, "baton: warning: ", begins=True)
                self.assertIn('the rule "hide type=org.example.*"' if contents.startswith(b"rule") else doubt, warning)
                publisher.terminate()

    def test_publishing_a_hidden_activity_causes_a_warning(self):
        self.run_baton("rules", "add", "hide", "type=org.example.*")
        publisher = self.desk.spawn([BIN / "baton", "publish", "--type", "org.example.diary"],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.hear(publisher, 'baton: warning: No other laptop shows this, because the rule "hide type=org.example.*" keeps it on this laptop.', begins=True)
        self.run_baton("rules", "remove", "1")
        self.hear(publisher, "baton: warning: No rule keeps this on this laptop any more.", begins=True)

    def test_no_rule_is_added_to_a_file_that_has_a_mistake(self):
        file = pathlib.Path(self.desk.environment["XDG_CONFIG_HOME"]) / "baton" / "baton.conf"
        file.parent.mkdir(parents=True, exist_ok=True)
        for contents, reason in ((b"notifications = maybe\n", f"Nothing was changed, because {file} has a mistake already (Line 1: notifications must be one of these: on, off). "
                                  "Correct that first, in an editor."),
                                 (b"#" * 65537, f"{file} is larger than 64 KiB. Shorten it in an editor, or remove it.")):
            file.write_bytes(contents)
            self.assertEqual(self.run_baton("rules", "add", "ask"), (1, "", f"baton: {reason}\n"))
            self.assertEqual(file.read_bytes(), contents)
        file.unlink()
        file.mkdir()
        self.assertEqual(self.run_baton("rules", "add", "ask"), (1, "", f"baton: {file} is not a regular file. Put a file there, or remove it.\n"))

    def test_publishing_during_a_pause_causes_a_warning(self):
        self.run_baton("pause", "1h")
        publisher = self.desk.spawn([BIN / "baton", "publish", "--type", "org.example.diary"],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.hear(publisher, "baton: warning: nobody sees this yet: Baton is paused", begins=True)

    def test_publish_reports_an_activity_that_is_not_offered_after_its_publication(self):
        for words, said in ((["org.example.front"], ["publishing org.example.front"]),
                            (["org.example.song", "--background"],
                             ["publishing org.example.song", "not offered: another program's activity has taken its place"])):
            publisher = self.desk.spawn([BIN / "baton", "publish", "--type", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual([self.line(publisher) for _ in said], said)

    def test_wrong_arguments_give_the_exit_status_for_wrong_use(self):
        for words, says in ((("rules", "add", "foo"), "must begin with one of these words: ask, never, near, hide"), (("rules", "add"), "missing"),
                            (("rules", "add", "--first", "never", "colour=red"), "no key \"colour\""), (("rename", ""), "1 to 63 bytes"),
                            (("rename", "x" * 64), "1 to 63 bytes"), (("rules", "remove", "one"), "number")):
            status, _, said = self.run_baton(*words)
            self.assertEqual(status, 64, said)
            self.assertIn(says.lower(), said.lower())
            self.assertEqual(said.count("\n"), 1, said)
        self.assertEqual(self.run_baton("rules", "remove", "9")[0], 67)

    def test_the_examples_of_the_page_contain_no_mistake(self):
        page = (ROOT / "Documentation" / "Configuration.md").read_text(encoding="utf-8")
        examples = re.findall(r"(?s)^```\n(.*?)^```$", page.split("## Examples")[1], re.M)
        self.assertTrue(examples)
        file = pathlib.Path(self.desk.environment["XDG_CONFIG_HOME"]) / "baton" / "baton.conf"
        file.parent.mkdir(parents=True)
        for example in examples:
            file.write_text(example, encoding="utf-8")
            self.eventually(lambda: len(self.run_baton("rules")[1].splitlines()) == example.count("\nrule = "))
            self.assertEqual(self.warnings(), [])
