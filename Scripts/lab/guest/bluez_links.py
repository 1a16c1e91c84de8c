# SPDX-License-Identifier: Apache-2.0
"""The links and channels of all adapters, as bluetoothd and the kernel report them."""

from pathlib import Path

from gi.repository import Gio
from offers import BLUEZ, Service, linked, until

FIRST_PSM = 0x80  # the PSMs of channels that do not belong to a Bluetooth service
CONNECTED = "1"
CHANNELS = Path("/sys/kernel/debug/bluetooth/l2cap")


def has_channel() -> bool:
    """Returns whether a credit-based channel is open on any adapter. debugfs must be
    mounted."""
    lines = (line.split() for line in CHANNELS.read_text(encoding="ascii").splitlines())
    # The fields are source, its type, destination, its type, state, PSM.
    return any(fields[4] == CONNECTED and int(fields[5], 0) >= FIRST_PSM for fields in lines)


class BlueZ(Service):
    def __init__(self):
        super().__init__(Gio.bus_get_sync(Gio.BusType.SYSTEM, None), BLUEZ)

    def unlink(self):
        """Waits until no link has a channel, and then ends all links, as bluetoothd does later."""
        until("the channels close", lambda: not has_channel())
        (objects,) = self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        for path, interfaces in objects.items():
            if interfaces.get("org.bluez.Device1", {}).get("Connected"):
                self.call(path, "org.bluez.Device1", "Disconnect")
        until("the links' end", lambda: not linked())
