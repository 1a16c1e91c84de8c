# SPDX-License-Identifier: Apache-2.0
"""What a Wayland compositor has told of the window in front."""


class Compositor:
    """Tells when another process's window comes to the front: `came(process)`."""

    def __init__(self, came):
        self.came, self.process, self.title = came, 0, ""

    def may_be(self, process: int) -> bool:
        """Whether an app may be in front, as far as is known."""
        return self.process in (0, process)

    def is_now(self, process: int = 0, title: str = ""):
        """This window is in front; 0 where none is, or nothing is known."""
        before, self.process, self.title = self.process, process, title
        if process not in (0, before):
            self.came(process)
