# SPDX-License-Identifier: Apache-2.0
"""Which addresses of pages may go from laptop to laptop. The rules are those of batond and of the
extension (WebAddress.swift, address.js); Tests/Browsers/addresses.json has the cases of all three.

Browsers read addresses more leniently than RFC 3986: what they and this program could take for
different hosts is refused. Names are not resolved."""

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
SPOKEN = re.compile(r"[ \x80-\ud7ff\ue000-\U0010ffff]+")  # what a user reads, and a URL does not have


def refusal(address: str, arrives: bool = False) -> str | None:
    """Why an address is not handed over; None for one that is. Where a page `arrives`, this
    computer's own names and addresses are refused, too: to other computers they lead here."""
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
    """An address in the characters of RFC 3986; browsers leave more."""
    first, mark, fragment = re.sub(r"%(?![\da-fA-F]{2})", "%25", address).partition("#")
    whole = first + mark + fragment.replace("#", "%23")
    return STRANGE.sub(lambda found: f"%{ord(found[0]):02X}", whole)


def visible(address: str) -> str:
    """An http or https address with spaces and umlauts, in visible ASCII, as browsers make it. Any
    other is returned as it is: one with controls, and one whose host would be read differently."""
    found = AUTHORITY.match(address) if len(address) <= MAXIMUM_LENGTH else None
    host = found and _ascii_host(found[1])
    if not host:
        return address
    rest = SPOKEN.sub(lambda text: urllib.parse.quote(text[0]), address[found.end():])
    return address[:found.start(1)] + host + rest


def _ascii_host(authority: str) -> str | None:
    """The host, with its port, as the domain name system has it. None for one that is another when
    it is read back, as with letters that only look like a host's."""
    if authority.isascii():
        return authority
    name, mark, port = authority.partition(":")
    found = GLib.hostname_to_ascii(name)
    is_same = found and GLib.hostname_to_unicode(found) == unicodedata.normalize("NFC", name.lower())
    return found + mark + port if is_same else None


def _host(authority: str) -> str | None:
    """The host without its port; None when it is none, or one that can be read in two ways."""
    found = HOST.fullmatch(authority)
    if not found:
        return None
    if found[1].startswith("["):
        return found[1]
    name = found[1].removesuffix(".")
    labels = name.split(".")
    if not all(LABEL.fullmatch(label) for label in labels):
        return None
    # What ends in a number is an IPv4 address to a browser: only the plain form is.
    return name if not labels[-1][0].isdigit() or _address(name) else None


def _address(host: str):
    """The address that a host is; None for a name, and for one with a scope of this computer's."""
    try:
        return machine.plain(ipaddress.ip_address(host.strip("[]"))) if "%" not in host else None
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    if host in LOOPBACK or host.endswith(".localhost"):
        return True
    address = _address(host)
    if address is None:
        return host.startswith("[")  # what cannot be read is nobody's page
    return address.version == 4 and address.packed[0] in (0, 127)
