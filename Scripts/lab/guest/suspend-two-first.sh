#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The first of two laptops stays awake while the second one sleeps: first for a moment, while a stream waits, and then for long, so that its
# offer disappears.
. /lab/guest/library.sh
. /lab/guest/baton.sh

cable "$FIRST"
adapters 2
lend_second_adapter
laptop hci0

sees() { baton_within 30 desk nearby --json | finds "\"$TYPE.sofa\""; }
sees_not() { ! sees; }

daemon desk hci0 --tcp off
create_circle desk /run/invitation
put /run/invitation invitation
wait_for_file joined 240

mkfifo /run/endless
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/desk/bus "$BATON_BIN/baton" publish --type "$TYPE.endless" --stream-from /run/endless >"$LOGS/endless-desk" 2>&1 &
PUBLISHER=$!
exec 8<>/run/endless
head -c 4096 /dev/zero >&8
tell published
wait_for_file streaming 240
until_true 120 "desk sees sofa's offer" sees

tell sleep-a-moment
wait_for_file falls-asleep
head -c 4096 /dev/zero >&8
wait_for_file streamed-on 240
exec 8>&-
until_true 120 "baton publish --stream-from ends its streams" grep -q 'streams finished\|streams ended' "$LOGS/endless-desk"
say "a stream went on"

until_true 120 "desk sees sofa's offer" sees
tell sleep-long
wait_for_file sleeps-long
begun=$SECONDS
until_true 60 "the offer of a laptop that sleeps goes" sees_not
fact "a laptop that sleeps: its offer is gone after $((SECONDS - begun)) s"
wait_for_file awake 120
begun=$SECONDS
until_true 60 "the offer of a laptop that woke comes again" sees
fact "a laptop that woke: its offer is there again after $((SECONDS - begun)) s"
wait_for_file answered 120
kill -TERM "$PUBLISHER"
until_true 30 "baton publish ends" ended "$PUBLISHER"
stop_daemon desk
wait_until_off second
