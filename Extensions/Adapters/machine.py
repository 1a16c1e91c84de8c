# SPDX-License-Identifier: Apache-2.0
"""The names and addresses of this computer, found without asking another computer."""

import contextlib
import ipaddress
import socket

IPV4, IPV6 = "/proc/self/net/fib_trie", "/proc/self/net/if_inet6"


def is_own(host: str) -> bool:
    """Returns whether a URL's host, in lower case, is this computer."""
    try:
        return plain(ipaddress.ip_address(host.strip("[]"))) in addresses()
    except ValueError:
        return host in names()


def names() -> set:
    """Returns the computer's name, with and without a domain, and its mDNS name."""
    name = socket.gethostname().lower().removesuffix(".")
    first = name.partition(".")[0]
    return {name, first, f"{first}.local"} - {"", ".local"}


def addresses() -> set:
    """Returns the addresses of the interfaces."""
    return {*_ipv4(), *_ipv6()}


def _ipv4():
    """Yields the local addresses of the kernel's routing table: a line with an address, and
    then lines with its type."""
    address = ""
    for line in _read(IPV4).splitlines():
        if "|--" in line:
            address = line.rpartition(" ")[2]
        elif line.strip() == "/32 host LOCAL":
            yield ipaddress.IPv4Address(address)


def _ipv6():
    for line in _read(IPV6).splitlines():
        with contextlib.suppress(ValueError):
            yield ipaddress.IPv6Address(bytes.fromhex(line[:32]))


def plain(address):
    """Returns the IPv4 address that an IPv6 one stands for, or the address itself."""
    if address.version == 6 and int(address) >> 32 in (0, 0xFFFF):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return ""
