#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The second of two laptops with the Debian package: its user continues, and sees the first one's daemon hang.
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

file_for_user 102400 /tmp/from-sofa
tell sum-sofa "$(sum /tmp/from-sofa)"
begun=$SECONDS
user_within 240 baton continue --type "$TYPE" --wait "$(limit 120)" --json --stream-from /tmp/from-sofa --stream-to /tmp/to-sofa \
    >"$LOGS/continue" 2>"$LOGS/continue.errors" || die "baton continue: $(tail -1 "$LOGS/continue.errors")"
grep -q '"Dear Ada,"' "$LOGS/continue" || die "the draft has not come: $(tr -d '\n' <"$LOGS/continue")"
[ "$(sum /tmp/to-sofa)" = "$(hear sum-desk)" ] || die "what came is not what was sent"
fact "installed from the package, started by D-Bus as a user's service: handed over with 100 KB each way in $((SECONDS - begun)) s"

# A stream that is under way when the other laptop's daemon hangs.
as_user sh -c 'exec baton continue --type "$0" --wait "$1" --stream-to - >/tmp/streamed' "$TYPE.endless" "$(limit 120)" 2>"$LOGS/endless" &
streaming=$!
has_streamed() { [ -s /tmp/streamed ]; }
until_true 150 "the stream begins" has_streamed
tell streaming
app notes /usr/local/bin/notes
shows 150 "offer: desk"
tell sees-note
wait_for_file hung 240
until_true 240 "the stream of the daemon that hung ends" ended "$streaming"
if wait "$streaming"; then die "a stream that was cut short passes for whole"; fi
fact "its stream ended: $(tail -1 "$LOGS/endless")"
# The offer may be that of the daemon that hung for a moment more: then continuing fails, in words, and is tried again.
wait_for_file restarted 240
until_true 240 "what the app published again is continued" continues "continued from desk"
shows 30 "note 9: Dear Ada,"
quit_app
tell "done"
purge
