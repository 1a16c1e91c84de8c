#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The second of two laptops. It joins, continues over L2CAP, and over TCP after both daemons have restarted. Then it acts as the
# stranger.
. /lab/guest/library.sh
. /lab/guest/baton.sh

cable "$SECOND"
borrow_adapter
laptop hci0

# take ROUND BYTES EXPECTED...: continues with streams, and compares the received bytes.
take() {
    local round=$1 bytes=$2 begun
    shift 2
    file_of "$bytes" "/run/from-$round"
    tell "sum-sofa-$round" "$(sum "/run/from-$round")"
    wait_for_file "published-$round" 120
    see_offer sofa desk
    begun=$SECONDS
    continue_offer sofa "/run/from-$round" "/run/to-$round" 600 deviceName=desk "$@"
    same_sum "/run/to-$round" "$(hear "sum-desk-$round")"
    fact "userInfo intact and $bytes bytes each way, streams over $round, in $((SECONDS - begun)) s"
    tell "done-$round"
}

daemon sofa hci0 --tcp off
get invitation /run/invitation 240
chmod 600 /run/invitation
join_circle sofa /run/invitation
tell joined
take l2cap 102400 transport=l2cap streamTransport=l2cap

stop_daemon sofa
daemon sofa hci0 --tcp on
take tcp 5242880 "transport=l2cap|tcp" streamTransport=tcp

stop_monitor
on_the_air() { /usr/bin/python3 "$GUEST/advertisement.py" "$LOGS/btmon" "$(hear address)" 2>&1; }
if [ -z "${LAB_PRIVACY:-}" ]; then
    seen=$(on_the_air) || die "on the air: $seen"
else
    # With privacy, the beacons come from other addresses than desk's own. one-laptop-epoch checks these addresses.
    seen=$(on_the_air) && die "desk's own address is on the air: $seen"
    [[ $seen == *"no report of"* ]] || die "on the air: $seen"
fi
fact "on the air: $seen"
stop_daemon sofa

if [ -n "${LAB_STRANGER:-}" ]; then . "$GUEST/stranger.sh"; fi
