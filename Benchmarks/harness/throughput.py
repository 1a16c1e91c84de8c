# SPDX-License-Identifier: Apache-2.0
"""Measures a stream over TCP between two daemons, compared with socat with TLS 1.3 and the same hops."""

import json
import os
import sys

from .common import LIMIT, BenchError, ROOT, certificate, last_line, note, pair, said, spread, wait_until

NAME = "throughput"
ROUNDS = 5
BYTES = 256 * 1024 * 1024
BUFFER = 256 * 1024
TYPE = "org.example.bench.stream"
METER = ROOT / "Scripts" / "lab" / "guest" / "meter.py"


class Meter:
    """Reads a pipe and measures the rate from the first byte to the last."""

    def __init__(self, running, directory, name, count):
        self.pipe, self.log = directory / f"{name}.pipe", directory / f"{name}.meter"
        os.mkfifo(self.pipe, 0o600)
        with open(self.log, "wb") as output:
            self.process = running.start([sys.executable, METER, self.pipe, str(count)], stdout=output, stderr=output)

    def rate(self):
        wait_until(lambda: self.process.poll() is not None, "the stream ends")
        if self.process.returncode != 0:
            raise BenchError(f"the stream is not what was sent: {last_line(self.log)}")
        self.pipe.unlink()
        return float(self.log.read_text())


def baton_rate(running, directory, desk, sofa, source, number):
    log = directory / f"publish{number}.log"
    publisher = desk.follow(log, "publish", "--type", TYPE, "--stream-from", source, "--once")
    wait_until(lambda: said(log, "publishing "), "baton publish")
    meter = Meter(running, directory, f"baton{number}", BYTES)
    answer = sofa.baton("continue", "--type", TYPE, "--wait", "60", "--json", "--stream-to", meter.pipe)
    over = json.loads(answer)["streamTransport"]
    if over != "tcp":
        raise BenchError(f"the stream went over {over}, not tcp")
    rate = meter.rate()
    wait_until(lambda: publisher.poll() is not None, "baton publish --once ends")
    if publisher.returncode != 0:
        raise BenchError(f"baton publish: {last_line(log)}")
    return rate


def listening(port):
    wanted = f"0100007F:{port:04X}"
    with open("/proc/net/tcp", encoding="ascii") as table:
        return any(line.split()[1] == wanted and line.split()[3] == "0A" for line in list(table)[1:])


def socat_rate(running, directory, source, number, port, paths):
    """Returns the rate from a file through a Unix socket, TLS over TCP and another Unix socket to a pipe. A socat with
    buffers of 256 KiB connects each two of these."""
    meter = Meter(running, directory, f"socat{number}", BYTES)
    near, far = directory / f"near{number}", directory / f"far{number}"
    secure = f"cert={paths[0]},key={paths[1]},cafile={paths[0]},openssl-min-proto-version=TLS1.3"
    log = directory / f"socat{number}.log"
    joints = []

    def socat(first, second):
        with open(log, "ab") as output:
            joints.append(running.start(["socat", "-u", f"-b{BUFFER}", first, second], stdout=output, stderr=output))

    socat(f"UNIX-LISTEN:{far}", f"OPEN:{meter.pipe},wronly")
    wait_until(far.exists, "socat listens")
    socat(f"OPENSSL-LISTEN:{port},bind=127.0.0.1,reuseaddr,{secure}", f"UNIX-CONNECT:{far}")
    wait_until(lambda: listening(port), "socat listens with TLS")
    socat(f"UNIX-LISTEN:{near}", f"OPENSSL:127.0.0.1:{port},commonname=bench,{secure}")
    wait_until(near.exists, "socat listens")
    socat(f"OPEN:{source},rdonly", f"UNIX-CONNECT:{near}")
    rate = meter.rate()
    for joint in joints:
        if joint.wait(LIMIT) != 0:
            raise BenchError(f"socat: {last_line(log)}")
    return rate


def measure(context):
    directory = context.directory / "throughput"
    directory.mkdir()
    source = directory / "source"
    block = os.urandom(1 << 20)
    with open(source, "wb") as output:
        for _ in range(BYTES // len(block)):
            output.write(block)
    paths = certificate(directory)
    ours, theirs = [], []
    with context.processes() as running:
        desk, sofa = pair(running, context.binaries, directory / "pair")
        for number in range(ROUNDS):
            ours.append(baton_rate(running, directory, desk, sofa, source, number))
            theirs.append(socat_rate(running, directory, source, number, context.free_port(), paths))
            note(f"round {number + 1} of {ROUNDS}: baton {ours[-1] / 1e6:.0f} MB/s, socat {theirs[-1] / 1e6:.0f} MB/s")
    return {"baton": spread(ours), "socat": spread(theirs)}


def document(result):
    ours, theirs = result["baton"], result["socat"]

    def row(name, values):
        return (f"| {name} | {values['median'] / 1e6:.0f} MB/s | {values['least'] / 1e6:.0f} to {values['most'] / 1e6:.0f} MB/s "
                f"| {values['median'] / theirs['median']:.2f} |")

    return [
        "## Stream throughput over TCP",
        "",
        f"A continuation stream carries {BYTES >> 20} MiB one way: from a file through `baton publish`, a Unix socket, batond, TLS 1.3 over TCP on loopback, batond, a Unix socket",
        "and `baton continue` into a pipe. For comparison, four `socat` processes take the places of these programs, with TLS 1.3 and buffers of 256 KiB. The rate is measured from the",
        f"first byte out of the pipe to the last. The figures are medians of {ours['runs']} alternating runs.",
        "",
        "| | median | from least to most | ratio |",
        "|---|--:|--:|--:|",
        row("continuation stream", ours),
        row("socat", theirs),
    ]


COMMAND = "baton publish --stream-from FILE --once; baton continue --json --stream-to PIPE; socat -u -b262144"
