#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The first of two laptops with the Debian package. Its user hands over, and then its daemon hangs.
. /lab/guest/library.sh
. /lab/guest/package.sh

# members: prints the ids and names of the circle's devices, without whether they are near, because that changes
# by itself.
members() { user_within 30 baton devices | awk '{ print $1, $2 }'; }

# Install before there is a radio, because a lent controller must answer in time and unpacking uses the whole
# processor.
install_package
user
tell installed-first
wait_for_file installed-second 900
cable "$FIRST"
adapters 2
lend_second_adapter
bluetooth_service hci0
activate
confined
tell ready

circle_of desk
as_user baton circle invite /tmp/invitation || die "baton circle invite"
put /tmp/invitation invitation
wait_for_file joined 240

# Hand over to an app that does not run. The app sends the bytes of the streams back.
file_for_user 102400 /tmp/from-desk
user_within 240 baton publish --type "$TYPE" --title "Letter to Ada" --info text="Dear Ada," --stream-from /tmp/from-desk \
    --stream-to /tmp/to-desk --once >"$LOGS/publish" 2>&1 || die "baton publish: $(tail -1 "$LOGS/publish")"
cmp /tmp/from-desk /tmp/to-desk || die "what came back is not what was sent"
say "handed over to an app"

# Let the daemon hang while a stream is open and an app offers an activity.
mkfifo -m 666 /tmp/endless
as_user baton publish --type "$TYPE" --stream-from /tmp/endless --stream-to - >/tmp/endless-back 2>"$LOGS/endless" &
streaming=$!
exec 8<>/tmp/endless
head -c 4096 /dev/zero >&8
wait_for_file streaming 240
until_true 120 "what the other laptop's app sends back comes" test -s /tmp/endless-back
app notes /usr/local/bin/notes
type_in "type Dear Ada,"
shows 30 "note 9: Dear Ada,"
wait_for_file sees-note 240
before=$(unit MainPID)
devices=$(members) || die "baton devices"
kill -STOP "$before"
tell hung
begun=$SECONDS
restarted() { [ "$(unit NRestarts)" = 1 ] && running; }
until_true 150 "systemd restarts the daemon that hangs" restarted
fact "a daemon that hangs was restarted by its watchdog after $((SECONDS - begun)) s (WatchdogSec=$(unit WatchdogUSec))"
[ "$(unit MainPID)" != "$before" ] || die "the daemon that hung is still there"
journalctl --no-pager -o cat "_UID=$USER_ID" | finds 'batond.service: Watchdog timeout' || die "it was not the watchdog: $(unit Result)"
[ -z "$(find /var/lib/systemd/coredump /home -name '*core*' -type f 2>/dev/null)" ] || die "the daemon has left a core, with its keys"
tell restarted
until_true 60 "the stream of the daemon that hung ends here, too" grep -q '^streams failed with sofa: ' "$LOGS/endless"
# The app continues to run, and its activity is published again. End the stream's activity, so that the app's note is
# offered.
pkill -INT -u "$USER_NAME" -f -- --stream-from
until_true 30 "what had the stream ends" ended "$streaming"
begun=$SECONDS
shows 300 "it continues on another laptop"
fact "what its app had published was published again, and continued $((SECONDS - begun)) s later"
[ "$(members)" = "$devices" ] || die "the circle is not what it was before"
[ "$(stat -c %a "/home/$USER_NAME/.local/state/baton/state")" = 600 ] || die "the state can be read by others"
quit_app
exec 8>&-
scopes

# Gives the daemon less memory than it needs for its data, until systemd makes its control group again.
wait_for_file "done" 240
before=$(unit MainPID)
[ "$(unit MemoryMax)" = 1073741824 ] || die "the unit's MemoryMax is $(unit MemoryMax)"
echo 1M >"/sys/fs/cgroup$(unit ControlGroup)/memory.max"
ended_by_memory() { [ "$(unit NRestarts)" = 2 ] && running; }
until_true 90 "systemd starts the daemon anew that took too much memory" ended_by_memory
[ "$(unit MainPID)" != "$before" ] || die "the daemon that took too much memory is still there"
journalctl --no-pager -o cat "_UID=$USER_ID" | finds "batond.service: .*oom-kill" || die "it was not its memory: $(unit Result)"
[ "$(members)" = "$devices" ] || die "the circle is not what it was before"
fact "a daemon that had more memory than its unit allows was ended and started anew"

purge
wait_until_off second
