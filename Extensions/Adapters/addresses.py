# SPDX-License-Identifier: Apache-2.0
"""The rules for web addresses that may go from laptop to laptop. batond and the browser extension have the same rules
(WebAddress.swift, address.js). Tests/Browsers/addresses.json has test cases for all three implementations.

Browsers read addresses less strictly than RFC 3986. An address is refused if a browser and this
program could read different hosts in it. Names are not resolved."""

import ipaddress
import re
import unicodedata
import urllib.parse

from gi.repository import GLib

import machine

MAXIMUM_LENGTH = 8192  # bytes, as on the wire
TOO_LONG = f"the page's address has more than {MAXIMUM_LENGTH} bytes"
NOT_WEB = "only pages of http and https are handed over"
USER = "the page's address has a user name or a password in it"
THIS_MACHINE = "the page is this computer's own"
UNCLEAR = "the page's address cannot be read"

LOOPBACK = ("localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6",
            "localhost6.localdomain6", "ip6-localhost", "ip6-loopback")
AUTHORITY = re.compile(r"https?://([^/?#]*)", re.I)
VISIBLE = re.compile(r"[\x21-\x7e]*")
HOST = re.compile(r"(\[[^\]]*\]|[^:]*)(?::\d{0,5})?")
LABEL = re.compile(r"[\w-]+", re.A)
STRANGE = re.compile(r'["<>\\^`{|}]')
SPOKEN = re.compile(r"[ \x80-\ud7ff\ue000-\U0010ffff]+")  # readable characters that URLs cannot have


def refusal(address: str, arrives: bool = False) -> str | None:
    """Returns why an address is not handed over, or None if it may be handed over. For a page that `arrives`,
    this computer's own names and addresses are refused, too, because on other computers they mean
    another host."""
    if len(address.encode(errors="replace")) > MAXIMUM_LENGTH:
        return TOO_LONG
    found = AUTHORITY.match(address)
    if not found:
        return NOT_WEB
    if not VISIBLE.fullmatch(address):
        return UNCLEAR
    if "@" in found[1]:
        return USER
    host = _host(found[1].lower())
    if host is None:
        return UNCLEAR
    if _is_loopback(host) or arrives and machine.is_own(host):
        return THIS_MACHINE
    return TOO_LONG if len(encoded(address)) > MAXIMUM_LENGTH else None


def encoded(address: str) -> str:
    """Returns an address with only the characters of RFC 3986. Browsers leave other characters in addresses."""
    first, mark, fragment = re.sub(r"%(?![\da-fA-F]{2})", "%25", address).partition("#")
    whole = first + mark + fragment.replace("#", "%23")
    return STRANGE.sub(lambda found: f"%{ord(found[0]):02X}", whole)


def visible(address: str) -> str:
    """Converts an http or https address with spaces or umlauts to visible ASCII, as browsers do. Does not change any
    other address, an address with control characters, or an address whose host would change."""
    found = AUTHORITY.match(address) if len(address) <= MAXIMUM_LENGTH else None
    host = found and _ascii_host(found[1])
    if not host:
        return address
    rest = SPOKEN.sub(lambda text: urllib.parse.quote(text[0]), address[found.end():])
    return address[:found.start(1)] + host + rest


def _ascii_host(authority: str) -> str | None:
    """Returns the host with its port in the form of DNS. Returns None if decoding gives another
    host, for example because of letters that only look like the letters of a host."""
    if authority.isascii():
        return authority
    name, mark, port = authority.partition(":")
    found = GLib.hostname_to_ascii(name)
    is_same = found and GLib.hostname_to_unicode(found) == unicodedata.normalize("NFC", name.lower())
    return found + mark + port if is_same else None


def _host(authority: str) -> str | None:
    """Returns the host without its port, or None if it is invalid or can be read in two ways."""
    found = HOST.fullmatch(authority)
    if not found:
        return None
    if found[1].startswith("["):
        return found[1]
    name = found[1].removesuffix(".")
    labels = name.split(".")
    if not all(LABEL.fullmatch(label) for label in labels):
        return None
    # A browser reads a host as an IPv4 address if its last label begins with a digit. Only the
    # plain form is accepted.
    return name if not labels[-1][0].isdigit() or _address(name) else None


def _address(host: str):
    """Returns the host as an IP address, or None for a name, and for an address with a scope that is
    local to this computer."""
    try:
        return machine.plain(ipaddress.ip_address(host.strip("[]"))) if "%" not in host else None
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    if host in LOOPBACK or host.endswith(".localhost"):
        return True
    address = _address(host)
    if address is None:
        return host.startswith("[")  # an address that cannot be read belongs to no page
    return address.version == 4 and address.packed[0] in (0, 127)
