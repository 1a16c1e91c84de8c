# SPDX-License-Identifier: Apache-2.0
"""The window in front, as the desktop reports it, and the views that belong to it."""


class Front:
    """The known properties of the window in front: its `process`, or otherwise its `application`, which is the app id
    of Wayland, and its `title`. An unknown process is 0, and an unknown application or title is an empty text.

    `came(True)` is called when another window comes to the front. If no process is known,
    `came(False)` is called when the window in front gets another title, which may identify the window."""

    process, application, title = 0, "", ""

    def __init__(self, came):
        self.came = came

    def is_of(self, view) -> bool:
        """Returns whether the window belongs to a view's process or, if the process is unknown, to the same app."""
        if self.process:
            return view.process == self.process
        return is_app(self.application, view.viewer.application)

    def among(self, views) -> list:
        """Returns the views that are in front. If an app has several views, the title decides."""
        own = [view for view in views if self.is_of(view)]
        if self.process or len(own) < 2:
            return own
        return [view for view in own if view.is_titled(self.title)]

    def may_be(self, view, views) -> bool:
        """Returns whether a new view, which is already in `views`, may be in front.
        Its title may come later."""
        if not self.process and not self.application:
            return True
        return self.is_of(view) and view in (self.among(views) or [view])


def is_app(app_id: str, application: str) -> bool:
    """Returns whether an app id belongs to the app with this desktop id. The two ids should be the same, but toolkits
    use the program's name, and XWayland the window's class."""
    application = application.casefold()
    return app_id.casefold() in (application, application.rpartition(".")[2])
