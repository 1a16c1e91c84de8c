# SPDX-License-Identifier: Apache-2.0
"""Runs commands in parallel as far as the machine's capacity allows, and shows the output of each when it ends."""

import subprocess
import tempfile
import time
from dataclasses import dataclass

from .machine import die_with_parent


@dataclass(frozen=True)
class Job:
    """A command, and the share of the capacity that it needs."""

    command: tuple
    size: int


def run(jobs: list, room: int, show) -> list:
    """Runs all jobs and returns their exit statuses in the jobs' order.

    The first job that fits starts next. A job that needs more than the whole capacity runs alone. `show` gets the
    output of each. If this function is interrupted, it ends the jobs with SIGTERM and waits for them.
    """
    waiting, running, statuses = list(enumerate(jobs)), [], [None] * len(jobs)
    try:
        while waiting or running:
            free = room - sum(min(started.job.size, room) for started in running)
            for number, job in list(waiting):
                if min(job.size, room) <= free:
                    free -= min(job.size, room)
                    waiting.remove((number, job))
                    running.append(Started(number, job))
            for ended in [started for started in running if started.process.poll() is not None]:
                running.remove(ended)
                statuses[ended.number] = ended.process.returncode
                show(ended.printed())
            time.sleep(0.2)
    finally:
        for started in running:
            started.process.terminate()
        for started in running:
            started.process.wait()
            started.output.close()
    return statuses


class Started:
    """A running job. Its output goes to a file, because a pipe could fill up."""

    def __init__(self, number: int, job: Job):
        self.number, self.job = number, job
        self.output = tempfile.TemporaryFile(mode="w+", errors="replace")
        self.process = subprocess.Popen(job.command, stdin=subprocess.DEVNULL, stdout=self.output,
                                        stderr=subprocess.STDOUT, preexec_fn=die_with_parent)

    def printed(self) -> str:
        with self.output:
            self.output.seek(0)
            return self.output.read()
