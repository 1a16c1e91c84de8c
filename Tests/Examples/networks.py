# SPDX-License-Identifier: Apache-2.0
"""A network namespace for each of two laptops and a cable between them, so that a test can really change a laptop's network."""

import os
import shlex
import subprocess

from laptops import limited

INTERFACE = "cable"
NOBODY = "02:00:00:00:00:09"  # a link-layer address that no interface has
# Runs each line that it reads, and ends with this program. The processes that keep the namespaces end, too.
SHELL = 'PATH=$PATH:/usr/sbin:/sbin; while read -r line; do eval "$line"; echo "ended $?"; done; kill -KILL 0'


class Networks:
    """The networks of the laptops. A user who is not root gets a user namespace with the same user id."""

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
        """Makes the shell run a line, and returns the output."""
        said = ""
        with limited(self.shell):
            try:
                self.shell.stdin.write(line + "\n")
                self.shell.stdin.flush()
            except BrokenPipeError:
                # The shell has printed the reason.
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
        """Replaces each laptop's address, and connects the two."""
        for name, address in addresses.items():
            self.run(name, f"ip address flush dev {INTERFACE}")
            self.run(name, f"ip address add {address}/24 dev {INTERFACE}")
            self.run(name, f"ip link set {INTERFACE} up")

    def part(self):
        """Disconnects the laptops like an access point that is switched off. No connection reports its end."""
        for name in self.keepers:
            self.run(name, f"ip link set {INTERFACE} down")

    def keep_apart(self):
        """Connects the laptops to an access point that passes nothing between them. They must join again."""
        point = int(self.tell("unshare --net sh -c 'sleep infinity >/dev/null 2>&1 & echo $!'"))

        def at_point(command: str):
            self.tell(f"nsenter --net=/proc/{point}/ns/net ip {command}")

        at_point("link add air type bridge")
        at_point("link set air up")
        self.run(next(iter(self.keepers)), f"ip link delete {INTERFACE}")
        for name in self.keepers:
            self.run(name, f"ip link add {INTERFACE} type veth peer name {name} netns {point}")
            at_point(f"link set {name} master air")
            at_point(f"link set {name} type bridge_slave isolated on")
            at_point(f"link set {name} up")

    def lose(self, **addresses: str):
        """Makes all packets from a laptop to an address vanish. The kernel reports nothing."""
        for name, address in addresses.items():
            self.run(name, f"ip neighbour replace {address} lladdr {NOBODY} nud permanent dev {INTERFACE}")

    def script(self, name: str, program) -> str:
        """Returns a script that runs a program in a laptop's network."""
        user = f"--user=/proc/{self.shell.pid}/ns/user --preserve-credentials" if self.user else ""
        return f'#!/bin/sh\nexec nsenter {user} --net=/proc/{self.keepers[name]}/ns/net {shlex.quote(str(program))} "$@"\n'

    def end(self):
        """Ends the shell. The namespaces disappear when they are empty."""
        self.shell.stdin.close()
        self.shell.wait()
        self.shell.stdout.close()
