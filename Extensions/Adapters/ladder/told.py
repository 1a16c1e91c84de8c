# SPDX-License-Identifier: Apache-2.0
"""Decides whether the user of this laptop is told that a file is not offered. The user is told nothing about private
files, not even a name."""

import errno
import os

from ladder import hidden, never


def may_be_told(path: str, is_edited: bool) -> bool:
    """Returns whether the user is told about a file that is not offered. The user is not told about a private or
    hidden file, or about one that cannot be checked, because it might be private.

    An editor's temporary file counts as private, because users edit passwords and mails in such files."""
    try:
        status = os.stat(path)
    except OSError as error:
        # A file whose name is too long is judged by its path alone.
        if error.errno != errno.ENAMETOOLONG:
            return False
        status = None
    except ValueError:  # not a path
        return False
    real = os.path.realpath(path)
    if hidden.holds(path, real) or not os.path.basename(path):
        return False
    reason = never.why(path, real, status)
    return reason is None or reason is never.TEMPORARY and not is_edited
