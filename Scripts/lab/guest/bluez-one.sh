#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters, with BlueZ's own tools: checks that the emulated air carries advertisements and
# credit-based channels.
. /lab/guest/library.sh
. /lab/guest/bluez.sh

adapters 2
laptop hci0 hci1
say "hci0 $(address hci0), hci1 $(address hci1)"

advertise hci0
discover hci1 "$(address hci0)"

stop_monitor
seen=$(/usr/bin/python3 "$GUEST/advertisement.py" "$LOGS/btmon" "$(address hci0)") || die "on the air: $seen"
fact "on the air: $seen"

channel_receive hci0
channel_send hci1 "$(address hci0)"
fact "l2test over L2CAP: $(channel_rate) bytes/s"
kill "$SENDER" "$RECEIVER"
