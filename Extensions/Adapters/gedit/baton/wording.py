# SPDX-License-Identifier: Apache-2.0
"""The user's texts, in the session's language. gedit's own directory has no translations of Baton's."""

from __future__ import annotations

import gettext
import os
import pathlib

DOMAIN = "baton"
INSTALLED = pathlib.Path(__file__).resolve().parents[4] / "share" / "locale"
LOCAL = INSTALLED.parents[1] / "local" / "share" / "locale"


def translations() -> gettext.NullTranslations:
    """Returns the installed translations of Baton, or none."""
    for directory in filter(None, (os.environ.get("TEXTDOMAINDIR"), LOCAL, INSTALLED)):
        try:
            return gettext.translation(DOMAIN, directory)
        except (OSError, ValueError):  # there are no translations, or they cannot be read
            pass
    return gettext.NullTranslations()


TRANSLATIONS = translations()


def tr(text: str, **values) -> str:
    """Returns a text with values for its named placeholders. The text is English if its translation is missing, or has
    other placeholders."""
    try:
        return TRANSLATIONS.gettext(text).format(**values)
    except (LookupError, ValueError):
        return text.format(**values)


def joined(sentences) -> str:
    """Joins sentences, and leaves out the empty ones."""
    found = ""
    for each in filter(None, sentences):
        found = tr("{sentence} {next}", sentence=found, next=each) if found else each
    return found
