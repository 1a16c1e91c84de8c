# SPDX-License-Identifier: Apache-2.0
"""Opens web pages from which files came in the desktop's browser."""

import launch
from wording import tr


def open_page(connection, address: str, token: str | None):
    """Opens an http or https address. Raises launch.NotStarted with a message for the
    user."""
    browser = launch.default(f"x-scheme-handler/{address.partition(':')[0]}", False)
    if browser is None:
        raise launch.NotStarted(tr("There is no web browser here. Install one, and try again."), address)
    launch.start(connection, browser.get_id().removesuffix(".desktop"), launch.command(browser, address), token)
