#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters on the simulated air, with BlueZ's own tools: signal, throughput, and a link that ends
# because of silence.
. /lab/guest/library.sh
. /lab/guest/bluez.sh

adapters 2
laptop hci0 hci1
say "hci0 $(address hci0), hci1 $(address hci1)"
advertise hci0

# heard_at RSSI: whether the last discovery reported this signal.
heard_at() { grep -qi "dev_found: $(address hci0) .*rssi $1 " "$LOGS/btmgmt-find"; }

for attenuation in 60 77; do
    air "attenuation $attenuation"
    discover hci1 "$(address hci0)"
    heard_at "-$attenuation" || die "the signal is not -$attenuation dBm: $(grep -i dev_found "$LOGS/btmgmt-find")"
done

channel_receive hci0
channel_send hci1 "$(address hci0)"
fact "l2test over the air: $(channel_rate) bytes/s"

air "silence 3"
until_true 30 "silence ends the link" ended "$SENDER"
grep -q "Connection timed out" "$LOGS/l2test-send" || die "no supervision timeout has ended the link: $(tail -1 "$LOGS/l2test-send")"
kill "$RECEIVER" 2>/dev/null || true
