# SPDX-License-Identifier: Apache-2.0
# Functions for advertising, discovery and credit-based channels with BlueZ's own tools. Baton is compared with these.

PSM=129
SDU=1024       # bytes of an SDU
SAMPLE=102400 # bytes of one measurement of l2test

# index ADAPTER: prints its number.
index() { echo "${1#hci}"; }

# mgmt LOG ARGUMENT...: runs btmgmt, which does nothing without a terminal.
mgmt() (
    local log=$LOGS/$1
    shift
    within 30 script -qefc "btmgmt $*" "$log" </dev/null >/dev/null 2>&1
)

# advertise ADAPTER: starts a connectable advertisement with 24 bytes of manufacturer data, with the kernel's management
# interface.
advertise() {
    # The data have 27 bytes: an AD structure of length 1b and type ff, company ffff, and bytes that count from 1.
    mgmt btmgmt-advertise --index "$(index "$1")" add-adv -c -d \
        1bffffff0102030405060708090a0b0c0d0e0f101112131415161718 1 || die "btmgmt add-adv"
    say "$1 advertises"
}

# discover ADAPTER ADDRESS: scans, at most six times 10 s, until ADDRESS has been seen with its 24 bytes.
discover() {
    local window
    for window in 1 2 3 4 5 6; do
        mgmt btmgmt-find --index "$(index "$1")" find -l &
        wait $! || die "btmgmt find"
        if grep -qi "dev_found: $2 " "$LOGS/btmgmt-find"; then
            say "$1 sees $2 (window $window)"
            return
        fi
    done
    die "$1 does not see $2"
}

# channel_receive ADAPTER: starts l2test, which listens there and reports every SAMPLE received bytes.
channel_receive() {
    l2test -r -i "$1" -V le_public -P "$PSM" -b "$SAMPLE" -I "$SDU" >"$LOGS/l2test-receive" 2>&1 &
    RECEIVER=$!
    until_true 20 "l2test listens" grep -q "Waiting for connection" "$LOGS/l2test-receive"
}

# channel_send ADAPTER ADDRESS: connects to l2test at ADDRESS and sends until it is killed.
channel_send() {
    l2test -s -i "$1" -V le_public -P "$PSM" -b "$SDU" -O "$SDU" "$2" >"$LOGS/l2test-send" 2>&1 &
    SENDER=$!
    until_true 60 "l2test sends" grep -q "Sending" "$LOGS/l2test-send"
}

# The first report starts before the first byte. A rate comes from a report after it.
reported() { [ "$(grep -c "bytes in" "$LOGS/l2test-receive")" -ge 2 ]; }

# channel_rate: prints the receiver's rate, in bytes per second.
channel_rate() {
    until_true 180 "two samples of l2test" reported
    if grep "mismatch" "$LOGS/l2test-receive"; then die "l2test received other bytes than were sent"; fi
    sed -n 's/.* \([0-9]*\) bytes in \([0-9.]*\) sec.*/\1 \2/p' "$LOGS/l2test-receive" | awk 'NR == 2 { printf "%d\n", $1 / $2 }'
}
