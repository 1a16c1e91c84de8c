# SPDX-License-Identifier: Apache-2.0
"""The lab's scenarios: which machines, which scripts, which variant of bluetoothd."""

from .air.process import Air
from .scenario import Scenario

BLUEZ_TWO = {"first": "bluez-two-first.sh", "second": "bluez-two-second.sh"}
BATON_ONE = {"one": "baton-one.sh"}
BATON_TWO = {"first": "baton-two-first.sh", "second": "baton-two-second.sh"}
PAIRING_TWO = {"first": "pairing-two-first.sh", "second": "pairing-two-second.sh"}
PACKAGE_TWO = {"first": "package-first.sh", "second": "package-second.sh"}
HIL_TWO = {"first": "hil-two-first.sh", "second": "hil-two-second.sh"}
HIL_SCRIPTS = ("hil", "own_session.py", "own-session.conf")
SUSPEND_TWO = {"first": "suspend-two-first.sh", "second": "suspend-two-second.sh"}
CONTACTS_TWO = {"first": "contacts-two-first.sh", "second": "contacts-two-second.sh"}

# With three ATT channels identifiers get confused, and a dial beside another one has to be under way before that is answered (0009): where both
# ends are one kernel's, that takes two processors.

# By BlueZ's own tools: when these fail, the lab is at fault and not Baton. The first is cheap, and always run.
SCENARIOS = [
    Scenario("bluez-one-laptop", {"one": "bluez-one.sh"}),
    Scenario("bluez-two-laptops", BLUEZ_TWO, limit=600, always=False),
    Scenario("bluez-pausing-reader", {"one": "bluez-pausing-reader.sh"}, limit=600, always=False),
]

# The same on the air that has time (host/air), between controllers outside of the machines.
SCENARIOS += [
    Scenario("air-bluez-one-laptop", {"one": "air-bluez-one.sh"}, air=Air(controllers=2), limit=600, always=False),
]

# What every radio and every transport must do, here by BlueZ.
SCENARIOS += [
    Scenario("one-laptop-conformance", {"one": "conformance-one.sh"}, {"LAB_CHANNELS": 1}, programs=("radio-conformance",), limit=900)
]

# What `make hil` runs on real controllers, by the same command.
SCENARIOS += [
    Scenario("one-laptop-hil", {"one": "hil-one.sh"}, {"LAB_CHANNELS": 1}, product=True, programs=("radio-conformance",),
             scripts=HIL_SCRIPTS, limit=900),
    Scenario("one-laptop-own-bluetoothd", {"one": "hil-own.sh"}, {"LAB_CHANNELS": 1}, product=True, programs=("radio-conformance",),
             scripts=HIL_SCRIPTS, limit=2400, processors=2),
    Scenario("two-laptops-hil", HIL_TWO, {"LAB_CHANNELS": 1}, product=True, scripts=HIL_SCRIPTS, limit=2400),
]

# Hand-overs. Channels is bluetoothd's [GATT] Channels: 3 is how 5.66 is shipped, and means EATT.
SCENARIOS += [
    Scenario("one-laptop-channels-3", BATON_ONE, {"LAB_CHANNELS": 3}, product=True, limit=600, processors=2),
    Scenario("one-laptop-channels-1", BATON_ONE, {"LAB_CHANNELS": 1}, product=True, limit=600),
    Scenario("one-laptop-not-experimental", BATON_ONE, {"LAB_BLUETOOTHD": ""}, product=True, limit=600, processors=2),
    Scenario("one-laptop-epoch", {"one": "epoch-one.sh"}, {"LAB_CHANNELS": 1, "LAB_PRIVACY": "device"}, product=True, limit=600),
    Scenario("one-laptop-failures", {"one": "failures-one.sh"}, {"LAB_CHANNELS": 1}, product=True, limit=900),
    Scenario("one-laptop-recovery", {"one": "recovery-one.sh"}, {"LAB_CHANNELS": 1}, product=True, limit=1800),
    Scenario("two-laptops-channels-3", BATON_TWO, {"LAB_CHANNELS": 3, "LAB_STRANGER": 1}, product=True, limit=1500, processors=2),
    Scenario("two-laptops-channels-1", BATON_TWO, {"LAB_CHANNELS": 1, "LAB_PRIVACY": "device"}, product=True, limit=1500),
    Scenario("two-laptops-suspend", SUSPEND_TWO, {"LAB_CHANNELS": 1}, product=True, limit=1200),
]

# A hand-over on the air that has time.
SCENARIOS += [
    Scenario("air-one-laptop-channels-1", BATON_ONE, {"LAB_CHANNELS": 1}, product=True, air=Air(controllers=2), limit=900, always=False),
]

# Times and streams beside those of BlueZ's own tools, on that air: with the drop-in's [LE] and as bluetoothd is shipped, without and with loss, and
# where a controller's links win the radio.
DROP_IN = {"LAB_CHANNELS": 1, "LAB_LE": 1}
SHIPPED = {"LAB_CHANNELS": 1}
LOSS, LINKS_WIN = ("--loss", "0.1"), ("--policy", "links")
AIR_VARIANTS = [("", DROP_IN, ()), ("-loss", DROP_IN, LOSS), ("-links-win", DROP_IN, LINKS_WIN), ("-shipped", SHIPPED, ()), ("-shipped-loss", SHIPPED, LOSS)]
SCENARIOS += [
    Scenario("air-offer", {"one": "bench-offer.sh"}, DROP_IN, product=True, air=Air(controllers=2), always=False, limit=2400, processors=2),
    Scenario("air-offer-shipped", {"one": "bench-offer.sh"}, SHIPPED, product=True, air=Air(controllers=2), always=False, limit=2400, processors=2),
] + [
    Scenario(f"air-stream{name}", {"one": "bench-l2cap.sh"}, variables, product=True, air=Air(controllers=2, options=options), always=False, limit=1500,
             processors=2)
    for name, variables, options in AIR_VARIANTS
]

SCENARIOS += [
    Scenario(f"air-continue{name}", {"one": "air-continue.sh"}, variables, product=True, air=Air(controllers=2, options=options), always=False, limit=1800,
             processors=2)
    for name, variables, options in AIR_VARIANTS
]

# What happens on real air: silence again and again, loss, a walk, a crowd, two that dial each other at once.
AIR_TROUBLES = [
    ("air-losses", "air-losses.sh", DROP_IN, ()),
    ("air-losses-shipped", "air-losses.sh", SHIPPED | {"LAB_SILENCE": 2}, ()),
    ("air-loss-30", "baton-one.sh", DROP_IN, ("--loss", "0.3")),
    ("air-range", "air-range.sh", DROP_IN, ("--attenuation", "55")),
    ("air-both-dial", "air-both-dial.sh", DROP_IN, ()),
    ("air-headphones", "air-headphones.sh", DROP_IN, ("--headphones", "one-hci1")),
    ("air-rest", "air-rest.sh", DROP_IN, ()),
    ("air-rest-shipped", "air-rest.sh", {"LAB_BLUETOOTHD": ""}, ()),
    ("air-crowd-12", "bench-offer.sh", DROP_IN, ("--crowd", "12")),
    ("air-crowd-100", "bench-offer.sh", DROP_IN, ("--crowd", "100")),
]
SCENARIOS += [
    Scenario(name, {"one": script}, variables, product=True, air=Air(controllers=2, options=options), always=False, limit=2400, processors=2)
    for name, script, variables, options in AIR_TROUBLES
]

# Whether a kernel bears it that links without a channel are ended, again and again.
SCENARIOS += [
    Scenario("one-laptop-unlinks", {"one": "unlinks-one.sh"}, SHIPPED, product=True, always=False, limit=9000)
]

# Three laptops, which no number of emulated controllers on one machine can be.
THREE = {name: f"air-three-{name}.sh" for name in ("desk", "sofa", "bed")}
SCENARIOS += [Scenario("air-three-laptops", THREE, DROP_IN, product=True, air=Air(), always=False, limit=1800)]

# What `make hil` runs on real adapters, on that air.
SCENARIOS += [
    Scenario("air-one-laptop-hil", {"one": "hil-one.sh"}, DROP_IN, product=True, programs=("radio-conformance",), scripts=HIL_SCRIPTS, air=Air(controllers=2),
             always=False, limit=1800, processors=2)
]

# A suspend that stops the clocks.
SCENARIOS += [Scenario("one-laptop-clocks", {"one": "clocks-one.sh"}, programs=("clock-program",))]

# As bluetoothd is shipped: three ATT channels before 5.67, then one. For laptops of two Debian releases (run --only).
SCENARIOS += [Scenario("two-laptops-as-shipped", BATON_TWO, {"LAB_STRANGER": 1}, product=True, limit=1500, always=False)]

# Two laptops that know nothing of each other become one circle by six digits.
SCENARIOS += [Scenario("two-laptops-pairing", PAIRING_TWO, {"LAB_CHANNELS": 3}, product=True, limit=1200)]

# An app on both laptops: Examples/Contacts hands over its three activities, driven as its user drives it.
SCENARIOS += [
    Scenario("two-laptops-contacts", CONTACTS_TWO, {"LAB_CHANNELS": 3}, product=True, programs=("contacts",), limit=1500)
]

# A device of another make: Tests/ForeignPeer on Bumble's Bluetooth stack. Bumble is no Debian package: `make lab-foreign` installs it and runs this.
SCENARIOS += [
    Scenario("one-laptop-foreign", {"one": "foreign-one.sh"}, {"LAB_CHANNELS": 1}, product=True, bumble=True, always=False, limit=600, processors=2)
]

# A hostile device on the same stack attacks one of two laptops that hand over: `make lab-foreign` runs this, too.
SCENARIOS += [
    Scenario("one-laptop-hostile", {"one": "hostile-one.sh"}, {"LAB_CHANNELS": 1}, product=True, bumble=True, always=False, limit=1500, processors=2)
]

# The Debian package on two laptops with systemd as process 1, for a user without privileges: `make lab-package`.
SCENARIOS += [
    Scenario("two-laptops-package", PACKAGE_TWO, package=True, programs=("notes", "app-program"), always=False, limit=1500, memory=2048)
]

# For Benchmarks/run: they measure, on machines as laptops are, and are no part of the test.
SCENARIOS += [
    Scenario("offer-beside-bluez", {"one": "bench-offer.sh"}, {"LAB_CHANNELS": 1}, product=True, always=False, limit=2400, processors=2),
    Scenario("rest-on-bluez", {"one": "bench-idle.sh"}, {"LAB_CHANNELS": 1}, product=True, always=False, limit=600),
    Scenario("stream-beside-l2test", {"one": "bench-l2cap.sh"}, {"LAB_CHANNELS": 1}, product=True, always=False, limit=900, processors=2)
]
