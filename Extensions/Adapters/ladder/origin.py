# SPDX-License-Identifier: Apache-2.0
"""URLs that lead to a file, without what lets somebody in: the page that it came from, and a git
remote."""

import os
import re
import urllib.parse

ATTRIBUTE = "user.xdg.origin.url"  # https://www.freedesktop.org/wiki/CommonExtendedAttributes/
LONGEST = 2048
# Parameters of a query that open what is closed otherwise, as links to a cloud's storage have.
# Without them the rest leads nowhere.
TELLING = re.compile(r"token|secret|password|passwd|signature|credential|api.?key|session|auth|jwt|^(sig|key|pass|pwd|sid|code|expires)$|^x-(amz|goog)-", re.I)


def clean(url: str) -> str | None:
    """An http or https URL without user, password and fragment; None for any other, and for one
    whose query lets somebody in."""
    try:
        parts = urllib.parse.urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if len(url) > LONGEST or not url.isascii() or not url.isprintable() or parts.scheme not in ("http", "https") or not host:
        return None
    if any(TELLING.search(name) for name, _ in urllib.parse.parse_qsl(parts.query, keep_blank_values=True)):
        return None
    host = f"[{host}]" if ":" in host else host
    return urllib.parse.urlunsplit((parts.scheme, host if port is None else f"{host}:{port}", parts.path or "/", parts.query, ""))


def of_file(descriptor: int) -> str | None:
    """Where a browser has fetched a file from, if it has said so."""
    try:
        return clean(os.getxattr(descriptor, ATTRIBUTE).decode())
    except (OSError, UnicodeDecodeError):
        return None


def of_remote(url: str) -> str | None:
    """What a git remote's URLs have in common, whatever the protocol: `example.org/ada/engine`.
    None for one on this laptop."""
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
