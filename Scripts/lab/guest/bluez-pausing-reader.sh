#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Whether L2CAP loses data while a reader pauses (Documentation/Lab.md): an experiment, not a test of ours.
. /lab/guest/library.sh
. /lab/guest/bluez.sh

system_bus
adapters 2
bluetooth hci0 hci1
advertise hci0
for kind in stream seqpacket; do
    fact "$(within 200 /usr/bin/python3 "$GUEST/pausing-reader.py" "$(address hci0)" "$(address hci1)" "$kind")"
done
