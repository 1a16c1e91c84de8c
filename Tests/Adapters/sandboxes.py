# SPDX-License-Identifier: Apache-2.0
"""Programs in sandboxes like Flatpak's: bubblewrap with /.flatpak-info, and xdg-dbus-proxy before the session's bus."""

import subprocess

from apps import ROOT

INFO = "[Application]\nname={application}\nruntime=runtime/org.example.Platform/x86_64/1\n"
SYSTEM = ("/usr", "/etc", "/bin", "/lib", "/lib64", "/sbin")


def boxed(laptop, application: str, *command, sees=()) -> list:
    """Returns the words that run a program of a laptop in a sandbox. The sandbox has the bus, and only the paths in
    `sees` of the home directory."""
    info = laptop.home.parent / f"{application}.info"
    info.write_text(INFO.format(application=application), encoding="utf-8")
    binds = [word for path in (*SYSTEM, ROOT / "Tests") for word in ("--ro-bind-try", str(path), str(path))]
    for path in sees:
        binds += ["--bind", str(path), str(path)]
    return ["bwrap", "--unshare-pid", "--dev", "/dev", "--proc", "/proc", "--bind", "/tmp", "/tmp", *binds, "--ro-bind", str(info), "/.flatpak-info",
            "--die-with-parent", *map(str, command)]


def behind_proxy(test, laptop, *rules: str) -> list:
    """Returns the words that run a program of a laptop behind a proxy, which allows only the rules' messages on the bus."""
    end = laptop.home / "filtered"
    laptop.spawn(["xdg-dbus-proxy", laptop.environment["DBUS_SESSION_BUS_ADDRESS"], end, "--filter", *rules], stderr=subprocess.DEVNULL)
    test.eventually(end.exists)
    return ["env", f"DBUS_SESSION_BUS_ADDRESS=unix:path={end}"]
