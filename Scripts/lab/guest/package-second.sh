#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The second of two laptops with the Debian package. Its user continues, and sees that the first laptop's daemon hangs.
. /lab/guest/library.sh
. /lab/guest/package.sh

install_package
user
tell installed-second
wait_for_file installed-first 900
cable "$SECOND"
borrow_adapter
bluetooth_service hci0
activate

get invitation /tmp/invitation 300
chown "$USER_NAME:" /tmp/invitation
chmod 600 /tmp/invitation
user_within 150 baton circle join /tmp/invitation --name sofa || die "baton circle join"
tell joined

# The app is installed and does not run.
[ ! -e "$REPORT" ] || die "the app has run already"
begun=$SECONDS
user_within 240 baton open --type "$TYPE" --wait "$(limit 120)" >"$LOGS/open" 2>&1 || die "baton open: $(tail -1 "$LOGS/open")"
grep -qx "continued in Letters (org.example.Letters)" "$LOGS/open" || die "baton open: $(tail -1 "$LOGS/open")"
until_true 120 "the app has had what came through the streams" grep -q '^streamed' "$REPORT"
printf 'started -\nwill %s\ncontinue Letter to Ada Dear Ada,\nstreamed 102400\n' "$TYPE" | cmp - "$REPORT" ||
    die "the app was told: $(tr '\n' ';' <"$REPORT")"
as_user systemctl --user list-units --no-legend 'app-*' | finds 'app-org.example.Letters@' || die "the app is no unit of its own"
fact "an app that did not run was started, told, handed the activity and 100 KB each way, $((SECONDS - begun)) s after the user asked"

# Open streams before the other laptop's daemon hangs. The app already runs, and is not started again.
user_within 240 baton open --type "$TYPE" --wait "$(limit 120)" >"$LOGS/open-again" 2>&1 || die "baton open: $(tail -1 "$LOGS/open-again")"
until_true 60 "the app has the activity" grep -q '^continue - -' "$REPORT"
tell streaming
app notes /usr/local/bin/notes
shows 150 "offer: desk"
tell sees-note
wait_for_file hung 240
until_true 240 "the streams of the daemon that hung end" grep -q '^no streams' "$REPORT"
# This is CocoaError.userActivityConnectionUnavailable.
[ "$(tail -1 "$REPORT")" = "no streams: 4609" ] || die "the app's streams ended with $(tail -1 "$REPORT")"
[ "$(grep -c '^started' "$REPORT")" = 1 ] || die "an app that runs was started again"
fact "the streams of the daemon that hung ended with connectionUnavailable"
# For a moment the offer of the hung daemon may still be listed. Continuing it fails with a message, so try again.
wait_for_file restarted 240
until_true 240 "what the app published again is continued" continues "continued from desk"
shows 30 "note 9: Dear Ada,"
quit_app
tell "done"
purge
