# SPDX-License-Identifier: Apache-2.0
"""Texts for people are in the session's language. The journal and other laptops get English."""

from __future__ import annotations

import gettext
import os
import pathlib
import unicodedata

DOMAIN = "baton"
RIGHT_TO_LEFT = ("R", "AL", "AN")  # the directions of characters that are written from right to left


class Sentence(str):
    """A text in the session's language, with its English original, and with isolated names for a graphical surface."""

    english: str
    isolated = ""


def translations(directory: str | None = None) -> gettext.NullTranslations:
    """Returns the translations into the session's language, from the tree in which the adapters are installed. Returns
    empty translations if the tree has none."""
    installed = pathlib.Path(__file__).resolve().parents[3] / "share" / "locale"
    try:
        return gettext.translation(DOMAIN, directory or os.environ.get("TEXTDOMAINDIR") or installed, fallback=True)
    except (OSError, ValueError):  # the translations cannot be read
        return gettext.NullTranslations()


TRANSLATIONS = translations()


def tr(text: str, **values) -> Sentence:
    """Returns a text with values for its named placeholders. The text is English if its translation is missing, or has
    other placeholders."""
    return _sentence(TRANSLATIONS.gettext(text), text, values)


def ntr(one: str, many: str, count: int, **values) -> Sentence:
    """Returns a text about `count` things. The text contains `{count}`."""
    return _sentence(TRANSLATIONS.ngettext(one, many, count), one if count == 1 else many, {**values, "count": count})


class Told(Exception):
    """The reason why something is not done: a sentence for the user, and details only for the journal."""

    def __init__(self, sentence: str, detail: str = ""):
        super().__init__(sentence)
        self.sentence, self.detail = sentence, detail


def mark(text: str) -> str:
    """Marks a text that is translated later."""
    return text


def joined(sentences) -> Sentence:
    """Joins sentences, and leaves out the empty ones."""
    found = Sentence()
    for each in sentences:
        if each:
            # Translators: Two whole sentences, one after the other.
            found = tr("{sentence} {next}", sentence=found, next=each) if found else each
    return found


def english(text: str) -> str:
    return getattr(text, "english", text)


def isolated(value) -> str:
    """Returns a text for a graphical surface. A name whose own direction of writing could move the words around it stands
    between two isolates, FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE (Unicode Standard Annex 9)."""
    if isinstance(value, Sentence):
        return value.isolated
    name = "".join(each if unicodedata.category(each)[0] != "C" else " " for each in str(value))
    could_move = TRANSLATIONS.gettext("ltr") == "rtl" or any(unicodedata.bidirectional(each) in RIGHT_TO_LEFT for each in name)
    return f"\u2068{name}\u2069" if name and could_move else name


def _sentence(translated: str, text: str, values: dict) -> Sentence:
    def filled(shown: dict) -> str:
        try:
            return translated.format(**shown)
        except (LookupError, ValueError):
            return text.format(**shown)
    found = Sentence(filled(values))
    found.isolated = filled({name: isolated(value) for name, value in values.items()})
    found.english = text.format(**{name: english(value) for name, value in values.items()})
    return found
