#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop with two adapters and a daemon on each: failures of radios and daemons, and what users then see.
. /lab/guest/library.sh
. /lab/guest/baton.sh

adapters 2
laptop hci0 hci1
daemon desk hci0 --tcp off
daemon sofa hci1 --tcp off
create_circle desk /run/invitation
join_circle sofa /run/invitation

# Contents near the size limit cause a warning.
/usr/bin/python3 -c 'import json; print(json.dumps({"text": "0123456789abcdef" * 3900}))' >/run/large.json
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/desk/bus "$BATON_BIN/baton" publish --type "$TYPE" --info-json /run/large.json >"$LOGS/publish-large" 2>&1 &
publisher=$!
until_true 60 "the publisher is warned" grep -q '^baton: warning: The contents have 6[0-9]* bytes' "$LOGS/publish-large"
begun=$SECONDS
baton_within 240 sofa continue --type "$TYPE" --wait "$(limit 120)" --json >"$LOGS/continue-large" 2>"$LOGS/continue-large.errors" ||
    die "baton continue: $(tail -1 "$LOGS/continue-large.errors")"
[ "$(grep -o 0123456789abcdef "$LOGS/continue-large" | wc -l)" = 3900 ] || die "the contents are not what was published"
fact "62,400 bytes of userInfo over L2CAP in $((SECONDS - begun)) s, seeing the offer included"

# Switch desk's adapter off. Its offer must disappear on sofa, and desk's user must be told. When the adapter is on
# again, the offer must appear again.
sees() { baton_within 30 sofa nearby --json | finds "\"$TYPE\""; }
sees_not() { ! sees; }
until_true 90 "sofa sees the offer" sees
power hci0 false
until_true 30 "desk is told that its Bluetooth is off" has_finding desk adapter-off
until_true 90 "the offer goes" sees_not
power hci0 true
until_true 90 "the offer comes again" sees
say "an adapter was off and on"

# Check the same after bluetoothd was killed and started again.
kill -KILL "$BLUETOOTHD"
wait "$BLUETOOTHD" || true
until_true 30 "desk is told that bluetoothd does not run" has_finding desk bluetoothd-stopped
bluetooth hci0 hci1
until_true 120 "the offer comes again" sees
say "bluetoothd was killed and started again"
kill -TERM "$publisher"
until_true 30 "baton publish ends" ended "$publisher"

# Kill a daemon in the middle of a stream.
mkfifo /run/endless
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/desk/bus "$BATON_BIN/baton" publish --type "$TYPE.endless" --stream-from /run/endless >"$LOGS/endless-desk" 2>&1 &
publisher=$!
exec 8<>/run/endless
head -c 4096 /dev/zero >&8
DBUS_SESSION_BUS_ADDRESS=unix:path=/run/sofa/bus "$BATON_BIN/baton" continue --type "$TYPE.endless" --wait "$(limit 120)" --stream-to - \
    >/run/streamed 2>"$LOGS/endless-sofa" &
continuer=$!
until_true 180 "the stream begins" test -s /run/streamed
kill -KILL "${DAEMON[desk]}"
until_true 150 "baton continue ends" ended "$continuer"
if wait "$continuer"; then die "a stream that was cut short passes for whole"; fi
until_true 30 "baton publish says that its daemon is gone" grep -q 'batond has ended' "$LOGS/endless-desk"
fact "a daemon was killed: there $(tail -1 "$LOGS/endless-sofa"); here $(tail -1 "$LOGS/endless-desk")"
wait "${DAEMON[desk]}" || true
published_twice() { [ "$(grep -c '^publishing' "$LOGS/endless-desk")" = 2 ]; }
daemon desk hci0 --tcp off
until_true 30 "baton publish publishes again" published_twice
kill -TERM "$publisher"
until_true 30 "baton publish ends" ended "$publisher"
exec 8>&-
[ "$(baton_within 30 desk devices | wc -l)" = 2 ] || die "the circle is not what it was"
stop_daemon sofa
stop_daemon desk
