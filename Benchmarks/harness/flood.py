# SPDX-License-Identifier: Apache-2.0
"""Measures how long an address waits for batond's nonce over TCP while another address opens connections without end, compared with a server that
only answers."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time

from .common import Laptop, note, spread, wait_until

NAME = "flood"
SAMPLES = 60
PAUSE = 0.1  # seconds from one sample to the next
NONCE = 16  # bytes
FLOODING, WAITING = "127.0.0.2", "127.0.0.3"
# A program that connects and closes in a loop, and prints the count when it is asked to end.
FLOOD = """
import signal, socket, struct, sys
port, count, ends = int(sys.argv[1]), 0, []
signal.signal(signal.SIGTERM, lambda *_: ends.append(True))
while not ends:
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.settimeout(5)
        try:
            one.bind((sys.argv[2], 0))
            one.connect(("127.0.0.1", port))
            count += 1
        except OSError:
            pass
print(count)
"""
# A program that accepts, answers and closes one connection after the other.
BARE = """
import socket, sys
listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
print(listener.getsockname()[1], flush=True)
while True:
    try:
        connection, _ = listener.accept()
        with connection:
            connection.send(bytes(int(sys.argv[1])))
    except OSError:
        pass
"""


def waited(port):
    """Returns the milliseconds until the nonce has arrived."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=30, source_address=(WAITING, 0)) as connection:
        received = b""
        while len(received) < NONCE:
            part = connection.recv(NONCE - len(received))
            if not part:
                return None  # refused because there are too many
            received += part
        # A close with a reset leaves no half-open channel.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return 1_000 * (time.monotonic() - began)


def sampled(port):
    times = []
    while len(times) < SAMPLES:
        if (took := waited(port)) is not None:
            times.append(took)
        time.sleep(PAUSE)
    return spread(times)


def under_flood(running, port):
    began = time.monotonic()
    flood = running.start([sys.executable, "-c", FLOOD, port, FLOODING], stdout=subprocess.PIPE, text=True)
    time.sleep(1)
    result = sampled(port)
    os.kill(flood.pid, signal.SIGTERM)
    count = int(flood.communicate(timeout=30)[0])
    return {**result, "rate": count / (time.monotonic() - began)}


def measure(context):
    with context.processes() as running:
        bare = running.start([sys.executable, "-c", BARE, NONCE], stdout=subprocess.PIPE, text=True)
        laptop = Laptop(running, context.binaries, context.directory / "desk", context.directory / "radio")
        laptop.baton("circle", "create", "--name", "desk")

        def port():
            endpoints = json.loads(laptop.baton("status", "--json"))["endpoints"]
            return next((int(each.rpartition(":")[2]) for each in endpoints if each.startswith("tcp:127.0.0.1:")), None)
        ports = {"baton": wait_until(port, "batond listens on TCP"), "bare": int(bare.stdout.readline())}
        results = {}
        for name, number in ports.items():
            results[name] = {"alone": sampled(number), "flooded": under_flood(running, number)}
            note(f"{name}: {results[name]['alone']['median']:.1f} ms alone, {results[name]['flooded']['median']:.1f} ms "
                 f"(at most {results[name]['flooded']['most']:.0f}) beside {results[name]['flooded']['rate']:.0f} connections a second")
    return results


def document(result):
    def row(name, values):
        alone, flooded = values["alone"], values["flooded"]
        return (f"| {name} | {alone['median']:.1f} ms | {flooded['median']:.1f} ms | {flooded['most']:.0f} ms "
                f"| {flooded['rate']:.0f} |")

    ratio = result["baton"]["flooded"]["median"] / result["bare"]["flooded"]["median"]
    return [
        "## A flood of connections",
        "",
        "One address of this machine connects to batond and closes, without end. Another connects and waits for the 16 bytes with which batond begins (the nonce).",
        "For comparison, the same flood goes to a server that accepts, sends 16 bytes and closes, one connection after the other.",
        f"There were {result['baton']['alone']['runs']} samples each. batond's median is {ratio:.1f} times that of the server.",
        "",
        "| | alone, median | beside the flood, median | at most | connections of the flood in a second |",
        "|---|--:|--:|--:|--:|",
        row("batond", result["baton"]),
        row("a server that only answers", result["bare"]),
    ]


COMMAND = "python3, batond"
