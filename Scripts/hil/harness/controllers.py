# SPDX-License-Identifier: Apache-2.0
"""Reads what the kernel and a controller report. This needs no privileges and changes nothing.

Sources: the kernel's management interface (BlueZ, doc/mgmt-api.txt, Read Controller Information), HCI's Read Local Version Information
(Core Specification, Vol 4, Part E, 7.4.1), and sysfs.
"""

import ctypes
import os
import re
import socket
import struct
from pathlib import Path

from . import HilError

CLASS = Path("/sys/class/bluetooth")
AF_BLUETOOTH, BTPROTO_HCI, HCI_CHANNEL_CONTROL, HCI_DEV_NONE = 31, 1, 3, 0xFFFF
SOL_HCI, HCI_FILTER = 0, 2
READ_CONTROLLER_INFORMATION, COMMAND_COMPLETE, COMMAND_STATUS = 0x0004, 0x0001, 0x0002
READ_LOCAL_VERSION, HCI_EVENT, HCI_COMMAND_COMPLETE = 0x1001, 4, 0x0E
PATIENCE = 5  # seconds for an answer

# The relevant bits of supported and current settings.
SETTINGS = {0: "powered", 7: "br/edr", 9: "le", 10: "advertising", 13: "privacy", 15: "static-address", 16: "phy-configuration"}
MANUFACTURERS = {2: "Intel", 10: "Qualcomm (CSR)", 15: "Broadcom", 29: "Qualcomm", 48: "ST", 69: "Atheros", 70: "MediaTek", 72: "Marvell",
                 89: "Nordic", 93: "Realtek", 305: "Cypress", 1521: "Linux Foundation"}
VERSIONS = {6: "4.0", 7: "4.1", 8: "4.2", 9: "5.0", 10: "5.1", 11: "5.2", 12: "5.3", 13: "5.4", 14: "6.0"}


def numbers() -> list:
    """Returns the names of this machine's adapters. Entries such as hci0:42 beside them are connections."""
    names = [entry.name for entry in CLASS.iterdir()] if CLASS.exists() else []
    return sorted((name for name in names if re.fullmatch(r"hci\d+", name)), key=lambda name: int(name[3:]))


def connections(adapter: str) -> int:
    """Returns how many links of any kind an adapter has. sysfs has an entry for each."""
    return len(list(CLASS.glob(f"{adapter}:*")))


def blocked(adapter: str) -> str:
    """Returns "soft" or "hard" if rfkill blocks the adapter, or an empty text if it does not."""
    for switch in sorted((CLASS / adapter).glob("rfkill*")):
        for kind in ("hard", "soft"):
            if text(switch / kind) == "1":
                return kind
    return ""


def text(path: Path) -> str:
    """Returns the contents of a file of sysfs as one line, or an empty text if there is no such file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def controller_information(answer: bytes) -> dict:
    """Parses the management interface's answer to Read Controller Information, with its header.

    Raises HilError if it is another answer, reports a failure or is too short."""
    if len(answer) < 9:
        raise HilError(f"the kernel's answer has {len(answer)} bytes")
    event, _, length, opcode, status = struct.unpack_from("<HHHHB", answer)
    if opcode != READ_CONTROLLER_INFORMATION or event not in (COMMAND_COMPLETE, COMMAND_STATUS):
        raise HilError(f"the kernel answers with event {event:#06x} to command {opcode:#06x}")
    if status != 0:
        raise HilError(f"the kernel does not tell of this controller: status {status:#04x}")
    if event != COMMAND_COMPLETE or length < 20 or len(answer) < 26:
        raise HilError("the kernel's answer is cut short")
    address, version, manufacturer, supported, current = struct.unpack_from("<6sBHII", answer, 9)
    return {"address": address[::-1].hex(":").upper(), "version": version, "manufacturer": manufacturer,
            "supported": settings(supported), "current": settings(current)}


def settings(bits: int) -> list:
    return [name for bit, name in SETTINGS.items() if bits >> bit & 1]


def local_version(event: bytes) -> dict:
    """Parses HCI's answer to Read Local Version Information, which identifies a controller's firmware. Raises HilError if it is another answer."""
    if len(event) < 15 or event[0] != HCI_EVENT or event[1] != HCI_COMMAND_COMPLETE:
        raise HilError("the controller's answer is none to Read Local Version Information")
    opcode, status, hci, revision, lmp, _, subversion = struct.unpack_from("<HBBHBHH", event, 4)
    if opcode != READ_LOCAL_VERSION or status != 0:
        raise HilError(f"the controller does not tell its version: command {opcode:#06x}, status {status:#04x}")
    return {"hci": hci, "hciRevision": revision, "lmp": lmp, "lmpSubversion": subversion}


def bound(index: int, channel: int) -> socket.socket:
    """Opens an HCI socket. It calls the C library because Python's bind does not support HCI channels."""
    opened = socket.socket(AF_BLUETOOTH, socket.SOCK_RAW, BTPROTO_HCI)
    address = struct.pack("=HHH", AF_BLUETOOTH, index, channel)
    library = ctypes.CDLL(None, use_errno=True)
    if library.bind(opened.fileno(), address, len(address)) != 0:
        number = ctypes.get_errno()
        opened.close()
        raise OSError(number, os.strerror(number))
    opened.settimeout(PATIENCE)
    return opened


def ask_kernel(adapter: str) -> dict:
    """Returns what the kernel knows about a controller. Raises HilError."""
    index = int(adapter.removeprefix("hci"))
    try:
        with bound(HCI_DEV_NONE, HCI_CHANNEL_CONTROL) as control:
            control.send(struct.pack("<HHH", READ_CONTROLLER_INFORMATION, index, 0))
            for _ in range(1000):
                answer = control.recv(1024)
                # Skip other events. Only the answer to this command names the command.
                if answer[2:4] == struct.pack("<H", index) and answer[6:8] == struct.pack("<H", READ_CONTROLLER_INFORMATION):
                    return controller_information(answer)
    except OSError as error:
        raise HilError(f"the kernel does not tell of {adapter}: {error}") from error
    raise HilError(f"the kernel does not tell of {adapter}")


def ask_controller(adapter: str) -> dict:
    """Returns what the controller reports about its version. The command is harmless and needs no privileges. Raises HilError."""
    event_mask = 1 << HCI_COMMAND_COMPLETE
    try:
        with bound(int(adapter.removeprefix("hci")), 0) as raw:
            raw.setsockopt(SOL_HCI, HCI_FILTER, struct.pack("<IIIHxx", 1 << HCI_EVENT, event_mask, 0, READ_LOCAL_VERSION))
            raw.send(struct.pack("<BHB", 1, READ_LOCAL_VERSION, 0))
            return local_version(raw.recv(260))
    except OSError as error:
        raise HilError(f"{adapter} does not tell its version: {error}") from error


def hardware(adapter: str) -> dict:
    """Returns how the controller is attached: its bus, driver and identifiers. A controller without hardware is emulated."""
    device = CLASS / adapter / "device"
    if not device.exists():
        return {"bus": "virtual", "driver": "", "identifier": "", "emulated": True}
    bus, driver = (os.path.basename(os.path.realpath(device / link)) if (device / link).exists() else "" for link in ("subsystem", "driver"))
    return {"bus": bus, "driver": driver, "identifier": identifier(text(device / "modalias")), "emulated": False}


def identifier(modalias: str) -> str:
    """Returns vendor and product in a modalias, or its beginning if the device is not on USB."""
    usb = re.match(r"usb:v([0-9A-F]{4})p([0-9A-F]{4})", modalias)
    return f"{usb[1]}:{usb[2]}".lower() if usb else re.sub(r"[^\w:.,-]", "", modalias)[:40]


def described(adapter: str) -> dict:
    """Returns a report's entries about a controller. They contain only the manufacturer's part of its address."""
    known = ask_kernel(adapter)
    try:
        version = ask_controller(adapter)
    except HilError as error:
        version = {"unknown": str(error)}
    return {
        "adapter": adapter, "oui": known["address"][:8], **hardware(adapter),
        "manufacturer": MANUFACTURERS.get(known["manufacturer"], "unknown"), "manufacturerNumber": known["manufacturer"],
        "bluetooth": VERSIONS.get(known["version"], f"version {known['version']}"), "firmware": version,
        "supported": known["supported"], "current": known["current"],
    }
