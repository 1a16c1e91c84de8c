# SPDX-License-Identifier: Apache-2.0
"""Laptops of which the desk has a Wayland compositor without a screen, and no X server at all."""

import pathlib
import subprocess

from gi.repository import GLib

from apps import LIMIT, Adapted
from test_documents import Reading

DOCUMENTS = "org.batonproject.Adapter.Documents"


class Wayland(Reading):
    """The desk has a compositor, and the sofa what it has elsewhere."""

    def prepare_display(self, laptop):
        if laptop is not self.desk:
            super().prepare_display(laptop)
            return
        laptop.environment.pop("DISPLAY", None)
        laptop.environment.update({"GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland", "WAYLAND_DISPLAY": "wayland-1"})

    def begin(self, laptop):
        if laptop is not self.desk:
            super().begin(laptop)
            return
        self.start_compositor()
        Adapted.begin(self, laptop)

    def start_compositor(self):
        raise NotImplementedError

    def run_on_desk(self, *command) -> str:
        return subprocess.run([str(part) for part in command], env=self.desk.environment, text=True, capture_output=True, timeout=LIMIT,
                              check=False).stdout

    def runtime(self, name: str) -> pathlib.Path:
        return pathlib.Path(self.desk.environment["XDG_RUNTIME_DIR"]) / name

    def turn_to_tab_before(self, owner):
        self.eventually(lambda: self.ask(self.desk, owner, "/okular/okular__Shell_1", "org.kde.KMainWindow", "activateAction",
                                         GLib.Variant("(s)", ("tab-previous",))) == (True,))

    def switch_documents(self):
        """Off, and on again."""
        self.desk.baton("adapters", "off", "documents")
        self.eventually(lambda: not self.names(self.desk, DOCUMENTS))
        self.desk.baton("adapters", "on", "documents")
        self.eventually(lambda: self.names(self.desk, DOCUMENTS))
