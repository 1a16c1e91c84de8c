#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Finds out whether L2CAP loses data while a reader pauses (Documentation/Lab.md). This is an experiment,
# not a test of Baton.
. /lab/guest/library.sh
. /lab/guest/bluez.sh

system_bus
adapters 2
bluetooth hci0 hci1
advertise hci0
for kind in stream seqpacket; do
    fact "$(within 200 /usr/bin/python3 "$GUEST/pausing-reader.py" "$(address hci0)" "$(address hci1)" "$kind")"
done
