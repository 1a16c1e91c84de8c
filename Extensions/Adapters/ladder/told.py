# SPDX-License-Identifier: Apache-2.0
"""Of which files that are not offered the user of this laptop is told. Of private files nothing is told, not even
a name."""

import errno
import os

from ladder import hidden, never


def may_be_told(path: str, is_edited: bool) -> bool:
    """Whether the user is told of a file that is not offered. Not of one that is private or hidden, nor of one that
    cannot be looked at: it might be private.

    An editor's temporary file counts as private: passwords and mails are edited there."""
    try:
        status = os.stat(path)
    except OSError as error:
        # What has too long a name is judged by its path alone.
        if error.errno != errno.ENAMETOOLONG:
            return False
        status = None
    except ValueError:  # it is no path
        return False
    real = os.path.realpath(path)
    if hidden.holds(path, real) or not os.path.basename(path):
        return False
    reason = never.why(path, real, status)
    return reason is None or reason is never.TEMPORARY and not is_edited
