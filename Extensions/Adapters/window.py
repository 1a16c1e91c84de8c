# SPDX-License-Identifier: Apache-2.0
"""The window in front, as the desktop tells of it, and whose it is."""


class Front:
    """Has what is known of the window in front: its `process`; or else its `application`, the app id
    of Wayland, and its `title`. These are 0 and empty where they are not known.

    `came(is_another)` is called when another window comes to the front, and, where no process is
    known, with False when the one in front gets another title, which may tell more."""

    process, application, title = 0, "", ""

    def __init__(self, came):
        self.came = came

    def is_of(self, view) -> bool:
        """Whether the window is of a view's process; where that is not known, of the same app."""
        if self.process:
            return view.process == self.process
        return is_app(self.application, view.viewer.application)

    def among(self, views) -> list:
        """Those of all views that are in front: of several of one app, what the title says."""
        own = [view for view in views if self.is_of(view)]
        if self.process or len(own) < 2:
            return own
        return [view for view in own if view.is_titled(self.title)]

    def may_be(self, view, views) -> bool:
        """Whether a view that has just come, and is among all views, may be in front as far as is
        known: its title may come later."""
        if not self.process and not self.application:
            return True
        return self.is_of(view) and view in (self.among(views) or [view])


def is_app(app_id: str, application: str) -> bool:
    """Whether an app id is that of the app with this desktop id. It should be the same; toolkits
    make it the program's name, and XWayland the window's class."""
    application = application.casefold()
    return app_id.casefold() in (application, application.rpartition(".")[2])
