# SPDX-License-Identifier: Apache-2.0
"""Files in clones of git repositories. git only reads here, and runs no program that a repository
names."""

import contextlib
import os
import re
import subprocess
import threading
import time
from typing import NamedTuple

import deadline
from ladder import names, origin, places
from wording import joined, ntr, tr

PATIENCE = 2  # seconds, for one command and for the search of clones
MOST_OUTPUT = 65_536
MOST_REMOTES = 8
MOST_DIRECTORIES, MOST_CLONES = 4000, 200
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# A repository's own configuration may name programs for these settings. The command line
# overrides it.
HARMLESS = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.sshCommand=false", "core.askPass=", "credential.helper=", "core.pager=cat",
            "protocol.allow=never", "log.showSignature=false", "safe.bareRepository=explicit", "core.alternateRefsCommand=")
# Take no variables from the session, because GIT_DIR, GIT_CONFIG_COUNT, GIT_SSH and others would
# count.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
               "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": ""}


class Place(NamedTuple):
    """The place of a file or a directory in a repository."""

    remotes: list  # in the form of origin.of_remote
    path: str  # in the work tree, or empty for the work tree itself
    commit: str  # the commit of HEAD, or empty before the first commit


def is_in_work_tree(path: str) -> bool:
    """Returns whether a path in a clone is outside of git's own files, which may start
    programs."""
    return not any(part.casefold() == ".git" for part in path.split("/"))


def of_file(path: str) -> Place | None:
    """Returns a file's place. Returns None outside of clones, and in a clone without a remote on another computer."""
    path = os.path.realpath(path)
    within, top = _inside(path, os.path.dirname(path))
    return _place(top, within) if within else None


def of_directory(path: str) -> Place | None:
    """Returns a directory's place, as `of_file` does for a file."""
    path = os.path.realpath(path)
    within, top = _inside(path, path)
    return _place(top, within) if within is not None and is_in_work_tree(within) else None


def _inside(path: str, directory: str) -> tuple:
    """Returns a path's part below the work tree that a directory belongs to, and the work tree. The part is empty for
    the work tree itself, and None if there is no such part."""
    top = run(directory, "rev-parse", "--show-toplevel")
    if not top or path == top:
        return ("" if top else None), top
    within = places.below(path, top)
    return (within if within and names.is_relative(within) else None), top


def _place(top: str, within: str) -> Place | None:
    found = remotes(top)
    return Place(found, within, head(top)) if found else None


def remotes(directory: str) -> list:
    """Returns the remotes of a clone, without passwords."""
    output = run(directory, "config", "--local", "--null", "--get-regexp", r"^remote\..*\.url$") or ""
    urls = (entry.partition("\n")[2] for entry in output.split("\0"))
    found = dict.fromkeys(name for url in urls if (name := origin.of_remote(url)))
    return list(found)[:MOST_REMOTES]


def head(directory: str) -> str:
    found = run(directory, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or ""
    return found if COMMIT.fullmatch(found) else ""


def is_tracked(clone: str, path: str) -> bool:
    """Returns whether a clone's repository contains a file. The file's path has no symbolic links. A file whose changes
    the user has told git to overlook (`skip-worktree`, `assume-unchanged`) does not count."""
    within = places.below(path, os.path.realpath(clone))
    found = run(clone, "ls-files", "-v", "-z", "--error-unmatch", "--", within) if within else None
    return found is not None and found.startswith(("H ", "M "))  # committed or added, or in a conflict


def distance(directory: str, commit: str) -> str:
    """Describes for people how a clone's HEAD differs from a commit. The text is empty if both are the same."""
    if not commit or head(directory) == commit:
        return ""
    counts = re.fullmatch(r"(\d+)\t(\d+)", run(directory, "rev-list", "--left-right", "--count", f"{commit}...HEAD", "--") or "")
    if not counts:
        return tr("This clone is at another commit.")
    behind, ahead = (int(count) for count in counts.groups())
    return joined((behind and ntr("This clone is {count} commit behind.", "This clone is {count} commits behind.", behind),
                   ahead and ntr("This clone is {count} commit ahead.", "This clone is {count} commits ahead.", ahead)))


def clones(place: Place, first: str | None = None) -> list:
    """Returns the clones below home, at most two directories deep, that share a remote with a
    place. `first` is checked first."""
    found, end = [], time.monotonic() + PATIENCE
    for directory in dict.fromkeys([*([first] if first else []), *_candidates()]):
        if time.monotonic() > end or len(found) == MOST_CLONES:
            break
        if os.path.exists(os.path.join(directory, ".git")) and set(place.remotes) & set(remotes(directory)):
            found.append(directory)
    return found


def _candidates():
    """Yields the directories below home, the nearest first."""
    level, left = [places.home()], MOST_DIRECTORIES
    for _ in range(2):
        below = []
        for directory in level:
            with contextlib.suppress(OSError), os.scandir(directory) as entries:
                for entry in entries:
                    left -= 1
                    if left < 0:
                        return
                    if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                        below.append(entry.path)
        level = sorted(below)
        yield from level


def run(directory: str, *words: str) -> str | None:
    """Returns the output of git in a directory, or None if it fails, takes too long or prints too
    much."""
    patience = deadline.left(PATIENCE)
    if patience == 0:
        return None
    command = ["git", "--no-pager", "--literal-pathspecs", *(word for setting in HARMLESS for word in ("-c", setting)), *words]
    try:
        process = subprocess.Popen(command, cwd=directory, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    limit = threading.Timer(patience, process.kill)
    limit.start()
    try:
        with process.stdout:
            output = process.stdout.read(MOST_OUTPUT + 1)
        if len(output) > MOST_OUTPUT:
            process.kill()
        if process.wait() != 0:
            return None
        return names.of_bytes(output).removesuffix("\n")
    finally:
        limit.cancel()
