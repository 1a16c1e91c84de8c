#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters, by BlueZ's own tools: the emulated air carries advertisements and credit-based channels.
. /lab/guest/library.sh
. /lab/guest/bluez.sh

system_bus
adapters 2
monitor btmon
bluetooth hci0 hci1
say "hci0 $(address hci0), hci1 $(address hci1)"

advertise hci0
discover hci1 "$(address hci0)"

channel_receive hci0
channel_send hci1 "$(address hci0)"
fact "l2test over L2CAP: $(channel_rate) bytes/s"
kill "$SENDER" "$RECEIVER"

# Whether L2CAP loses data while a reader pauses (Documentation/Lab.md): an experiment, not a test of ours.
for kind in stream seqpacket; do
    fact "$(within 200 /usr/bin/python3 "$GUEST/pausing-reader.py" "$(address hci0)" "$(address hci1)" "$kind")"
done
