# SPDX-License-Identifier: Apache-2.0
"""The commands of Documentation/ShellHooks.md work as written, between two real daemons."""

import os
import re
import subprocess

from laptops import BIN, ROOT, TwoLaptops, demo

PAGE = (ROOT / "Documentation" / "ShellHooks.md").read_text(encoding="utf-8")
TYPE = "org.example.build.watch"


def blocks(language: str) -> list:
    """Returns the page's code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.S | re.M)


class ShellHooks(TwoLaptops):
    def prepare(self, laptop):
        programs = laptop.home / "bin"
        programs.mkdir()
        laptop.environment["PATH"] = f"{programs}:{BIN}:{os.environ['PATH']}"
        state, _, carry_on = blocks("sh")
        for name, text in (("build-state", state), ("build-continue", carry_on)):
            (programs / name).write_text(text, encoding="utf-8")
            (programs / name).chmod(0o755)
        applications = laptop.home / ".local" / "share" / "applications"
        applications.mkdir(parents=True)
        (applications / "org.example.Build.desktop").write_text(blocks("ini")[0], encoding="utf-8")
        (laptop.home / "src" / "mill").mkdir(parents=True)

    def start(self, shell: str, command: str, directory: str = "src/mill"):
        """Runs a command in a folder of desk."""
        return self.desk.spawn(["env", "-C", self.desk.home / directory, shell, "-c", f"exec {command}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def carry_on(self) -> str:
        return self.sofa.baton("open", "--type", TYPE, "--wait", "60")[0]

    def target(self) -> str:
        return (self.sofa.home / "src" / "mill" / ".target").read_text(encoding="utf-8")

    def test_state_is_saved_at_the_request_and_continues_in_the_app(self):
        file = self.desk.home / "src" / "mill" / ".target"
        file.write_text("early\n", encoding="utf-8")
        publisher = self.start("sh", blocks("sh")[1])
        self.hear(publisher, f"publishing {TYPE}")
        file.write_text("late\n", encoding="utf-8")
        self.assertEqual(self.carry_on(), "continued in Build (org.example.Build)")
        self.assertEqual(self.target(), "late\n")

    def test_unsafe_value_is_refused(self):
        file = self.desk.home / "src" / "mill" / ".target"
        for target in ("-f", "a b", "$(touch x)", ""):
            with self.subTest(target):
                file.write_text(target, encoding="utf-8")
                publisher = self.start("sh", blocks("sh")[1])
                self.hear(publisher, f"publishing {TYPE}")
                if target:
                    with self.assertRaisesRegex(demo.Failure, "its command ended with status 1"):
                        self.carry_on()
                    self.assertFalse((self.sofa.home / "src" / "mill" / ".target").exists())
                publisher.terminate()
                self.ended(publisher)
                self.eventually(lambda: TYPE not in self.sofa.baton("nearby")[0])

    def test_bash_hook_reports_each_change(self):
        hook = blocks("bash")[0] + "BUILD_TARGET=first; eval \"$PROMPT_COMMAND\"; BUILD_TARGET=second; eval \"$PROMPT_COMMAND\"; echo told; exec sleep 600\n"
        shell = self.desk.spawn(["env", "-C", self.desk.home / "src" / "mill", "bash", "-c", hook],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.hear(shell, "told")
        self.assertEqual(self.carry_on(), "continued in Build (org.example.Build)")
        self.assertEqual(self.target(), "second\n")
