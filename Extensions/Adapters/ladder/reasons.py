# SPDX-License-Identifier: Apache-2.0
"""The reasons why a file is not handed over: codes, which are sent to other laptops, and their sentences. Each laptop
shows the sentence in the language of its own user."""

from wording import Sentence, mark, tr

PRIVATE, TEMPORARY, FAILED = "private", "temporary", "failed"
GONE, IRREGULAR, UNREADABLE, REPLACED, HIDDEN, KIND = "gone", "irregular", "unreadable", "replaced", "hidden", "kind"
PATH, LONG_NAME, NO_TEXT, NO_WAY, NO_SHELL = "path", "long-name", "no-text", "no-way", "no-shell"
NO_MESSAGE, BUSY, TOO_LONG = "no-message", "busy", "too-long"

SENTENCES = {
    # Translators: these follow on a sentence that names the file. "It" is the file.
    PRIVATE: mark("Files in its folder never leave their laptop."),
    TEMPORARY: mark("Temporary files never leave their laptop. Save it in another folder."),
    HIDDEN: mark("Hidden files and files of programs never leave their laptop."),
    KIND: mark("Files of its kind are not handed over from this app."),
    PATH: mark("Its path does not lead to a file."),
    LONG_NAME: mark("Its name is too long. Give it a shorter one."),
    GONE: mark("It is not there any more."),
    IRREGULAR: mark("It is not an ordinary file."),
    UNREADABLE: mark("It cannot be read. Check its permissions."),
    REPLACED: mark("Another program replaces it again and again. Try again later."),
    NO_TEXT: mark("The app shows nothing that can be handed over."),
    NO_MESSAGE: mark("Thunderbird shows another message now, or the message is encrypted."),
    BUSY: mark("Thunderbird did not answer in time. Try again."),
    TOO_LONG: mark("The message is too long, or has too many recipients or attachments."),
    NO_WAY: mark("Other laptops cannot find this folder. Work in one below your home folder, in a clone or in a shared folder."),
    NO_SHELL: mark("Its program runs in a sandbox or a container, or belongs to another user."),
    FAILED: mark("An error occurred there. The log of that laptop says more."),
}


def sentence(code: str | None) -> Sentence | None:
    """Returns the sentence for a code, or None for a code of a later version."""
    return tr(SENTENCES[code]) if code in SENTENCES else None
