#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The second of two laptops, with BlueZ's own tools: borrows its controller, discovers the first laptop,
# sends to it.
. /lab/guest/library.sh
. /lab/guest/bluez.sh

cable "$SECOND"
borrow_adapter
laptop hci0

peer=$(hear advertising)
discover hci0 "$peer"
channel_send hci0 "$peer"
wait_for_file measured 180
kill "$SENDER"
