#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The second and the third of three laptops on the air with time: discovers the first, and sends to it.
. /lab/guest/library.sh
. /lab/guest/bluez.sh

adapters 1
laptop hci0
peer=$(hear advertising)
discover hci0 "$peer"
wait_for_file "receives-from-$NAME" 300
channel_send hci0 "$peer"
wait_for_file "measured-$NAME" 180
kill "$SENDER" 2>/dev/null || true
