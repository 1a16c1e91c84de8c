#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters and a daemon on each: a hand-over with streams over L2CAP.
. /lab/guest/library.sh
. /lab/guest/baton.sh

adapters 2
laptop hci0 hci1
daemon desk hci0 --tcp off
daemon sofa hci1 --tcp off
until_true 60 "baton doctor says that hci0 has no privacy" has_finding desk address-public
if has_finding desk adapter-one-role; then die "baton doctor says that hci0 has one role only"; fi
if [ "${LAB_CHANNELS:-1}" -gt 1 ]; then
    until_true 60 "baton doctor says that bluetoothd has further ATT channels" has_finding desk eatt-on
fi

create_circle desk /run/invitation
join_circle sofa /run/invitation

file_of 102400 /run/from-desk
file_of 102400 /run/from-sofa
publish desk /run/from-desk /run/to-desk
see_offer sofa desk
begun=$SECONDS
continue_offer sofa /run/from-sofa /run/to-sofa 300 deviceName=desk transport=l2cap streamTransport=l2cap
published desk 60
same_sum /run/to-sofa "$(sum /run/from-desk)"
same_sum /run/to-desk "$(sum /run/from-sofa)"
fact "userInfo intact and 100 KB each way over L2CAP in $((SECONDS - begun)) s"

stop_monitor
seen=$(/usr/bin/python3 "$GUEST/advertisement.py" "$LOGS/btmon" "$(address hci0)") || die "on the air: $seen"
fact "on the air: $seen"
stop_daemon sofa
stop_daemon desk
