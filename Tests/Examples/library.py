# SPDX-License-Identifier: Apache-2.0
"""The library that `make gobject` has built and installed below .build/gobject, for programs that use it."""

import os
import pathlib
import shlex
import subprocess

from laptops import LIMIT, ROOT, TwoLaptops

BUILT = pathlib.Path(os.environ.get("BATON_GOBJECT") or ROOT / ".build" / "gobject").resolve()
INSTALLED, SANITIZED = BUILT / "installed", BUILT / "sanitized"


def directories(prefix: pathlib.Path = INSTALLED) -> dict:
    """Returns the environment in which programs find the library, its introspection and its pkg-config file."""
    library = prefix / "lib"
    return {"LD_LIBRARY_PATH": str(library), "GI_TYPELIB_PATH": str(library / "girepository-1.0"), "PKG_CONFIG_PATH": str(library / "pkgconfig")}


def compile_c(program: pathlib.Path, sources: list, prefix: pathlib.Path = INSTALLED, options: tuple = ()):
    """Compiles a program with the library's pkg-config file, as any user of the library does."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "baton-1"], env={**os.environ, **directories(prefix)}, text=True, check=True,
                           stdout=subprocess.PIPE).stdout
    subprocess.run(["cc", "-g", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", *options, "-o", str(program), *map(str, sources),
                    *shlex.split(flags)], check=True, timeout=5 * LIMIT)


def introspected():
    """Returns the library as a module in this process, like `from gi.repository import Baton`."""
    import gi
    gi.require_version("GIRepository", "2.0")
    from gi.repository import GIRepository
    GIRepository.Repository.prepend_search_path(directories()["GI_TYPELIB_PATH"])
    GIRepository.Repository.prepend_library_path(directories()["LD_LIBRARY_PATH"])
    gi.require_version("Baton", "1")
    from gi.repository import Baton
    return Baton


class Laptops(TwoLaptops):
    """Two laptops whose programs find the library."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not INSTALLED.is_dir():
            raise FileNotFoundError("the library is not built below .build/gobject: make library")

    def prepare(self, laptop):
        laptop.environment.update({**directories(), "G_DEBUG": "fatal-warnings", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"})

    def install(self, laptop, application: str, types: str, command: str = "", activatable: bool = False):
        """Installs a desktop entry and, if it is activatable, a service file with which D-Bus starts the app."""
        data = pathlib.Path(laptop.environment["XDG_DATA_HOME"])
        for directory in ("applications", "dbus-1/services"):
            (data / directory).mkdir(parents=True, exist_ok=True)
        entry = f"[Desktop Entry]\nType=Application\nName={application}\nExec={command or 'false'}\nX-Baton-ActivityTypes={types};\n"
        if activatable:
            entry += "DBusActivatable=true\n"
            (data / "dbus-1" / "services" / f"{application}.service").write_text(
                f"[D-BUS Service]\nName={application}\nExec={command}\n", encoding="utf-8")
        (data / "applications" / f"{application}.desktop").write_text(entry, encoding="utf-8")
