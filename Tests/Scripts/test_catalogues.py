# SPDX-License-Identifier: Apache-2.0
"""Tests that each catalogue is complete, and that an incomplete one fails `make lint` (Documentation/Translating.md)."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 60  # seconds that the script may take
LANGUAGES = [line for line in (ROOT / "po" / "LINGUAS").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
PAGE = "Extensions/Browser/_locales/en/messages.json"
PLACE = re.compile(r"\$\w+\$")


class Catalogues(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="baton-catalogues-")))

    def run_in(self, tree: pathlib.Path, *words) -> tuple:
        """Returns the exit status and the standard error of Scripts/catalogues."""
        done = subprocess.run([tree / "Scripts" / "catalogues", *map(str, words)], text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              check=False, timeout=LIMIT)
        return done.returncode, done.stderr

    def copy(self) -> pathlib.Path:
        """Copies the translated files, with their catalogues."""
        tree = self.root / "tree"
        listed = [line for line in (ROOT / "po" / "POTFILES").read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
        for name in ("Scripts/catalogues", "po/POTFILES", "po/LINGUAS", "po/baton.pot", *(f"po/{each}.po" for each in LANGUAGES), *listed):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
        return tree

    def changed(self, name: str, before: str, after: str) -> pathlib.Path:
        tree = self.copy()
        text = (tree / name).read_text(encoding="utf-8")
        self.assertIn(before, text)
        (tree / name).write_text(text.replace(before, after), encoding="utf-8")
        return tree

    def assert_refused(self, tree: pathlib.Path, reason: str):
        status, said = self.run_in(tree, "check")
        self.assertEqual(status, 1, said)
        self.assertRegex(said, reason)

    def test_every_catalogue_is_complete(self):
        self.assertEqual(self.run_in(ROOT, "check"), (0, ""))

    def test_every_program_with_texts_is_listed(self):
        """A program that is not listed stays English in every language."""
        listed = (ROOT / "po" / "POTFILES").read_text(encoding="utf-8").splitlines()
        call = re.compile(r"(?<![\w.])(n?tr|mark|counted|_)\(['\"]")
        programs = (file for place in ("Extensions", "Sources") for file in (ROOT / place).rglob("*")
                    if file.is_file() and file.suffix in ("", ".js", ".py", ".swift") and file.name != "wording.py")  # that one defines them
        found = [str(file.relative_to(ROOT)) for file in programs if call.search(file.read_text(encoding="utf-8", errors="replace"))]
        self.assertTrue(found)
        self.assertEqual([name for name in found if name not in listed], [])

    def test_missing_translation_fails(self):
        self.assert_refused(self.changed("po/de.po", 'msgstr "Baton läuft nicht."', 'msgstr ""'), "de.po: is not translated: Baton is not running")

    def test_missing_or_wrong_placeholder_fails(self):
        for wrong in ("von „Laptop“", "von „{device}“"):
            with self.subTest(wrong):
                self.assert_refused(self.changed("po/de.po", "Das ist „{name}“ von „{laptop}“", f"Das ist „{{name}}“ {wrong}"), "laptop|device")

    def test_missing_placeholder_of_the_extension_fails(self):
        """gettext does not check this placeholder, because it does not know the format of extensions' texts."""
        self.assert_refused(self.changed("po/de.po", "Seiten von {site} anbieten", "Seiten anbieten"), r"has other places than \['site'\]")

    def added(self, swift: str, is_listed: bool = True) -> pathlib.Path:
        """Returns a tree with one more Swift file."""
        tree = self.changed("po/POTFILES", "\nExtensions", "\nSources/Added.swift\nExtensions") if is_listed else self.copy()
        (tree / "Sources").mkdir(exist_ok=True)
        (tree / "Sources/Added.swift").write_text(swift, encoding="utf-8")
        return tree

    def test_texts_in_swift_are_read(self):
        tree = self.added("""let a = tr("100 % of \\"{name}\\"", ["name": name(of: b, "c")])
            let d = ntr("{count} day", "{count} days", e.count)
            // Translators: a button
            let f = mark("Go on")
            """)
        self.assertEqual(self.run_in(tree, "update"), (0, ""))
        for text in ('#: Sources/Added.swift\nmsgid "100 % of \\"{name}\\""', 'msgid "{count} day"\nmsgid_plural "{count} days"',
                     '#. Translators: a button\n#: Sources/Added.swift\nmsgid "Go on"'):
            self.assertIn(text, (tree / "po/baton.pot").read_text(encoding="utf-8"))
        status, said = self.run_in(tree, "check")
        self.assertEqual(status, 1)
        self.assertNotIn("Added.swift", said)

    def test_call_in_swift_with_a_missing_or_wrong_placeholder_fails(self):
        for call in ('tr("from {laptop}")', 'tr("from {laptop}", ["device": a])', 'tr("from", ["laptop": a])',
                     'tr("from {laptop}", [\n "laptop": a,\n "b": c])', 'ntr("{count} of {laptop}", "{count} of", b, ["name": a])'):
            with self.subTest(call):
                self.assert_refused(self.added(f"let a = {call}\n"), "Added.swift: n?tr: has the places")

    def test_text_in_swift_that_cannot_be_read_fails(self):
        for call in (r'tr("from \(laptop)")', "tr(text)", 'tr("a" + "b")'):
            with self.subTest(call):
                self.assert_refused(self.added(f"let a = {call}\n"), "is no literal on one line")

    def test_call_in_swift_inside_a_literal_fails(self):
        self.assert_refused(self.added(r'let a = "\(name) \(tr("Text."))"' + "\n"), "tr: xgettext does not read a call inside a literal")

    def test_file_in_swift_that_is_not_listed_fails(self):
        self.assert_refused(self.added('let a = tr("Text.")\n', is_listed=False), "Added.swift: is not in po/POTFILES")

    def test_text_whose_english_has_changed_fails_until_it_is_translated_again(self):
        tree = self.changed("Extensions/StatusNotifierItem/baton-panel", "Baton is not running.", "Baton is not running now.")
        self.assert_refused(tree, "baton.pot: is out of date")
        self.assertEqual(self.run_in(tree, "update"), (0, ""))
        self.assert_refused(tree, "de.po: is fuzzy, as its English has changed: Baton is not running now")

    def test_update_does_not_change_complete_catalogues(self):
        tree = self.copy()
        self.assertEqual(self.run_in(tree, "update"), (0, ""))
        for path in (tree / "po").iterdir():
            self.assertEqual(path.read_text(encoding="utf-8"), (ROOT / "po" / path.name).read_text(encoding="utf-8"), path.name)

    def test_extension_has_all_texts_of_each_language_with_the_same_placeholders(self):
        self.assertEqual(self.run_in(ROOT, "extension", self.root), (0, ""))
        self.assertEqual(self.run_in(ROOT, "pseudo", self.root), (0, ""))
        english = json.loads((ROOT / PAGE).read_text(encoding="utf-8"))
        self.assertEqual({path.name for path in (self.root / "_locales").iterdir()}, {"en", "he", *LANGUAGES})
        for language in ("he", *LANGUAGES):
            found = json.loads((self.root / "_locales" / language / "messages.json").read_text(encoding="utf-8"))
            self.assertEqual(list(found), list(english))
            self.assertEqual((found["language"]["message"], found["direction"]["message"]), (language.replace("_", "-"), "rtl" if language == "he" else "ltr"))
            for name, message in found.items():
                self.assertEqual(sorted(PLACE.findall(message["message"])), sorted(PLACE.findall(english[name]["message"])), name)
                self.assertEqual(message.get("placeholders"), english[name].get("placeholders"))
        self.assertLessEqual(len(english["extensionDescription"]["message"]), 132)

    def test_extension_uses_exactly_its_texts(self):
        sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "Extensions" / "Browser").iterdir() if path.suffix in (".js", ".html", ".json"))
        named = set(re.findall(r'\bsay\("(\w+)"|data-text="(\w+)"|__MSG_(\w+)__|": "(reason\w+)"|getMessage\("(\w+)"', sources))
        named = {name for names in named for name in names if name}
        self.assertEqual(named, set(json.loads((ROOT / PAGE).read_text(encoding="utf-8"))))

    def test_every_language_is_installed(self):
        files = (ROOT / "Packaging" / "files").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"(?m)^file .*@DATADIR@/locale/(\w+)/LC_MESSAGES/baton\.mo", files), LANGUAGES)
