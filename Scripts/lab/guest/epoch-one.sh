#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters and BlueZ's privacy. At an epoch the advertisement's bytes and address change together. Then there are
# hand-overs, and another one after both daemons were killed.
. /lab/guest/library.sh
. /lab/guest/baton.sh

# Set the clock so that an epoch of 600 s begins soon after everything runs.
boundary=$((($(date +%s) / 600 + 1) * 600))
date -s "@$((boundary - 90))" >/dev/null
epoch_begins() { [ "$(date +%s)" -ge "$boundary" ]; }
# The recording is still being written, and may end in the middle of a record.
changed() { /usr/bin/python3 "$GUEST/epochs.py" "$LOGS/btmon" hci1 "$public" "$boundary" "$@"; }
heard() { [[ "$(changed || true)" == [1-9]* ]]; }

adapters 2
laptop hci0 hci1
public=$(address hci0)
daemon desk hci0 --tcp off
# passer is in another circle and only listens, like a passer-by. Without a circle it would not listen.
daemon passer hci1 --tcp off
baton_within 60 passer circle create --name "$(hostname)" || die "baton circle create"
if has_finding desk address-public; then die "baton doctor says that hci0 has no privacy"; fi
create_circle desk /run/invitation
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/desk/bus "$BATON_BIN/baton" publish --type "$TYPE" >"$LOGS/publish-desk" 2>&1 &
publisher=$!
until_true 60 "desk's beacon is heard" heard
! epoch_begins || die "the epoch began before a beacon was heard: this machine is too slow"
until_true 200 "the next epoch" epoch_begins
until_true 120 "new bytes by a new address" changed
fact "with privacy: $(changed)"
kill -TERM "$publisher"
until_true 30 "baton publish ends" ended "$publisher"

# Hand over in both directions. Each activity is advertised with an address that was not dialled before.
baton_within 60 passer leave --yes || die "baton leave"
join_circle passer /run/invitation
file_of 4096 /run/from-desk
file_of 4096 /run/from-passer
begun=$SECONDS
publish desk /run/from-desk /run/to-desk
see_offer passer desk
continue_offer passer /run/from-passer /run/to-passer 200 deviceName=desk transport=l2cap streamTransport=l2cap
published desk 60
publish passer /run/from-passer /run/to-passer
see_offer desk "$(hostname)"
continue_offer desk /run/from-desk /run/to-desk 200 "deviceName=$(hostname)" transport=l2cap streamTransport=l2cap
published passer 60
same_sum /run/to-passer "$(sum /run/from-desk)"
same_sum /run/to-desk "$(sum /run/from-passer)"
fact "with privacy: handed over in both directions in $((SECONDS - begun)) s"
seen=$(changed linked) || die "on the air: $seen"
fact "with privacy, in all: $seen"

# Kill both daemons while a link is up, and start them with other addresses. bluetoothd keeps a link that nobody uses.
linked() { hcitool -i hci0 con | finds handle; }
linked || die "no link is left"
for name in desk passer; do
    kill -KILL "${DAEMON[$name]}"
    wait "${DAEMON[$name]}" || true
done
linked || die "bluetoothd has not kept the link"
daemon desk hci0 --tcp off
daemon passer hci1 --tcp off
begun=$SECONDS
publish desk /run/from-desk /run/to-desk
see_offer passer desk
continue_offer passer /run/from-passer /run/to-passer 200 deviceName=desk transport=l2cap streamTransport=l2cap
published desk 60
same_sum /run/to-passer "$(sum /run/from-desk)"
fact "with privacy: handed over $((SECONDS - begun)) s after both daemons were killed"
stop_daemon passer
stop_daemon desk
