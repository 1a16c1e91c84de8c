# SPDX-License-Identifier: Apache-2.0
"""Packets of the link layer, and their time on the air."""

from dataclasses import dataclass
from enum import Enum

# The time between two packets of one exchange. Vol 6 Part B 4.1.1.
T_IFS = 150
# The shortest time from ADV_EXT_IND to the packet that it points to. Vol 6 Part B 4.1.3.
T_MAFS = 300
# The time for which a radio waits for the beginning of a packet: preamble, access address, and some uncertainty.
T_SYNC = 60
PRIMARY_CHANNELS = (37, 38, 39)
# Addresses are pairs of a type (0 public, 1 random) and six octets, least significant first, as in HCI.
PUBLIC, RANDOM = 0, 1


class Phy(Enum):
    """The uncoded PHYs. HCI defines the values."""

    LE_1M = 1
    LE_2M = 2


def airtime(payload: int, phy: Phy = Phy.LE_1M) -> int:
    """Returns how long a packet with a number of octets of payload is on the air.

    The packet also has a preamble of 1 octet (2M: 2), an access address of 4, a header of 2, and a CRC of 3. Vol 6 Part B
    2.1.
    """
    return (10 + payload) * 8 if phy is Phy.LE_1M else (11 + payload) * 4


class Kind(Enum):
    """Advertising physical channel PDUs. Vol 6 Part B 2.3."""

    ADV_IND = "connectable and scannable"
    ADV_DIRECT_IND = "connectable, to one device"
    ADV_NONCONN_IND = "neither"
    ADV_SCAN_IND = "scannable"
    SCAN_REQ = "asks for a SCAN_RSP"
    SCAN_RSP = "answers SCAN_REQ"
    CONNECT_IND = "begins a connection"
    ADV_EXT_IND = "points to AUX_ADV_IND"
    AUX_ADV_IND = "extended advertising"
    AUX_SCAN_REQ = "asks for an AUX_SCAN_RSP"
    AUX_SCAN_RSP = "answers AUX_SCAN_REQ"
    AUX_CONNECT_REQ = "begins a connection"
    AUX_CONNECT_RSP = "answers AUX_CONNECT_REQ"


CONNECTABLE = {Kind.ADV_IND, Kind.ADV_DIRECT_IND}
SCANNABLE = {Kind.ADV_IND, Kind.ADV_SCAN_IND}


@dataclass(slots=True)
class Pdu:
    """A packet on an advertising physical channel."""

    kind: Kind
    address: tuple  # the advertiser's; in ADV_EXT_IND it is not sent
    size: int  # octets of the payload
    data: bytes = b""
    sender: tuple = None  # of the scanner or the initiator, if there is one
    target: tuple = None  # the device that a directed advertisement is for
    connectable: bool = False  # in AUX_ADV_IND
    scannable: bool = False
    auxiliary: tuple = None  # in ADV_EXT_IND: time, channel and PHY of the packet that it points to
    sid: int = 0xFF
    link: object = None  # in CONNECT_IND and AUX_CONNECT_REQ: the connection that begins


def advertisement(kind: Kind, address: tuple, data: bytes, target: tuple = None) -> Pdu:
    """Makes a legacy advertising PDU, which has AdvA and AdvData, or AdvA and TargetA."""
    size = 12 if kind is Kind.ADV_DIRECT_IND else 6 + len(data)
    return Pdu(kind, address, size, data, target=target)


def scan_request(sender: tuple, address: tuple, auxiliary: bool) -> Pdu:
    """Makes a scan request, which has ScanA and AdvA."""
    return Pdu(Kind.AUX_SCAN_REQ if auxiliary else Kind.SCAN_REQ, address, 12, sender=sender)


def connect_request(sender: tuple, address: tuple, link, auxiliary: bool) -> Pdu:
    """Makes a connection request, which has InitA, AdvA and 22 octets of LLData."""
    return Pdu(Kind.AUX_CONNECT_REQ if auxiliary else Kind.CONNECT_IND, address, 34, sender=sender, link=link)
