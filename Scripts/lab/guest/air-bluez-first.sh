#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The first of three laptops on the air with time, by BlueZ's own tools: advertises, and receives from both others, one after the other.
. /lab/guest/library.sh
. /lab/guest/bluez.sh

adapters 1
laptop hci0
advertise hci0
tell advertising "$(address hci0)"
for name in second third; do
    channel_receive hci0
    tell "receives-from-$name"
    fact "l2test from the $name laptop: $(channel_rate) bytes/s"
    kill "$RECEIVER"
    tell "measured-$name"
    wait_until_off "$name" 120
done
