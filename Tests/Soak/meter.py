# SPDX-License-Identifier: Apache-2.0
"""Measures a daemon: memory, descriptors, threads, and its own counts. It takes a sample per second, writes them to a file, and judges them in
the end."""

import csv
import json
import os
import pathlib
import subprocess
import threading
import time

# The daemon counts only on request, and the request is an ordinary call.
COUNTS_EVERY = 10
LIMIT = 60


class Gone(Exception):
    """The error for a process that has ended."""


def sample(pid):
    """Returns anonymous memory in kB, open descriptors and threads."""
    try:
        status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
        return {"anonymous": int(status["RssAnon"].split()[0]), "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
                "threads": int(status["Threads"])}
    except (FileNotFoundError, ProcessLookupError, KeyError) as error:
        raise Gone(str(pid)) from error


def counts(laptop):
    """Returns the daemon's own counts, by name."""
    answer = subprocess.run([laptop.binaries / "baton", "status", "--json"], env=laptop.environment, capture_output=True,
                            stdin=subprocess.DEVNULL, text=True, timeout=LIMIT)
    return json.loads(answer.stdout).get("counts", {}) if answer.returncode == 0 else {}


class Meter:
    """Samples a laptop's daemon until the sampling is stopped. A restarted daemon continues the same series."""

    def __init__(self, laptop, began):
        self.laptop, self.began = laptop, began
        self.samples = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        number = 0
        while not self.over.wait(1):
            try:
                values = sample(self.laptop.daemon.pid)
                if number % COUNTS_EVERY == 0:
                    values.update({f"count {name}": count for name, count in counts(self.laptop).items()})
            except (Gone, subprocess.TimeoutExpired, ValueError):
                continue
            number += 1
            self.samples.append({"time": time.monotonic() - self.began, **values})

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def series(self, name):
        """Returns pairs of time and value."""
        return [(each["time"], each[name]) for each in self.samples if name in each]

    @property
    def names(self):
        return sorted({name for each in self.samples for name in each} - {"time"})

    def write(self, path):
        with open(path, "w", newline="", encoding="utf-8") as file:
            table = csv.DictWriter(file, ["time", *self.names])
            table.writeheader()
            table.writerows(self.samples)
