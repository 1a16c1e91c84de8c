# SPDX-License-Identifier: Apache-2.0
"""URLs that lead to a file, without secrets: the page that it came from, and a git remote."""

import os
import re
import urllib.parse

import addresses

ATTRIBUTE = "user.xdg.origin.url"  # https://www.freedesktop.org/wiki/CommonExtendedAttributes/
LONGEST = 2048
# Query parameters that contain secrets, as in links to cloud storage. Without such parameters the URL leads nowhere.
TELLING = re.compile(r"token|secret|password|passwd|signature|credential|api.?key|session|auth|jwt|^(sig|key|pass|pwd|sid|code|expires)$|^x-(amz|goog)-", re.I)

# A backslash ends the host in browsers, so no user name can follow it.
PARTS = re.compile(r"(?P<scheme>https?://)(?:[^/?#\\@]*@)?(?P<host>[^/?#]*)(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?", re.I)


def clean(url: str, arrives: bool = False) -> str | None:
    """Returns an http or https URL without user, password and fragment. Returns None for any other URL, and for one
    whose query contains a secret. Also returns None for a URL that must not be handed over, or for one that `arrives`
    and must not be opened."""
    parts = PARTS.match(url) if len(url) <= LONGEST else None
    if not parts:
        return None
    found = f"{parts['scheme'].lower()}{parts['host'].lower()}{parts['path'] or '/'}{parts['query'] or ''}"
    query = (parts["query"] or "").removeprefix("?")
    lets_in = any(TELLING.search(name) for name, _ in urllib.parse.parse_qsl(query, keep_blank_values=True))
    return None if lets_in or addresses.refusal(found, arrives) else addresses.encoded(found)


def of_file(descriptor: int) -> str | None:
    """Returns the address from which a browser downloaded a file, if the browser recorded it."""
    try:
        return clean(addresses.visible(os.getxattr(descriptor, ATTRIBUTE).decode()))
    except (OSError, UnicodeDecodeError):
        return None


def of_remote(url: str) -> str | None:
    """Returns the common part of a git remote's URLs, whatever the protocol:
    `example.org/ada/engine`. Returns None for a remote on this laptop."""
    short = re.fullmatch(r"(?:[^@/:]*@)?([\w.-]+):(?!//|:)(.+)", url)
    if short:
        host, path = short.groups()
    else:
        try:
            parts = urllib.parse.urlsplit(url)
        except ValueError:
            return None
        host, path = parts.hostname, parts.path
        if parts.scheme not in ("http", "https", "ssh", "git", "git+ssh"):
            return None
    name = path.strip("/").removesuffix(".git").rstrip("/")
    found = f"{(host or '').lower()}/{name}"
    return found if host and name and len(found) <= LONGEST and found.isprintable() else None
