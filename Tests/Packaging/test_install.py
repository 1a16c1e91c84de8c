# SPDX-License-Identifier: Apache-2.0
"""Tests the installed files: they are complete, valid, in the right place, and can be removed.

BATON_BIN is the directory of batond and baton. The default is the debug build.
"""

import base64
import configparser
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import icons

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("BATON_BIN") or ROOT / ".build" / "debug").resolve()
ID = "org.batonproject.Baton"
LIMIT = 60  # seconds that any program may take
# systemd 252, unit.md: directives that need file system or user namespaces are left out (Documentation/Service.md).
NAMESPACES = re.compile(r"^(Private|Protect|ProcSubset|ReadOnly|ReadWrite|Inaccessible|Bind|TemporaryFileSystem|Root)", re.M)


def run(*command, **environment) -> str:
    """Returns the output of a program that must succeed."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT, env={**os.environ, **environment}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stdout}")
    return done.stdout


def files(directory: Path) -> set:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if not path.is_dir()}


class Installed(unittest.TestCase):
    """Tests an installation below one DESTDIR, with a PREFIX that no package has."""

    PREFIX = "/opt/baton"

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory(prefix="baton-install-")
        cls.addClassCleanup(cls.work.cleanup)
        cls.destination = Path(cls.work.name) / "destination"
        cls.variables = {"BIN": str(BIN), "MADE": str(Path(cls.work.name) / "made"), "DESTDIR": str(cls.destination),
                         "PREFIX": cls.PREFIX, "BLUETOOTHD": "/usr/lib/bluetooth/bluetoothd", "FILES": "Packaging/files Packaging/files.browser Packaging/files.adapters Packaging/files.gnome-shell Packaging/files.gtk Packaging/files.camera"}
        run("Packaging/make", **cls.variables)
        run("Packaging/install", **cls.variables)
        cls.prefix = cls.destination / cls.PREFIX.lstrip("/")

    def text(self, name: str) -> str:
        return (self.prefix / name).read_text(encoding="utf-8")

    def test_every_listed_file_is_installed_and_readable_by_all(self):
        listed = run("Packaging/install", "--list", **self.variables).splitlines()
        self.assertEqual(files(self.destination), {name.removeprefix(f"{self.destination}/") for name in listed})
        pages = self.prefix / "share/doc/baton"
        for path in self.prefix.rglob("*"):
            mode = path.stat().st_mode & 0o777
            is_example = path.is_relative_to(pages) and os.access(ROOT / path.relative_to(pages), os.X_OK)
            is_run = path.is_dir() or path.parent.name == "bin" or path.parent.name == "setup" and path.name != "steps" or path.name in ("baton-adapters", "open-terminal", "baton-krunner", "baton-camera", "browser-host", "mail-host", "domain-fetcher") or is_example
            self.assertEqual(mode, 0o755 if is_run else 0o644, path)
        self.assertTrue(os.access(pages / "Examples/Shell/letter", os.X_OK))

    def test_every_page_and_example_is_installed(self):
        # Without git the tree is a tarball, which contains nothing else.
        trees = ("Documentation", "Examples", "LICENSES")
        wanted = run("git", "ls-files", *trees).splitlines() if (ROOT / ".git").exists() else [
            f"{tree}/{file}" for tree in trees for file in files(ROOT / tree)]
        self.assertGreater(len(wanted), 90)
        self.assertEqual([name for name in wanted if not (self.prefix / "share/doc/baton" / name).is_file()], [])

    def test_leftovers_of_editors_and_builds_are_not_installed(self):
        with tempfile.TemporaryDirectory() as copy:
            for tree in ("Documentation", "Examples", "LICENSES", "Packaging"):
                shutil.copytree(ROOT / tree, Path(copy) / tree)
            before = run(Path(copy) / "Packaging/install", "--list")
            for name in ("Documentation/Lab.md~", "Documentation/.Lab.md.swp", "Documentation/#Lab.md#", "Documentation/Lab.md.orig",
                         "Examples/Notes/C/notes", "Examples/Notes/C/notes.o", "Examples/Notes/Python/__pycache__/notes.cpython-313.pyc",
                         "Examples/Notes/Swift/.build/checkout.swift", "LICENSES/.DS_Store"):
                (Path(copy) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(copy) / name).touch()
            self.assertEqual(run(Path(copy) / "Packaging/install", "--list"), before)

    def test_compiled_programs_have_no_symbols(self):
        for program in ("bin/baton", "bin/batond", "bin/baton-gtk", "lib/baton/browser-host", "lib/baton/domain-fetcher"):
            self.assertNotIn(".symtab", run("readelf", "--sections", "--wide", self.prefix / program))

    def test_programs_and_versions_agree(self):
        version = re.search(r'static let current = "(.*)"', (ROOT / "Sources/BatonBus/BatonVersion.swift").read_text(encoding="utf-8"))[1]
        self.assertIn(f'<release version="{version}"', self.text(f"share/metainfo/{ID}.metainfo.xml"))
        self.assertIn(f'"Baton {version}"', self.text("share/man/man1/baton.1"))
        for program in ("baton", "batond", "baton-panel"):
            self.assertEqual(run(self.prefix / "bin" / program, "--version").strip(), version)
        self.assertEqual(run(self.prefix / "lib/baton/adapters/baton-adapters", "--version").strip(), version)
        for words in self.commands(json.loads(run(self.prefix / "bin/baton", "--experimental-dump-help"))["command"]):
            self.assertEqual(run(self.prefix / "bin/baton", *words, "--version").strip(), version, words)
        self.assertIn("USAGE: baton ", run(self.prefix / "bin/baton", "--help"))

    def commands(self, command: dict, above=()):
        """Yields the words of each command in the tree, without the parser's own command `help`."""
        for sub in command.get("subcommands", []):
            if sub["commandName"] != "help":
                yield (*above, sub["commandName"])
                yield from self.commands(sub, (*above, sub["commandName"]))

    def test_installed_paths_contain_the_prefix(self):
        for name in ("lib/systemd/user/batond.service", "lib/systemd/user/baton-domain-fetcher@.service", f"share/dbus-1/services/{ID}.service", "share/man/man8/batond.8",
                     "share/baton/bluetooth.service.d/baton.conf", f"etc/xdg/autostart/{ID}Panel.desktop"):
            text = self.text(name)
            self.assertIn(self.PREFIX, text, name)
            self.assertIsNone(re.search(r"/usr/(bin/baton|lib/baton|share/baton)", text), name)
        drop_in = self.text("share/baton/bluetooth.service.d/baton.conf")
        self.assertIn("ExecStart=/usr/lib/bluetooth/bluetoothd --experimental", drop_in)

    def test_every_relative_link_of_a_page_leads_to_an_installed_file(self):
        pages = [path for path in (self.prefix / "share/doc/baton").rglob("*.md")]
        links = []
        for page in pages:
            text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
            for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
                if "://" not in link:
                    links.append((page, link))
                    self.assertTrue((page.parent / link).exists(), f"{page.relative_to(self.prefix)}: {link}")
        self.assertGreater(len(pages), 70)
        self.assertGreater(len(links), 100)

    def test_the_installed_readme_begins_with_the_steps_after_the_installation(self):
        page, source = self.text("share/doc/baton/README.md"), (ROOT / "README.md").read_text(encoding="utf-8")
        self.assertTrue(page.startswith(source.split("\n## ")[0]))
        self.assertEqual(re.findall(r"^```\n(.+)$|`(baton .+?)`", page, re.M)[0], ("", "baton pair"))
        self.assertEqual(re.findall(r"\bmake(?: \w+)?\n|`(?:sudo )?make\b[^`]*`", page), [])
        self.assertIn("These paths are in Baton's sources and are not installed.", page.replace("\n", " "))
        # From "Add a laptop" on, the page has all sections of the README.
        headings = re.findall(r"^## .*$", source, re.M)
        self.assertEqual(re.findall(r"^## .*$", page, re.M), headings[headings.index("## Add a laptop"):])

    def test_the_package_compresses_no_page_that_is_linked_to(self):
        excluded = re.findall(r"--exclude=(doc/baton/\S+)", (ROOT / "Packaging/debian/rules").read_text(encoding="utf-8"))
        for file in files(self.prefix / "share/doc"):
            self.assertTrue(any(part in f"/doc/{file}" for part in excluded), file)

    def test_files_named_in_the_manual_pages_exist(self):
        named = set()
        for page in ("man1/baton.1", "man1/baton-panel.1", "man5/baton.conf.5", "man5/baton-json.5", "man8/batond.8"):
            text = re.sub(r"\\f.", "", self.text(f"share/man/{page}")).replace("\\-", "-")
            self.assertNotIn("/usr/share/doc", text)
            named |= set(re.findall(r"[\w/.-]+\.(?:md|xml)\b", text))
        self.assertGreater(len(named), 5)
        for name in named:
            path = self.destination / name.lstrip("/") if name.startswith("/") else self.prefix / "share/doc/baton" / name
            self.assertTrue(path.is_file(), name)

    def test_the_window_is_started_by_the_name_of_its_entry(self):
        name = f"{ID}Window"
        entry = self.prefix / f"share/applications/{name}.desktop"
        run("desktop-file-validate", entry)
        self.assertIn("\nDBusActivatable=true\n", entry.read_text(encoding="utf-8"))
        service = self.text(f"share/dbus-1/services/{name}.service")
        self.assertIn(f"\nName={name}\n", service)
        self.assertIn(f"\nExec={self.PREFIX}/bin/baton-gtk --gapplication-service\n", service)
        run("appstreamcli", "validate", "--no-net", self.prefix / f"share/metainfo/{name}.metainfo.xml")

    def test_the_window_finds_the_program_for_the_camera(self):
        self.assertTrue(os.access(self.prefix / "bin/../lib/baton/baton-camera", os.X_OK))
        self.assertIn("../lib/baton/baton-camera", (ROOT / "Sources/baton-gtk/Scanner.swift").read_text(encoding="utf-8"))

    def test_metainfo_is_valid(self):
        run("appstreamcli", "validate", "--no-net", self.prefix / f"share/metainfo/{ID}.metainfo.xml")

    def test_desktop_entry_is_valid_and_has_its_icon(self):
        entry = self.prefix / f"share/applications/{ID}.desktop"
        run("desktop-file-validate", entry)
        self.assertIn(f"Icon={ID}\n", entry.read_text(encoding="utf-8"))
        for name in (f"scalable/apps/{ID}.svg", f"symbolic/apps/{ID}-symbolic.svg"):
            self.assertIn("<svg ", self.text(f"share/icons/hicolor/{name}"))

    def test_every_icon_that_baton_names_is_in_hicolor(self):
        """All themes fall back on hicolor. Adwaita and Breeze have few other names in common, and none for web pages, so Baton names none of
        theirs. Only the window does, because GTK also falls back on Adwaita, on which its package depends."""
        themes = icons.of_theme("Adwaita") | icons.of_theme("breeze")
        self.assertIn("web-browser", themes, "install adwaita-icon-theme")
        named = icons.named(themes, ID)
        pages = {path.name for path in (ROOT / "Extensions/Browser").iterdir()} | {"icon.svg"}  # which Packaging/make-extension adds
        of_the_extension = {name for name, where in named.items() if name in pages and all(path.startswith(("Extensions/Browser/", "Extensions/Adapters/Thunderbird/")) for path in where)}
        window = ("Sources/GtkInterop/", "Sources/WindowModel/", "Sources/baton-gtk/")
        of_the_window = {name for name, where in named.items() if name in icons.of_theme("Adwaita") and all(path.startswith(window) for path in where)}
        apps = self.prefix / "share/icons/hicolor/scalable/apps"
        shipped = {path.stem for path in apps.iterdir()}
        self.assertEqual(shipped, {ID, *(f"{ID}.{kind}" for kind in ("WebPage", "Document", "Text", "Media", "Terminal"))})
        self.assertEqual({name: where for name, where in named.items() if name not in shipped | of_the_extension | of_the_window}, {})
        self.assertEqual(shipped - set(named), set())
        for name in shipped:
            picture = ElementTree.parse(apps / f"{name}.svg").getroot()
            self.assertEqual((picture.tag, picture.get("width"), picture.get("height")), ("{http://www.w3.org/2000/svg}svg", "128", "128"))

    def test_icons_are_found_wherever_they_are_named(self):
        themes = {"web-browser", "dialog-warning", "folder", "radio"}
        for text, expected in (
                ('Icon=folder\nName=web\n', {"folder"}), ('<icon type="stock">org.example.App</icon>', {"org.example.App"}),
                ('static let icon = "org.example.Page"', {"org.example.Page"}), ('ICON_NAME = f"{ICON}.Page"', {f"{ID}.Page"}),
                ("image.icon = 'page.svg';", {"page.svg"}), ('"IconName": "folder"', {"folder"}), ('"AttentionIconName": "dialog-warning-symbolic"', {"dialog-warning"}),
                ('notify("Baton", 0, "web-browser", summary)', {"web-browser"}), ('case "radio": nil', set()), ('"Category": "system-services"', set())):
            with self.subTest(text):
                self.assertEqual(icons.named_in(text, themes, ID), expected)

    def test_the_panel_item_is_started_at_login(self):
        entry = self.prefix / f"etc/xdg/autostart/{ID}Panel.desktop"
        run("desktop-file-validate", entry)
        self.assertIn(f"\nExec={self.PREFIX}/bin/baton-panel --as-service\n", entry.read_text(encoding="utf-8"))
        self.assertIn("usage: baton-panel", run(self.prefix / "bin/baton-panel", "--help"))
        self.assertIn(f"\nExecStart={self.PREFIX}/bin/baton-panel\n", self.text("lib/systemd/user/baton-panel.service"))

    def test_krunner_finds_its_plugin_and_the_bus_starts_it(self):
        name = f"{ID}KRunner"
        entry = self.text(f"share/krunner/dbusplugins/{name}.desktop")
        service = self.text(f"share/dbus-1/services/{name}.service")
        for line in ("X-Plasma-API=DBus", f"X-Plasma-DBusRunner-Service={name}", f"Icon={ID}"):
            self.assertIn(f"\n{line}\n", entry)
        self.assertIn(f"\nName={name}\nExec={self.PREFIX}/lib/baton/baton-krunner\n", service)

    def test_gnome_shell_has_the_entry_for_the_versions_that_the_metadata_names(self):
        extension = "share/gnome-shell/extensions/baton@batonproject.org"
        metadata = json.loads(self.text(f"{extension}/metadata.json"))
        self.assertEqual(metadata["uuid"], extension.rpartition("/")[2])
        is_module = "\nimport {Extension}" in self.text(f"{extension}/extension.js")
        self.assertEqual({int(version) >= 45 for version in metadata["shell-version"]}, {is_module})
        self.assertIn("\nexport class Baton ", self.text(f"{extension}/shared.js"))
        # The Debian package must require the versions of GNOME Shell that the extension names.
        versions = sorted(map(int, metadata["shell-version"]))
        needed = f"gnome-shell (>= {versions[0]}~), gnome-shell (<< {versions[-1] + 1}~)"
        self.assertIn(needed, (ROOT / "Packaging/debian/control").read_text(encoding="utf-8"))

    def test_gnome_shell_loads_the_search_provider(self):
        parser = configparser.ConfigParser(interpolation=None)
        parser.optionxform = str
        parser.read_string(self.text(f"share/gnome-shell/search-providers/{ID}Window.search-provider.ini"))
        provider = dict(parser["Shell Search Provider"])
        path = re.search(r'static let path = "(.*)"', (ROOT / "Sources/BatonDesktop/Search/SearchProvider.swift").read_text(encoding="utf-8"))[1]
        self.assertEqual((provider["BusName"], provider["ObjectPath"], provider["Version"]), (ID, path, "2"))
        # GNOME Shell ignores a provider whose entry is missing or is not shown (js/ui/remoteSearch.js).
        self.assertNotRegex(self.text(f"share/applications/{provider['DesktopId']}"), r"(?m)^(NoDisplay=true|Hidden=true|OnlyShowIn=|NotShowIn=)")
        # So the package with the provider has the entry, too.
        package = (ROOT / "Packaging/files.gtk").read_text(encoding="utf-8")
        for name in (provider["DesktopId"], f"{ID}Window.search-provider.ini"):
            self.assertIn(f"/{name}\n", package)

    def test_thunderbird_finds_its_extension_and_the_host(self):
        # Thunderbird reads extensions from the directory that is named after Thunderbird's own id.
        extension = self.prefix / "share/mozilla/extensions/{3550f703-e582-4d05-9a08-453d09bdfdc6}/mail@batonproject.org"
        manifest = json.loads((extension / "manifest.json").read_text(encoding="utf-8"))
        self.assertEqual(manifest["browser_specific_settings"]["gecko"]["id"], extension.name)
        self.assertRegex(manifest["version"], r"^\d+\.\d+\.\d+$")
        for name in (manifest["background"]["page"], manifest["options_ui"]["page"], manifest["icons"]["48"], "background.js", "caret.js"):
            self.assertTrue((extension / name).is_file(), name)
        german = json.loads((extension / "_locales/de/messages.json").read_text(encoding="utf-8"))
        self.assertEqual((german["language"]["message"], german["offerEncrypted"]["message"]), ("de", "Auch verschlüsselte Nachrichten weitergeben"))
        host = json.loads(self.text("lib/mozilla/native-messaging-hosts/org.batonproject.mail_host.json"))
        self.assertEqual((host["path"], host["allowed_extensions"]), (f"{self.PREFIX}/lib/baton/mail-host/mail-host", [extension.name]))
        program = self.destination / host["path"].lstrip("/")
        done = subprocess.run([program, "manifest", "other@example.org"], stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
        self.assertEqual((done.returncode, done.stderr), (64, "mail-host: only Baton's extension for Thunderbird starts this program\n"))

    def test_the_adapters_are_started_at_login(self):
        entries = {"Media": "media.play", "Documents": "document.read", "Editors": "document.edit", "Office": "office.edit", "Mail": "mail.compose;org.batonproject.mail.read",
                   "Terminals": "terminal.work"}
        self.assertEqual({path.name for path in (self.prefix / "share/applications").glob("org.batonproject.Adapter*")},
                         {f"org.batonproject.Adapter.{name}.desktop" for name in entries})
        for name, activity_type in entries.items():
            entry = f"share/applications/org.batonproject.Adapter.{name}.desktop"
            run("desktop-file-validate", self.prefix / entry)
            # The entry is in no menu. Baton shows its name until the activity has arrived.
            for line in (f"Exec={self.PREFIX}/lib/baton/adapters/baton-adapters", "NoDisplay=true", f"X-Baton-ActivityTypes=org.batonproject.{activity_type};"):
                self.assertIn(f"\n{line}\n", self.text(entry))
            self.assertRegex(self.text(entry), r"\nName=\w.*\n")
        run("desktop-file-validate", self.prefix / "etc/xdg/autostart/org.batonproject.Adapters.desktop")
        unit = self.text("lib/systemd/user/baton-adapters.service")
        self.assertIn(f"\nExecStart={self.PREFIX}/lib/baton/adapters/baton-adapters\n", unit)
        self.assertEqual(NAMESPACES.findall(unit), [])
        with tempfile.TemporaryDirectory() as runtime:
            checked = Path(runtime) / "baton-adapters.service"
            checked.write_text(re.sub("(?m)^Documentation=.*\n", "", unit).replace(f"{self.PREFIX}/lib/baton/adapters/baton-adapters", "/bin/true"),
                               encoding="utf-8")
            self.assertEqual(run("systemd-analyze", "verify", "--user", checked, XDG_RUNTIME_DIR=runtime), "")

    def test_fish_loads_the_hook_of_baton_shell_by_itself(self):
        hook = self.text("share/fish/vendor_conf.d/baton.fish")
        self.assertEqual(hook, run(BIN / "baton", "shell", "fish"))
        self.assertIn("--on-event fish_prompt", hook)

    def test_entries_and_metainfo_have_every_language(self):
        languages = (ROOT / "po/LINGUAS").read_text(encoding="utf-8").split()
        entries = [path for directory in ("share/applications", "etc/xdg/autostart") for path in (self.prefix / directory).glob("*.desktop")]
        self.assertEqual(len(entries), 10)
        for language in languages:
            for path in entries:
                text = path.read_text(encoding="utf-8")
                for key in re.findall(r"^(Name|GenericName|Comment|Keywords)=(?!Baton$)", text, re.M):
                    self.assertRegex(text, rf"(?m)^{key}\[{language}\]=\w", path)
            metainfo = ElementTree.fromstring(self.text(f"share/metainfo/{ID}.metainfo.xml"))
            translated = [each for each in metainfo.iter() if each.get("{http://www.w3.org/XML/1998/namespace}lang") == language]
            self.assertEqual(sorted(each.tag for each in translated), ["li"] * 4 + ["name", "p", "summary"])
        plugin = self.text("lib/gedit/plugins/baton.plugin")
        self.assertIn("\nDescription[de]=Einen Text auf einem anderen Laptop fortsetzen\n", plugin)

    def test_installed_programs_find_their_translations(self):
        catalogue = self.prefix / "share/locale/de/LC_MESSAGES/baton.mo"
        self.assertTrue(catalogue.is_file())
        adapters, plugin = self.prefix / "lib/baton/adapters", self.prefix / "lib/gedit/plugins/baton"
        self.assertEqual(sorted(path.name for path in (self.prefix / "share/locale").iterdir()), (ROOT / "po/LINGUAS").read_text(encoding="utf-8").split())
        said = "No player has opened it. Try again.", "Kein Medienspieler hat es geöffnet. Versuche es noch einmal."
        for directory in (adapters, plugin):
            program = f"import sys; sys.path.insert(0, {str(directory)!r}); import wording; print(wording.tr({said[0]!r}))"
            self.assertEqual(run("python3", "-B", "-c", program, LANGUAGE="de").strip(), said[1])
        program = ("import importlib.machinery, importlib.util, sys; sys.dont_write_bytecode = True; loader = importlib.machinery.SourceFileLoader("
                   f"'panel', {str(self.prefix / 'bin/baton-panel')!r}); module = importlib.util.module_from_spec(importlib.util.spec_from_loader("
                   "'panel', loader)); loader.exec_module(module); print(module.tr('Baton is not running.'))")
        self.assertEqual(run("/usr/bin/python3", "-c", program, LANGUAGE="de").strip(), "Baton läuft nicht.")

    def test_manual_pages_are_without_warnings_and_name_every_option(self):
        for page, program in (("man1/baton.1", "baton"), ("man8/batond.8", "batond"), ("man1/baton-panel.1", "baton-panel"),
                              ("man5/baton-json.5", None), ("man5/baton.conf.5", None)):
            path = self.prefix / "share/man" / page
            shown = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", str(path)], text=True, timeout=LIMIT, check=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFOPT": ""})
            self.assertEqual(shown.stderr, "", page)
            if program is None:
                continue
            for option in set(re.findall(r"--[a-z][a-z-]+", run(self.prefix / "bin" / program, "--help"))) - {"--help"}:
                self.assertIn(option.replace("-", "\\-"), path.read_text(encoding="utf-8"), page)
        self.assertIn("baton publish", re.sub(r"\\f.", "", self.text("share/man/man1/baton.1")))

    def test_the_manuals_section_of_each_command_has_its_arguments_and_options(self):
        sections = dict(re.findall(r"(?ms)^\.SS (.*?)\n(.*?)(?=^\.S[SH] )", self.manual("man1/baton.1")))
        self.assertGreater(len(sections), 20)
        # The section of a group of commands also has the introduction to the group.
        self.assertIn("near continues it by itself", sections["rules"])

        def words(text: str) -> str:
            return " ".join(text.split())

        for command, section in sections.items():
            said_by_itself = run(self.prefix / "bin/baton", *command.split(), "--help").split("\nSUBCOMMANDS:")[0]
            usage, *parts = re.split(r"(?m)^(?:ARGUMENTS|OPTIONS):\n", said_by_itself)
            said = words(re.sub(r"(?m)^\.\w+ ?", "", section))
            for entry in re.split(r"(?m)^  (?=\S)", "".join(parts))[1:]:
                # Each entry begins with the spelling of an option. The option's meaning is in the next column, or on
                # the lines below.
                spelled, meaning = re.match(r"(?s)(\S.*?)(?:  |\n)\s*(.*)", entry).groups()
                if "--help" in spelled or "--version" in spelled:
                    continue
                # A default and values that the argument parser knows.
                meaning = re.sub(r" \(values: (.+)\)$", r" One of \1.", re.sub(r" \(default: (\d+)\)$", r" Without it: \1.", words(meaning)))
                self.assertIn(meaning, said, command)
                names = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", spelled)
                if names:
                    self.assertTrue(any(set(names) == set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", line)) for line in section.splitlines()),
                                    f"{command}: {names}")
            overview = words(usage.split("USAGE:")[0].removeprefix("OVERVIEW:"))
            self.assertIn(overview, words(re.sub(r"(?m)^\.PP$", "", section)), command)

    def manual(self, page: str) -> str:
        """Returns a manual page without its fonts and escapes."""
        return re.sub(r"\\f.", "", self.text(f"share/man/{page}")).replace("\\-", "-").replace("\\e", "\\")

    def test_every_manual_page_has_examples_and_names_related_pages(self):
        pages = {f"{path.stem}({path.suffix[1:]})": self.manual(f"{path.parent.name}/{path.name}")
                 for path in (self.prefix / "share/man").rglob("*.*")}
        self.assertEqual(set(pages), {"baton(1)", "baton-gtk(1)", "baton-panel(1)", "baton-json(5)", "baton.conf(5)", "batond(8)"})
        for name, text in pages.items():
            self.assertIn(".SH EXAMPLES\n", text, name)
            also = {word.replace(" ", "") for word in re.findall(r"(?m)^\.BR (\S+ \(\d\))", text.split(".SH SEE ALSO")[1])}
            wanted = {"baton(1)": set(pages) - {name}, "batond(8)": {"baton(1)", "baton-panel(1)", "baton.conf(5)"}}
            self.assertLessEqual(wanted.get(name, {"baton(1)"}), also, name)

    def test_the_examples_of_the_manual_are_valid_commands(self):
        examples = [line.strip() for page in ("man1/baton.1", "man5/baton-json.5")
                    for line in re.findall(r"(?m)^    (baton .*)$", self.manual(page).split(".SH EXAMPLES")[1])]
        self.assertGreater(len(examples), 6)
        for example in examples:
            with tempfile.TemporaryDirectory() as directory:
                # Without a bus, 64 means that the command line is wrong, which is checked first.
                done = subprocess.run(["sh", "-c", example.split("|")[0]], cwd=directory, text=True, capture_output=True, timeout=LIMIT, check=False,
                                      env={**os.environ, "PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/dev/null"})
                self.assertIn(done.returncode, (66, 69), f"{example}: {done.stderr}")

    def test_every_configuration_key_is_in_its_page_and_manual(self):
        settings = (ROOT / "Sources/BatonDesktop/Rules/Settings.swift").read_text(encoding="utf-8").split("func take(")[1]
        rule = (ROOT / "Sources/BatonDesktop/Rules/Rule.swift").read_text(encoding="utf-8")
        keys = set(re.findall(r'case "([^"]+)"', settings)) | {prefix + "TYPE" for prefix in re.findall(r'hasPrefix\("([^"]+)"\)', settings)}
        actions = set(re.findall(r'case "(\w+)":', rule))
        self.assertEqual((len(keys), actions), (9, {"ask", "never", "near", "hide"}))
        parts = {word + "=" for word in re.findall(r"\w+", re.search(r'keys = \[("type"[^\]]*)\]', rule)[1])}
        self.assertEqual(parts, {"type=", "app=", "device=", "signal="})
        page = (self.prefix / "share/doc/baton/Documentation/Configuration.md").read_text(encoding="utf-8")
        manual = self.text("share/man/man5/baton.conf.5").replace("\\-", "-")
        for key in keys | actions:
            self.assertIn(f"\n| `{key}` |", page)
            self.assertIn(f"\n.TP\n\\fB{key}\\fR\n", manual)
        self.assertIn("whether domains (Documentation/AssociatedDomains.md) are asked", manual)
        self.assertIn("see Documentation/DesktopEntries.md.", manual)
        for part in parts:
            self.assertIn(f"`{part}`", page)
            self.assertIn(f"\\fB{part}\\fR", manual)

    def test_completion_scripts_are_valid_in_their_shells(self):
        for program in ("baton", "batond"):
            run("bash", "-n", self.prefix / f"share/bash-completion/completions/{program}")
            run("zsh", "-n", self.prefix / f"share/zsh/site-functions/_{program}")
            run("fish", "--no-execute", self.prefix / f"share/fish/vendor_completions.d/{program}.fish")
        self.assertTrue(self.text("share/zsh/site-functions/_baton").startswith("#compdef baton"))
        # Completes a line that ends after `baton pub`, as bash does.
        script = (f". '{self.prefix}/share/bash-completion/completions/baton'; COMP_WORDS=(baton pub) COMP_CWORD=1 COMP_LINE='baton pub' "
                  'COMP_POINT=9; _baton baton pub baton; echo "${COMPREPLY[*]}"')
        self.assertEqual(run("bash", "-O", "extglob", "-c", script).strip(), "publish")

    def completed(self, program: str, *words: str, directory: str) -> set:
        """Returns bash's completions of the last word."""
        script = (f". '{self.prefix}/share/bash-completion/completions/{program}'; cd \"$1\"; shift; COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)) "
                  f'COMP_LINE="$*" COMP_POINT=${{#COMP_LINE}}; _{program} {program} "${{@: -1}}" "${{@: -2:1}}"; printf "%s\\n" "${{COMPREPLY[@]}}"')
        path = f"{self.prefix}/bin:{os.environ['PATH']}"
        return set(run("bash", "-O", "extglob", "-c", script, "bash", directory, program, *words, PATH=path,
                       DBUS_SESSION_BUS_ADDRESS="unix:path=/dev/null").split())

    def test_file_arguments_are_completed_with_files(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "invitation").touch()
            (Path(directory) / "inner").mkdir()
            for words in (("circle", "join"), ("circle", "invite"), ("publish", "--info-json"), ("publish", "--stream-from"),
                          ("publish", "--stream-to"), ("continue", "1", "--stream-from"), ("continue", "--stream-to")):
                self.assertEqual(self.completed("baton", *words, "in", directory=directory), {"invitation", "inner"}, words)
            for option in ("--state-directory", "--radio-directory"):
                self.assertEqual(self.completed("batond", option, "in", directory=directory), {"inner"}, option)
            # Other options are not completed with files.
            self.assertEqual(self.completed("baton", "publish", "--type", "in", directory=directory), set())

    def test_every_status_of_the_help_is_in_the_manual(self):
        statuses = re.findall(r"(?m)^(\d+) +", run(self.prefix / "bin/baton", "--help"))
        self.assertIn("75", statuses)
        section = self.text("share/man/man1/baton.1").split(".SH EXIT STATUS")[1].split(".SH ")[0]
        self.assertEqual(re.findall(r"\\fB(\d+)\\fR", section), statuses)

    def test_the_user_unit_is_valid_and_has_no_sandbox_that_hides_callers(self):
        unit = self.prefix / "lib/systemd/user/batond.service"
        text = unit.read_text(encoding="utf-8")
        self.assertEqual(NAMESPACES.findall(text), [])
        # With a limit of 0, Linux would pass cores, and the keys in them, to the program in core_pattern.
        self.assertIn("\nLimitCORE=1\n", text)
        with tempfile.TemporaryDirectory() as runtime:
            checked = Path(runtime) / "batond.service"
            # Use an existing program, and no manual pages, which are not installed yet.
            checked.write_text(re.sub("(?m)^Documentation=.*\n", "", text).replace(f"{self.PREFIX}/bin/batond", "/bin/true"), encoding="utf-8")
            told = run("systemd-analyze", "verify", "--user", checked, XDG_RUNTIME_DIR=runtime)
            self.assertEqual(told, "")

    def test_session_units_are_valid_and_as_restricted_as_the_daemon(self):
        """The adapters' and the panel's units forbid everything that batond's forbids. Each unit allows only the sockets that it needs."""
        families = {"batond": "AF_UNIX AF_INET AF_INET6 AF_NETLINK AF_BLUETOOTH", "baton-adapters": "AF_UNIX AF_INET AF_INET6 AF_NETLINK",
                    "baton-panel": "AF_UNIX"}
        daemon, count = self.forbidden("batond"), 0
        for unit, allowed in families.items():
            self.assertEqual(self.forbidden(unit), {**daemon, "RestrictAddressFamilies": [allowed]}, unit)
            self.assertEqual(NAMESPACES.findall(self.text(f"lib/systemd/user/{unit}.service")), [], unit)
            count += len(self.forbidden(unit)["SystemCallFilter"])
        self.assertEqual(count, 6)
        with tempfile.TemporaryDirectory() as runtime:
            checked = Path(runtime) / "baton-panel.service"
            text = re.sub("(?m)^Documentation=.*\n", "", self.text("lib/systemd/user/baton-panel.service"))
            checked.write_text(text.replace(f"{self.PREFIX}/bin/baton-panel", "/bin/true"), encoding="utf-8")
            self.assertEqual(run("systemd-analyze", "verify", "--user", checked, XDG_RUNTIME_DIR=runtime), "")

    def forbidden(self, unit: str) -> dict:
        """Returns the forbidding directives of a user's unit, with all their values in order."""
        directives = ("NoNewPrivileges", "LockPersonality", "MemoryDenyWriteExecute", "SystemCall", "Restrict", "KeyringMode", "LimitCORE", "UMask")
        found = {}
        for line in self.text(f"lib/systemd/user/{unit}.service").splitlines():
            name, is_directive, value = line.partition("=")
            if is_directive and name.startswith(directives):
                found.setdefault(name, []).append(value)
        return found

    def test_the_domain_fetcher_has_a_sandbox_and_its_socket_is_wanted_by_the_daemon(self):
        units = self.prefix / "lib/systemd/user"
        names = ("baton-domain-fetcher.socket", "baton-domain-fetcher@.service")
        service = (units / names[1]).read_text(encoding="utf-8")
        self.assertIn(f"\nExecStart={self.PREFIX}/lib/baton/domain-fetcher\n", service)
        self.assertIn(" baton-domain-fetcher.socket\n", (units / "batond.service").read_text(encoding="utf-8"))
        # Restrictions that this program has, and batond cannot have.
        for line in ("PrivateUsers=yes", "ProtectHome=tmpfs", "ProtectSystem=strict", "NoNewPrivileges=yes"):
            self.assertIn(f"\n{line}\n", service)
        with tempfile.TemporaryDirectory() as runtime:
            for name in names:
                text = re.sub("(?m)^Documentation=.*\n", "", (units / name).read_text(encoding="utf-8"))
                (Path(runtime) / name).write_text(re.sub("ExecStart=.*", "ExecStart=/bin/true", text), encoding="utf-8")
            told = run("systemd-analyze", "verify", "--user", *(Path(runtime) / name.replace("@", "@1") for name in names), XDG_RUNTIME_DIR=runtime)
            self.assertEqual(told, "")

    def test_the_bus_starts_the_unit(self):
        service = self.text(f"share/dbus-1/services/{ID}.service")
        self.assertIn(f"Name={ID}\n", service)
        self.assertIn("SystemdService=batond.service\n", service)

    def test_profiles_of_firewalls_name_the_ports_of_the_daemon(self):
        source = (ROOT / "Sources/TransportModel/FixedPorts.swift").read_text(encoding="utf-8")
        first, last = (number.replace("_", "") for number in re.search(r"= ([\d_]+)\.\.\.([\d_]+)\n", source).groups())
        datagrams = re.search(r"datagrams[^=]*= ([\d_]+)\n", source)[1].replace("_", "")
        service = ElementTree.fromstring(self.text("lib/firewalld/services/baton.xml"))
        self.assertEqual(service.find("short").text, "Baton")
        self.assertEqual([port.attrib for port in service.findall("port")],
                         [{"protocol": "tcp", "port": f"{first}-{last}"}, {"protocol": "udp", "port": datagrams}])
        profile = configparser.ConfigParser(interpolation=None)
        profile.read_string(self.text("etc/ufw/applications.d/baton"))
        self.assertEqual(profile.sections(), ["Baton"])
        # ufw refuses a profile without all of these keys.
        self.assertEqual(set(profile["Baton"]), {"title", "description", "ports"})
        self.assertEqual(profile["Baton"]["ports"], f"{first}:{last}/tcp|{datagrams}/udp")

    def test_firewalls_find_their_profiles(self):
        for prefix in ("/usr", "/usr/local"):
            with tempfile.TemporaryDirectory() as destination:
                run("Packaging/install", **{**self.variables, "DESTDIR": destination, "PREFIX": prefix})
                installed = files(Path(destination))
                self.assertLessEqual({"usr/lib/firewalld/services/baton.xml", "etc/ufw/applications.d/baton"}, installed)
                # Installing Baton does not open a port.
                self.assertEqual([name for name in installed if "firewalld" in name or "ufw" in name], [name for name in installed if name in (
                    "usr/lib/firewalld/services/baton.xml", "etc/ufw/applications.d/baton")])

    def test_polkit_finds_the_programs_that_change_the_system(self):
        policy = f"share/polkit-1/actions/{ID}.policy"
        for prefix in ("/usr", "/usr/local"):
            with tempfile.TemporaryDirectory() as destination:
                run("Packaging/install", **{**self.variables, "DESTDIR": destination, "PREFIX": prefix})
                actions = ElementTree.parse(Path(destination) / "usr" / policy)
                programs = [part.text for part in actions.iter("annotate")]
                self.assertEqual(len(programs), 4)
                for program in programs:
                    self.assertTrue(program.startswith(f"{prefix}/lib/baton/setup/"), program)
                    self.assertTrue(os.access(destination + program, os.X_OK), program)
                steps = (Path(destination + prefix) / "lib/baton/setup/steps").read_text(encoding="utf-8")
                drop_in = re.search("^DROP_IN=(.*)$", steps, re.M)[1]
                self.assertTrue(Path(destination + drop_in).is_file(), drop_in)
        for language in (ROOT / "po/LINGUAS").read_text(encoding="utf-8").split():
            self.assertEqual(self.text(policy).count(f'xml:lang="{language}"'), 8)

    def test_nothing_is_left_after_uninstalling(self):
        with tempfile.TemporaryDirectory() as destination:
            variables = {**self.variables, "DESTDIR": destination, "PREFIX": "/usr"}
            foreign = Path(destination) / "usr/share/applications/other.desktop"
            foreign.parent.mkdir(parents=True)
            foreign.touch()
            run("Packaging/install", **variables)
            run("Packaging/install", "--remove", **variables)
            run("Packaging/install", "--remove", **variables)
            self.assertEqual(files(Path(destination)), {"usr/share/applications/other.desktop"})
            self.assertFalse((Path(destination) / "usr/share/baton").exists())
            self.assertFalse((Path(destination) / "usr/share/doc/baton").exists())
            self.assertFalse((Path(destination) / "usr/lib/baton").exists())

    def test_desktops_find_the_programs_that_start_at_login(self):
        for prefix in ("/usr", "/usr/local"):
            with tempfile.TemporaryDirectory() as destination:
                run("Packaging/install", **{**self.variables, "DESTDIR": destination, "PREFIX": prefix})
                self.assertIn(f"etc/xdg/autostart/{ID}Panel.desktop", files(Path(destination)))

    def test_browser_files_are_installed_only_on_request(self):
        with tempfile.TemporaryDirectory() as destination:
            variables = {**self.variables, "DESTDIR": destination, "PREFIX": "/usr"}
            del variables["FILES"]
            run("Packaging/install", **variables)
            self.assertFalse([name for name in files(Path(destination)) if "browser-host" in name or "native-messaging" in name or "/extensions/" in name])
            run("Packaging/install", **variables, FILES="Packaging/files.browser")
            self.assertIn("usr/lib/baton/browser-host", files(Path(destination)))
            run("Packaging/install", "--remove", **variables)
            self.assertEqual(files(Path(destination)), set())

    def test_archives_for_extension_stores_have_the_installed_files(self):
        made = Path(self.variables["MADE"]) / "browser"
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as again:
            archives = [Path(name) for name in run("Packaging/make-archives", made, first).splitlines()]
            for path in made.rglob("*"):
                os.utime(path, (1_000_000_000, 1_000_000_000))
            run("Packaging/make-archives", made, again)
            self.assertEqual([archive.suffix for archive in archives], [".xpi", ".zip"])
            for archive, browser in zip(archives, ("firefox", "chromium")):
                # A second build gives the same bytes.
                self.assertEqual(archive.read_bytes(), (Path(again) / archive.name).read_bytes())
                with zipfile.ZipFile(archive) as packed:
                    self.assertIsNone(packed.testzip())
                    contents = {name: packed.read(name) for name in packed.namelist()}
                self.assertEqual(list(contents), sorted(files(made / browser)))
                manifests = [json.loads(text) for text in (contents.pop("manifest.json"), (made / browser / "manifest.json").read_text(encoding="utf-8"))]
                # The Chrome Web Store accepts no key, because it adds its own.
                self.assertNotIn("key", manifests[0])
                manifests[1].pop("key", None)
                self.assertEqual(*manifests)
                for name, data in contents.items():
                    self.assertEqual(data, (made / browser / name).read_bytes(), name)
                if browser == "firefox":
                    gecko = manifests[0]["browser_specific_settings"]["gecko"]
                    self.assertEqual(gecko["data_collection_permissions"], {"required": ["browsingActivity", "websiteContent"]})
                    self.assertGreaterEqual(float(gecko["strict_min_version"]), 140)  # the first version that asks the user for the permissions

    def test_browsers_find_the_extension_and_its_host(self):
        for prefix in ("/usr", "/usr/local"):
            with tempfile.TemporaryDirectory() as destination:
                run("Packaging/install", **{**self.variables, "DESTDIR": destination, "PREFIX": prefix, "FILES": "Packaging/files.browser"})
                root = Path(destination)
                hosts = [json.loads((root / place / "native-messaging-hosts/org.batonproject.browser_host.json").read_text(encoding="utf-8"))
                         for place in ("usr/lib/mozilla", "usr/lib/librewolf", "etc/chromium", "etc/opt/chrome", "etc/opt/edge")]
                self.assertEqual({host["path"] for host in hosts}, {f"{prefix}/lib/baton/browser-host"})
                self.assertTrue(os.access(root / hosts[0]["path"].lstrip("/"), os.X_OK))
                firefox = json.loads((root / "usr/share/mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/browser@batonproject.org/manifest.json")
                                     .read_text(encoding="utf-8"))
                chromium = json.loads((root / "usr/share/chromium/extensions/baton/manifest.json").read_text(encoding="utf-8"))
                self.assertEqual(hosts[0]["allowed_extensions"], [firefox["browser_specific_settings"]["gecko"]["id"]])
                digest = hashlib.sha256(base64.b64decode(chromium["key"])).hexdigest()[:32]
                origin = f"chrome-extension://{''.join(chr(ord('a') + int(digit, 16)) for digit in digest)}/"
                for host in hosts[2:]:
                    self.assertEqual(host["allowed_origins"], [origin])
                caller = (ROOT / "Sources/browser-host/Caller.swift").read_text(encoding="utf-8")
                for name in (origin, *hosts[0]["allowed_extensions"]):
                    self.assertIn(f'"{name}"', caller)

    def test_the_extension_asks_for_no_more_than_it_needs(self):
        wanted = {"nativeMessaging", "scripting", "storage", "tabs", "http://*/*", "https://*/*"}
        version = re.search(r'static let current = "(.*)"', (ROOT / "Sources/BatonBus/BatonVersion.swift").read_text(encoding="utf-8"))[1]
        for browser in ("firefox", "chromium"):
            manifest = json.loads((Path(self.variables["MADE"]) / "browser" / browser / "manifest.json").read_text(encoding="utf-8"))
            self.assertEqual(set(manifest["permissions"]) | set(manifest.get("host_permissions", [])), wanted)
            self.assertEqual((manifest["incognito"], manifest["version"]), ("not_allowed", version))
            self.assertFalse(set(manifest) & {"externally_connectable", "web_accessible_resources", "content_scripts", "optional_permissions"})

        for script in (ROOT / "Extensions" / "Browser").glob("*.js"):
            self.assertNotRegex(script.read_text(encoding="utf-8"), "on(Connect|Message)External", script)

    def test_missing_programs_are_reported(self):
        with tempfile.TemporaryDirectory() as nothing, self.assertRaisesRegex(AssertionError, "is missing: run make first"):
            run("Packaging/install", **{**self.variables, "DESTDIR": nothing, "BIN": nothing})

    def test_a_prefix_that_units_cannot_name_is_refused(self):
        for prefix, reason in (("usr", "must be absolute"), ("/opt/hand over", "no blank"), ("/opt/#1", "no blank")):
            with self.assertRaisesRegex(AssertionError, reason):
                run("Packaging/install", **{**self.variables, "PREFIX": prefix})
