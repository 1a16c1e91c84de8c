# SPDX-License-Identifier: Apache-2.0
"""A network namespace for each of two laptops, and a cable between them: what becomes of their network is real."""

import os
import shlex
import subprocess

from laptops import limited

INTERFACE = "cable"
# It runs what it is told line by line, and ends with whoever tells it, as do the processes that keep the namespaces.
SHELL = 'PATH=$PATH:/usr/sbin:/sbin; while read -r line; do eval "$line"; echo "ended $?"; done; kill -KILL 0'


class Networks:
    """Who is not root gets a user namespace for it, in which he is himself."""

    def __init__(self, one: str, other: str):
        self.user = [] if os.geteuid() == 0 else ["unshare", "--user", "--map-current-user", "--keep-caps"]
        self.shell = subprocess.Popen([*self.user, "sh", "-c", SHELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, start_new_session=True)
        self.keepers = {}
        try:
            for name in (one, other):
                self.keepers[name] = int(self.tell("unshare --net sh -c 'sleep infinity >/dev/null 2>&1 & echo $!'"))
            self.run(one, f"ip link add {INTERFACE} type veth peer name {INTERFACE} netns {self.keepers[other]}")
        except BaseException:
            self.end()
            raise

    def tell(self, line: str) -> str:
        """Has the shell run a line; gives what that has printed."""
        said = ""
        with limited(self.shell):
            try:
                self.shell.stdin.write(line + "\n")
                self.shell.stdin.flush()
            except BrokenPipeError:
                # It has said why.
                pass
            for text in self.shell.stdout:
                if text == "ended 0\n":
                    return said
                if text.startswith("ended "):
                    break
                said += text
        raise AssertionError(f"a laptop cannot have a network of its own here (namespaces, and ip of iproute2): {line}: {said}")

    def run(self, name: str, command: str):
        self.tell(f"nsenter --net=/proc/{self.keepers[name]}/ns/net {command}")

    def join(self, **addresses: str):
        """Gives each laptop an address in place of what it had, and lets the two reach each other."""
        for name, address in addresses.items():
            self.run(name, f"ip address flush dev {INTERFACE}")
            self.run(name, f"ip address add {address}/24 dev {INTERFACE}")
            self.run(name, f"ip link set {INTERFACE} up")

    def part(self):
        """The network goes, as an access point that is switched off: nobody is told that a connection has ended."""
        for name in self.keepers:
            self.run(name, f"ip link set {INTERFACE} down")

    def script(self, name: str, program) -> str:
        """A script that runs a program in a laptop's network."""
        user = f"--user=/proc/{self.shell.pid}/ns/user --preserve-credentials" if self.user else ""
        return f'#!/bin/sh\nexec nsenter {user} --net=/proc/{self.keepers[name]}/ns/net {shlex.quote(str(program))} "$@"\n'

    def end(self):
        """The namespaces go, once nothing else is in them."""
        self.shell.stdin.close()
        self.shell.wait()
        self.shell.stdout.close()
