# SPDX-License-Identifier: Apache-2.0
"""Compares bytes: a file is unchanged after its text was in another editor, and the sent bytes are those that a save would write. Each editor, and
gedit's library for opening and saving, does all cases in one process."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unicodedata
import unittest

from apps import EXTENSION, LIMIT, WORK
from library import introspected
from plugins import GEDIT

introspected()
sys.path.insert(0, str(EXTENSION))

import gi  # noqa: E402

gi.require_version("GtkSource", "4")
from gi.repository import Gio, GLib, GtkSource  # noqa: E402

from editors import form  # noqa: E402

JOBS = pathlib.Path(__file__).resolve().parent / "editor-jobs"
MARK = form.MARKS["utf-8"]
# gedit ends all lines of a file in the same way. It adds a line end to the last line of each file that is not empty, and saves a file of one empty
# line as an empty one. It writes two NULs for a paragraph separator (GtkSourceView 4.8).
GEDIT_CHANGES = {"CRLF and LF", "CR and LF", "CR and CRLF", "CR before CRLF", "one empty line", "one empty line, CRLF",
                 "one empty line, CR", "only a mark", "separators"}
GEDIT_KNOWS_NOT = {"cp437", "cp874", "cp950", "macintosh"}
# Encodings with more than one byte for some characters.
MANY = {*form.MARKS, "shift_jis", "euc-jp", "iso-2022-jp", "euc-kr", "big5", "gb2312", "gbk", "gb18030", "cp932", "cp949", "cp950"}
BINARY = {"NUL", "all bytes"}


def files() -> dict:
    """Returns the files, each named after its special property."""
    found = {
        "LF": b"one\ntwo\n", "CRLF": b"one\r\ntwo\r\n", "CR": b"one\rtwo\r", "no last end": b"one\ntwo",
        "no last end, CRLF": b"one\r\ntwo", "no last end, CR": b"one\rtwo", "one line without an end": b"one",
        "empty": b"", "one empty line": b"\n", "one empty line, CRLF": b"\r\n", "one empty line, CR": b"\r",
        "two empty lines": b"\n\n", "CRLF and LF": b"a\r\nb\nc\r\n", "CR and LF": b"a\rb\nc\n", "CR and CRLF": b"a\rb\r\n",
        "CR before CRLF": b"a\r\r\nb\r\n", "control-Z": b"a\r\nb\r\n\x1a", "mark": MARK + b"one\n",
        "mark and no last end": MARK + b"one\ntwo", "mark and CRLF": MARK + b"a\r\nb\r\n", "two marks": 2 * MARK + b"a\n",
        "only a mark": MARK, "mark within": b"a\n" + MARK + b"b\n", "Latin-1": b"n\xe9\ntwo\n",
        "Latin-1, CRLF, no last end": b"n\xe9\r\ntwo", "bytes that are no UTF-8": "né\n".encode() + b"\xff\xfe\xe9\n",
        "surrogate in UTF-8": b"\xed\xa0\x80\n", "NUL": b"a\0b\n", "all bytes": bytes(range(256)),
        "separators": "a\u2028b\u2029c\x85d\x0be\x0cf\n".encode(), "no characters": "\uffff\ufdd0\U0010ffff\n".encode(),
    }
    for encoding in ("utf-16le", "utf-16be"):
        for name, text in (("", "né 😀\n"), (", CRLF", "a\r\nb\r\n"), (", no last end", "a\nb"), (", LF within characters", "\u0a0d\u0d0a\n")):
            found[f"{encoding}{name}"] = form.MARKS[encoding] + text.encode(encoding)
    return found


FILES = files()


def characters(encoding: str) -> bytes:
    """Returns a file with the characters in Python's table of an encoding, in lines."""
    single = [bytes([each]).decode(encoding, "ignore") for each in range(0x20, 0x100)]
    codes = map(chr, (*range(0x20, 0x3100), *range(0x4e00, 0x9fb0, 5), *range(0xac00, 0xd7a4, 5))) if encoding in MANY else single
    found = [each for each in codes if is_kept(each, encoding)]
    return "".join("".join(found[at:at + 16]) + "\n" for at in range(0, len(found), 16)).encode(encoding)


def is_kept(character: str, encoding: str) -> bool:
    """Returns whether all tables of an encoding have a character. They differ in private and control characters, in a
    few others, and in Hangul composed of parts."""
    if unicodedata.category(character or "\0")[0] == "C" or character in "\u2028\u2029\u02cd":
        return False
    try:
        encoded = character.encode(encoding)
        return encoded.decode(encoding) == character and len(encoded) < 8
    except UnicodeError:
        return False


class EachEditor:
    """The tests of each editor. `jobs` runs each job in an editor in order, and returns the results."""

    CHANGES: set = set()
    OPENS_NOT: set = set()
    KNOWS_NOT: set = set()

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-forms-", dir=WORK)))

    def copies(self, files: dict, named: dict) -> dict:
        """Returns the files by name, after an editor has saved copies of them. `named` is the form that the other laptop sends."""
        jobs = []
        for number, (name, file) in enumerate(files.items()):
            text, found = form.read(file, form.Form.read(named.get(name, {})))
            path = self.root / f"text-{number}"
            path.write_bytes(text)
            jobs.append({"do": "copy", "text": str(path), "out": str(self.root / f"copy-{number}.txt"), **found.values()})
        results = dict(zip(files, self.jobs(jobs)))
        self.assertEqual({name: found["error"] for name, found in results.items() if "error" in found}, {})
        return {name: pathlib.Path(job["out"]).read_bytes() for name, job in zip(files, jobs)}

    def sent(self, files: dict, more: dict) -> dict:
        """Returns the form, the sent bytes and the saved bytes of files after a change of each."""
        jobs = []
        for number, (name, file) in enumerate(files.items()):
            path, text = (self.root / f"{kind}-{number}.txt" for kind in ("file", "text"))
            path.write_bytes(file)
            text.touch(mode=0o600)
            jobs.append({"do": "send", "insert": "more", "file": str(path), "text": str(text), "out": str(self.root / f"saved-{number}.txt"), **more.get(name, {})})
        results = dict(zip(files, self.jobs(jobs)))
        self.assertEqual({name: found["error"] for name, found in results.items() if "error" in found}, {})
        return {name: (results[name], *form.saved(pathlib.Path(job["text"]).read_bytes(), form.Form.read(results[name])), pathlib.Path(job["out"]).read_bytes())
                for name, job in zip(files, jobs)}

    def assert_same(self, found: dict, expected: dict):
        self.maxDiff = None
        self.assertEqual({name: each[:200] for name, each in found.items() if each != expected[name]},
                         {name: each[:200] for name, each in expected.items() if each != found[name]})

    def test_copy_that_is_saved_has_the_bytes_of_the_original(self):
        files = {name: file for name, file in FILES.items() if name not in self.CHANGES | self.OPENS_NOT}
        named = {name: {"encoding": name.partition(",")[0]} for name in files}
        self.assert_same(self.copies(files, named), files)

    def test_unsaved_text_is_sent_as_a_save_would_write_it(self):
        files = {name: file for name, file in FILES.items() if name not in self.CHANGES | self.OPENS_NOT}
        found = self.sent(files, {})
        self.assertEqual({name: said for name, (said, *_) in found.items() if said.get("isRecoded")}, {})
        self.assert_same({name: sent for name, (_, sent, _, _) in found.items()}, {name: saved for name, (*_, saved) in found.items()})

    def test_each_known_encoding_is_kept(self):
        """Tests each encoding's name and each of its characters in both directions, although the tables differ."""
        files = {encoding: characters(encoding) for encoding in sorted({*form.MARKS, *form.OTHERS} - self.KNOWS_NOT)}
        self.assert_same(self.copies(files, {encoding: {"encoding": encoding, "mark": False, "ends": "lf"} for encoding in files}), files)
        found = self.sent(files, {encoding: {"encoding": encoding} for encoding in files})
        self.assert_same({name: sent for name, (_, sent, _, _) in found.items()}, {name: saved for name, (*_, saved) in found.items()})
        self.assertEqual({name: saved.encoding for name, (_, _, saved, _) in found.items() if name != "cp950"}, {name: name for name in files if name != "cp950"})

    def test_text_that_its_encoding_cannot_represent_is_sent_as_utf_8_with_a_note(self):
        files = {"no place": b"n\xe9\r\ntwo\r\n", "asked for": b"n\xe9\r\ntwo\r\n"}
        found = self.sent(files, {"no place": {"insert": "10 €", "encoding": "iso-8859-1", "unsaved": True},
                                  "asked for": {"ask": "utf-8", "encoding": "iso-8859-1"}})
        for name, text in (("no place", "10 €né\r\ntwo\r\n"), ("asked for", "morené\r\ntwo\r\n")):
            said, sent, saved, _ = found[name]
            self.assertEqual((sent.decode(), saved.encoding, said["isRecoded"]), (text, "utf-8", True), name)

    def test_text_that_is_not_in_the_named_encoding_keeps_its_bytes(self):
        files = {"windows-1252": b"a\x81b\n", "shift_jis": b"\xfd\xfe\n", "euc-kr": b"\xff\n"}
        self.assert_same(self.copies(files, {name: {"encoding": name, "mark": False, "ends": "lf"} for name in files}), files)


class InProcess(EachEditor):
    """An editor that runs by itself, without a terminal."""

    COMMAND: tuple

    def jobs(self, jobs: list) -> list:
        todo, results = self.root / "jobs", self.root / "results"
        todo.write_text("".join(json.dumps(job) + "\n" for job in jobs), encoding="utf-8")
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.root), "LC_ALL": "C.UTF-8", "JOBS": str(todo), "RESULTS": str(results)}
        done = subprocess.run(self.COMMAND, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=6 * LIMIT)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:])
        return [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]


VIM = ("-u", "NONE", "-i", "NONE", "--cmd", f"set rtp^={EXTENSION / 'Vim'}", "-S", str(JOBS / "jobs.vim"))


class InVim(InProcess, unittest.TestCase):
    COMMAND = ("vim", "-es", *VIM)


class InNeovim(InProcess, unittest.TestCase):
    COMMAND = ("nvim", "--headless", *VIM)


class InEmacs(InProcess, unittest.TestCase):
    COMMAND = ("emacs", "--batch", "--quick", "--directory", str(EXTENSION / "Emacs"), "--load", str(JOBS / "jobs.el"))
    CHANGES = {"only a mark"}  # gedit saves this text as an empty file

    def test_text_is_sent_in_its_encoding_during_an_auto_save_of_emacs(self):
        """Emacs auto-saves in an encoding of its own, and answers meanwhile."""
        found = self.sent({"latin": b"n\xe9\r\n"}, {"latin": {"isAutoSaving": True}})
        self.assertEqual(found["latin"][1:3], (b"moren\xe9\r\n", form.Form("iso-8859-1", False, "crlf", True)))


class Document(GtkSource.Buffer):
    """A document like gedit's."""

    def __init__(self):
        super().__init__()
        self.file = GtkSource.File()

    def get_file(self):
        return self.file


class InGedit(EachEditor, unittest.TestCase):
    """gedit's plugin, with gedit's library for opening and saving. test_gedit tests gedit itself."""

    CHANGES = GEDIT_CHANGES
    OPENS_NOT = {*BINARY, "bytes that are no UTF-8", "surrogate in UTF-8"}
    KNOWS_NOT = GEDIT_KNOWS_NOT

    @classmethod
    def setUpClass(cls):
        package = types.ModuleType("baton")
        package.__path__ = [str(GEDIT)]
        sys.modules["baton"] = package
        from baton import texts  # pylint: disable=import-outside-toplevel
        cls.texts = texts

    def jobs(self, jobs: list) -> list:
        results = []
        for job in jobs:
            try:
                results.append({"copy": self.copy, "send": self.send}[job["do"]](job))
            except (GLib.Error, ValueError) as error:
                results.append({"error": str(error)})
        return results

    def wait(self, begin):
        """Calls `begin(done)`, and waits. Returns the value with which `done` was called."""
        loop, found = GLib.MainLoop(), []
        begin(lambda result: found.append(result) or loop.quit())
        if not found:
            loop.run()
        return found[0]

    def copy(self, job: dict) -> dict:
        document = Document()
        text = self.texts.read(self, job["text"], job)
        if error := self.wait(lambda done: self.texts.begin(document, text, {**job, "name": "a.txt", "isCopy": False}, done)):
            return {"error": error}
        self.save(document, job["out"])
        return {}

    def send(self, job: dict) -> dict:
        document = Document()
        document.file.set_location(Gio.File.new_for_path(job["file"]))
        loader = GtkSource.FileLoader.new(document, document.file)
        if "encoding" in job:
            loader.set_candidate_encodings([self.texts.encoding(job)])
        else:
            loader.set_candidate_encodings([GtkSource.Encoding.get_from_charset(charset) for charset in ("UTF-8", "UTF-16", "ISO-8859-15")])
        loader.load_finish(self.wait(lambda done: loader.load_async(GLib.PRIORITY_DEFAULT, None, None, None, lambda _, result: done(result))))
        document.insert(document.get_start_iter(), job["insert"])
        found = {**self.texts.form(document), **self.texts.write(document, self, {"text": job["text"], "limit": 1 << 30, **({"encoding": job["ask"]} if "ask" in job else {})})}
        if not found.get("isRecoded"):
            self.save(document, job["out"])
        else:
            pathlib.Path(job["out"]).touch()
        return found

    def save(self, document: Document, path: str):
        document.file.set_location(Gio.File.new_for_path(path))
        saver = GtkSource.FileSaver.new(document, document.file)
        saver.save_finish(self.wait(lambda done: saver.save_async(GLib.PRIORITY_DEFAULT, None, lambda *_: None, (), lambda _, result: done(result))))

    def open(self, name: str, _, mode: str):
        """Opens a file in place of the socket's directory."""
        return open(name, mode)  # pylint: disable=unspecified-encoding

    def test_encoding_unknown_to_gedit_becomes_utf_8(self):
        """The user is told by a message above the text (test_gedit)."""
        self.assertEqual(self.copies({"cp437": b"\xc9\x82\n"}, {"cp437": {"encoding": "cp437"}}), {"cp437": "╔é\n".encode()})
