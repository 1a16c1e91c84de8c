# SPDX-License-Identifier: Apache-2.0
"""Tests libbaton from C, with two real daemons on the simulated radio: without tools, with valgrind, and with gcc's
sanitizers.

BATON_BIN is the directory of batond and baton. The default is the debug build.
"""

import pathlib
import subprocess

from installed import BIN, LIMIT, ROOT, SANITIZED, Laptops, compile_c, demo, directories

HERE = pathlib.Path(__file__).resolve().parent
# Files with functions that the library does not export and the tests call.
INSIDE = ("document-copy", "document-url", "folders-names", "patience", "pump", "regular-file")
SOURCES = [*sorted(HERE.glob("*.c")), *(ROOT / "Libraries" / "GObject" / "baton" / f"baton-{name}.c" for name in INSIDE)]
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


class FromC(Laptops):
    def prepare(self, laptop):
        super().prepare(laptop)
        self.install(laptop, "org.example.Brought", ";".join(f"org.example.brought.{number}" for number in range(1, 9)))
        packages = laptop.home / "packages"
        (packages / "applications").mkdir(parents=True)
        (packages / "applications" / "org.example.Adapter.desktop").write_text(
            "[Desktop Entry]\nType=Application\nName=Adapter\nExec=false\nX-Baton-Adapter=org.example.Player;\n", encoding="utf-8")
        laptop.environment["XDG_DATA_DIRS"] = f"{packages}:/usr/local/share:/usr/share"

    def setUp(self):
        super().setUp()
        # A bus without a daemon, for tests that act as one.
        self.stage = demo.Laptop("stage", self.root, BIN, self.running)
        self.stage.start_bus()

    def run_tests(self, command: list, **environment):
        """Runs the program, which asks for daemons to be killed and started."""
        laptops = (self.desk, self.sofa, self.stage)
        addresses = {f"BATON_TEST_{laptop.name.upper()}": laptop.environment["DBUS_SESSION_BUS_ADDRESS"] for laptop in laptops}
        vectors = {"BATON_TEST_VECTORS": str(ROOT / "Tests" / "Vectors")}
        # Leaks of desktop modules, such as gvfs's, do not count for the library.
        modules = {"GIO_MODULE_DIR": str(self.root / "no-modules")}
        log = self.root / "tests.log"
        with log.open("w", encoding="utf-8") as output:
            process = subprocess.Popen([str(word) for word in command], text=True,
                                       env={**self.desk.environment, **addresses, **vectors, **modules, **environment},
                                       stdin=subprocess.PIPE, stdout=output, stderr=subprocess.PIPE, start_new_session=True)
            self.running.append(process)
            said = []
            with process.stderr:
                for line in process.stderr:
                    if line.startswith("ask: "):
                        self.serve(*line.split()[1:])
                        process.stdin.write("done\n")
                        process.stdin.flush()
                    else:
                        said.append(line)
        found = "".join(path.read_text(encoding="utf-8") for path in self.root.glob("valgrind.*"))
        self.assertEqual(process.wait(LIMIT), 0, "".join(said)[-6000:] + log.read_text(encoding="utf-8")[-3000:] + found[:6000])
        self.assertEqual(said, [])
        return log.read_text(encoding="utf-8")

    def serve(self, what: str, name: str):
        laptop = {"desk": self.desk, "sofa": self.sofa}[name]
        if what == "kill":
            laptop.daemon.kill()
            laptop.daemon.wait(LIMIT)
        else:
            laptop.start_daemon(self.root / "radio")

    def test_library_works_from_c(self):
        program = self.root / "tests"
        compile_c(program, SOURCES)
        self.assertIn("ok", self.run_tests([program, "--tap"]))

    def test_library_works_under_valgrind(self):
        program = self.root / "tests"
        compile_c(program, SOURCES)
        self.run_tests(["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
                        "--suppressions=/usr/share/glib-2.0/valgrind/glib.supp",
                        f"--log-file={self.root}/valgrind.%p", program, "--tap"], G_SLICE="always-malloc", G_DEBUG="fatal-warnings,gc-friendly")

    def test_library_works_with_sanitizers(self):
        program = self.root / "tests"
        compile_c(program, SOURCES, SANITIZED, SANITIZERS)
        self.run_tests([program, "--tap"], **directories(SANITIZED), UBSAN_OPTIONS="print_stacktrace=1")
