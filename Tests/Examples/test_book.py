# SPDX-License-Identifier: Apache-2.0
"""The programs of Examples/Streams, in Python and C, send a book to each other. The receiver drops an incomplete book.

BATON_BIN is the directory of batond and baton. The default is the debug build.
"""

import os
import shlex
import subprocess

from laptops import BIN, LIMIT, ROOT, TwoLaptops

BOOKS = ROOT / "Examples" / "Streams"
TYPE = "org.example.book"


class Books(TwoLaptops):
    def setUp(self):
        super().setUp()
        program = self.root / "book"
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "gio-unix-2.0"], text=True, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["cc", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-o", str(program), str(BOOKS / "book.c"), *shlex.split(flags)],
                       check=True, timeout=LIMIT)
        self.programs = {"C": [program], "Python": ["/usr/bin/python3", BOOKS / "book.py"]}
        self.book = os.urandom(400_000)
        (self.root / "book.txt").write_bytes(self.book)

    def start(self, language: str, laptop, *arguments):
        return laptop.spawn([*self.programs[language], *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_each_language_sends_a_complete_book_to_each_other(self):
        for giver in self.programs:
            for taker in self.programs:
                with self.subTest(giver=giver, taker=taker):
                    target = self.root / f"{giver}-{taker}"
                    # The taker starts first, and must notice the later offer.
                    taking = self.start(taker, self.sofa, "take", target)
                    giving = self.start(giver, self.desk, "give", self.root / "book.txt")
                    self.assertEqual((self.ended(taking), self.ended(giving)), ((0, ""), (0, "")))
                    self.assertEqual(target.read_bytes(), self.book)

    def handing_over(self, taker: str, pipe, target) -> tuple:
        """Returns a process that offers the data written to a pipe, and the process that receives it."""
        os.mkfifo(pipe)
        giving = self.desk.spawn([BIN / "baton", "publish", "--type", TYPE, "--stream-from", pipe],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return giving, self.start(taker, self.sofa, "take", target)

    def test_an_incomplete_book_is_discarded(self):
        for taker in self.programs:
            with self.subTest(taker=taker):
                target, pipe = self.root / f"cut-{taker}", self.root / f"pipe-{taker}"
                giving, taking = self.handing_over(taker, pipe, target)
                with self.writing(pipe) as book:
                    book.write(self.book[:10_000])
                    giving.kill()
                    status, said = self.ended(taking)
                self.assertEqual(status, 1, said)
                self.assertRegex(said, "^book(.py)?: ")
                self.assertEqual([path for path in self.root.iterdir() if path.name.startswith(target.name)], [])
                giving.wait(LIMIT)

    def test_a_book_is_discarded_if_the_daemon_ends_before_it_is_complete(self):
        for taker in self.programs:
            with self.subTest(taker=taker):
                target, pipe = self.root / f"ended-{taker}", self.root / f"end-{taker}"
                giving, taking = self.handing_over(taker, pipe, target)
                with self.writing(pipe) as book:
                    book.write(self.book[:10_000])
                    self.sofa.daemon.kill()
                    self.sofa.daemon.wait(LIMIT)
                    status, said = self.ended(taking)
                self.assertEqual(status, 1, said)
                self.assertIn("batond has ended", said)
                self.assertFalse(target.exists())
                giving.terminate()
                giving.communicate(timeout=LIMIT)
                self.sofa.start_daemon(self.root / "radio")
