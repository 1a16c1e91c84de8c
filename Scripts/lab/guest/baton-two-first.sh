#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The first of two laptops. It makes the circle and publishes, first over L2CAP and then over TCP. Then a
# stranger comes.
. /lab/guest/library.sh
. /lab/guest/baton.sh

cable "$FIRST"
adapters 2
lend_second_adapter
laptop hci0
tell address "$(address hci0)"

# give ROUND BYTES: publishes with streams, and compares the received bytes.
give() {
    file_of "$2" "/run/from-$1"
    tell "sum-desk-$1" "$(sum "/run/from-$1")"
    publish desk "/run/from-$1" "/run/to-$1"
    tell "published-$1"
    published desk 600
    same_sum "/run/to-$1" "$(hear "sum-sofa-$1")"
    say "$1 done"
}

daemon desk hci0 --tcp off
create_circle desk /run/invitation
put /run/invitation invitation
wait_for_file joined 240
give l2cap 102400
wait_for_file "done-l2cap"

stop_daemon desk
daemon desk hci0 --tcp on
give tcp 5242880
wait_for_file "done-tcp"

# A stranger publishes and dials. This laptop must not show its offer, and must not hand anything over to
# it.
if [ -n "${LAB_STRANGER:-}" ]; then
    DBUS_SESSION_BUS_ADDRESS="unix:path=/run/desk/bus" "$BATON_BIN/baton" publish --type "$TYPE" >"$LOGS/publish-alone" 2>&1 &
    PUBLISHER=$!
    tell stranger-may-come
    wait_for_file stranger-advertises 240
    if baton_within 60 desk nearby --json --wait 20 >"$LOGS/nearby-desk" 2>"$LOGS/nearby-desk.errors"; then
        die "a stranger's beacon has become an offer: $(tr -d '\n' <"$LOGS/nearby-desk")"
    fi
    [ "$(tr -d ' \n' <"$LOGS/nearby-desk")" = "[]" ] || die "baton nearby: $(tail -1 "$LOGS/nearby-desk.errors")"
    wait_for_file stranger-done 300
    if grep -q continued "$LOGS/publish-alone"; then die "a stranger has continued"; fi
    baton_within 60 desk status >>"$LOGS/status-desk" 2>&1 || die "batond desk does not answer after the stranger"
    kill -TERM "$PUBLISHER"
    wait "$PUBLISHER" || die "baton publish ended with status $?"
fi
stop_daemon desk
wait_until_off second
