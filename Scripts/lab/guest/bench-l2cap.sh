#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters: measures a stream over L2CAP and l2test in turn, each from hci1 to hci0, for
# Benchmarks/run.
. /lab/guest/library.sh
. /lab/guest/bluez.sh
. /lab/guest/baton.sh

RUNS=3
LENGTH=307200
SDU=2048 # what Baton's channels take, too
SAMPLE=102400

# l2test's first report starts before the first byte. The reports after it cover as much as a stream carries.
reports() { sed -n 's/.* \([0-9]*\) bytes in \([0-9.]*\) sec.*/\1 \2/p' "$LOGS/l2test-receive"; }
moved() { [ "$(reports | wc -l)" -gt $((LENGTH / SAMPLE)) ]; }
moved_rate() {
    reports | awk -v n=$((LENGTH / SAMPLE)) 'NR > 1 && NR <= n + 1 { b += $1; s += $2 } END { printf "%d\n", b / s }'
}

two_daemons
file_of "$LENGTH" /run/from-sofa

for ((run = 1; run <= RUNS; run++)); do
    mkfifo "/run/pipe-$run"
    /usr/bin/python3 "$GUEST/meter.py" "/run/pipe-$run" "$LENGTH" >"$LOGS/meter-$run" 2>&1 &
    METER=$!
    publish desk /dev/null "/run/pipe-$run"
    see_offer sofa desk

    channel_receive hci0
    channel_send hci1 "$(address hci0)"
    until_true 180 "l2test moves as much" moved
    fact "l2test: $(moved_rate) bytes/s"
    kill "$SENDER" "$RECEIVER"
    wait "$SENDER" "$RECEIVER" || true

    continue_offer sofa /run/from-sofa /dev/null 300 deviceName=desk transport=l2cap streamTransport=l2cap
    published desk 60
    wait "$METER" || die "the stream is not what was sent: $(tail -1 "$LOGS/meter-$run")"
    fact "stream: $(cat "$LOGS/meter-$run") bytes/s"
done
stop_daemon sofa
stop_daemon desk
