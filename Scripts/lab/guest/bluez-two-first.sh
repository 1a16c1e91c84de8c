#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The first of two laptops, with BlueZ's own tools: lends its second controller, advertises,
# receives.
. /lab/guest/library.sh
. /lab/guest/bluez.sh

cable "$FIRST"
adapters 2
lend_second_adapter
laptop hci0

advertise hci0
channel_receive hci0
tell advertising "$(address hci0)"
fact "l2test between two laptops: $(channel_rate) bytes/s"
tell measured
wait_until_off second
