# SPDX-License-Identifier: Apache-2.0
# A device outside the circle. It sees no offer, a used invitation does not let it in, and it learns nothing by
# dialling. The second laptop sources this file after its own daemon has ended.

wait_for_file stranger-may-come 240
daemon stranger hci0 --tcp on
if baton_within 200 stranger circle join /run/invitation >"$LOGS/join-again" 2>&1; then
    die "a used invitation was good for a second device"
fi
say "refused: $(tail -1 "$LOGS/join-again")"
baton_within 60 stranger circle create --name stranger
DBUS_SESSION_BUS_ADDRESS="unix:path=/run/stranger/bus" "$BATON_BIN/baton" publish --type org.example.stranger \
    >"$LOGS/publish-stranger" 2>&1 &
until_true 60 "the stranger publishes" grep -q publishing "$LOGS/publish-stranger"
tell stranger-advertises
if baton_within 60 stranger nearby --json --wait 20 >"$LOGS/nearby-stranger" 2>"$LOGS/nearby-stranger.errors"; then
    die "a stranger sees an offer: $(tr -d '\n' <"$LOGS/nearby-stranger")"
fi
[ "$(tr -d ' \n' <"$LOGS/nearby-stranger")" = "[]" ] || die "baton nearby did not print an empty list"
fact "the stranger saw no offer, and was refused with a used invitation"

dialled=$(within 200 /usr/bin/python3 "$GUEST/dial.py" "$(hear address)") || die "dialling: $dialled"
fact "the stranger dialled: $dialled"
stop_daemon stranger
tell stranger-done
