# SPDX-License-Identifier: Apache-2.0
"""Measures the time to continue an activity with 3 KB of userInfo, compared with a bare TLS 1.3 connection and
a request."""

import json

from .common import BenchError, Conversation, certificate, note, pair, said, spread, wait_until

NAME = "latency"
PAIRS = 4
ROUNDS = 4
TYPE = "org.example.bench.write"


class Couple:
    """Two laptops. One offers an activity, and the other runs a program that continues it on request."""

    def __init__(self, context, running, directory):
        self.desk, self.sofa = pair(running, context.binaries, directory)
        log = directory / "publish.log"
        self.desk.follow(log, "publish", "--type", TYPE, "--info-json", context.directory / "info.json")
        wait_until(lambda: said(log, "publishing "), "baton publish")
        self.program = Conversation(
            running, [context.bench, "continue", "--bus", self.sofa.address, "--type", TYPE], directory / "continue.log")
        self.program.hear()

    def ask(self):
        """Continues the activity, and checks that it is complete."""
        answer = self.program.ask()
        if answer["entries"] != ENTRIES:
            raise BenchError(f"{answer['entries']} entries of userInfo arrived, not {ENTRIES}")
        return answer

    def remember_open(self):
        """Continues the activity, and counts the daemon's sockets while the channel is open."""
        self.ask()
        self.open_sockets = self.sofa.sockets()

    def wait_until_idle(self):
        """Waits until the daemons have closed their channel, 30 s after its last use."""
        wait_until(lambda: self.sofa.sockets() < self.open_sockets, "the channel is closed when idle", step=0.5)


ENTRIES = 30


def user_info():
    """Returns about 3 KB in entries like those of an editor."""
    return {f"paragraph{index:02}": "The quick brown fox jumps over the lazy dog, and then once more. " + "x" * 20
            for index in range(ENTRIES)}


def measure(context):
    (context.directory / "info.json").write_text(json.dumps(user_info()))
    paths = certificate(context.directory)
    tls = ["--certificate", paths[0], "--key", paths[1]]
    cold, warm, bare, transports = [], [], [], []
    with context.processes() as running:
        server = Conversation(running, [context.bench, "tls-serve", *tls], context.directory / "serve.log")
        client = Conversation(
            running, [context.bench, "tls-request", *tls, "--port", server.hear()["port"]],
            context.directory / "request.log")
        couples = []
        for index in range(PAIRS):
            couples.append(Couple(context, running, context.directory / f"pair{index}"))
        for couple in couples:
            couple.remember_open()
        client.ask()
        for number in range(ROUNDS):
            for couple in couples:
                couple.wait_until_idle()
                answer = couple.ask()
                cold.append(answer["milliseconds"])
                transports.append(answer["transport"])
                bare.append(client.ask()["milliseconds"])
                warm.append(couple.ask()["milliseconds"])
            note(f"round {number + 1} of {ROUNDS}: continue {cold[-1]:.1f} ms, bare {bare[-1]:.1f} ms, again {warm[-1]:.1f} ms")
    return {"cold": spread(cold), "warm": spread(warm), "bare": spread(bare), "transports": sorted(set(transports))}


def document(result):
    cold, warm, bare = result["cold"], result["warm"], result["bare"]

    def row(name, values):
        return (f"| {name} | {values['median']:.1f} ms | {values['least']:.1f} to {values['most']:.1f} ms "
                f"| {values['median'] / bare['median']:.1f} |")

    return [
        "## Continue latency",
        "",
        "A program that is connected to its session bus asks its daemon to continue an offer with 3 KB of userInfo. The time is from the call until the program has the activity.",
        "It includes the connection, the knock, TLS 1.3 with both certificates pinned, the hellos, the other app's save, and four transfers over two session buses.",
        "For comparison, two processes make a TCP connection on loopback with mutual TLS 1.3 by the same library (swift-nio-ssl) and P-256 certificates, and exchange a request of",
        f"64 bytes and an answer of 3 KB. There were {cold['runs']} alternating runs each, on {PAIRS} pairs of daemons whose channel had been closed because it was idle, over",
        f"these transports: {', '.join(result['transports'])}.",
        "",
        "| | median | from least to most | ratio |",
        "|---|--:|--:|--:|",
        row("continue, connecting", cold),
        row("continue again, the channel still open", warm),
        row("bare TLS 1.3 connection and request", bare),
    ]


COMMAND = "baton-bench continue; baton-bench tls-serve; baton-bench tls-request"
