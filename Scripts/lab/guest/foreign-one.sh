#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One laptop and a device of another make: Tests/ForeignPeer on Bumble's Bluetooth stack, which uses hci1. Over L2CAP the device joins with an
# invitation, continues batond's offer, and batond continues the device's.
. /lab/guest/library.sh
. /lab/guest/baton.sh

# foreign SECONDS LINE: waits for a line of the foreign device that begins with LINE.
foreign() { until_true "$1" "the foreign device says '$2'" foreign_said "$2"; }

foreign_said() {
    grep -q "^$1" "$LOGS/foreign" || alive "$FOREIGN" "the foreign device"
    grep -q "^$1" "$LOGS/foreign"
}

adapters 2
# Start the foreign device before bluetoothd takes the controller.
hciconfig hci1 down
"$BATON_BIN/bumble/bin/python" "$BATON_BIN/ForeignPeer/hand_over.py" hci-socket:1 /run/invitation "$TYPE" "$(limit 300)" >"$LOGS/foreign" 2>&1 &
FOREIGN=$!
foreign 120 "on the air"
laptop hci0
daemon desk hci0 --tcp off
create_circle desk /run/invitation.new
mv /run/invitation.new /run/invitation
foreign 200 joined
baton_within 30 desk devices >"$LOGS/devices" || die "baton devices"
grep -q snake "$LOGS/devices" || die "the foreign device is not in the circle"
say "the foreign device has joined"

begun=$SECONDS
DBUS_SESSION_BUS_ADDRESS="unix:path=/run/desk/bus" "$BATON_BIN/baton" publish --type "$TYPE" --title "$TITLE" \
    --info-json "$GUEST/userinfo.json" --once >"$LOGS/publish-desk" 2>&1 &
PUBLISHER=$!
foreign 200 "continued "
published desk 60
grep -q "continued on snake" "$LOGS/publish-desk" || die "batond does not say who continued"
fact "a device of another make joined and continued over L2CAP, $((SECONDS - begun)) s after the activity was published"

foreign 60 offering
see_offer desk snake
printf '{"draft": "Dear Grace,", "page": 7}\n' >/run/expected.json
baton_within 200 desk continue --type "$TYPE" --wait "$(limit 60)" --json >"$LOGS/continue-desk" || die "baton continue"
/usr/bin/python3 "$GUEST/check.py" continued "$LOGS/continue-desk" /run/expected.json "type=$TYPE" \
    "title=From a snake" transport=l2cap || die "what was continued is wrong"
foreign 60 accepted
wait "$FOREIGN" || die "the foreign device ended with status $?"
fact "what it offered was continued over L2CAP"
stop_daemon desk
