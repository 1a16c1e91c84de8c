#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with four adapters, two on the simulated air and two on btvirt, whose packets take no time: measures hand-overs
# on the simulated air.
. /lab/guest/library.sh
. /lab/guest/baton.sh

ROUNDS=10

system_bus
adapters 2
/usr/bin/python3 "$GUEST/ciphers.py"
btvirt -l2 >"$LOGS/btvirt" 2>&1 &
until_true 40 "hci2 is set up" address_known 2
until_true 40 "hci3 is set up" address_known 3
bluetooth hci0 hci1 hci2 hci3
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
number=0
TRACES=()
for pair in "desk sofa" "plain-desk plain-sofa"; do
    read -r offering other <<<"$pair"
    daemon "$offering" "hci$((number++))" --tcp off
    daemon "$other" "hci$((number++))" --tcp off
    create_circle "$offering" "/run/invitation-$offering"
    join_circle "$other" "/run/invitation-$offering"
    DBUS_SESSION_BUS_ADDRESS="unix:path=/run/$other/bus" "$BATON_BIN/baton" trace --reveal names,types --output "$LOGS/trace-$other" \
        >"$LOGS/trace-$other.output" 2>&1 &
    TRACES+=($!)
done
/usr/bin/python3 "$GUEST/continue-times.py" "$ROUNDS" || die "a hand-over failed"
kill -TERM "${TRACES[@]}"
for trace in "${TRACES[@]}"; do until_true 60 "a trace is written" ended "$trace"; done
for name in sofa desk plain-sofa plain-desk; do stop_daemon "$name"; done
