# SPDX-License-Identifier: Apache-2.0
"""Tests the editors' plugins with adapters that break the rules, and with other users."""

import importlib.util
import json
import os
import shutil
import socket
import types
import unittest
from unittest import mock

import strangers
from apps import EXTENSION, sys
from editing import NORMAL
from library import introspected
from plugins import Exchanging, GeditsConnection, Listener, Plugged, copy_named, make

introspected()
sys.path.insert(0, str(EXTENSION))

from editors.paths import entries  # noqa: E402


class Connecting(Plugged):
    """An editor connects to a socket of its own user, and to no other."""

    def test_editor_connects_to_the_users_own_socket(self):
        self.start()

    def test_own_directory_may_be_reached_through_a_symbolic_link(self):
        """The link is followed once. The editor uses the path that it has checked."""
        (self.root / "link").symlink_to(self.runtime)
        self.laptop.environment["XDG_RUNTIME_DIR"] = str(self.root / "link") + "/"
        self.start()

    def test_editor_of_root_connects_to_no_socket(self):
        """The user becomes root in a user namespace, so the socket and its directories belong to root and have the
        right modes."""
        self.editor.PREFIX = ("unshare", "--user", "--map-root-user")
        self.assert_stays_away()

    def test_socket_of_another_user_is_refused(self):
        self.listener.path.chmod(0o666)
        strangers.give(self, self.listener.path)
        self.assert_stays_away()

    def test_directory_of_another_user_is_refused(self):
        self.directory.chmod(0o777)
        strangers.give(self, self.directory)
        self.assert_stays_away()

    def test_runtime_directory_of_another_user_is_refused(self):
        """`su` and `sudo -E` keep another user's XDG_RUNTIME_DIR."""
        self.runtime.chmod(0o755)
        strangers.give(self, self.runtime)
        self.assert_stays_away()

    def test_directory_that_others_can_enter_is_refused(self):
        self.directory.chmod(0o711)
        self.assert_stays_away()

    def test_runtime_directory_that_others_can_enter_is_refused(self):
        self.runtime.chmod(0o711)
        self.assert_stays_away()

    def test_directory_that_is_a_symbolic_link_is_refused(self):
        elsewhere = self.root / "elsewhere"
        self.listener = Listener(self, elsewhere)
        shutil.rmtree(self.directory)
        self.directory.symlink_to(elsewhere)
        self.assert_stays_away()

    def test_socket_that_is_a_symbolic_link_is_refused(self):
        self.listener = Listener(self, self.root / "elsewhere")
        (self.directory / "socket").unlink()
        (self.directory / "socket").symlink_to(self.listener.path)
        self.assert_stays_away()

    def test_relative_runtime_directory_is_refused(self):
        self.laptop.environment["XDG_RUNTIME_DIR"] = str(self.runtime.relative_to(self.root))
        self.assert_stays_away()


class Talking(Exchanging, Plugged):
    """One editor in a terminal, which has connected."""

    def setUp(self):
        super().setUp()
        self.elsewhere = self.home
        self.line = self.start()

    def has_text_to_send(self):
        self.editor.insert("more")
        self.eventually(lambda: (self.editor.look() or {}).get("unsaved") == 1)

    def send(self, name: str) -> bool:
        self.line.say(ask=7, text=name, limit=1 << 20)
        return self.line.until(lambda line: "answer" in line)["state"].get("sent", False)

    def receive(self, name: str) -> dict:
        self.line.say(open=copy_named(name))
        return self.line.until(lambda line: "opened" in line or "failed" in line)


class FileNames(Plugged):
    """A file whose name is not UTF-8."""

    NAME = b"caf\xe9 \xff.txt"

    def setUp(self):
        super().setUp()
        self.other = self.home / os.fsdecode(self.NAME)
        self.other.write_text("Dear Bob,\n", encoding="utf-8")

    def test_file_whose_name_is_not_utf_8_is_reported_as_bytes(self):
        self.letter = self.other
        state = self.start().until(lambda line: line.get("state"))["state"]
        self.assertEqual((state["file"], bytes.fromhex(state["fileBytes"])), (None, os.fsencode(self.other)))

    def test_file_whose_name_is_not_utf_8_is_opened_by_its_bytes(self):
        line = self.start()
        line.say(open={**copy_named(None), "isCopy": False, "isSame": True, "fileBytes": os.fsencode(self.other).hex()})
        self.assertEqual(line.until(lambda message: "opened" in message or "failed" in message), {"opened": True})
        state = line.until(lambda message: message.get("state", {}).get("fileBytes"))["state"]
        self.assertEqual(bytes.fromhex(state["fileBytes"]), os.fsencode(self.other))
        self.eventually(lambda: "Dear Bob," in self.editor.terminal.screen())

    def test_file_whose_name_is_not_utf_8_is_opened_in_the_requested_form(self):
        self.other.write_bytes("Привет\n".encode("koi8-r"))
        named = {"encoding": "koi8-r", "mark": False, "ends": "lf", "hasLastEnd": True}
        line = self.start()
        line.say(open={**copy_named(None), "isCopy": False, "isSame": True, "fileBytes": os.fsencode(self.other).hex(), "fileForm": named})
        self.assertEqual(line.until(lambda message: "opened" in message or "failed" in message), {"opened": True})
        state = line.until(lambda message: message.get("state", {}).get("fileBytes"))["state"]
        self.assertEqual((bytes.fromhex(state["fileBytes"]), state["encoding"]), (os.fsencode(self.other), "koi8-r"))
        self.eventually(lambda: "Привет" in self.editor.terminal.screen())


class NeovimNames(FileNames, unittest.TestCase):
    PROGRAM = "nvim"


class VimNames(FileNames, unittest.TestCase):
    PROGRAM = "vim"


class EmacsNames(FileNames, unittest.TestCase):
    PROGRAM = "emacs"


class GeditsPaths(unittest.TestCase):
    """The paths of gedit's plugin, without gedit."""

    def test_path_is_sent_in_the_form_that_the_adapters_read(self):
        specification = importlib.util.spec_from_file_location("paths", EXTENSION / "gedit" / "baton" / "paths.py")
        paths = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(paths)
        for path in ("/home/ada/letter.txt", "/home/ada/Café\n.txt", os.fsdecode(b"/home/ada/caf\xe9.txt"), None):
            told = json.loads(json.dumps(paths.said(path)))
            self.assertEqual(paths.heard(told), path)
            self.assertEqual(told, entries(path))


class GeditsLines(unittest.TestCase):
    """The connection of gedit's plugin, without gedit."""

    def test_gedit_drops_the_connection_of_adapters_that_have_just_ended(self):
        """gedit would keep such a connection, and never connect again."""
        package = types.ModuleType("gedits")
        package.__path__ = [str(EXTENSION / "gedit" / "baton")]
        with mock.patch.dict(sys.modules, {"gedits": package}), socket.socket(socket.AF_UNIX) as listener:
            lines = importlib.import_module("gedits.lines")
            listener.bind("")
            listener.listen()

            def connect(end):
                end.connect(listener.getsockname())
                listener.accept()[0].close()
            closed = mock.Mock()
            with mock.patch.object(lines.own, "Directory", return_value=mock.Mock(connect=connect)) as directory:
                self.assertIsNone(lines.connect({}, mock.Mock(), closed))
            directory.return_value.close.assert_called_once_with()
            closed.assert_not_called()


class InVim:
    def look_for_socket(self):
        self.eventually(self.editor.look)  # the plugin has looked for the socket when it started

    def test_editor_with_file_capabilities_connects_to_no_socket(self):
        """To a program that may open any file, permissions say nothing about a file's owner."""
        self.editor.PREFIX = ("unshare", "--user", "--map-user=1000", "--keep-caps")
        self.assert_stays_away()


class NeovimConnects(InVim, Connecting, unittest.TestCase):
    PROGRAM = "nvim"


class VimConnects(InVim, Connecting, unittest.TestCase):
    PROGRAM = "vim"


class EmacsConnects(Connecting, unittest.TestCase):
    PROGRAM = "emacs"

    def look_for_socket(self):
        self.editor.evaluate("(progn (setq baton--tried 0) (baton-tell))")


class GeditConnects(Connecting, unittest.TestCase):
    PROGRAM = "gedit"

    def make_editor(self):
        return GeditsConnection(self)

    def look_for_socket(self):
        self.assertEqual(self.editor.said(), "stays away")


class VimsTalk(Talking):
    def test_copy_that_is_opened_again_sets_no_options(self):
        """In a file of the user, with modelines on, the same line would set the options."""
        text = b"hello\n# vim: set filetype=hostile :\n"
        self.letter.write_bytes(text)
        self.editor.type(":set modeline modelines=5\r:edit!\r")
        self.eventually(lambda: (self.editor.look() or {}).get("type") == "hostile")
        make(self.directory / "file", text)
        self.assertEqual(self.receive("file"), {"opened": True})
        self.eventually(lambda: (self.editor.look() or {}).get("readonly") == 1)
        self.editor.type(f"{NORMAL}:edit!\r")
        self.assertEqual(self.eventually(self.editor.look)["type"], "text")


class NeovimTalks(VimsTalk, unittest.TestCase):
    PROGRAM = "nvim"


class VimTalks(VimsTalk, unittest.TestCase):
    PROGRAM = "vim"


class EmacsTalks(Talking, unittest.TestCase):
    PROGRAM = "emacs"
