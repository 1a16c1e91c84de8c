# SPDX-License-Identifier: Apache-2.0
"""The lab's scenarios: their machines, their scripts, and their variant of bluetoothd."""

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

# With three ATT channels, kernels confuse the identifiers of channels, and a second dial must be under way before the first is answered (0009).
# If both ends use one kernel, this needs two processors.

# Scenarios with BlueZ's own tools. If these fail, the lab is at fault and not Baton. The first scenario is cheap and always runs.
SCENARIOS = [
    Scenario("bluez-one-laptop", {"one": "bluez-one.sh"}),
    Scenario("bluez-two-laptops", BLUEZ_TWO, limit=600, always=False),
    Scenario("bluez-pausing-reader", {"one": "bluez-pausing-reader.sh"}, limit=600, always=False),
]

# The same on the simulated air (host/air), with controllers outside of the machines.
SCENARIOS += [
    Scenario("air-bluez-one-laptop", {"one": "air-bluez-one.sh"}, air=Air(controllers=2), limit=600, always=False),
]

# The conformance checks of every radio and every transport, here with BlueZ.
SCENARIOS += [
    Scenario("one-laptop-conformance", {"one": "conformance-one.sh"}, {"LAB_CHANNELS": 1}, programs=("radio-conformance",), limit=900)
]

# The same command that `make hil` runs on real controllers.
SCENARIOS += [
    Scenario("one-laptop-hil", {"one": "hil-one.sh"}, {"LAB_CHANNELS": 1}, product=True, programs=("radio-conformance",),
             scripts=HIL_SCRIPTS, limit=900),
    Scenario("one-laptop-own-bluetoothd", {"one": "hil-own.sh"}, {"LAB_CHANNELS": 1}, product=True, programs=("radio-conformance",),
             scripts=HIL_SCRIPTS, limit=2400, processors=2),
    Scenario("two-laptops-hil", HIL_TWO, {"LAB_CHANNELS": 1}, product=True, scripts=HIL_SCRIPTS, limit=2400),
]

# Hand-overs. LAB_CHANNELS is bluetoothd's [GATT] Channels. 3 is the default of 5.66, and means EATT.
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

# A hand-over on the simulated air.
SCENARIOS += [
    Scenario("air-one-laptop-channels-1", BATON_ONE, {"LAB_CHANNELS": 1}, product=True, air=Air(controllers=2), limit=900, always=False),
]

# Times and streams compared with BlueZ's own tools on the simulated air: with the drop-in's [LE] and as bluetoothd is shipped, with and without
# loss, and with a controller whose links win the radio.
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

# Troubles of real air: repeated silence, loss, a walk, a crowd, two laptops that dial each other at once.
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

# Tests that the kernel survives when links without channels are ended many times.
SCENARIOS += [
    Scenario("one-laptop-unlinks", {"one": "unlinks-one.sh"}, SHIPPED, product=True, always=False, limit=9000)
]

# Three laptops, which emulated controllers on one machine cannot replace.
THREE = {name: f"air-three-{name}.sh" for name in ("desk", "sofa", "bed")}
SCENARIOS += [Scenario("air-three-laptops", THREE, DROP_IN, product=True, air=Air(), always=False, limit=1800)]

# The command that `make hil` runs on real adapters, on the simulated air.
SCENARIOS += [
    Scenario("air-one-laptop-hil", {"one": "hil-one.sh"}, DROP_IN, product=True, programs=("radio-conformance",), scripts=HIL_SCRIPTS, air=Air(controllers=2),
             always=False, limit=1800, processors=2)
]

# A suspend that stops the clocks.
SCENARIOS += [Scenario("one-laptop-clocks", {"one": "clocks-one.sh"}, programs=("clock-program",))]

# bluetoothd as shipped: three ATT channels before 5.67, then one. For laptops with two Debian releases (run --only).
SCENARIOS += [Scenario("two-laptops-as-shipped", BATON_TWO, {"LAB_STRANGER": 1}, product=True, limit=1500, always=False)]

# Two laptops that do not know each other become one circle with six digits.
SCENARIOS += [Scenario("two-laptops-pairing", PAIRING_TWO, {"LAB_CHANNELS": 3}, product=True, limit=1200)]

# An app on both laptops: Examples/Contacts hands over its three activities, operated as by its user.
SCENARIOS += [
    Scenario("two-laptops-contacts", CONTACTS_TWO, {"LAB_CHANNELS": 3}, product=True, programs=("contacts",), limit=1500)
]

# A device of another make: Tests/ForeignPeer on Bumble's Bluetooth stack. Debian has no package of Bumble, so `make lab-foreign` installs it and
# runs this.
SCENARIOS += [
    Scenario("one-laptop-foreign", {"one": "foreign-one.sh"}, {"LAB_CHANNELS": 1}, product=True, bumble=True, always=False, limit=600, processors=2)
]

# A hostile device on the same stack attacks one of two laptops that hand over. `make lab-foreign` runs this, too.
SCENARIOS += [
    Scenario("one-laptop-hostile", {"one": "hostile-one.sh"}, {"LAB_CHANNELS": 1}, product=True, bumble=True, always=False, limit=1500, processors=2)
]

# The Debian package on two laptops with systemd as process 1, for a user without privileges: `make lab-package`.
SCENARIOS += [
    Scenario("two-laptops-package", PACKAGE_TWO, package=True, programs=("notes", "app-program"), always=False, limit=1500, memory=2048)
]

# Measurements for Benchmarks/run on machines like laptops. They are not part of the tests.
SCENARIOS += [
    Scenario("offer-beside-bluez", {"one": "bench-offer.sh"}, {"LAB_CHANNELS": 1}, product=True, always=False, limit=2400, processors=2),
    Scenario("rest-on-bluez", {"one": "bench-idle.sh"}, {"LAB_CHANNELS": 1}, product=True, always=False, limit=600),
    Scenario("stream-beside-l2test", {"one": "bench-l2cap.sh"}, {"LAB_CHANNELS": 1}, product=True, always=False, limit=900, processors=2)
]
