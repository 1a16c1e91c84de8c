# SPDX-License-Identifier: Apache-2.0
"""Files that never leave this laptop, and that are never opened for another one. These are Baton's own files, keys and
passwords, profiles of browsers and mail programs, files of sandboxed apps, and temporary files
(Documentation/Files.md)."""

import fnmatch
import os
from typing import NamedTuple

from ladder import layout, mounts, other_names
from ladder.reasons import PRIVATE, TEMPORARY

# Private places below home. A star stands for any text within one name, so a pattern includes a file's backups.
HOME = (
    ".ssh", ".gnupg", ".password-store", ".aws", ".azure", ".kube", ".docker", ".pki",
    ".netrc*", ".authinfo*", ".git-credentials*", ".pgpass*", ".my.cnf*", ".npmrc*", ".pypirc*", ".vault-token*",
    ".gnome2/keyrings", ".kde*/share/apps/kwallet", ".cargo/credentials*", ".gem/credentials*", ".m2/settings*.xml*",
    ".terraform.d/credentials*", ".s3cfg*", ".electrum*", ".bitcoin", ".purple", ".*_history*", "*.kdbx*",
    ".mozilla", ".librewolf", ".waterfox", ".zen", ".opera*", ".tor-browser*",
    ".thunderbird", ".icedove", ".claws-mail", ".sylpheed*", ".evolution", ".balsa", ".mutt*", ".neomutt*",
    ".mbsyncrc*", ".isyncrc*", ".msmtprc*", ".fetchmailrc*", ".offlineimaprc*",
    ".var/app", "snap",
)
# Private places below each of $XDG_CONFIG_HOME, $XDG_DATA_HOME, $XDG_STATE_HOME and $XDG_CACHE_HOME.
SHELVES = (
    "keyrings", "kwalletd", "gcloud", "gh", "op", "rclone", "sops", "gopass", "password-store",
    "git/credentials*", "containers/auth.json*", "hub*", "github-copilot", "filezilla", "Signal", "Bitwarden*", "keepassxc",
    "mozilla", "librewolf", "chromium*", "google-chrome*", "BraveSoftware", "microsoft-edge*", "vivaldi*", "opera*",
    "yandex-browser*", "epiphany", "falkon", "qutebrowser", "torbrowser", "tor-browser*",
    "thunderbird", "evolution", "geary", "kmail*", "local-mail", "akonadi*", "emailidentities*", "mailtransports*",
    "aerc", "mutt", "neomutt", "himalaya", "msmtp", "isync*", "offlineimap",
)
BATON = "baton"  # Baton's configuration and state; its data are copies, which may leave again
# Variables with which users move these files elsewhere.
VARIABLES = ("GNUPGHOME", "PASSWORD_STORE_DIR", "KUBECONFIG", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
             "DOCKER_CONFIG", "NETRC", "PGPASSFILE")
PASSING = ("/tmp", "/var/tmp", "/run/user", "/proc", "/sys", "/dev")


class Place(NamedTuple):
    """The paths below a directory that match a pattern, and everything below these paths."""

    directory: str
    pattern: str  # parts with `/` between them, or empty for the directory itself


def holds(path: str, real: str | None = None, status: os.stat_result | None = None) -> bool:
    """Returns whether a file never leaves."""
    return why(path, real, status) is not None


def why(path: str, real: str | None = None, status: os.stat_result | None = None) -> str | None:
    """Returns why a file never leaves, PRIVATE or TEMPORARY, or None for any other file. The file is checked by its
    path as written and by `real`, the path without symbolic links. The file is also checked by all mount points of its
    file system, and by the identity of the directories on the way to it. With the file's own `status` it is checked by
    its other names, too."""
    real = real or os.path.realpath(path)
    kept, passing = _kept(), _passing()
    # On some file systems upper and lower case are the same.
    forms = {form.casefold() for form in (os.path.normpath(path), real, *mounts.other_paths(real))}
    here = _expanded(kept)
    is_kept = any(_is_at(form, place) for form in forms for place in kept)
    if is_kept or other_names.leads_through(real, here) or other_names.is_linked_from(real, here):
        return PRIVATE
    if status is not None and other_names.is_linked(status, here):
        return PRIVATE
    is_passing = any(_is_at(form, place) for form in forms for place in passing)
    return TEMPORARY if is_passing or other_names.leads_through(real, _expanded(passing)) else None


def _kept() -> list:
    """Returns the user's private places."""
    of = layout.current()
    places = [Place(home, pattern) for home in of.homes for pattern in HOME]
    shelves = (*of.configurations, *of.data, *of.states, *of.caches)
    places += [Place(shelf, pattern) for shelf in shelves for pattern in SHELVES]
    places += [Place(shelf, BATON) for shelf in (*of.configurations, *of.states)]
    return places + _told(":".join(os.environ.get(variable, "") for variable in VARIABLES))


def _passing() -> list:
    """Returns places with temporary files. Passwords are edited in such files."""
    return [Place(path, "") for path in PASSING] + _told(os.environ.get("XDG_RUNTIME_DIR", ""))


def _told(paths: str) -> list:
    return [Place(os.path.normpath(path), "") for path in paths.split(":") if path.startswith("/") and path.strip("/")]


def _is_at(path: str, place: Place) -> bool:
    """Returns whether a path in lower case is the given place or is below it."""
    if path == place.directory.casefold():
        return not place.pattern
    within = layout.below(path, place.directory.casefold())
    if within is None:
        return False
    parts, wanted = within.split("/"), place.pattern.casefold().split("/") if place.pattern else []
    return len(parts) >= len(wanted) and all(fnmatch.fnmatchcase(part, each) for part, each in zip(parts, wanted))


def _expanded(places: list) -> list:
    """Returns the existing paths that match the places."""
    paths = [[place.directory] for place in places]
    return [path for found, place in zip(paths, places) for path in _matching(found, place.pattern.split("/"))]


def _matching(paths: list, patterns: list) -> list:
    for pattern in patterns:
        paths = [found for path in paths for found in _named(path, pattern)]
    return paths


def _named(directory: str, pattern: str) -> list:
    if "*" not in pattern:
        return [os.path.join(directory, pattern) if pattern else directory]
    try:
        return [os.path.join(directory, name) for name in os.listdir(directory) if fnmatch.fnmatchcase(name, pattern)]
    except OSError:
        return []
