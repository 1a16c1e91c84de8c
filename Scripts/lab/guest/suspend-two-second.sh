#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The second of two laptops sleeps. Its kernel suspends everything including the devices (pm_test): Bluetooth is suspended, so that links end and
# nothing is advertised, and all processes are frozen. Only the disk, which is on the host, is not suspended.
. /lab/guest/library.sh
. /lab/guest/baton.sh

cable "$SECOND"
borrow_adapter
laptop hci0

# sleep_for SECONDS: sleeps for at least this long, and sets SLEPT to the real time.
sleep_for() {
    local begun=$SECONDS
    echo "$1" >/sys/module/suspend/parameters/pm_test_delay
    echo freezer >/sys/power/pm_test
    echo freeze >/sys/power/state || die "the kernel does not suspend: $(dmesg | tail -1)"
    SLEPT=$((SECONDS - begun))
}

sees() { baton_within 30 sofa nearby --json | finds "\"$TYPE.endless\""; }
answers() { baton_within 60 sofa ping desk >"$LOGS/ping-sofa" 2>&1; }

daemon sofa hci0 --tcp off
get invitation /run/invitation 240
chmod 600 /run/invitation
join_circle sofa /run/invitation
tell joined
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/sofa/bus "$BATON_BIN/baton" publish --type "$TYPE.sofa" >"$LOGS/publish-sofa" 2>&1 &
PUBLISHER=$!

wait_for_file published 120
# Both laptops offer something and dial each other, which may need a second try (0008). The stream must be open before the sleep, so start it on a
# link that answers.
until_true 120 "desk answers" answers
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/sofa/bus "$BATON_BIN/baton" continue --type "$TYPE.endless" --wait "$(limit 120)" --stream-to - \
    >/run/streamed 2>"$LOGS/endless-sofa" &
continuer=$!
has_come() { [ "$(stat -c %s /run/streamed)" -ge "$1" ]; }
until_true 180 "the stream begins" has_come 4096
tell streaming

wait_for_file sleep-a-moment 240
tell falls-asleep
sleep_for 8
begun=$SECONDS
until_true 90 "the stream goes on after the laptop has slept" has_come 8192
fact "a stream goes on $((SECONDS - begun)) s after its laptop has slept for $SLEPT s"
tell streamed-on
until_true 120 "baton continue ends" ended "$continuer"
wait "$continuer" || die "baton continue: $(tail -1 "$LOGS/endless-sofa")"

wait_for_file sleep-long 240
tell sleeps-long
sleep_for 40
tell awake
begun=$SECONDS
until_true 60 "sofa sees desk's offer" sees
until_true 120 "desk answers" answers
fact "after $SLEPT s of sleep: desk's offer and its answer $((SECONDS - begun)) s later"
tell answered
kill -TERM "$PUBLISHER"
until_true 30 "baton publish ends" ended "$PUBLISHER"
stop_daemon sofa
